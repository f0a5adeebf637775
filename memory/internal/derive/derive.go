// Package derive tells what of the user himself a sentence may say, and what of it a question asks for: his name, home, family, work, food, tastes.
//
//	derive.Asked("What can't I eat?")       // [food]
//	derive.Said("I'm allergic to peanuts.") // [food]
//
// It finds sentences for an answer that quotes them, where words alone do not join question and answer. It is wide: what is kept for good is told by
// the narrow patterns of the packages personal and extract.
package derive

import (
	"embed"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// Property is what can be known of a user.
type Property string

// The properties.
const (
	Name   Property = "name"
	Home   Property = "home"
	Family Property = "family"
	Work   Property = "work"
	Food   Property = "food"  // diet, allergies, medicine
	Taste  Property = "taste" // likes and dislikes
)

// One reports whether the later of two statements of a property holds alone.
func (p Property) One() bool { return p == Name || p == Home || p == Work }

//go:embed data/*.txt
var files embed.FS

// words are those that say and that ask for a property, folded; a * at the end stands for all that begin so, a ^ before one for the first word of a text.
type words struct {
	property   Property
	says, asks []string
}

// known are the words of all languages, read once: people mix languages.
var known = sync.OnceValue(func() []words { //nolint:gochecknoglobals // a constant that is computed once
	out, _ := read(files) // a test reads them too
	return out
})

// read reads the lists; the error is a *text.ListError.
func read(from fs.FS) (out []words, err error) {
	err = text.ReadLists(from, "data/*.txt", func(_ string, line text.Line) error {
		name, part, _ := strings.Cut(line.Key, " ")
		at := slices.IndexFunc(out, func(w words) bool { return w.property == Property(name) })
		if at < 0 {
			at, out = len(out), append(out, words{property: Property(name)})
		}
		list := &out[at].says
		switch part {
		case "says":
		case "asks":
			list = &out[at].asks
		default:
			return line.Wrong("is neither says nor asks")
		}
		for _, w := range line.Words() {
			*list = append(*list, text.Fold(w))
		}
		return nil
	})
	return out, err
}

// Asked returns the properties that a question asks for.
func Asked(question string) []Property {
	return having(question, func(w words) []string { return w.asks })
}

// Said returns the properties that a sentence may state.
func Said(sentence string) []Property {
	return having(sentence, func(w words) []string { return w.says })
}

// Words returns those that say a property, to look for it with.
func Words(p Property) (out []string) {
	for _, w := range known() {
		if w.property == p {
			for _, s := range w.says {
				out = append(out, strings.Trim(s, "^*"))
			}
		}
	}
	return out
}

// having returns the properties of whose words, as list gives them, a text has one.
func having(s string, list func(words) []string) (out []Property) {
	said := text.Words(s)
	for _, w := range known() {
		if slices.ContainsFunc(list(w), func(x string) bool { return fits(x, said) }) {
			out = append(out, w.property)
		}
	}
	return out
}

// fits reports whether words hold the listed one, or one that begins with it.
func fits(listed string, words []string) bool {
	if first, only := strings.CutPrefix(listed, "^"); only {
		listed, words = first, words[:min(1, len(words))]
	}
	begin, open := strings.CutSuffix(listed, "*")
	return slices.ContainsFunc(words, func(word string) bool { return word == begin || open && strings.HasPrefix(word, begin) })
}
