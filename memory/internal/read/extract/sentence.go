package extract

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// How many words a content has at most.
const (
	valueWords    = 10
	sentenceWords = 18
)

// word is a word of a sentence and where it stands.
type word struct {
	text.Word

	start, end int
}

// capital reports whether the word is written as a name or a number.
func (w word) capital() bool {
	r, _ := utf8.DecodeRuneInString(w.Raw)
	return unicode.IsUpper(r) || unicode.IsDigit(r)
}

// cut takes a text apart into words; a clause starts behind a sign that sets it apart.
func cut(s string) []word {
	tokens := text.Cut(s)
	out := make([]word, 0, len(tokens))
	last := 0
	for _, t := range tokens {
		between := s[last:t.Start]
		starts := last == 0 || strings.ContainsAny(between, ",;:!?()\n–—…") || strings.Contains(between, " - ")
		only := text.Digits(t.Surface) == len(t.Surface)
		out = append(out, word{text.Word{Raw: t.Surface, Fold: t.Folded, Starts: starts, Number: only, Odd: t.Number && !only}, t.Start, t.End})
		last = t.End
	}
	return out
}

// plainOf returns the words as patterns see them.
func plainOf(words []word) []text.Word {
	out := make([]text.Word, len(words))
	for i, w := range words {
		out[i] = w.Word
	}
	return out
}

// join lets a clause go on across a polite word that commas set apart: "delete, please, my address".
func (k *knowledge) join(words []word) {
	plain := plainOf(words)
	for i := 1; i+1 < len(words); i++ {
		if k.begins("polite", plain[i:i+1]) {
			words[i].Starts, words[i+1].Starts = false, false
		}
	}
}

// own returns a message without what is not the user's own words: code, quoted lines, lines with a speaker before them, a text that is to be
// worked on, and all between quotation marks.
func own(message string) string {
	var b strings.Builder
	code := false
	for line := range strings.Lines(message) {
		bare := strings.TrimSpace(line)
		if strings.HasPrefix(bare, "```") {
			code = !code
			continue
		}
		if code || strings.HasPrefix(bare, ">") || strings.HasPrefix(bare, "|") || spoken(bare) {
			b.WriteString("\n")
			continue
		}
		if head, _, found := strings.Cut(line, ":"); found && anyContains("paste", head) {
			b.WriteString(unquote(head)) // what follows is a text to work on
			break
		}
		b.WriteString(unquote(line))
	}
	return b.String()
}

// anyContains reports whether an expression of any language that does something stands in a text.
func anyContains(role, s string) bool {
	words := plainOf(cut(s))
	for _, k := range lists() {
		if k.contains(role, words) {
			return true
		}
	}
	return false
}

// spoken reports whether a line begins with a name and a colon, as in a dialogue that was pasted.
func spoken(line string) bool {
	name, rest, found := strings.Cut(line, ":")
	r, _ := utf8.DecodeRuneInString(name)
	if !found || !strings.HasPrefix(rest, " ") || !unicode.IsUpper(r) || len(strings.Fields(name)) > 2 {
		return false
	}
	return !anyContains("opening", name) && !anyContains("remember", name)
}

