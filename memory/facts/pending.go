package facts

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/text"
)

// The size of what Pending returns.
const (
	pendingCount = 8
	pendingRunes = 80
)

// Pending returns the open actions a message states ("I need to ...", "nezapomeň ...", or a line that begins with an
// infinitive), in its own words without the words of duty, at most eight of at most 80 runes. A day that
// stands before the duty is moved behind the action. Questions state none, except those that ask to be reminded.
func Pending(message, lang string) []string {
	r := newReader(message, lang)
	var found []Fact
	for _, f := range Extract(message, r.lang) {
		if f.Kind == Date || f.Kind == Deadline {
			found = append(found, f)
		}
	}
	var out []string
	for i := 0; i < len(r.lex) && len(out) < pendingCount; {
		end := sentenceEnd(r.lex, i)
		for _, action := range r.duties(i, end, found) {
			if !slices.Contains(out, action) {
				out = append(out, action)
			}
		}
		i = end
	}
	return out[:min(len(out), pendingCount)]
}

// duties returns the actions of the sentence of lexemes from to end-1.
func (r *reader) duties(from, end int, days []Fact) []string {
	asks := r.asks(from, end)
	var out []string
	for i := from; i < end; i++ {
		n, reminds := r.duty(i, end)
		if n == 0 || asks && !reminds || r.negated(i, from) {
			continue
		}
		start := r.skipConnectors(i+n, end)
		stop := r.actionEnd(start, end)
		if action := r.action(start, stop); action != "" && (reminds || !needsVerb(r.at(i).fold) || r.hasInfinitive(start, stop)) {
			out = append(out, r.dated(r.object(from, i, days)+action, from, i, days))
		}
		i = max(i, stop-1)
	}
	if len(out) == 0 && !asks {
		start := from
		for start < end && (r.lex[start].shape == mark || r.lex[start].shape == number && r.is(start+1, ".)")) {
			start++
		}
		if start+1 < end && infinitive(r.lex[start].raw) {
			if action := r.action(start, r.actionEnd(start, end)); action != "" {
				out = append(out, action)
			}
		}
	}
	return out
}

