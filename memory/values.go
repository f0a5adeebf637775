package memory

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/internal/find/same"
	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/memory/internal/read/facts"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/memory/internal/read/whose"
	"github.com/mneme-graph/mneme/state"
)

// cut returns a sentence without the clauses that go.
func cut(sentence string, goes func(clause string) bool) string {
	return whole(strings.Join(slices.DeleteFunc(clauses(sentence), goes), " "), sentence)
}

// clauses returns the parts of a sentence between commas, which stay at their ends.
func clauses(s string) (out []string) {
	for {
		i := strings.IndexAny(s, ",;")
		if i < 0 || i+1 >= len(s) || s[i+1] != ' ' { // the comma of a number ends none
			return append(out, s)
		}
		out, s = append(out, s[:i+1]), s[i+2:]
	}
}

// whole returns what is left of a sentence as one of its own.
func whole(left, sentence string) string {
	if left == sentence || left == "" {
		return left
	}
	left = strings.TrimRight(left, ",; ")
	if !strings.HasSuffix(left, ".") {
		left += "."
	}
	first, size := utf8.DecodeRuneInString(left)
	return string(unicode.ToUpper(first)) + left[size:]
}

// replacedIn returns the parts of an old text in whose place a new one has others, and which: all that look alike, or, where the new text leaves some
// out, those beside the same word ("22 people" and "20 people").
func replacedIn(was, is []part) map[string][]part {
	of := func(a, b string) bool { return a != "" && a == b }
	is = slices.DeleteFunc(slices.Clone(is), func(p part) bool { return p.denied }) // "£47, not £42"
	over := map[string][]part{}
	for _, p := range was {
		if has(is, p) {
			continue
		}
		alike := func(q part) bool { return q.looks() == p.looks() || q.day && p.day }
		fresh := slices.DeleteFunc(slices.Clone(is), func(q part) bool { return has(was, q) || !alike(q) })
		missing := slices.DeleteFunc(slices.Clone(was), func(q part) bool { return has(is, q) || !alike(q) })
		if len(missing) > len(fresh) {
			fresh = slices.DeleteFunc(fresh, func(q part) bool { return !of(q.unit, p.unit) && !of(q.lead, p.lead) })
		}
		if len(fresh) > 0 {
			over[p.is] = fresh
		}
	}
	return over
}

// losesParts reports whether a newer text lacks a part of an old one and has nothing in its place.
func losesParts(old, anew string) bool {
	was, is := splitParts(old), splitParts(anew)
	over := replacedIn(was, is)
	return slices.ContainsFunc(was, func(p part) bool { return !has(is, p) && len(over[p.is]) == 0 }) // one that is denied is not lost
}

// putRight returns an old text with the one new part of a shorter one in its place: all else that it says stays. "" where it is not plain what is new.
func putRight(old, anew string) string {
	was, is := splitParts(old), splitParts(anew)
	fresh := slices.DeleteFunc(slices.Clone(is), func(p part) bool { return has(was, p) })
	if over := replacedIn(was, is); len(fresh) == 1 && len(over) == 1 && losesParts(old, anew) {
		return corrected(old, over)
	}
	return ""
}

// corrected returns a value with the one new part in the place of its old one; "" where it is not plain which that is, where a day of the week stands beside
// another date, and where one of two days is written with its month and the other one has it beside it ("15.12.", "16 December").
func corrected(value string, over map[string][]part) string {
	of := slices.DeleteFunc(splitParts(value), func(p part) bool { return len(over[p.is]) == 0 })
	if len(of) != 1 || len(over[of[0].is]) != 1 {
		return ""
	}
	p, q := of[0], over[of[0].is][0]
	if p.day && (len(same.Weekdays(value)) > 0 || p.looks() != q.looks()) {
		return ""
	}
	return value[:p.at] + q.written + value[p.at+len(p.written):]
}

// withLeft returns what a record says once it has taken the place of an old one: behind it stands what a model says that stays of that, if the old record
// says so itself, else the old values that the new one says nothing of. What came from elsewhere does not become what a person or a model has said.
func withLeft(old, next state.Record, stays string) string {
	left := strings.Trim(stays, ".,; \n")
	if rest := whose.Read(left); !saysAll(old, rest) || saysAll(next, rest) {
		left = same.Left(old, next, text.Language(next.Content, "en"))
	}
	if left == "" || next.Due != nil || old.Due != nil || old.Trust.Foreign() && !next.Trust.Foreign() {
		return next.Content
	}
	return strings.TrimRight(next.Content, ". ") + " (" + left + ")"
}

// saysAll reports whether a record says all of a text that says something.
func saysAll(r state.Record, s whose.Said) bool {
	record := whose.Read(r.Subject, r.Content)
	return len(s.Terms) > 0 && len(record.Lacks(s)) == 0 && !s.Turns(record)
}

// isHour reports whether a part is a time of day: 8:15.
func isHour(part string) bool {
	hours, minutes, ok := strings.Cut(part, ":")
	h, err := strconv.Atoi(hours)
	m, errMinutes := strconv.Atoi(minutes)
	return ok && err == nil && errMinutes == nil && len(minutes) == 2 && h < 24 && m < 60
}

