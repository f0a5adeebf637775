package mind

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/internal/read/facts"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// Gone is what a record says that was forgotten, as it is looked for in texts: by its telling words, whoever says them.
type Gone struct {
	record, turn string // the record, and the turn that had it forgotten
	source, told string // the message (session/id) and the turn that it was stored from
	session      string // in which it was stored
	at           time.Time
	codes        []string
	also         []string // ids of records that are forgotten with it, and say it no more
	short        []string // codes too short to be looked for in what is not of the same matter: "1.B"
	terms, names []string // stems of its telling words; those of names and numbers among them
	numbers      []string // plain numbers, such as a house's: beside a word that is gone they are of it
}

// GoneOf returns what is looked for of a record that is forgotten.
func GoneOf(r state.Record) Gone {
	if r.Gone != "" {
		r.Subject, r.Content = "", r.Gone
	}
	g := Gone{record: r.ID, turn: r.EndedIn, told: r.Source.Turn, session: r.Session, codes: Codes(r.Subject + " " + r.Content)}
	for _, w := range blank(r.Content) {
		if n := text.Digits(w); n > 0 && len(w) < leastCode && strings.ContainsFunc(w, unicode.IsUpper) {
			g.short = append(g.short, w)
		}
	}
	if r.Source.Message != "" {
		g.source = r.Session + "/" + r.Source.Message
	}
	if r.ValidTo != nil {
		g.at = *r.ValidTo
	}
	lang := sync.OnceValue(func() string { return text.Language(r.Content, "") })
	tokens := text.Tokens(r.Content)
	for i, t := range tokens {
		unit := !t.Number && utf8.RuneCountInString(t.Folded) < 3 // "Kč", "km": other amounts have it too
		article := text.GermanArticle(t.Folded) && lang() == "de" // "die" is a word in English
		if t.Stop || unit || article || isUser(t.Folded) || slices.Contains(g.terms, t.Stem) {
			continue
		}
		g.terms = append(g.terms, t.Stem)
		if isName(tokens, i, lang) {
			g.names = append(g.names, t.Stem)
		}
		if t.Number && len(t.Stem) < leastCode {
			g.numbers = append(g.numbers, t.Stem)
		}
		if isPin(t) && !slices.Contains(g.codes, t.Surface) {
			g.codes = append(g.codes, t.Surface)
		}
	}
	return g
}

// Along returns what is gone where other records are forgotten with it.
func (g Gone) Along(ids ...string) Gone {
	g.also = ids
	return g
}

// Except returns what is gone without the words of a text that stays.
func (g Gone) Except(stays string) Gone {
	said := text.Terms(stays)
	kept := func(term string) bool { return slices.Contains(said, term) }
	in := func(code string) bool { return strings.Contains(stays, code) }
	g.terms, g.names, g.codes, g.short = without(g.terms, kept), without(g.names, kept), without(g.codes, in), without(g.short, in)
	g.numbers = without(g.numbers, kept)
	return g
}

// CodeIn reports whether a text has one of its codes.
func (g Gone) CodeIn(s string) bool {
	return slices.ContainsFunc(g.codes, func(code string) bool { return replaceWord(s, code, Unsaid) != s })
}

// isName reports whether a token is a number or looks like a name: it is written large where no sentence begins and no German noun stands.
func isName(tokens []text.Token, i int, lang func() string) bool {
	t := tokens[i]
	letter, _ := utf8.DecodeRuneInString(t.Surface)
	if t.Number || i == 0 || !unicode.IsUpper(letter) {
		return t.Number
	}
	before, after := tokens[i-1].Surface, ""
	if i+1 < len(tokens) {
		after = tokens[i+1].Surface
	}
	noun := text.GermanArticle(tokens[i-1].Folded) && lang() == "de"
	return !noun && !facts.NamesNone(before, t.Surface, after, lang())
}

// isPin reports whether a token is a number of four digits that is no year: the end of a card, a code.
func isPin(t text.Token) bool {
	return len(t.Surface) == 4 && text.Digits(t.Surface) == 4 && !strings.HasPrefix(t.Surface, "19") && !strings.HasPrefix(t.Surface, "20")
}

// isUser reports whether a word is what a model calls him whose memory it is.
func isUser(folded string) bool {
	return slices.ContainsFunc([]string{"user", "uzivatel", "uzytkowni", "пользовател"}, func(w string) bool { return strings.HasPrefix(folded, w) })
}

// near is how near a text is to what is gone: the nearer, the less of it a sentence has to have.
type near int

