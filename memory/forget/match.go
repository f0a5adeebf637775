package forget

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// forgotten tells which texts say what is to be erased. A sentence says it when it has an identifier that nothing has which stays, or
// most of the telling words of a statement and all its numbers.
type forgotten struct {
	read  readings
	ids   map[string]bool
	says  []wordsHad         // telling words of each statement
	heavy map[string]float64 // how telling a word is: the fewer texts have it the more
}

// sayShare is the share of a statement's telling words, by their weight, from which on a sentence says it.
const sayShare = .7

// wordForm is what an identifier may be made of.
var wordForm = regexp.MustCompile(`[\p{L}\p{N}][\p{L}\p{N}\-_.@/+]*[\p{L}\p{N}]`)

// identifiersIn returns the words of a text that name one thing: order numbers, codes, addresses. Years and days do not.
func identifiersIn(s string) (ids []string) {
	for _, word := range wordForm.FindAllString(s, -1) {
		for _, part := range append(strings.FieldsFunc(word, func(r rune) bool { return r == '/' || r == '+' }), word) {
			if isIdentifier(part) {
				ids = append(ids, strings.ToLower(part))
			}
		}
	}
	return ids
}

func isIdentifier(word string) bool {
	digits, letters, marks, upper := 0, 0, 0, 0
	for _, r := range word {
		switch {
		case unicode.IsDigit(r):
			digits++
		case unicode.IsLetter(r):
			if letters++; unicode.IsUpper(r) {
				upper++
			}
		default:
			marks++
		}
	}

	switch {
	case letters == 0 && marks == 0:
		return digits >= 4 && !(digits == 4 && (strings.HasPrefix(word, "19") || strings.HasPrefix(word, "20")))
	case letters == 0:
		return digits >= 6 && !dayForm.MatchString(word)
	case digits > 0:
		return digits+letters >= 4
	}
	return marks > 0 && letters >= 6 && strings.ContainsAny(word, "@_") || upper >= 5 && upper == letters
}

// dayForm is how days and times are written.
var dayForm = regexp.MustCompile(`^(\d{4}-\d{1,2}-\d{1,2}|\d{1,2}\.\d{1,2}\.\d{2,4}|\d{1,2}-\d{1,2}-\d{2,4})$`)

// learn makes of texts that go, of statements that do, and of what stays what tells the first.
func (f *forgotten) learn(gone, statements, stays []string) {
	// Identifiers tell what goes, unless something that stays has them too.
	f.ids, f.heavy = map[string]bool{}, map[string]float64{}
	for _, s := range slices.Concat(gone, statements) {
		for _, id := range identifiersIn(s) {
			f.ids[id] = true
		}
	}

	// Words tell the more, the fewer texts have them.
	having := map[string]int{}
	for _, s := range stays {
		if f.mayHaveIdentifier(s) {
			for _, id := range identifiersIn(s) {
				delete(f.ids, id)
			}
		}
	}
	for _, s := range slices.Concat(stays, gone) {
		for _, t := range f.read.terms(s) {
			having[t]++
		}
	}

	// Statements are told by the words of a sentence together, each with its weight.
	all := float64(len(gone) + len(stays) + 1)
	for _, s := range statements {
		sentences := sentencesOf(s)
		for _, sentence := range sentences {
			terms := termsOf(sentence)
			if len(terms) > 1 || len(terms) == 1 && len(sentences) == 1 { // one word among others says nothing of itself: "Thanks."
				f.says = append(f.says, terms)
			}
			for _, t := range terms {
				f.heavy[t] = math.Log(1 + all/float64(1+having[t]))
			}
		}
	}
}

// in reports whether a text says any of it.
func (f *forgotten) in(s string) bool {
	if s == "" || len(f.ids)+len(f.says) == 0 {
		return false
	}
	if f.hasIdentifier(s) {
		return true
	}
	return len(f.says) > 0 && f.saysAny(s) && slices.ContainsFunc(sentencesOf(s), f.saysAny)
}

// hasIdentifier reports whether a text has an identifier of what goes.
func (f *forgotten) hasIdentifier(s string) bool {
	return f.mayHaveIdentifier(s) && slices.ContainsFunc(identifiersIn(s), func(id string) bool { return f.ids[id] })
}

// fewIdentifiers is up to how many are looked for one by one: that is faster than to read all that a text has.
const fewIdentifiers = 64

// mayHaveIdentifier reports whether it is worth while to read the identifiers of a text.
func (f *forgotten) mayHaveIdentifier(s string) bool {
	if len(f.ids) == 0 || len(f.ids) > fewIdentifiers {
		return len(f.ids) > 0
	}
	lower := strings.ToLower(s)
	for id := range f.ids {
		if strings.Contains(lower, id) {
			return true
		}
	}
	return false
}

// saysAny reports whether a sentence has most of a statement.
func (f *forgotten) saysAny(sentence string) bool {
	has := f.read.terms(sentence)
	return slices.ContainsFunc(f.says, func(terms wordsHad) bool { return f.saidBy(has, terms) })
}

// saidBy reports whether words have most of the weight of a statement's, more than one of them unless it has only one, and all its numbers:
// with another number it is another statement.
func (f *forgotten) saidBy(has, terms wordsHad) bool {
	sum, shared, n := 0.0, 0.0, 0
	for _, t := range terms {
		sum += f.heavy[t]
		switch {
		case has.word(t):
			shared += f.heavy[t]
			n++
		case text.Digits(t) > 0:
			return false
		}
	}
	return shared >= sayShare*sum && (n > 1 || len(terms) == 1)
}

// dropSaid leaves out the statements that a text makes too.
func (f *forgotten) dropSaid(s string) {
	if len(f.says) == 0 || !f.saysAny(s) {
		return
	}
	for _, sentence := range sentencesOf(s) {
		has := f.read.terms(sentence)
		f.says = slices.DeleteFunc(f.says, func(terms wordsHad) bool { return f.saidBy(has, terms) })
	}
}

// without returns a text without its sentences that say any of it.
func (f *forgotten) without(s string) string {
	if !f.in(s) {
		return s
	}
	if out := cutSentences(s, func(sentence string) bool { return f.in(sentence) }); !f.in(out) {
		return out
	}
	return ""
}

// inDocument reports whether any text in a document says any of it.
func (f *forgotten) inDocument(body bson.Raw) bool {
	if len(f.ids)+len(f.says) == 0 {
		return false
	}
	values, err := body.Values()
	return err == nil && slices.ContainsFunc(values, f.inValue)
}

func (f *forgotten) inValue(v bson.RawValue) bool {
	if s, ok := v.StringValueOK(); ok {
		return f.in(s)
	}
	if doc, ok := v.DocumentOK(); ok {
		return f.inDocument(doc)
	}
	if list, ok := v.ArrayOK(); ok {
		return f.inDocument(bson.Raw(list))
	}
	return false
}
