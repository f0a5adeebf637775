package facts

import (
	"io/fs"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// kind is what a word is by its ending.
type kind byte

const (
	masculine kind = 'm'
	feminine  kind = 'f'
	neuter    kind = 'n'
	attribute kind = 'a' // an adjective
	verbal    kind = 'v'
	adverb    kind = 'd'
)

func (k kind) noun() bool { return k == masculine || k == feminine || k == neuter }

// ending is what the words of an ending are, and how they become what dictionaries give: so many letters go, and others come. An adjective becomes
// masculine.
type ending struct {
	kind kind
	cut  int
	add  string
}

// wholeWord stands before an ending that is a whole word.
const wholeWord = "^"

// readEndings reads forms_LANG.txt: lines of "KIND CUT ADD: endings". See the README of the data.
func (w *lexicon) readEndings(from fs.FS) error {
	return text.ReadLists(from, "data/forms_*.txt", func(lang string, line text.Line) error {
		fields := strings.Fields(line.Key)
		if len(fields) < 2 || len(fields) > 3 || len(fields[0]) != 1 || !strings.Contains("mfnavd", fields[0]) {
			return line.Wrong(line.Key + " is not a kind, a number of letters and an ending")
		}
		cut, err := strconv.Atoi(fields[1])
		if err != nil || cut < 0 {
			return line.Wrong(fields[1] + " is not a number of letters")
		}
		e := ending{kind: kind(fields[0][0]), cut: cut}
		if len(fields) == 3 {
			e.add = fields[2]
		}
		g := w.langs[lang]
		if g == nil {
			return line.Wrong("no words are of " + lang)
		}
		if g.inflected == nil {
			g.inflected = map[string]ending{}
		}
		for _, written := range line.Words() {
			if _, twice := g.inflected[written]; twice {
				return line.Wrong(written + " stands twice")
			}
			g.inflected[written] = e
		}
		return nil
	})
}

// form returns what a word is, by its longest ending that the lists have, and its form in a dictionary. Of the endings that make the word a noun, one that
// leads to a known word goes first.
func (g *grammar) form(word string) (e ending, base string) {
	low := strings.ToLower(word)
	if len(word) > mostWord || utf8.RuneCountInString(low) != utf8.RuneCountInString(word) || low != word && strings.ToUpper(word) == word {
		return ending{}, word
	}
	e, found := g.inflected[wholeWord+word] // a name
	if !found {
		e, found = g.inflected[wholeWord+low]
	}
	if found {
		return e, e.base(word)
	}
	for i := range low {
		next, ok := g.inflected[low[i:]]
		if !ok || next.cut > utf8.RuneCountInString(low) {
			continue
		}
		if !found {
			e, base, found = next, next.base(word), true
			if !e.kind.noun() || text.Listed(base) {
				break
			}
		} else if other := next.base(word); next.kind.noun() && text.Listed(other) {
			return next, other
		}
	}
	if !found {
		return ending{}, word
	}
	return e, base
}

// known reports whether a word is, or is a form of, one that the thesaurus has.
func (g *grammar) known(l lexeme) bool {
	_, base := g.form(l.raw)
	return text.Listed(l.raw) || text.Listed(base)
}

// base returns a word with its ending replaced.
func (e ending) base(word string) string {
	end := len(word)
	for range e.cut {
		_, size := utf8.DecodeLastRuneInString(word[:end])
		end -= size
	}
	return word[:end] + e.add
}

// kind returns what lexeme is by its ending, 0 where no list tells.
func (g *grammar) kind(l lexeme) kind {
	switch {
	case l.is(knownNoun):
		return masculine
	case l.is(knownAdjective):
		return attribute
	}
	e, _ := g.form(l.raw)
	return e.kind
}