const (
	elsewhere near = iota // half of its telling words, with all names and numbers
	inSession             // half of them, or a name: of the session that it was stored in
	inTurn                // half of them, or a name or number: of the turn that stored it, or had it forgotten
)

// States reports whether a sentence says what is gone.
func (g Gone) States(sentence string) bool {
	return len(g.terms) > 1 && len(g.in(text.Tokens(sentence), elsewhere)) > 0
}

// StatedIn reports whether a sentence of a text says what is gone.
func (g Gone) StatedIn(s string) bool { return slices.ContainsFunc(text.Sentences(s), g.States) }

// Strike is a title or topic without the words of what is gone, and without the function words before them that would lead nowhere: "Lunch at".
func (g Gone) Strike(title string) string {
	tokens := text.Tokens(title)
	if len(g.in(tokens, inTurn)) == 0 {
		return title
	}
	said := leading(tokens, g.beside(tokens, g.in(tokens, inTurn)))
	return strings.Trim(strings.Join(strings.Fields(strings.ReplaceAll(marked(title, tokens, said), Unsaid, "")), " "), " ,;:–-")
}

// leading adds to the tokens that are gone the function words right before them, where nothing or another function word comes behind.
func leading(tokens []text.Token, said []int) []int {
	gone := make([]bool, len(tokens))
	for _, i := range said {
		gone[i] = true
	}
	for i := len(tokens) - 2; i >= 0; i-- {
		next := i + 1
		for next < len(tokens) && gone[next] {
			next++
		}
		gone[i] = gone[i] || tokens[i].Stop && next > i+1 && (next == len(tokens) || tokens[next].Stop)
	}
	var out []int
	for i, g := range gone {
		if g {
			out = append(out, i)
		}
	}
	return out
}

// Unname returns what was made of an affair that told what is gone, a summary or a value, with marks in its place. A plain number alone may be another's.
func (g Gone) Unname(s string) string { return g.unsay(s, inSession) }

// beside are the tokens that are gone with the plain numbers of the same thing right beside them: "Lipowa 14 m. 6".
func (g Gone) beside(tokens []text.Token, said []int) []int {
	const apart = 3 // tokens
	for i, t := range tokens {
		near := func(at int) bool { return max(at-i, i-at) <= apart }
		if t.Number && slices.Contains(g.numbers, t.Stem) && !slices.Contains(said, i) && slices.ContainsFunc(said, near) {
			said = append(said, i)
		}
	}
	slices.Sort(said)
	return said
}

// replaceWord replaces a word wherever it stands by itself.
func replaceWord(s, word, by string) string {
	inWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	var b strings.Builder
	for {
		at := strings.Index(s, word)
		if at < 0 {
			return b.String() + s
		}
		before, _ := utf8.DecodeLastRuneInString(s[:at])
		after, _ := utf8.DecodeRuneInString(s[at+len(word):])
		b.WriteString(s[:at])
		if inWord(before) || inWord(after) {
			b.WriteString(word)
		} else {
			b.WriteString(by)
		}
		s = s[at+len(word):]
	}
}

// inflected is how many letters the stems of one word may differ in.
const inflected = 3

// in returns the tokens of a sentence that say what is gone, if it says it.
func (g Gone) in(tokens []text.Token, is near) (said []int) {
	had := map[string]bool{}
	names, numbers := 0, 0
	for i, t := range tokens {
		at := slices.IndexFunc(g.terms, func(term string) bool { return !t.Stop && text.Akin(t.Stem, term, inflected) })
		if at < 0 {
			continue
		}
		said = append(said, i)
		if !had[g.terms[at]] && slices.Contains(g.names, g.terms[at]) {
			if names++; t.Number {
				numbers++
			}
		}
		had[g.terms[at]] = true
	}
	half := 2*len(had) >= len(g.terms)
	switch {
	case is == elsewhere && half && names == len(g.names), is == inSession && (half || names > numbers), is == inTurn && (half || names > 0):
		return g.telling(tokens, said)
	}
	return nil
}

// telling returns the tokens of what is gone but for those that only say what a code is of: of "the gate code 7736" the code is what nobody may read.
func (g Gone) telling(tokens []text.Token, said []int) []int {
	const label = 4 // words
	if len(g.codes) == 0 || len(g.terms)-len(g.names) > label {
		return said
	}
	return slices.DeleteFunc(said, func(i int) bool {
		return !slices.ContainsFunc(g.names, func(name string) bool { return text.Akin(tokens[i].Stem, name, inflected) })
	})
}

// mark puts a mark in the place of what a sentence says of what is gone.
func (g Gone) mark(sentence string, tokens []text.Token, is near) string {
	return marked(sentence, tokens, g.beside(tokens, g.in(tokens, is)))
}

