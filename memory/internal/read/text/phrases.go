package text

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// phrases finds fixed expressions in folded words. A phrase is written as words with spaces between:
//
//	last week         these words
//	minul* tyden      a word that begins so
//	(last/this) week  one of these
//	(few)? days ago   this one, or none
//	# days ago        a number, in digits or as a word
//	_? ago            any word, or none
//	^ always          at the beginning of a sentence
type phrases struct {
	first  map[string][]*phrase // by the first word
	prefix map[string][]*phrase // by the first two bytes of a first word that ends in *
	any    []*phrase            // those that begin with a number or any word
	calendar
}

// phrase is one expression of one meaning.
type phrase struct {
	meaning string
	parts   []part
	start   bool // only at the beginning of a sentence
}

// part is one place of a phrase.
type part struct {
	words    []string // exact
	prefixes []string
	number   bool
	any      bool
	optional bool
}

// add parses one written phrase.
func (p *phrases) add(meaning, written string) {
	x := phrase{meaning: meaning}
	for f := range strings.FieldsSeq(written) {
		if f == "^" {
			x.start = true
			continue
		}
		x.parts = append(x.parts, parsePart(f))
	}
	p.index(&x)
}

// index files a phrase under every word it may begin with.
func (p *phrases) index(x *phrase) {
	for _, head := range x.parts {
		for _, w := range head.words {
			p.first[w] = append(p.first[w], x)
		}
		for _, w := range head.prefixes {
			p.prefix[start(w)] = append(p.prefix[start(w)], x)
		}
		if head.number || head.any {
			p.any = append(p.any, x)
		}
		if !head.optional {
			return
		}
	}
}

// start is the beginning of a word by which phrases with * are found: two letters.
func start(w string) string {
	_, n := utf8.DecodeRuneInString(w)
	_, m := utf8.DecodeRuneInString(w[n:])
	return w[:n+m]
}

func parsePart(written string) part {
	var x part
	body, optional := strings.CutSuffix(written, "?")
	x.optional = optional
	body = strings.TrimSuffix(strings.TrimPrefix(body, "("), ")")
	for w := range strings.SplitSeq(body, "/") {
		base, open := strings.CutSuffix(w, "*")
		base = strings.ReplaceAll(Fold(base), "'", "")
		switch {
		case w == "#":
			x.number = true
		case w == "_":
			x.any = true
		case open && base != "":
			x.prefixes = append(x.prefixes, base)
		case base != "":
			x.words = append(x.words, base)
		}
	}
	return x
}

func (x part) matches(w string) bool {
	return slices.Contains(x.words, w) ||
		slices.ContainsFunc(x.prefixes, func(p string) bool { return strings.HasPrefix(w, p) })
}

// find calls found with the meaning of every phrase; none reaches from one sentence into the next.
func (p *phrases) find(all []piece, found func(meaning string)) {
	for i, w := range all {
		for _, list := range [][]*phrase{p.first[w.fold], p.prefix[start(w.fold)], p.any} {
			for _, x := range list {
				if (w.start || !x.start) && p.fits(x.parts, all[i:], true) {
					found(x.meaning)
				}
			}
		}
	}
}

// fits tells whether the words begin with the parts.
func (p *phrases) fits(parts []part, words []piece, first bool) bool {
	for n, x := range parts {
		if len(words) > 0 && (first || !words[0].start) && (x.any || x.number && p.counts(words[0]) || x.matches(words[0].fold)) {
			if x.optional && p.fits(parts[n+1:], words, first) {
				return true
			}
			words, first = words[1:], false
			continue
		}
		if !x.optional {
			return false
		}
	}
	return true
}