// isDay reports whether the number at a place of a text, which has points, is a day: "15.12.", but neither "15.12 Uhr" nor "15.12 EUR".
func isDay(s string, at int) bool {
	return slices.ContainsFunc(facts.Extract(s, text.Language(s, "cs")), func(f facts.Fact) bool {
		first := f.Start + strings.IndexFunc(s[f.Start:f.End], unicode.IsDigit)
		return first == at && (f.Kind == facts.Date || f.Kind == facts.Deadline)
	})
}

// part is a number, day, time or code of a text: what it is, so that "15" of "from 15" is 15:00, and how and where it is written.
type part struct {
	is, written string
	at          int
	unit, lead  string // the stems of the word behind it and of the last telling one before it
	day         bool   // of a month, which it is written with ("15.12.") or which stands beside it
	denied      bool   // "not at 8"
	left        bool   // "from 8"
}

// looks returns what a part looks like: an amount, a time of day, a day with its month, a code, or a number.
func (p part) looks() string {
	switch {
	case strings.ContainsFunc(p.is, func(r rune) bool { return unicode.Is(unicode.Sc, r) }):
		return "amount"
	case isHour(p.is), strings.HasSuffix(p.is, "am"), strings.HasSuffix(p.is, "pm"):
		return "time"
	case p.day && strings.Contains(p.is, "."):
		return "day"
	case len(mind.Codes(p.is)) > 0:
		return "code"
	}
	return "number"
}

func has(list []part, p part) bool {
	return slices.ContainsFunc(list, func(x part) bool { return x.is == p.is })
}

// newParts returns those of a text that takes the place of another one: what it has moved from is denied.
func newParts(s string) []part {
	out := splitParts(s)
	if text.Moves(s) {
		for i := range out[:max(0, len(out)-1)] {
			out[i].denied = out[i].denied || out[i].left
		}
	}
	return out
}

// splitParts returns those of a text.
func splitParts(s string) (out []part) {
	words := text.Fields(s, `,;()"„“”«»`)
	from, lead := 0, ""
	for i, w := range words {
		at := from + strings.Index(s[from:], w)
		from = at + len(w)
		written := strings.Trim(w, ".:!?")
		if !strings.ContainsFunc(written, unicode.IsDigit) {
			if terms := text.Terms(written); len(terms) > 0 {
				lead = terms[0]
			}
			continue
		}
		p := part{is: text.Packed(written), written: written, at: at + strings.Index(w, written), lead: lead}
		p.day = strings.Contains(p.is, ".") && isDay(s, p.at)
		if clock := strings.ReplaceAll(p.is, ".", ":"); !p.day && isHour(clock) {
			p.is = clock
		}
		const reach = 2 // words
		p.denied = slices.ContainsFunc(words[max(0, i-reach):i], func(w string) bool { return text.DeniesValue(text.Fold(w)) })
		p.left = i > 0 && text.LeavesValue(text.Fold(words[i-1]))
		next, dated := "", strings.HasSuffix(w, ".") && i+1 < len(words)
		if i+1 < len(words) {
			next = text.Fold(strings.Trim(words[i+1], ".:!?"))
			p.unit = text.Stem(next)
			p.day = p.day || dated || text.AskedBy("in "+next).Month > 0
		}
		hour, err := strconv.Atoi(written)
		switch {
		case next == "am" || next == "pm":
			end := from + strings.Index(s[from:], words[i+1]) + len(next)
			p.is, p.written = p.is+next, s[p.at:end]
		case err == nil && hour <= 24 && !dated && i > 0 && slices.Contains(beforeHours(), text.Fold(words[i-1])) && !p.day:
			p.is += ":00"
		}
		out = append(out, p)
	}
	return out
}

// beforeHours returns words behind which a number up to 24 is an hour.
func beforeHours() []string {
	return []string{"at", "from", "od", "v", "ve", "o", "do", "w", "в", "с", "до", "um", "ab"}
}

// dated reports whether a text has a date, and no number that another one has not.
func dated(s, old string) bool {
	parts, told := splitParts(s), splitParts(old)
	day := func(p part) bool { return p.day }
	return slices.ContainsFunc(parts, day) && !slices.ContainsFunc(parts, func(p part) bool { return !has(told, p) })
}

// sharedTerms counts the terms that another list has in some form.
func sharedTerms(terms, others []string) (n int) {
	const inflected = 3
	for _, t := range terms {
		if slices.ContainsFunc(others, func(o string) bool { return text.Akin(o, t, inflected) }) {
			n++
		}
	}
	return n
}

// saysTitle reports whether one of the words of a text is of a title, and none of those that any affair has.
func saysTitle(said []string, title string) bool {
	return slices.ContainsFunc(text.Terms(title), func(t string) bool { return !text.General(t) && saysOne(said, t) })
}

// saysOne reports whether a word stands among others, in any form; short ones differ in one last letter.
func saysOne(said []string, word string) bool {
	const inflected, least, short = 3, 3, 5
	return slices.ContainsFunc(said, func(s string) bool {
		if text.Akin(s, word, inflected) {
			return true
		}
		a, b := []rune(s), []rune(word)
		same := 0
		for same < min(len(a), len(b)) && a[same] == b[same] {
			same++
		}
		long := max(len(a), len(b))
		return same >= least && long <= short && same >= long-1
	})
}

// isOn reports whether a text names the day of a time.
func isOn(s string, at time.Time) bool {
	named := text.AskedBy(s)
	return named.Month == at.Month() && named.Day == at.Day() && (named.Year == 0 || named.Year == at.Year())
}