// object returns what stands before a duty in its clause and is what has to be dealt with ("fakturu musím zaplatit"),
// with a space behind; "" if nothing does, or a day. English has its objects behind the verb.
func (r *reader) object(from, duty int, days []Fact) string {
	start := duty
	for start > from && duty-start < 5 && !r.is(start-1, ",:;–—.!?") && !subordinate(r.lex[start-1].fold) {
		start--
	}
	for start < duty && (conjunction(r.lex[start].fold) || opening(r.lex[start].fold) || r.lex[start].fold == "я" || r.lex[start].fold == "мы") {
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

// asks reports whether the sentence of lexemes from to end-1 is a question.
func (r *reader) asks(from, end int) bool {
	return end > from && IsQuestion(r.text[r.lex[from].start:r.lex[end-1].end])
}

// duty returns how many words from lexeme i on say that something has to be done, and whether they ask for a reminder.
func (r *reader) duty(i, end int) (n int, reminds bool) {
	folded := make([]string, 0, longestPhrase)
	for j := i; j < end && len(folded) < longestPhrase && r.lex[j].shape == word; j++ {
		folded = append(folded, r.lex[j].fold)
	}
	if n = phraseAt(folded, reminder); n > 0 {
		return n, true
	}
	return phraseAt(folded, obligation), false
}

func reminder(p string) bool {
	switch p {
	case "pripomen", "pripomen mi", "pripomente", "pripomente mi", "pripomenout", "mi pripomenout", "nezapomen", "nezapomente", "nezapomenme", "nesmim zapomenout", "nezapomenout",
		"przypomnij", "przypomnij mi", "przypomniec mi", "nie zapomnij", "nie zapomniec", "nie moge zapomniec", "pamietaj", "pamietaj zeby",
		"напомни", "напомни мне", "напомните", "напомните мне", "напомнить мне", "не забудь", "не забудьте", "не забыть",
		"remind me to", "remind me that", "remind me about", "remind me of", "remind me", "don't forget to", "dont forget to", "do not forget to", "don't forget", "remember to", "must not forget to", "vergiss nicht", "erinnere mich", "erinnere mich an":
		return true
	}
	return false
}

func obligation(p string) bool {
	switch p {
	case "musim", "musime", "musis", "musite", "budu muset", "je treba", "je potreba", "je nutne", "bude treba", "zbyva", "potrebuji", "potrebuju", "potrebujeme", "mel bych", "mela bych", "mam za ukol", "ukol", "ukoly",
		"musze", "musimy", "musisz", "trzeba", "nalezy", "powinienem", "powinnam", "powinnismy", "bede musial", "bede musiala", "pozostaje", "do zrobienia", "potrzebuje",
		"нужно", "надо", "необходимо", "должен", "должна", "должны", "следует", "предстоит", "осталось", "придется", "нам нужно", "мне нужно", "мне надо",
		"need to", "needs to", "have to", "has to", "must", "i should", "we should", "gotta", "got to", "todo", "to do", "to-do", "ich muss", "wir mussen":
		return true
	}
	return false
}

// needsVerb reports whether a word says "need" of things as well as of actions, so that an infinitive must follow.
func needsVerb(fold string) bool {
	switch fold {
	case "potrebuji", "potrebuju", "potrebujeme", "potrzebuje", "нужно", "мне", "нам", "осталось", "zbyva", "pozostaje":
		return true
	}
	return false
}

// negated reports whether the duty at lexeme i is denied ("не нужно", "don't have to").
func (r *reader) negated(i, from int) bool {
	if i <= from {
		return false
	}
	switch r.at(i - 1).fold {
	case "not", "don't", "dont", "doesn't", "didn't", "nie", "не", "nicht", "never", "no":
		return true
	}
	return false
}

// skipConnectors steps over "mi, že mám", "żebym", "что", "to" after the words of duty.
func (r *reader) skipConnectors(i, end int) int {
	for ; i < end; i++ {
		if r.is(i, ",:-–") {
			continue
		}
		switch r.lex[i].fold {
		case "mi", "mne", "ze", "abych", "abychom", "zebym", "zeby", "aby", "mam", "musim", "musze", "мне", "что", "чтобы", "я", "нужно", "надо", "to", "that", "i", "we", "need", "have", "also", "jeste", "taky", "tez", "еще", "is", "dass", "ich":
			continue
		}
		return i
	}
	return end
}

// actionEnd returns where the action that begins at lexeme i ends: before a subordinate clause or the next duty.
func (r *reader) actionEnd(i, end int) int {
	for j := i; j < end; j++ {
		if j > i {
			if n, _ := r.duty(j, end); n > 0 && !r.subordinated(j) {
				return j
			}
		}
		if r.is(j, ",–—(") && j+1 < end && (j == i || subordinate(r.lex[j+1].fold) || opening(r.lex[j+1].fold) || !r.is(j, ",")) {
			return j
		}
		switch r.lex[j].fold {
		case "protoze", "because", "poniewaz", "bo", "потому", "weil", "jinak", "otherwise", "inaczej", "иначе":
			return j
		}
	}
	return end
}

// subordinated reports whether a word of duty at lexeme j is itself part of the action ("zjistit, co musím").
func (r *reader) subordinated(j int) bool { return questionWord(r.at(j - 1).fold) }

// action renders lexemes from to end-1 as one line without closing signs; "" if there is no word in it.
func (r *reader) action(from, end int) string {
	for end > from && (r.is(end-1, ".,!?;:…-–") && !r.dayPoint(end-1) || conjunction(r.lex[end-1].fold)) {
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
func (r *reader) dayPoint(i int) bool {
	return r.is(i, ".") && r.at(i-1).shape == number && (r.at(i-2).raw == "." && r.at(i-3).shape == number || isDay(r.at(i-1).raw))
}

func conjunction(fold string) bool {
	return fold == "a" || fold == "i" || fold == "и" || fold == "and" || fold == "und" || fold == "ale" || fold == "but" || fold == "но"
}

// dated appends to an action the day that stands before the duty in the same sentence.
func (r *reader) dated(action string, from, duty int, days []Fact) string {
	for _, f := range days {
		if f.Start >= r.lex[from].start && f.End <= r.lex[duty].start {
			first, size := utf8.DecodeRuneInString(f.Value)
			return shorten(action+" "+string(unicode.ToLower(first))+f.Value[size:], pendingRunes)
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
func (r *reader) hasInfinitive(from, end int) bool {
	for i := from; i < min(end, from+6); i++ {
		if infinitive(r.lex[i].raw) || strings.HasSuffix(r.lex[i].fold, "t") && utf8.RuneCountInString(r.lex[i].raw) >= 4 && r.lang == "cs" {
			return true
		}
	}
	return false
}

// infinitive reports whether a word ends as Czech, Polish or Russian infinitives do and nouns seldom.
func infinitive(raw string) bool {
	w := strings.ToLower(raw)
	if utf8.RuneCountInString(w) < 5 {
		return false
	}
	switch w {
	case "kredit", "audit", "internet", "кровать", "печать", "память", "девять", "десять", "опять", "часть":
		return false
	}
	for _, end := range []string{"ość", "eść", "ęść", "ость", "есть"} {
		if strings.HasSuffix(w, end) {
			return false
		}
	}
	for _, end := range []string{
		"ovat", "slat", "olat", "ělat", "skat", "dnat", "nout", "tit", "dit", "pit", "řit", "čit", "šit", "žit", "nit", "vit", "jít", "ést", "íst", "ést",
		"ać", "ić", "yć", "eć", "ść", "źć", "ąć",
		"ать", "ить", "еть", "уть", "ять", "ыть", "йти", "вести", "нести", "везти", "аться", "иться", "еться", "ечь", "очь",
	} {
		if strings.HasSuffix(w, end) {
			return true
		}
	}
	return false
}
