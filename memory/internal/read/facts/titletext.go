package facts

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// pieces blanks what no title may hold and shortens links to their host.
func (r *Reading) pieces(found []Fact) []string {
	out := make([]string, len(r.lex))

	// Facts and lexemes are gone through side by side, both in the order of the text.
	for i, l := range r.lex {
		for len(found) > 0 && found[0].End <= l.start {
			found = found[1:]
		}
		out[i] = l.raw
		if r.pointed(i) {
			out[i] += "."
		}
		switch {
		case l.shape == link:
			out[i], _ = hostOf(l.raw)
			if strings.ContainsAny(out[i], "[]%@:") {
				out[i] = ""
			}
		case l.shape == mail || l.shape == symbol || text.Digits(l.raw) >= 5 || utf8.RuneCountInString(l.raw) > titleRunes/2:
			out[i] = ""
		case len(found) > 0 && found[0].Start <= l.start && r.secret(found[0]):
			out[i] = ""
		}
	}

	// A word that announces what was blanked goes with it, from the last one on, so that several in a row go.
	for i := len(out) - 2; i >= 0; i-- {
		is, _ := r.numberAt(i)
		if (is || r.lex[i].shape == word && r.lex[i].points()) && !r.lex[i].last && r.lex[i+1].shape != link && r.gone(out, i) {
			out[i] = ""
		}
	}
	return out
}

// gone reports whether the value right after lexeme i was taken out of the title, so that the word for
// "number" or the preposition before it has to go too.
func (r *Reading) gone(pieces []string, i int) bool {
	j := i + 1
	for j < len(pieces) && r.is(j, ".:#") {
		j++
	}
	return j < len(pieces) && pieces[j] == ""
}

// secret reports whether a fact must not stand in a title.
func (r *Reading) secret(f Fact) bool {
	switch f.Kind {
	case Reference, Item, Price, Phone, Email:
		return true
	case Statement:
		return strings.ContainsFunc(f.Value, unicode.IsDigit) || r.w.secret(f.Label)
	}
	return false
}

// any returns the first sentence of a message without a noun, where it is no longer than a title, or the name of the page that it
// links to; else "".
func (t titler) any() string {
	for i, end := range t.spans() {
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
			return t.fit(strings.Join(said, " "))
		}
	}
	return ""
}

// fit cuts a title at a word's end to 60 runes, takes dangling words and signs off its end and gives it a capital.
func (t titler) fit(s string) string {
	for utf8.RuneCountInString(s) > titleRunes {
		cut := strings.LastIndexAny(s, " ")
		if cut <= 0 {
			return ""
		}
		s = strings.TrimRight(s[:cut], " ,–-")
		if last := s[strings.LastIndex(s, " ")+1:]; t.w.classes(foldWord(last), "").meets(in(pointer, preposition)) && strings.Contains(s, " ") {
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
