package facts

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// shape is what a lexeme looks like, before anybody asks what it means.
type shape uint8

const (
	word   shape = iota // letters: "objednávka", "Kč", "e-shop"
	number              // digits, perhaps with . , : between them: "1250", "41.20", "14:30"
	code                // digits with letters, or groups joined by - / _: "3AB", "11-20344-77150"
	symbol              // a currency sign
	mark                // any other single sign
	link
	mail
)

// lexeme is one piece of a message, with byte offsets into it. fold is text.Fold of the piece, with "й"
// written as "и" so that the cue tables hold whether or not folding takes the breve away.
type lexeme struct {
	shape      shape
	glued      bool // no white space before it
	line       bool // a line break before it
	last       bool // it ends a sentence
	start, end int
	raw, fold  string
	set        set // what the lists say of it
}

func (l lexeme) is(c class) bool { return l.set.has(c) }

// points reports whether a word only points at what follows it.
func (l lexeme) points() bool { return l.set.meets(in(pointer, preposition)) }

// clocks reports whether a word stands before a time of day.
func (l lexeme) clocks() bool { return l.set.meets(in(clockWord, clockStretch)) }

// conjoins reports whether a word joins two clauses.
func (l lexeme) conjoins() bool { return l.set.meets(in(conjoins, butWord)) }

// owns reports whether a word only says whose or which: it is no word of a title.
func (l lexeme) owns() bool { return l.set.meets(in(ownWord, article)) }

// general reports whether a word says nothing about which matter is meant.
func (l lexeme) general() bool {
	return l.set.meets(in(preposition, edgeWord, questionWord)) || text.General(text.Stem(l.fold))
}

// isCurrency reports whether a lexeme is a currency. Letters that are also units or words ("ft", "р") count only right after a number, which
// is where it is asked.
func (l lexeme) isCurrency() bool { return l.shape == symbol || l.shape == word && l.is(currencyWord) }

// mostText is how many bytes of a message are read. Who sends more sends a document; what it states is found by its words.
const mostText = 16 << 10

// mostWord is how many bytes of a lexeme are compared with words.
const mostWord = 512

// scan cuts a message in a language into lexemes in one pass.
func (w *lexicon) scan(s, lang string) []lexeme {
	s = text.Head(s, mostText)
	out := make([]lexeme, 0, len(s)/5+1)
	line := false

	// White space parts lexemes; that it held a line break is noted on the next one.
	for at := 0; at < len(s); {
		r, size := utf8.DecodeRuneInString(s[at:])
		if unicode.IsSpace(r) {
			line = line || r == '\n'
			at += size
			continue
		}

		// What the lexeme is, and for words their classes.
		l := w.next(s, at, r, size)
		l.raw = s[l.start:l.end]
		l.glued = len(out) > 0 && out[len(out)-1].end == l.start
		l.line, line = line, false
		if l.shape == word || l.shape == code {
			l.fold = foldWord(text.Head(l.raw, mostWord))
			l.set = w.classes(l.fold, lang)
		}
		out = append(out, l)
		at = l.end
	}

	// The end of a sentence shows only when the next lexeme is known.
	for i := range out {
		out[i].last = endsSentence(s, out, i)
	}
	return out
}

// next reads the lexeme that begins at byte at with rune r.
func (w *lexicon) next(s string, at int, r rune, size int) lexeme {
	one := lexeme{shape: mark, start: at, end: at + size}
	switch {
	case unicode.Is(unicode.Sc, r):
		one.shape = symbol
		return one
	}
	if end := keyedEnd(s, at); end > at {
		return lexeme{shape: code, start: at, end: end}
	}
	if !isWordRune(r) {
		return one
	}

	if end := linkEnd(s, at); end > at {
		return lexeme{shape: link, start: at, end: end}
	}
	if end := mailEnd(s, at); end > at {
		return lexeme{shape: mail, start: at, end: end}
	}
	return w.run(s, at)
}

// leastKeyed is how many digits a code has at least that is keyed in with signs.
const leastKeyed = 3

// keyedEnd returns where the code at byte at ends that is keyed in up to a #, 0 if there is none: "4471#", "*100*4471#". A sign before the digits alone is
// none of theirs: "#4471" numbers, "*4471*" is set in bold.
func keyedEnd(s string, at int) int {
	if before, _ := utf8.DecodeLastRuneInString(s[:at]); at > 0 && (isWordRune(before) || strings.ContainsRune("*#.,:/-_", before)) {
		return 0
	}
	end, digits := at, 0
	for end < len(s) && (s[end] >= '0' && s[end] <= '9' || s[end] == '*' || s[end] == '#') {
		digits += text.Digits(s[end : end+1])
		end++
	}
	after, _ := utf8.DecodeRuneInString(s[end:])
	if digits < leastKeyed || s[end-1] != '#' || isWordRune(after) {
		return 0
	}
	return end
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// run reads letters and digits with the joiners that hold a word, a number or a code together.
func (w *lexicon) run(s string, at int) lexeme {
	l := lexeme{start: at}
	var prev rune
	letters, digits, joined := false, false, false
	i := at
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !isWordRune(r) {
			following, _ := utf8.DecodeRuneInString(s[i+size:])
			if !joins(prev, r, following, digits) {
				break
			}
			joined = joined || r != '.' && r != ',' && r != ':'
		} else if unicode.IsDigit(r) {
			digits = true
		} else {
			if digits && !letters && !joined && w.unit(unitAt(s, i)) {
				break // "250Kč", "42cm": a number and its unit
			}
			letters = true
		}
		prev = r
		i += size
	}
	l.end = i
	switch {
	case !digits:
		l.shape = word
	case letters || joined:
		l.shape = code
	default:
		l.shape = number
	}
	return l
}