// unquote leaves out what stands between quotation marks, with a sign in its place.
func unquote(line string) string {
	if !strings.ContainsAny(line, `"“”„«»`) {
		return line
	}
	var out, quote strings.Builder
	within := false
	for _, r := range line {
		switch {
		case strings.ContainsRune(`"“”„«»`, r):
			if within = !within && r != '»'; within {
				quote.Reset()
			} else {
				out.WriteString(quotedName(quote.String()))
			}
		case within:
			quote.WriteRune(r)
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}

// quotedName returns what stands between quotation marks if it is a name, one or two words that begin with a capital; else a sign in its place.
func quotedName(quote string) string {
	first, _ := utf8.DecodeRuneInString(quote)
	if n := len(strings.Fields(quote)); n == 0 || n > 2 || !unicode.IsUpper(first) {
		return " … "
	}
	return quote
}

// at returns the fact that a pattern finds at word i, and the number of the word behind it; i when there is none.
func (r *reader) at(i int) (found, int) {
	plain := r.plain[i:min(len(r.words), i+2*sentenceWords)]
	for p := range r.k.patterns.At(plain[0]) {
		if p.Begins && !r.opens(i) {
			continue
		}
		at := make([]int, len(p.Places))
		n := p.Match(plain, p.Is.across(), at)
		if n == 0 || !r.holds(i, i+n, p.Is) {
			continue
		}
		from, end := r.content(i, i+n, &p.Pattern, at, p.Is)
		if end <= from {
			continue
		}
		if f, ok := r.fact(r.subject(i, &p.Pattern, at, p.Is), from, end, p.Is); ok {
			return f, max(end, i+n)
		}
	}
	return found{}, i
}

// opens reports whether nothing but openings stands before word i in its clause.
func (r *reader) opens(i int) bool {
	for back := 0; !r.words[i].Starts && back < 4; back++ {
		i--
		if r.k.begins("and", r.plain[i:i+1]) {
			return true
		}
		if !r.k.begins("opening", r.plain[i:i+1]) {
			return false
		}
	}
	return r.words[i].Starts
}

// holds reports whether what a pattern says at words i to end-1 is said for good: not asked, supposed, denied, past or of one day.
func (r *reader) holds(i, end int, is meaning) bool {
	if i > 0 && !r.words[i].Starts && r.k.begins("not", r.plain[i-1:i]) {
		return false
	}
	around := r.clause(i, end)
	switch is.label {
	case Delete, note:
		return true
	case Update:
		return !r.asked
	case Decision:
		return !r.asked && !r.k.contains("oneoff", around)
	}
	if r.asked || r.supposed || r.past || r.k.contains("over", r.plain[i:end]) || r.k.contains("over", around) {
		return false
	}
	return is.label == Project || !r.k.contains("oneoff", around) && (is.one || !r.k.contains("now", around))
}

// clause returns what stands around words i to end-1 in their clause.
func (r *reader) clause(i, end int) []text.Word {
	from, to := i, end
	for from > 0 && !r.words[from].Starts {
		from--
	}
	for to < len(r.words) && !r.words[to].Starts {
		to++
	}
	return slices.Concat(r.plain[from:i], r.plain[end:to])
}

// content returns where the content of a match of words i to end-1 stands.
func (r *reader) content(i, end int, p *text.Pattern, at []int, is meaning) (from, to int) {
	// The letter at the end of a pattern says where its content stands; each kind has its own bounds.
	kind := is.end
	switch {
	case kind == "M":
		from, to = marked(i, end, p, at)
		broken := slices.ContainsFunc(r.words[from+1:end], func(w word) bool { return w.Starts })
		if from == i && to == end || broken || !r.words[from].capital() || r.k.begins("unfit", r.plain[from:to]) {
			return end, end
		}
		return from, to
	case kind == "":
		if from, to = marked(i, end, p, at); from > i || !r.k.begins("opening", r.plain[from:to]) {
			return from, to
		}
		return end, end
	case strings.EqualFold(kind, "S"):
		to = min(len(r.words), end+sentenceWords)
	default:
		to = end
		for to < len(r.words) && to < end+valueWords && (!r.words[to].Starts || to == end && is.across()) && !r.k.begins("stop", r.plain[to:to+1]) {
			to++
		}
	}

	// A small letter takes the match in too. A name needs a capital, and nothing of it may be unfit.
	lower := strings.ToLower(kind) == kind
	if to == end && !lower || strings.EqualFold(kind, "N") && !r.words[end].capital() || !strings.EqualFold(kind, "S") && r.k.begins("unfit", r.plain[end:to]) {
		return end, end
	}
	if lower {
		return i, to
	}
	return end, to
}

// marked returns where the ~ places of a match stand, or all of it when it has none.
func marked(i, end int, p *text.Pattern, at []int) (from, to int) {
	from, to = -1, end
	for k, place := range p.Places {
		if at[k] < 0 || place.Sign != '~' {
			continue
		}
		if from < 0 {
			from = i + at[k]
		}
		to = i + at[k] + 1
	}
	if from < 0 {
		return i, end
	}
	return from, to
}

// subject returns what a match at word i is about; @ in it stands for the word at the place with that sign. If there is nothing else in it, it is
// the thing that the word means, told from others of its kind by the word before: a work phone is no phone.
func (r *reader) subject(i int, p *text.Pattern, at []int, is meaning) string {
	for k, place := range p.Places {
		if at[k] >= 0 && place.Sign == '@' {
			if is.subject == "@" {
				slot := r.k.slotOf(r.plain[i+at[k]])
				if before := i + at[k] - 1; before >= i && r.k.begins("kind", r.plain[before:before+1]) {
					slot = strings.ToLower(r.words[before].Raw) + " " + slot
				}
				return slot
			}
			return strings.ReplaceAll(is.subject, "@", strings.ToLower(r.words[i+at[k]].Raw))
		}
	}
	return is.subject
}

// fact makes the fact whose content are words from to end-1.
func (r *reader) fact(subject string, from, end int, is meaning) (found, bool) {
	f := found{Fact: Fact{is.label, subject, r.text[r.words[from].start:r.words[end-1].end], 0, ofDecision, is.one, ""}, side: is.side, loose: !is.one && (is.label == Decision || is.label == note)}
	switch is.label {
	case Core, Preference:
		f.Importance = ofPerson
	case Update, Delete:
		f.Importance = ofCorrection
	case note:
		if len(r.out) > 0 {
			return f, false
		}
		f.Label, f.Importance = Core, ofRemember
		if name := r.another(from, end); name != "" {
			f.Subject = name
		}
	}
	return f, true
}

// another returns the person that words from to end-1 are about, if they begin with one: a relative or a name.
func (r *reader) another(from, end int) string {
	for i := from; i < end && i < from+3; i++ {
		if r.words[i].capital() && r.words[i].Fold != "i" || r.k.begins("person", r.plain[i:i+1]) {
			return r.words[i].Raw
		}
	}
	return ""
}
