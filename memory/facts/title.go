package facts

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/text"
)

// The length of a title.
const (
	titleWords = 8
	titleRunes = 60
)

// Title names the affair that a message opens, in the message's own words: the first clause that carries
// content, without greetings and phrases such as "by the way", at most eight content words and 60 runes, with a
// capital letter and without closing signs. It holds no order number, price, telephone number or address of a
// page; of a link the host's name is left. It is never empty: a message without content is a "New affair".
func Title(message, lang string) string {
	r := newReader(message, lang)
	t := titler{reader: r, pieces: r.pieces(Extract(message, r.lang))}
	best := ""
	for i := 0; i < len(r.lex); {
		end := t.clauseEnd(i)
		clause, content := t.clause(i, end)
		if content >= 2 || content == 1 && best == "" {
			var joined bool
			if best, joined = t.withNext(clause, content, end); joined || content >= 2 {
				break
			}
		}
		i = end
	}
	if best == "" {
		best = t.any()
	}
	if best == "" {
		return newAffair(r.lang)
	}
	return trimTail(best)
}

// trimTail drops words that only lead on to something ("regarding the") from the end of a title that is long
// enough to have been cut before it.
func trimTail(title string) string {
	if utf8.RuneCountInString(title) < titleRunes*2/3 {
		return title
	}
	words := text.Tokens(title)
	end := len(title)
	for i := len(words) - 1; i > 1 && words[i].Stop; i-- {
		end = words[i].Start
	}
	return strings.TrimRightFunc(title[:end], func(r rune) bool { return unicode.IsSpace(r) || unicode.IsPunct(r) })
}

// Untitled reports whether a title is the one given to messages without content, in any language.
func Untitled(title string) bool {
	for _, lang := range []string{"cs", "pl", "ru", "en", "de"} {
		if text.Fold(title) == text.Fold(newAffair(lang)) {
			return true
		}
	}
	return false
}

func newAffair(lang string) string {
	switch lang {
	case "cs":
		return "Nová záležitost"
	case "pl":
		return "Nowa sprawa"
	case "ru":
		return "Новое дело"
	case "de":
		return "Neue Angelegenheit"
	}
	return "New affair"
}

// titler composes a title; pieces holds for every lexeme what a title says instead ("" = nothing).
type titler struct {
	*reader
	pieces []string
}

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

// clauseEnd returns the index after the clause that begins at lexeme i.
func (t titler) clauseEnd(i int) int {
	for j := i; j < len(t.lex); j++ {
		if t.lex[j].last || t.is(j, ",:–—()!?;") || t.is(j, "-") && !t.at(j+1).glued {
			return j + 1
		}
	}
	return len(t.lex)
}

// clause renders lexemes from to end-1 without openings and fillers, and counts their content words.
func (t titler) clause(from, end int) (string, int) {
	for from < end && t.lex[from].shape == mark {
		from++
	}
	const most = 16
	for stripped, rounds := true, 0; stripped && from < end && rounds < most; rounds++ {
		n := phraseAt(t.folds(from, end), opening)
		if n == 0 {
			n = phraseAt(t.folds(from, end), preamble)
			if n > 0 && t.content(from+n, end) == 0 && phraseAt(t.folds(from, end), reminder) < n {
				n = 0
			}
		}
		stripped = n > 0
		from += n
	}
	for end > from && (t.lex[end-1].shape == mark || t.pieces[end-1] == "" || t.dangles(from, end-1)) {
		end--
	}
	return t.render(from, end), t.content(from, end)
}

// preamble knows what may stand before the matter itself: "I want", "remind me to", "that I have", "the".
func preamble(p string) bool {
	switch p {
	case "ze", "aby", "zeby", "zebym", "что", "чтобы", "that":
		return true
	}
	return filler(p) || reminder(p) || obligation(p) || article(p)
}

// dangles reports whether the last word of a clause, at lexeme i, only leads to something that is not there.
func (t titler) dangles(from, i int) bool {
	return pointer(t.lex[i].fold) && !(hourWord(t.lex[i].fold) && i > from && t.lex[i-1].shape == number)
}

// folds returns the folded words at the beginning of a clause, as many as a phrase may have.
func (r *reader) folds(from, end int) []string {
	out := make([]string, 0, longestPhrase)
	for i := from; i < end && len(out) < longestPhrase && r.lex[i].shape == word; i++ {
		out = append(out, r.lex[i].fold)
	}
	return out
}

// content counts the content words among lexemes from to end-1, as far as a title reaches.
func (t titler) content(from, end int) (n int) {
	const reach = 4 * titleRunes
	for i := from; i < min(end, from+reach) && n <= titleWords; i++ {
		if t.carries(i) {
			n++
		}
	}
	return n
}

// carries reports whether the title's piece at lexeme i is a content word.
func (t titler) carries(i int) bool {
	l := t.lex[i]
	return t.pieces[i] != "" && (l.shape == word || l.shape == link || l.shape == code) && len(text.Terms(t.pieces[i])) > 0 && !opening(l.fold) && !pointer(l.fold)
}

// withNext adds to a clause what its sentence goes on with: the host of a link, or, where the clause has a single
// content word, the next clause.
func (t titler) withNext(clause string, content, end int) (title string, joined bool) {
	if end >= len(t.lex) || t.lex[end-1].last {
		return fit(clause), false
	}
	next := t.clauseEnd(end)
	if t.lex[end].shape == link && t.pieces[end] != "" {
		return fit(clause + " – " + t.pieces[end]), true
	}
	if content > 1 {
		return fit(clause), false
	}
	if more, n := t.clause(end, next); n > 0 {
		separator := ", "
		if t.is(end-1, ":") {
			separator = ": "
		}
		return fit(clause + separator + more), true
	}
	return fit(clause), false
}

// render joins the pieces of lexemes from to end-1, at most eight content words of them.
func (t titler) render(from, end int) string {
	var b strings.Builder
	words := 0
	for i := from; i < end && b.Len() <= 4*titleRunes; i++ {
		if t.pieces[i] == "" || t.lex[i].shape == mark && (i == 0 || t.pieces[i-1] == "") {
			continue
		}
		if t.carries(i) {
			if words++; words > titleWords {
				break
			}
		}
		if b.Len() > 0 && !t.lex[i].glued {
			b.WriteByte(' ')
		}
		b.WriteString(t.pieces[i])
	}
	return b.String()
}

// any renders the first words of a message that has no clause with content.
func (t titler) any() string {
	for i := 0; i < len(t.lex); {
		end := sentenceEnd(t.lex, i)
		for j := i; j < end; j++ {
			if t.lex[j].shape == word && t.pieces[j] != "" {
				return fit(t.render(j, end))
			}
			if t.lex[j].shape == link && t.pieces[j] != "" {
				return t.pieces[j]
			}
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