// joins reports whether sign r between two runes belongs to one lexeme.
func joins(prev, r, following rune, digits bool) bool {
	if !isWordRune(prev) || !isWordRune(following) {
		return false
	}
	switch r {
	case '.', ',', ':':
		return unicode.IsDigit(prev) && unicode.IsDigit(following)
	case '/':
		return unicode.IsDigit(following) || digits && unicode.IsUpper(following)
	case '-', '_', '\'', '’', '‑':
		return true
	}
	return false
}

// unitAt returns the run of letters that starts at byte i, folded; "" when it is longer than any unit.
func unitAt(s string, i int) string {
	const longest = 12
	end := i
	for end < len(s) && end-i <= longest {
		r, size := utf8.DecodeRuneInString(s[end:])
		if unicode.IsDigit(r) {
			return ""
		}
		if !unicode.IsLetter(r) && !unicode.IsMark(r) {
			return text.Fold(s[i:end])
		}
		end += size
	}

	if end-i > longest {
		return ""
	}
	return text.Fold(s[i:end])
}

// unit reports whether letters glued to a number are its unit rather than part of a code.
func (w *lexicon) unit(fold string) bool {
	e := w.whole[fold]
	return e != nil && e.set.meets(in(currencyWord, unitWord, unitGlued))
}

// linkEnd returns where the web address at byte at ends, 0 if there is none.
func linkEnd(s string, at int) int {
	// It begins with a scheme, or is the name of a host.
	rest := s[at:]
	scheme := 0
	for _, p := range []string{"https://", "http://", "www."} {
		if len(rest) > len(p) && strings.EqualFold(rest[:len(p)], p) {
			scheme = len(p)
			break
		}
	}
	if scheme == 0 && !bareHost(rest) {
		return 0
	}

	// It goes on to the first character that no address has.
	end := scheme
	for end < len(rest) {
		r, size := utf8.DecodeRuneInString(rest[end:])
		if unicode.IsSpace(r) || strings.ContainsRune("<>\"“”„'`|{}", r) || unicode.IsControl(r) {
			break
		}
		end += size
	}

	// What closes the sentence around it is no part of it, but a bracket that it opens is.
	closes := ".,;:!?)]"
	if strings.Contains(rest[:end], "(") {
		closes = ".,;:!?]"
	}
	for end > scheme && strings.IndexByte(closes, rest[end-1]) >= 0 {
		end--
	}
	if end <= scheme {
		return 0
	}
	return at + end
}

// bareHost reports whether s begins with a host name written without a scheme ("ebay.com/itm/1").
func bareHost(s string) bool {
	const longest = 64
	dot := -1
	for i := 0; i < len(s) && i < longest; i++ {
		c := s[i]
		switch {
		case c == '.':
			dot = i
		case c == '-' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z':
		default:
			return dot > 0 && c < utf8.RuneSelf && c != '@' && knownTop(s[dot+1:i])
		}
	}
	return len(s) < longest && dot > 0 && knownTop(s[dot+1:])
}

func knownTop(s string) bool {
	switch strings.ToLower(s) {
	case "com", "org", "net", "info", "eu", "cz", "sk", "pl", "ru", "de", "uk", "fr", "io", "dev", "app", "edu", "gov", "shop", "online":
		return true
	}
	return false
}

// mailEnd returns where the e-mail address at byte at ends, 0 if there is none.
func mailEnd(s string, at int) int {
	// A look for the @ comes first: most words have none near.
	const longest = 128
	if strings.IndexByte(s[at:min(len(s), at+longest+1)], '@') < 0 {
		return 0
	}

	// What stands before the @.
	i := at
	for i < len(s) && i-at < longest && (isASCIIWord(s[i]) || strings.IndexByte("._%+-", s[i]) >= 0) {
		i++
	}
	if i == at || i >= len(s) || s[i] != '@' {
		return 0
	}

	// The host behind it, which has a point inside; points and dashes at its end belong to the sentence.
	host := i + 1
	dot := -1
	for i = host; i < len(s) && i-host < longest && (isASCIIWord(s[i]) || s[i] == '.' || s[i] == '-'); i++ {
		if s[i] == '.' && i+1 < len(s) && isASCIIWord(s[i+1]) {
			dot = i
		}
	}
	for i > host && (s[i-1] == '.' || s[i-1] == '-') {
		i--
	}
	if dot <= host || dot >= i-2 {
		return 0
	}
	return i
}

func isASCIIWord(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}
