package facts

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/text"
)

// pieces blanks what no title may hold and shortens links to their host.
func (r *reader) pieces(found []Fact) []string {
	out := make([]string, len(r.lex))
	for i, l := range r.lex {
		for len(found) > 0 && found[0].End <= l.start {
			found = found[1:]
		}
		out[i] = l.raw
		switch {
		case l.shape == link:
			out[i], _ = hostOf(l.raw)
			if strings.ContainsAny(out[i], "[]%@:") {
				out[i] = ""
			}
		case l.shape == mail || l.shape == symbol || digits(l.raw) >= 5 || utf8.RuneCountInString(l.raw) > titleRunes/2:
			out[i] = ""
		case len(found) > 0 && found[0].Start <= l.start && secret(found[0]):
			out[i] = ""
		}
	}
	for i := len(out) - 2; i >= 0; i-- {
		is, _ := r.numberAt(i)
		if (is || r.lex[i].shape == word && pointer(r.lex[i].fold)) && !r.lex[i].last && r.lex[i+1].shape != link && r.gone(out, i) {
			out[i] = ""
		}
	}
	return out
}

// gone reports whether the value right after lexeme i was taken out of the title, so that the word for
// "number" or the preposition before it has to go too.
func (r *reader) gone(pieces []string, i int) bool {
	j := i + 1
	for j < len(pieces) && r.is(j, ".:#") {
		j++
	}
	return j < len(pieces) && pieces[j] == ""
}

// secret reports whether a fact must not stand in a title.
func secret(f Fact) bool {
	switch f.Kind {
	case Reference, Item, Price, Phone, Email:
		return true
	case Statement:
		return strings.ContainsFunc(f.Value, unicode.IsDigit) || slices.ContainsFunc(strings.Fields(text.Fold(f.Label)), isSecret)
	}
	return false
}

func isSecret(fold string) bool { return lookup(fold, secretNoun) != "" }

func secretNoun(stem string) string {
	switch stem {
	case "hesl", "hasl", "password", "парол", "pin", "kod", "code", "код", "wifi", "wi-fi":
		return stem
	}
	return ""
}

// preamble knows what may stand before the matter itself: "I want", "remind me to", "that I have", "the".
func preamble(p string) bool {
	switch p {
	case "ze", "aby", "zeby", "zebym", "что", "чтобы", "that":
		return true
	}
	return filler(p) || reminder(p) || obligation(p) || article(p)
}

// folds returns the folded words at the beginning of a clause, as many as a phrase may have.
func (r *reader) folds(from, end int) []string {
	out := make([]string, 0, longestPhrase)
	for i := from; i < end && len(out) < longestPhrase && r.lex[i].shape == word; i++ {
		out = append(out, r.lex[i].fold)
	}
	return out
}

// any is the first sentence of a message without a noun, where it is no longer than a title, or the name of the page that it
// links to; else "".
func (t titler) any() string {
	for i := 0; i < len(t.lex); {
		end := sentenceEnd(t.lex, i)
		from := min(i+t.announced(i), end)
		if !slices.ContainsFunc(t.lex[from:end], func(l lexeme) bool { return l.shape == word }) {
			from = i
		}
		var said []string
		for j := from; j < end; j++ {
			if t.lex[j].shape != mark && t.pieces[j] != "" {
				said = append(said, t.pieces[j])
			}
		}
		if len(said) > 0 && len(said) <= titleWords {
			return fit(strings.Join(said, " "))
		}
		i = end
	}
	return ""
}

// fit cuts a title at a word's end to 60 runes, takes dangling words and signs off its end and gives it a capital.
func fit(s string) string {
	for utf8.RuneCountInString(s) > titleRunes {
		cut := strings.LastIndexAny(s, " ")
		if cut <= 0 {
			return ""
		}
		s = strings.TrimRight(s[:cut], " ,–-")
		if last := s[strings.LastIndex(s, " ")+1:]; pointer(text.Fold(last)) && strings.Contains(s, " ") {
			s = strings.TrimRight(strings.TrimSuffix(s, last), " ,–-")
		}
	}
	s = strings.TrimRight(strings.TrimLeft(s, " ,.:;–—-)'\""), " ,.:;–—-(!?…'\"")
	first, size := utf8.DecodeRuneInString(s)
	if size == 0 || knownHost(s) {
		return s
	}
	if second, _ := utf8.DecodeRuneInString(s[size:]); unicode.IsUpper(second) {
		return s // "eBay"
	}
	return string(unicode.ToUpper(first)) + s[size:]
}

func knownHost(s string) bool {
	word, _, _ := strings.Cut(s, " ")
	return bareHost(word)
}
