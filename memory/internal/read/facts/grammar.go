package facts

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// grammar is what the lists say of one language alone.
type grammar struct {
	local   map[string]set    // folded word -> the classes that hold in this language only
	motion  map[string]string // folded word -> the noun for it
	call    map[string]string // what kinds of facts and new affairs are called
	endings map[string][]rule
	forms   map[string][]form

	inflected map[string]ending // by the end of a word; see readEndings
}

// rule lists endings of words; a word of fewer runes than least, or with one of the endings in except, does not follow it.
type rule struct {
	least           int
	endings, except []string
}

// form is how a form of a word may end and how another does.
type form struct{ from, to string }

// read takes up a line that is about the grammar; known is whether it is. Endings are lines of "KEY: endings !exceptions" with the least
// number of runes behind the key, forms of "KEY: from>to".
func (g *grammar) read(key, about string, line text.Line) (known bool, err error) {
	// Words of the grammar come first, then forms, then endings; anything else is the lexicon's.
	switch {
	case key == "call":
		g.call[about] = line.Value
	case strings.HasSuffix(key, "_form"):
		for _, w := range line.Words() {
			from, to, found := strings.Cut(w, ">")
			if !found {
				return true, line.Wrong(w + " is not from>to")
			}
			g.forms[key] = append(g.forms[key], form{from, to})
		}
	case slices.Contains(endingKeys(), key):
		r := rule{}
		if about != "" {
			if r.least, err = strconv.Atoi(about); err != nil {
				return true, line.Wrong(about + " is not a number of letters")
			}
		}
		for _, w := range line.Words() {
			if e, except := strings.CutPrefix(w, "!"); except {
				r.except = append(r.except, e)
			} else {
				r.endings = append(r.endings, w)
			}
		}
		g.endings[key] = append(g.endings[key], r)
	default:
		return false, nil
	}
	return true, nil
}

// The lists of endings. Those of verbs are of folded words but for the ones that are looked for as they are written.
const (
	verbBeginning     = "verb_beginning"
	negativeBeginning = "negative_beginning" // of a word that says not
	verbEnding        = "verb_ending"
	verbEndingWritten = "verb_ending_written"
	adjectiveEnding   = "adjective_ending"
	adjectiveBefore   = "adjective_before_noun" // a noun that is the attribute of the next one
	objectEnding      = "object_ending"
	singleEnding      = "single_ending"         // of an adjective beside one thing that is not the subject
	attributeEnding   = "attribute_ending"      // an adjective of a noun that is an attribute
	attributeNoun     = "attribute_noun_ending" // a noun that is one
	obliqueEnding     = "oblique_ending"        // only behind a preposition, or what something is done with
	streetEnding      = "street_ending"         // of a word that is the name of a street
	pastEnding        = "past_ending"           // what somebody has done
	infinitiveEnding  = "infinitive_ending"
	maybeInfinitive   = "maybe_infinitive_ending" // behind "need"
	pluralForm        = "plural_form"             // of a noun that stands for several, as the subject does
	objectForm        = "object_form"             // of a feminine adjective that stands with an object
	feminineForm      = "feminine_form"           // of an adjective beside such a noun
	neuterForm        = "neuter_form"
)

func endingKeys() []string {
	return []string{verbBeginning, negativeBeginning, verbEnding, verbEndingWritten, adjectiveEnding, adjectiveBefore, objectEnding, singleEnding, attributeEnding, attributeNoun, obliqueEnding, infinitiveEnding, maybeInfinitive, streetEnding, pastEnding}
}

// ends reports whether a word has one of the endings of a list and two letters more.
func (g *grammar) ends(w, key string) bool {
	return slices.ContainsFunc(g.endings[key], func(r rule) bool { return r.fits(w, 2) })
}

func (r rule) fits(w string, more int) bool {
	has := func(e string) bool {
		base, ok := strings.CutSuffix(w, e)
		return ok && utf8.RuneCountInString(base) >= more
	}
	return slices.ContainsFunc(r.endings, has) && (r.least == 0 || utf8.RuneCountInString(w) >= r.least) && !slices.ContainsFunc(r.except, has)
}

// inflects reports whether nouns have more than one form.
func (g *grammar) inflects() bool { return len(g.inflected) > 0 }

// verb reports whether a word looks like a verb by its ending. Words that only look so are in the lists.
func (g *grammar) verb(l lexeme) bool {
	n := utf8.RuneCountInString(l.fold)
	if l.is(knownNoun) || n < 4 {
		return false
	}
	return slices.ContainsFunc(g.endings[verbBeginning], func(r rule) bool { return n >= r.least && strings.HasPrefix(l.fold, r.endings[0]) }) ||
		g.ends(l.fold, verbEnding) || g.ends(strings.ToLower(l.raw), verbEndingWritten)
}

// negative reports whether a word says by its beginning that something is not so.
func (g *grammar) negative(l lexeme) bool {
	begins := func(with string) bool { return strings.HasPrefix(l.fold, with) }
	return slices.ContainsFunc(g.endings[negativeBeginning], func(r rule) bool {
		return slices.ContainsFunc(r.endings, begins) && !slices.ContainsFunc(r.except, begins)
	})
}

// adjective reports whether a word looks like an adjective by its ending, whatever its case.
func (g *grammar) adjective(l lexeme) bool {
	return l.is(knownAdjective) || !l.is(knownNoun) && g.ends(strings.ToLower(l.raw), adjectiveEnding)
}

// anyEnds reports whether a word has one of the endings of any language and so many letters more.
func (w *lexicon) anyEnds(fold, key string, more int) bool {
	for _, g := range w.langs {
		if slices.ContainsFunc(g.endings[key], func(r rule) bool { return r.fits(fold, more) }) {
			return true
		}
	}
	return false
}

// infinitive reports whether a word ends as infinitives of any language do and nouns seldom.
func (w *lexicon) infinitive(l lexeme) bool {
	low := strings.ToLower(l.raw)
	return utf8.RuneCountInString(low) >= 5 && !l.is(noInfinitive) && w.anyEnds(low, infinitiveEnding, 0)
}

// Honorific reports whether a folded word stands before a person's name and is no part of it.
func Honorific(word string) bool { return shipped().classes(foldWord(word), "").has(honorific) }

// Nameless reports whether a folded word that is written like a name is none: a title, a month, a day, a short form, a word for a secret.
func Nameless(word string) bool {
	return shipped().classes(foldWord(word), "").meets(in(honorific, nameless, monthWord, weekday, secretWord))
}

// Secret reports whether a label names what only its owner should know.
func Secret(label string) bool { return shipped().secret(label) }

func (w *lexicon) secret(label string) bool {
	return slices.ContainsFunc(strings.Fields(foldWord(label)), func(word string) bool { return w.classes(word, "").has(secretWord) })
}

// grammar returns that of a language, an empty one where no list is of it.
func (w *lexicon) grammar(lang string) *grammar {
	if g := w.langs[lang]; g != nil {
		return g
	}
	return &grammar{}
}

// call returns what a kind of fact or a new affair is called in a language, else in English.
func (w *lexicon) call(what, lang string) string {
	if name := w.grammar(lang).call[what]; name != "" {
		return name
	}
	return w.grammar("en").call[what]
}