// marked returns a sentence with marks in the place of tokens. One mark stands for those with only function words between them.
func marked(sentence string, tokens []text.Token, said []int) string {
	var b strings.Builder
	from := 0
	for n := 0; n < len(said); n++ {
		start, last := said[n], said[n]
		for n+1 < len(said) && joins(sentence, tokens, last, said[n+1]) {
			n++
			last = said[n]
		}
		b.WriteString(sentence[from:tokens[start].Start] + Unsaid)
		from = tokens[last].End
	}
	return b.String() + sentence[from:]
}

// joins reports whether only function words stand between two tokens, and nothing that a quotation ends with.
func joins(sentence string, tokens []text.Token, a, b int) bool {
	between := slices.ContainsFunc(tokens[a+1:b], func(t text.Token) bool { return !t.Stop })
	return !between && !strings.ContainsAny(sentence[tokens[a].End:tokens[b].Start], `"{}[]:`)
}

// unsay returns a text with marks in the place of what is gone.
func (g Gone) unsay(s string, is near) string {
	for _, code := range g.codes {
		s = strings.ReplaceAll(s, code, Unsaid)
	}
	for _, code := range g.short {
		if is != elsewhere {
			s = replaceWord(s, code, Unsaid)
		}
	}
	if is == elsewhere && len(g.terms) < 2 {
		return s
	}
	var b strings.Builder
	for _, sentence := range text.Sentences(s) {
		at := strings.Index(s, sentence)
		b.WriteString(s[:at] + g.mark(sentence, text.Tokens(sentence), is))
		s = s[at+len(sentence):]
	}
	return b.String() + s
}

// leastCode is how many bytes a word of letters and digits has that names one thing.
const leastCode = 5

// blank returns the words of a text as they stand between blanks and most signs.
func blank(s string) []string {
	words := strings.FieldsFunc(s, func(c rune) bool { return unicode.IsSpace(c) || strings.ContainsRune(`,;()[]{}"„“”«»'`+"`", c) })
	for i, w := range words {
		words[i] = strings.Trim(w, ".:!?")
	}
	return words
}

// Codes returns the words of a text that name one thing, as they are written: of letters and digits, of five digits and more, or such numbers in groups, as
// of a telephone. Dates are none.
func Codes(s string) (out []string) {
	add := func(w string) {
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	for _, w := range grouped.FindAllString(s, -1) { // before its parts
		if text.Digits(w) >= leastGrouped {
			add(w)
		}
	}
	for _, w := range blank(s) {
		letters := strings.ContainsFunc(w, unicode.IsLetter)
		_, err := time.Parse(time.DateOnly, w)
		if n := text.Digits(w); err != nil && (n >= 5 || n > 0 && letters && len(w) >= leastCode) && !strings.Contains(w, "://") {
			add(w)
		}
	}
	return out
}

// grouped is a number in groups of three digits or two, and leastGrouped how many digits one has at least that is no amount.
var grouped = regexp.MustCompile(`\+?\b\d{1,4}(?:[ \x{00A0}-]\d{2,4}){2,4}\b`)

const leastGrouped = 8

// near returns how near a message of a session is to what is gone.
func (g Gone) near(session string, msg state.Message) near {
	switch {
	case msg.Turn == g.turn, g.told != "" && msg.Turn == g.told, g.source == session+"/"+msg.ID:
		return inTurn
	case session == g.session:
		return inSession
	}
	return elsewhere
}

// headsOf returns the beginnings of a message's words.
func headsOf(msg state.Message) map[string]bool {
	has := map[string]bool{}
	add := func(s string) {
		for _, t := range text.Tokens(s) {
			has[head(t.Stem)] = true
		}
	}
	add(msg.Text)
	for _, c := range msg.ToolCalls {
		add(c.Arguments)
	}
	return has
}

// mayBeIn reports whether a message has the beginning of some word, or a code, of what is gone: most have none, and are read once, whatever was forgotten.
func (g Gone) mayBeIn(msg state.Message, has map[string]bool) bool {
	return slices.ContainsFunc(g.terms, func(term string) bool { return has[head(term)] }) || slices.ContainsFunc(slices.Concat(g.codes, g.short), func(code string) bool {
		return strings.Contains(msg.Text, code) || slices.ContainsFunc(msg.ToolCalls, func(c state.ToolCall) bool { return strings.Contains(c.Arguments, code) })
	})
}

// head returns the beginning that a word's forms have in common (text.Akin).
func head(stem string) string {
	n := 0
	for i := range stem {
		if n == 5 {
			return stem[:i]
		}
		n++
	}
	return stem
}
