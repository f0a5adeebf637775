package same

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// face is what a record is compared by: its words and its values.
type face struct {
	body  string // subject, ": ", content
	cut   int    // where the subject ends
	terms []term
	marks []mark
	sides map[string]string // contrast -> which end of it a function word stands for, "" if for both
	links []int             // offsets behind "is" and the like, colons and dashes
	words map[string]bool   // folded, function words too
	small []string          // of them the function words that may tell two records apart
	signs string            // signs that change what a word means: C++, C#, -5
	doubt bool
	once  bool
	long  bool // there is more than was read
}

// term is a word that is no value and no function word.
type term struct {
	stem, folded string
	meanings     []meaning
	name         bool // has a capital letter where no sentence begins
	capital      bool // has a capital letter
	negated      bool
	subject      bool
	with         bool // stands behind "with"
	start, end   int
}

// is reports whether the word can have a role.
func (t term) is(r role) bool {
	return slices.ContainsFunc(t.meanings, func(m meaning) bool { return m.role == r })
}

// silent reports whether the word says nothing that tells two records apart.
func (t term) silent() bool { return !t.name && (t.is(fill) || t.is(change) || t.is(link)) }

// attribute is the attribute of which t is a word, "" if it is of none.
func (t term) attribute() (name string, verb bool) {
	for _, m := range t.meanings {
		if m.role == value {
			return m.attribute, m.side == "verb"
		}
	}
	return "", false
}

// feeling returns 1 for a word of liking, -1 for one of disliking, 0 for any other; negation turns it round.
func (t term) feeling() int {
	out := 0
	switch {
	case t.is(like):
		out = 1
	case t.is(hate):
		out = -1
	}
	if t.negated {
		return -out
	}
	return out
}

// What is read of a record, in bytes. Comparing takes time in proportion to the product of the lengths.
const (
	mostSubject = 500
	mostContent = 4000
)

// clean returns the beginning of a text, valid and without white space around it.
func clean(s string, most int) string {
	return strings.TrimSpace(strings.ToValidUTF8(s[:min(len(s), most)], "?"))
}

// read makes the face of a record.
func read(r state.Record, lang string) *face {
	subject, content := clean(r.Subject, mostSubject), clean(r.Content, mostContent)
	f := &face{body: subject + ": " + content, cut: len(subject), words: map[string]bool{}, sides: map[string]string{}}
	f.long = len(r.Subject) > mostSubject || len(r.Content) > mostContent
	if subject == "" {
		f.body = content
	}
	f.marks = marks(f.body, f.cut, lang)
	f.signs = signs(f.body)
	denied := 0 // of the next words
	last := -1
	for _, t := range text.Tokens(f.body) {
		if t.Start > f.cut && last >= 0 && last < f.cut || strings.ContainsAny(f.body[max(last, 0):t.Start], ".!?;\n") {
			denied = 0
		}
		f.punctuate(max(last, 0), t.Start)
		if last = t.End; f.covered(t) {
			continue
		}
		denied = f.token(t, denied)
	}
	return f
}

// token files one token outside the marks and returns what is still to be negated.
func (f *face) token(t text.Token, denied int) int {
	word := strings.ReplaceAll(t.Folded, "й", "и")
	if t.Number {
		f.number(t)
		return denied
	}
	f.words[word] = true
	if w := (when{month: calendar(word, month), weekday: calendar(word, weekday)}); w != (when{}) {
		f.marks = append(f.marks, mark{sort: moment, canon: w.String(), when: w, start: t.Start, end: t.End, subject: t.Start < f.cut})
		return denied
	}
	n := term{stem: t.Stem, folded: word, meanings: roles().of(word), start: t.Start, end: t.End, subject: t.Start < f.cut}
	f.note(n)
	if n.is(negates) {
		return f.deny(t.End)
	}
	r, size := utf8.DecodeRuneInString(t.Surface)
	n.capital = unicode.IsUpper(r)
	n.name = n.capital && !f.opens(t.Start)
	if n.name && size == len(t.Surface) && word != "i" { // "blood group A"
		f.marks = append(f.marks, mark{sort: count, canon: word, start: t.Start, end: t.End, subject: n.subject})
		return denied
	}
	if !f.counts(t, n) {
		if !n.is(link) && !n.is(fill) { // "I have seat 14C" says what "my seat is 14C" does
			f.small = append(f.small, shortForm(word))
		}
		return denied
	}
	n.with = f.behindWith(t.Start)
	if denied > 0 && !n.silent() && !n.is(doubt) {
		n.negated, denied = true, 0
	}
	f.terms = append(f.terms, n)
	return denied
}

