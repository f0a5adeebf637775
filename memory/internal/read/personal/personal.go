package personal

import (
	"slices"
	"strings"
	"unicode"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// Fact is one thing that a user says about himself. Label is in the language of the message: what it is, or who.
type Fact struct {
	Property string // allergy, diet, address, birthday, family, pet and so on, the same in every language
	Label    string
	Value    string
	Said     string // the words that say it
	One      bool   // the label has one value at a time: a later one takes its place
}

// mostRead bounds how much of a message is read.
const mostRead = 4 << 10

// Find returns what a message says about who wrote it, in the order it is said. A question, a condition and what is denied or
// quoted say nothing.
func Find(message string) []Fact {
	words := split(text.Head(message, mostRead))
	plain := make([]text.Word, len(words))
	for i, w := range words {
		plain[i] = w.Word
	}
	known := patterns()
	var out []Fact
	for i := 0; i < len(words); {
		fact, end := known.at(words, plain, i)
		if end == i {
			i++
			continue
		}
		if !slices.ContainsFunc(out, func(f Fact) bool { return f == fact }) {
			out = append(out, fact)
		}
		i = end
	}
	return out
}

// at returns the fact that a pattern finds at word i, and where it ends; i when there is none.
func (k *knowledge) at(words []word, plain []text.Word, i int) (Fact, int) {
	within := !words[i].Starts
	if words[i].quoted || within && k.is("not", words[i-1]) {
		return Fact{}, i
	}
	for p := range k.patterns.At(plain[i]) {
		m, ok := match(&p.Pattern, plain, i)
		if !ok || p.Begins && within && !k.is("join", words[i-1]) {
			continue
		}
		value, end := k.value(p.Is.end, words, m)
		if value == "" || asks(words, end-1) {
			continue
		}
		label := p.Is.label
		if m.label >= 0 {
			label = strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(words[m.label].Raw), "'s"), "’s")
		}
		return Fact{p.Is.property, label, value, joined(words[m.start:max(end, m.end)]), p.Is.one}, end
	}
	return Fact{}, i
}

// asks reports whether the clause of a word ends as a question.
func asks(words []word, i int) bool {
	for ; i < len(words); i++ {
		if words[i].ends() {
			return strings.ContainsRune(words[i].after, '?')
		}
	}
	return false
}

// Of reports whether a record of this kind, with this subject and content, is about the user and not about the affair that it
// is stored in.
func Of(kind state.RecordKind, subject, content string) bool {
	switch kind {
	case state.PreferenceRecord:
		return true
	case state.FactRecord, state.ContactRecord:
	default:
		return false
	}
	if len(Find(content)) > 0 {
		return true
	}
	k := patterns()
	about, says := split(text.Head(subject, mostRead)), split(text.Head(content, mostRead))
	if slices.ContainsFunc(says, func(w word) bool { return k.is("other", w) }) || slices.ContainsFunc(about, func(w word) bool { return k.is("other", w) }) {
		return false
	}
	return k.speaksOfUser(about, says) || k.nobodyElse(about, says)
}

// speaksOfUser reports whether a word for the user and a property stand together.
func (k *knowledge) speaksOfUser(about, says []word) bool {
	all := slices.Concat(about, says)
	user := slices.ContainsFunc(all, func(w word) bool { return k.is("user", w) })
	return user && slices.ContainsFunc(all, func(w word) bool { return k.is("mine", w) })
}

// nobodyElse reports whether the subject names what is a person's for good and nobody it could be of but the user.
func (k *knowledge) nobodyElse(about, says []word) bool {
	has := func(words []word, role string) bool {
		return slices.ContainsFunc(words, func(w word) bool { return k.is(role, w) })
	}
	only := func(roles ...string) bool {
		return !slices.ContainsFunc(about, func(w word) bool {
			return !slices.ContainsFunc(roles, func(role string) bool { return k.is(role, w) })
		})
	}
	switch {
	case has(about, "lasting"):
		return only("lasting", "plain", "join") && !named(says)
	case has(about, "home"):
		return only("home", "place", "plain", "join")
	case has(about, "beast") && has(about, "called"):
		return only("beast", "called", "plain", "join")
	}
	return len(says) > 0 && k.is("lasting", says[0]) && !named(about) && !named(says[1:])
}

// named reports whether words name somebody: a capital within a sentence, but for a month behind its day.
func named(words []word) bool {
	for i, w := range words {
		if w.capital() && !w.first && (i == 0 || words[i-1].digits() == 0) {
			return true
		}
	}
	return false
}

// word is a word of a text, with what stands behind it.
type word struct {
	text.Word

	after  string // punctuation up to the next word
	first  bool   // of a sentence
	quoted bool   // an opening quote stands before it
}

// ends reports whether a clause ends behind the word.
func (w word) ends() bool { return strings.ContainsAny(w.after, ",.;!?()\n–—…") }

func (w word) capital() bool {
	for _, r := range w.Raw {
		return unicode.IsUpper(r)
	}
	return false
}

func (w word) digits() int { return text.Digits(w.Raw) }

// split takes a text apart at white space; a point behind a number stays with it.
func split(s string) []word {
	// Lines are gone through one by one: a line break ends what is said.
	var out []word
	first, quote := true, false
	for line := range strings.Lines(s) {
		for _, piece := range strings.Fields(line) {
			// The signs around a word are kept beside it.
			core := strings.TrimLeftFunc(piece, mark)
			quote = quote || strings.ContainsAny(piece[:len(piece)-len(core)], "\"“„«")
			raw := strings.TrimRightFunc(core, mark)
			after := core[len(raw):]
			if raw == "" {
				if len(out) > 0 {
					out[len(out)-1].after += piece
				}
				continue
			}

			// A short number with a point is an ordinal, so that it keeps the point.
			w := word{text.Word{Raw: raw, Fold: strings.ReplaceAll(text.Fold(raw), "'", ""), Starts: len(out) == 0 || out[len(out)-1].ends()}, after, first, quote}
			if w.Number = w.digits() == len(raw); w.Number && after == "." && len(raw) <= 2 {
				w.Raw, w.Number, w.after = raw+".", false, ""
			}
			w.Odd = w.digits() > 0
			out, quote = append(out, w), false
			first = strings.ContainsAny(w.after, ".!?")
		}
		if len(out) > 0 {
			out[len(out)-1].after += "\n"
		}
		first = true
	}
	return out
}

// mark reports whether a sign is no part of a word at its edge.
func mark(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '+' && r != '#' && r != '@'
}
