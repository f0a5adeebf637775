package facts

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// The size of what Pending returns.
const (
	pendingCount = 8
	pendingRunes = 80
)

// Pending returns the open actions a message states ("I need to ...", "nezapomeň ...", or a line that begins with an
// infinitive), in its own words without the words of duty, at most eight of at most 80 runes. A day that
// stands before the duty is moved behind the action. Questions state none, except those that ask to be reminded.
func (r *Reading) Pending() []string {
	var found []Fact
	for _, f := range r.Facts() {
		if f.Kind == Date || f.Kind == Deadline {
			found = append(found, f)
		}
	}

	var out []string
	for i, end := range r.spans() {
		if len(out) >= pendingCount {
			break
		}
		for _, action := range r.duties(i, end, found) {
			if !slices.Contains(out, action) {
				out = append(out, action)
			}
		}
	}
	return out[:min(len(out), pendingCount)]
}

// duties returns the actions of the sentence of lexemes from to end-1.
func (r *Reading) duties(from, end int, days []Fact) []string {
	// Actions behind words of duty. A question states none unless it asks to be reminded.
	asks := r.asksIn(from, end)
	var out []string
	for i := from; i < end; i++ {
		n, reminds := r.duty(i, end)
		if n == 0 || asks && !reminds || i > from && r.at(i-1).is(negates) {
			continue
		}
		start := r.skipConnectors(i+n, end)
		stop := r.actionEnd(start, end)
		if action := r.action(start, stop); action != "" && (reminds || !r.at(i).is(needsVerb) || r.hasInfinitive(start, stop)) {
			action = r.object(from, i, days) + action
			if !slices.ContainsFunc(days, func(f Fact) bool { return f.Start >= r.lex[start].start && f.End <= r.lex[stop-1].end }) {
				action = r.dated(action, from, i, days) // else it has a day of its own
			}
			out = append(out, action)
		}

		// The search goes on behind the action, which may hold such a word itself.
		i = max(i, stop-1)
	}

	// Else a line that begins with an infinitive, behind a bullet or a number, is an action by itself.
	if len(out) == 0 && !asks {
		start := from
		for start < end && (r.lex[start].shape == mark || r.lex[start].shape == number && r.is(start+1, ".)")) {
			start++
		}
		if start+1 < end && r.w.infinitive(r.lex[start]) {
			if action := r.action(start, r.actionEnd(start, end)); action != "" {
				out = append(out, action)
			}
		}
	}
	return out
}

// object returns what stands before a duty in its clause and is what has to be dealt with ("fakturu musím zaplatit"),
// with a space behind; "" if nothing does, or a day. English has its objects behind the verb.
func (r *Reading) object(from, duty int, days []Fact) string {
	start := duty
	for start > from && duty-start < 5 && !r.is(start-1, ",:;–—.!?") && !r.lex[start-1].is(subordinate) {
		start--
	}

	for start < duty && (r.lex[start].conjoins() || r.lex[start].set.meets(in(opening, selfWord))) {
		start++
	}

	if start == duty || r.lang == "en" || r.lang == "de" || overlaps(days, r.lex[start].start, r.lex[duty-1].end) {
		return ""
	}

	s := r.words(start, duty)
	if len(text.Terms(s)) == 0 {
		return ""
	}
	return s + " "
}

// duty returns how many words from lexeme i on say that something has to be done, and whether they ask for a reminder.
func (r *Reading) duty(i, end int) (n int, reminds bool) {
	if n = r.phrase(i, end, in(reminder)); n > 0 {
		return n, true
	}
	return r.phrase(i, end, in(obligation)), false
}

// skipConnectors steps over "mi, že mám", "żebym", "что", "to" after the words of duty.
func (r *Reading) skipConnectors(i, end int) int {
	for ; i < end; i++ {
		if !r.is(i, ",:-–") && !r.lex[i].is(connects) {
			break
		}
	}
	return i
}

// actionEnd returns where the action that begins at lexeme i ends: before a subordinate clause or the next duty.
func (r *Reading) actionEnd(i, end int) int {
	for j := i; j < end; j++ {
		if j > i {
			if n, _ := r.duty(j, end); n > 0 && !r.subordinated(j) {
				return j
			}
		}
		if r.is(j, ",–—(") && j+1 < end && (j == i || r.lex[j+1].is(subordinate) || r.lex[j+1].is(opening) || !r.is(j, ",")) {
			return j
		}
		if r.lex[j].is(reason) {
			return j
		}
	}
	return end
}

// subordinated reports whether a word of duty at lexeme j is itself part of the action ("zjistit, co musím").
func (r *Reading) subordinated(j int) bool { return r.at(j - 1).is(questionWord) }

// action renders lexemes from to end-1 as one line without closing signs; "" if there is no word in it.
func (r *Reading) action(from, end int) string {
	for end > from && (r.is(end-1, ".,!?;:…-–") && !r.dayPoint(end-1) || r.lex[end-1].conjoins()) {
		end--
	}
	letters := 0
	for i := from; i < end; i++ {
		if r.lex[i].shape == word {
			letters += utf8.RuneCountInString(r.lex[i].raw)
		}
	}
	if letters < 3 {
		return ""
	}
	return shorten(r.words(from, end), pendingRunes)
}

// dayPoint reports whether the point at lexeme i belongs to a day ("20. 2.").
func (r *Reading) dayPoint(i int) bool {
	return r.is(i, ".") && r.at(i-1).shape == number && (r.at(i-2).raw == "." && r.at(i-3).shape == number || isDay(r.at(i-1).raw))
}

// dated appends to an action the day that stands before the duty in the same sentence: its "By" is small then, its "January" is not.
func (r *Reading) dated(action string, from, duty int, days []Fact) string {
	for _, f := range days {
		if f.Start >= r.lex[from].start && f.End <= r.lex[duty].start {
			day := f.Value
			if word, _, _ := strings.Cut(day, " "); len(text.Terms(word)) == 0 {
				first, size := utf8.DecodeRuneInString(day)
				day = string(unicode.ToLower(first)) + day[size:]
			}
			return shorten(action+" "+day, pendingRunes)
		}
	}
	return action
}

// shorten cuts s at a word's end to at most n runes.
func shorten(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	end, last := 0, 0
	for i, c := range s {
		if end++; end > n-1 {
			break
		}
		if c == ' ' {
			last = i
		}
	}

	if last == 0 {
		return string([]rune(s)[:n-1]) + "…"
	}
	return strings.TrimRight(s[:last], " ,;:–-") + "…"
}

// hasInfinitive reports whether one of the first six lexemes from on is an infinitive.
func (r *Reading) hasInfinitive(from, end int) bool {
	for i := from; i < min(end, from+6); i++ {
		if r.w.infinitive(r.lex[i]) || r.g.ends(r.lex[i].fold, maybeInfinitive) {
			return true
		}
	}
	return false
}
