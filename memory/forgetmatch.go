package memory

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// forgotten tells which texts say what is to be erased. A text says it when it has an identifier that nothing has which stays, or
// most of the telling words of a record.
type forgotten struct {
	ids   map[string]bool
	says  [][]string         // telling words of each record
	heavy map[string]float64 // how telling a word is: the fewer texts have it the more
}

// sayShare is the share of a record's telling words, by their weight, from which on a text says it.
const sayShare = .7

// wordForm is what an identifier may be made of.
var wordForm = regexp.MustCompile(`[\p{L}\p{N}][\p{L}\p{N}\-_.@/+]*[\p{L}\p{N}]`)

// identifiersIn are the words of a text that name one thing: order numbers, codes, addresses. Years and days do not.
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

// learn makes of texts that go, of records that do, and of what stays what tells the first. Of all weighs words.
func (f *forgotten) learn(gone, records, stays []string) {
	// Identifiers tell what goes, unless something that stays has them too.
	f.ids, f.heavy = map[string]bool{}, map[string]float64{}
	for _, s := range slices.Concat(gone, records) {
		for _, id := range identifiersIn(s) {
			f.ids[id] = true
		}
	}

	// Words tell the more, the fewer texts have them.
	having := map[string]int{}
	count := func(s string) {
		terms := text.Terms(s)
		slices.Sort(terms)
		for _, t := range slices.Compact(terms) {
			having[t]++
		}
	}
	for _, s := range stays {
		for _, id := range identifiersIn(s) {
			delete(f.ids, id)
		}
		count(s)
	}
	for _, s := range gone {
		count(s)
	}

	// Records are told by their words together, each with its weight.
	all := float64(len(gone) + len(stays) + 1)
	for _, s := range records {
		terms := text.Terms(s)
		slices.Sort(terms)
		if terms = slices.Compact(terms); len(terms) > 0 {
			f.says = append(f.says, terms)
		}
		for _, t := range terms {
			f.heavy[t] = math.Log(1 + all/float64(1+having[t]))
		}
	}
}

// in reports whether a text says any of it.
func (f *forgotten) in(s string) bool {
	if s == "" || len(f.ids)+len(f.says) == 0 {
		return false
	}

	// One identifier is enough.
	if len(f.ids) > 0 && slices.ContainsFunc(identifiersIn(s), func(id string) bool { return f.ids[id] }) {
		return true
	}
	if len(f.says) == 0 {
		return false
	}

	// Or the telling words of one record: most of their weight, and more than one word unless it has only one.
	has := map[string]bool{}
	for _, t := range text.Terms(s) {
		has[t] = true
	}
	for _, terms := range f.says {
		sum, shared, n := 0.0, 0.0, 0
		for _, t := range terms {
			sum += f.heavy[t]
			if has[t] {
				shared += f.heavy[t]
				n++
			}
		}
		if shared >= sayShare*sum && (n > 1 || len(terms) == 1) {
			return true
		}
	}
	return false
}

// without is a text without its lines and sentences that say any of it.
func (f *forgotten) without(s string) string {
	if !f.in(s) {
		return s
	}
	var lines []string
	for line := range strings.Lines(s) {
		kept := slices.DeleteFunc(text.Sentences(line), f.in)
		if len(kept) > 0 {
			lines = append(lines, strings.Join(kept, " "))
		}
	}
	if out := strings.Join(lines, "\n"); !f.in(out) {
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