// shortForm returns a small word as it stands before a vowel or an easy sound: v for ve, a for an.
func shortForm(word string) string {
	switch word {
	case "ve", "ke", "se", "ze", "ku", "we", "an", "во", "ко", "со":
		_, size := utf8.DecodeRuneInString(word)
		return word[:size]
	}
	return word
}

// note keeps what a word says of the whole record, be it a function word or not.
func (f *face) note(n term) {
	f.contrast(n)
	f.doubt = f.doubt || n.is(doubt)
	f.once = f.once || n.is(once)
	if n.is(link) {
		f.links = append(f.links, n.end)
	}
}

// deny returns how many words a word of denial that ends at byte at denies: the next one, or none if the one before was meant.
func (f *face) deny(at int) int {
	if f.follows(at) {
		return 1
	}
	if len(f.terms) > 0 { // "meat: never"
		f.terms[len(f.terms)-1].negated = true
	}
	return 0
}

// counts reports whether a token is a word to compare: no function word, unless it is one of feeling or state.
func (f *face) counts(t text.Token, n term) bool {
	return !t.Stop || n.is(like) || n.is(hate) || n.is(end) || n.is(status) || n.is(kin)
}

// contrast notes the end of a contrast that a word stands for.
func (f *face) contrast(n term) {
	for _, m := range n.meanings {
		if m.role != contrast {
			continue
		}
		if side, ok := f.sides[m.attribute]; ok && side != m.side {
			f.sides[m.attribute] = ""
		} else {
			f.sides[m.attribute] = m.side
		}
	}
}

// number files a number that is no value of a known sort. In the subject it names the thing, and so does a code of
// letters and digits.
func (f *face) number(t text.Token) {
	m := mark{sort: count, canon: plainNumber(t.Folded), start: t.Start, end: t.End, subject: t.Start < f.cut}
	letters := strings.ContainsFunc(t.Folded, unicode.IsLetter)
	if m.subject || joined(t.Folded) || letters && t.Surface == strings.ToUpper(t.Surface) {
		m.sort, m.canon = identifier, alphanumeric(t.Folded)
	}
	f.marks = append(f.marks, m)
}

// joined reports whether a number is made of several as those of files are: 2023/77.
func joined(s string) bool {
	return len(s) > 4 && !strings.Contains(s, ":") && strings.ContainsAny(strings.Trim(s, "-/_"), "-/_")
}

// covered reports whether a token is part of a mark.
func (f *face) covered(t text.Token) bool {
	return slices.ContainsFunc(f.marks, func(m mark) bool { return t.Start >= m.start && t.Start < m.end })
}

// follows reports whether a word to negate comes behind byte at in the same sentence.
func (f *face) follows(at int) bool {
	rest := f.body[at:]
	if i := strings.IndexAny(rest, ".!?;\n"); i >= 0 {
		rest = rest[:i]
	}
	return slices.ContainsFunc(text.Tokens(rest), func(t text.Token) bool {
		return !t.Stop && !t.Number && !roles().is(t.Folded, negates) && !term{meanings: roles().of(t.Folded)}.silent()
	})
}

// opens reports whether a sentence, the subject or the content begins at byte at.
func (f *face) opens(at int) bool {
	before := strings.TrimRight(f.body[:at], " \t\"'„“”«(")
	return before == "" || strings.ContainsAny(before[len(before)-1:], ".!?:;\n") || at <= f.cut && before == ""
}

func (f *face) behindWith(at int) bool {
	fields := strings.Fields(f.body[max(0, at-24):at])
	return len(fields) > 0 && roles().is(text.Fold(strings.ToValidUTF8(fields[len(fields)-1], "")), beside)
}

// punctuate notes colons and dashes between two tokens, which join a noun and its value as "is" does.
func (f *face) punctuate(from, to int) {
	if gap := f.body[from:to]; from > f.cut && strings.ContainsAny(gap, ":=–—") || from > f.cut && strings.Contains(gap, " - ") {
		f.links = append(f.links, to)
	}
}

// signs lists the signs that make another word or number of the one they stand at, and pictures, which say how it is meant.
func signs(s string) string {
	var out strings.Builder
	for i, r := range s {
		next, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(r):])
		switch {
		case strings.ContainsRune("#%<>&*^~", r), text.Picture(r), r == '+' && !unicode.IsDigit(next):
			out.WriteRune(r)
		case r == '-' && unicode.IsDigit(next) && (i == 0 || s[i-1] == ' '):
			out.WriteRune(r)
		}
	}
	return out.String()
}
