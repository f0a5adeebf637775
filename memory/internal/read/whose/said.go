package whose

import (
	"maps"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/read/facts"
	"github.com/mneme-graph/mneme/memory/internal/read/personal"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// Said is a text as what it says is compared.
type Said struct {
	Terms   []string // its telling words as stems, each once
	Exact   []string // of them those that point at something: accounts, addresses, numbers of orders
	terms   map[string]bool
	written string // its folded words with blanks around each
}

// mostRead bounds how much of a text is read.
const mostRead = 16 << 10

// Read reads texts as one.
func Read(texts ...string) Said {
	s := Said{terms: map[string]bool{}}
	var b strings.Builder
	for _, written := range texts {
		written = text.Head(written, mostRead)
		for _, t := range text.Cut(written) {
			if t.Stop {
				continue
			}
			stem := t.FindStem()
			if s.terms[stem] || lists().plain[stem] {
				continue
			}
			s.terms[stem] = true
			s.Terms = append(s.Terms, stem)
			if t.Number && exact(t.Folded) {
				s.Exact = append(s.Exact, t.Folded)
			}
		}
		b.WriteString(words(written))
	}
	s.written = b.String()
	return s
}

// leastDigits is from how many digits on a number points at something; fewer are an amount, a time or a year.
const leastDigits = 5

// exact reports whether a token with a digit, or an address, points at something. A date does not.
func exact(folded string) bool {
	if strings.Contains(folded, "@") || strings.Contains(folded, "://") || strings.HasPrefix(folded, "www.") {
		return true
	}
	digits := text.Digits(folded)
	if digits < leastDigits {
		return digits == 0 && strings.Contains(folded, ".")
	}
	return text.AskedBy(folded).Year == 0
}

// Has reports whether the text has a word, in another form or another language too.
func (s Said) Has(term string) bool {
	if s.has(term) {
		return true
	}
	for _, k := range text.Related(term) {
		if s.terms[k.Stem] {
			return true
		}
	}
	return false
}

// inflected is how many letters two forms of a word may differ in behind five that are the same.
const inflected = 3

// has reports whether the text has a word as it is.
func (s Said) has(term string) bool {
	if s.terms[term] {
		return true
	}
	if len(term) < 5 {
		return false
	}
	for _, t := range s.Terms {
		if text.Akin(t, term, inflected) {
			return true
		}
	}
	return false
}

// Lacks returns the words of another text that this one has not.
func (s Said) Lacks(other Said) (terms []string) {
	for _, t := range other.Terms {
		if !s.Has(t) {
			terms = append(terms, t)
		}
	}
	return terms
}

// Holds returns those of some words that the text has as they are.
func (s Said) Holds(terms []string) (n int) {
	for _, t := range terms {
		if s.has(t) {
			n++
		}
	}
	return n
}

// LacksExact reports whether another text points at something that this one does not name.
func (s Said) LacksExact(other Said) bool {
	for _, e := range other.Exact {
		if !strings.Contains(strings.ReplaceAll(s.written, " ", ""), strings.ReplaceAll(words(e), " ", "")) {
			return true
		}
	}
	return false
}

// States reports whether a message tells something of its sender, or how it is to be from now on: it is no mere question or request.
func States(own string) bool {
	x := text.TraitsOf(own)
	if x.Instruction || x.Preference || len(personal.Find(own)) > 0 {
		return true
	}
	lang := text.Language(own, "en")
	for _, sentence := range text.Sentences(own) {
		said := words(sentence)
		if !facts.IsQuestion(sentence) && (lists().finds("own "+lang, said) || lists().finds("rule", said)) {
			return true
		}
	}
	return false
}

// Told returns what a message tells: without its questions, unless it states something, asks for a rule, or is a request without a question mark: "can you
// talk to me like a mate, no bullet points".
func Told(own string) string {
	if States(own) {
		return own
	}
	var told []string
	for _, sentence := range text.Sentences(own) {
		asked := strings.HasSuffix(strings.TrimSpace(sentence), "?")
		if !facts.IsQuestion(sentence) || (Rules(sentence) || !asked) && lists().finds("request", words(sentence)) {
			told = append(told, sentence)
		}
	}
	return strings.Join(told, " ")
}

// Worded returns the text without its numbers.
func (s Said) Worded() Said {
	out := s
	out.Terms = slices.DeleteFunc(slices.Clone(s.Terms), func(t string) bool { return text.Digits(t) > 0 })
	return out
}

// Rules reports whether a text says how it is to be from now on.
func Rules(s string) bool {
	return text.TraitsOf(s).Instruction || lists().finds("rule", words(s))
}

// Turns reports whether a text has a word that turns a rule round, or makes one, which another has not.
func (s Said) Turns(other Said) bool {
	for _, kind := range []string{"never", "always"} {
		if lists().finds(kind, s.written) && !lists().finds(kind, other.written) {
			return true
		}
	}
	return false
}

// Asks is what a message asks for in so many words.
type Asks string

// What is looked for.
const (
	Remind Asks = "remind" // a task is to be kept
	Amend  Asks = "amend"  // something is to be forgotten or changed
	Agree  Asks = "agree"  // it says yes to what was asked
	Settle Asks = "settle" // an affair is over
	Duty   Asks = "duty"   // the sender has to do something
)

// Does reports whether a message has words of what is asked. To agree is to begin with it.
func Does(own string, what Asks) bool {
	said := words(own)
	if what != Agree {
		return lists().finds(string(what), said)
	}
	const first = 3
	list := strings.Fields(said)
	return lists().finds(string(what), " "+strings.Join(list[:min(first, len(list))], " ")+" ")
}

// Orders reports whether a message asks for a task: one with words of the sentence in which it does so, or any if that says nothing else ("set
// a reminder, please").
func Orders(own string, task Said) bool {
	if !Does(own, Remind) {
		return false
	}
	for _, sentence := range text.Sentences(own) {
		if !Does(sentence, Remind) {
			continue
		}
		const bare = 2 // words: set, reminder
		if order := Read(sentence); len(order.Terms) <= bare || len(order.Lacks(task)) < len(task.Terms) {
			return true
		}
	}
	return false
}

// And is both texts as one.
func (s Said) And(t Said) Said {
	out := Said{terms: maps.Clone(s.terms), Terms: slices.Clone(s.Terms), Exact: append(slices.Clone(s.Exact), t.Exact...), written: s.written + t.written}
	for _, term := range t.Terms {
		if !out.terms[term] {
			out.terms[term] = true
			out.Terms = append(out.Terms, term)
		}
	}
	return out
}

// Questions returns the sentences of a text that ask.
func Questions(s string) string {
	var out []string
	for _, sentence := range text.Sentences(s) {
		if strings.Contains(sentence, "?") {
			out = append(out, sentence)
		}
	}
	return strings.Join(out, " ")
}
