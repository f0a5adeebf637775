package text

import (
	"iter"
	"slices"
	"strings"
	"unicode/utf8"
)

// Pattern is a fixed expression that a list writes as words with spaces between:
//
//	last week         these words
//	minul* tyden      a word that begins so
//	=rád              the word with its marks
//	last|this week    one of these
//	few? days ago     this one, or none (of alternatives, the sign stands at the last and is for all)
//	# days ago        a number
//	_ ago             any word
//	.. ago            up to four words
//	^always           only where something begins: a sentence, a clause
//	done$             only where something ends
//	@dog ~rex         places that the reader of the list gives a sense, by the sign
type Pattern struct {
	Begins, Ends bool
	Places       []Place
}

// Place is one place of a pattern.
type Place struct {
	Sign     byte // @, ~, or 0
	Open     bool // any word or a number fits
	forms    []form
	number   bool
	any      bool
	gap      bool
	optional bool
}

type form struct {
	word        string
	open, exact bool
}

// Word is a word as patterns see it.
type Word struct {
	Fold   string // without apostrophes
	Raw    string // as written
	Number bool
	Odd    bool // it is not just any word
	Starts bool // something begins with it
	digits bool // it is written as a number
	dot    bool // a full stop stands right behind it
}

// mostGap is how many words .. stands for.
const mostGap = 4

// ParsePattern reads a pattern.
func ParsePattern(written string) Pattern {
	var p Pattern
	written, p.Begins = strings.CutPrefix(written, "^")
	written, p.Ends = strings.CutSuffix(written, "$")
	for f := range strings.FieldsSeq(written) {
		p.Places = append(p.Places, ParsePlace(f))
	}
	return p
}

// ParsePlace reads one place of a pattern.
func ParsePlace(written string) Place {
	var p Place
	if strings.IndexByte("@~", written[0]) >= 0 {
		p.Sign, written = written[0], written[1:]
	}
	written, p.optional = strings.CutSuffix(written, "?")
	for w := range strings.SplitSeq(written, "|") {
		switch w {
		case "..":
			p.gap = true
		case "#":
			p.number, p.Open = true, true
		case "_":
			p.any, p.Open = true, true
		default:
			base, open := strings.CutSuffix(w, "*")
			if raw, exact := strings.CutPrefix(base, "="); exact {
				p.forms = append(p.forms, form{word: strings.ToLower(raw), exact: true})
			} else {
				p.forms = append(p.forms, form{word: strings.ReplaceAll(Fold(base), "'", ""), open: open})
			}
		}
	}
	return p
}

// Takes reports whether a word fits the place.
func (p *Place) Takes(w Word) bool {
	return p.any && !w.Odd || p.number && w.Number || slices.ContainsFunc(p.forms, func(f form) bool {
		switch {
		case f.exact:
			return strings.ToLower(w.Raw) == f.word
		case f.open:
			return strings.HasPrefix(w.Fold, f.word)
		}
		return w.Fold == f.word
	})
}

// Match reports how many words the pattern takes from the first on, 0 if it does not fit. It goes beyond where something begins only if
// across is true. Into at, unless it is nil, goes the word that each place took, -1 for none. Begins and Ends are the caller's to look at.
func (p *Pattern) Match(words []Word, across bool, at []int) int {
	n, fits := matchPlaces(p.Places, words, 0, across, at)
	if !fits {
		return 0
	}
	return n
}

func matchPlaces(places []Place, words []Word, n int, across bool, at []int) (end int, fits bool) {
	// All places are taken: the pattern fits.
	if len(places) == 0 {
		return n, true
	}
	p, rest := &places[0], at
	if at != nil {
		rest = at[1:]
	}

	// A gap takes as few words as it can.
	within := func(n int) bool { return n < len(words) && (n == 0 || across || !words[n].Starts) }
	if p.gap {
		for k := 0; k == 0 || k <= mostGap && within(n+k-1); k++ {
			if end, fits = matchPlaces(places[1:], words, n+k, across, rest); fits {
				return end, true
			}
		}
		return 0, false
	}

	// The word is taken if the rest fits behind it; an optional place may stay empty.
	if within(n) && p.Takes(words[n]) {
		if end, fits = matchPlaces(places[1:], words, n+1, across, rest); fits {
			if at != nil {
				at[0] = n
			}
			return end, true
		}
	}

	if !p.optional {
		return 0, false
	}
	if at != nil {
		at[0] = -1
	}
	return matchPlaces(places[1:], words, n, across, rest)
}

// Patterns finds patterns by the words that they may begin with. T is what a list says of a pattern.
type Patterns[T any] struct{ by map[string][]*Known[T] }

// Known is a pattern of a list.
type Known[T any] struct {
	Pattern
	Is T
}

// Add takes up a pattern.
func (x *Patterns[T]) Add(written string, is T) {
	if x.by == nil {
		x.by = map[string][]*Known[T]{}
	}
	k := &Known[T]{ParsePattern(written), is}
	file := func(key string) {
		if list := x.by[key]; len(list) == 0 || list[len(list)-1] != k {
			x.by[key] = append(list, k)
		}
	}
	for _, p := range k.Places {
		for _, f := range p.forms {
			file(begin(Fold(f.word)))
		}
		if p.Open || p.gap {
			file("")
		}
		if !p.optional {
			return
		}
	}
}

// Begin reports whether one of the patterns stands at the beginning of the words.
func (x *Patterns[T]) Begin(words []Word) bool {
	for p := range x.At(words[0]) {
		if p.Match(words, false, nil) > 0 {
			return true
		}
	}
	return false
}

// At lists the patterns that may begin with a word, in the order in which they were added, but those behind that begin with any word.
func (x *Patterns[T]) At(w Word) iter.Seq[*Known[T]] {
	return func(yield func(*Known[T]) bool) {
		for _, list := range [...][]*Known[T]{x.by[begin(w.Fold)], x.by[""]} {
			for _, k := range list {
				if !yield(k) {
					return
				}
			}
		}
	}
}

// All goes through the patterns, in no order and some of them more than once.
func (x *Patterns[T]) All() iter.Seq[*Known[T]] {
	return func(yield func(*Known[T]) bool) {
		for _, list := range x.by {
			for _, k := range list {
				if !yield(k) {
					return
				}
			}
		}
	}
}

// begin returns the beginning of a word by which patterns are found: two letters.
func begin(w string) string {
	_, n := utf8.DecodeRuneInString(w)
	_, m := utf8.DecodeRuneInString(w[n:])
	return w[:n+m]
}
