package text

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxToken bounds what is looked at of one token, in bytes. What is longer is no word.
const maxToken = 512

// Token is one word, number, identifier, price, URL or e-mail address of a text. One of more than 512 bytes is known by
// its first 512.
type Token struct {
	Surface string // as written
	Folded  string // Fold of it, without apostrophes and currency signs
	Stem    string // what equal words share; Folded of numbers, identifiers, URLs, addresses and of what is too long
	Stop    bool   // a function word of a language that the text is in, or a single letter; no name
	Number  bool   // holds a digit, or is a URL or an e-mail address: kept whole
	Start   int    // offset of the first byte in the text
	End     int    // offset behind the last byte

	function *function // the stop word that it is in some language
}

// Tokens cuts s into tokens, in order and without overlap. It takes any input, invalid UTF-8 too, and
// time linear in its length.
func Tokens(s string) []Token {
	out := Cut(s)
	for i := range out {
		out[i].Stem = out[i].FindStem()
	}
	return out
}

// Cut is Tokens without the stems, which take most of the time: who needs few of them asks FindStem.
func Cut(s string) []Token { return cutInto(make([]Token, 0, len(s)/5+2), s) }

func cutInto(out []Token, s string) []Token {
	for t := range tokensOf(s) {
		out = append(out, t)
	}
	loaded().settle(s, out)
	return out
}

// Words returns the folded tokens of s, stop words included.
func Words(s string) []string {
	out := make([]string, 0, len(s)/6+1)
	for t := range tokensOf(s) {
		out = append(out, t.Folded)
	}
	return out
}

// Terms returns the stems of s without stop words, in order and repeated as often as they occur.
func Terms(s string) []string {
	rooms := &loaded().rooms
	room, _ := rooms.Get().(*[]Token)
	if room == nil {
		room = new([]Token)
	}
	tokens := cutInto((*room)[:0], s)
	out := make([]string, 0, len(tokens))
	for _, t := range tokens {
		if !t.Stop {
			out = append(out, t.FindStem())
		}
	}
	if cap(tokens) <= mostRoom {
		clear(tokens)
		*room = tokens
		rooms.Put(room)
	}
	return out
}

// mostRoom is how many tokens a room has at most that is kept.
const mostRoom = 4 << 10

// tokensOf goes through the tokens of s, which have no stems yet. Each word stops that does in some language.
func tokensOf(s string) iter.Seq[Token] {
	return func(yield func(Token) bool) {
		for i := 0; i < len(s); {
			end, kind := scan(s, i)
			if kind != gap && !yield(makeToken(s, i, end, kind)) {
				return
			}
			i = end
		}
	}
}

type shape int

const (
	gap     shape = iota // one rune that belongs to no token
	word                 // letters
	number               // digits and what joins them
	address              // URL or e-mail
)

// scan reads one token, or one rune of a gap, at i.
func scan(s string, i int) (end int, kind shape) {
	r, n := utf8.DecodeRuneInString(s[i:])
	switch {
	case linkAt(s, i):
		return trimLink(s, i, spaceAfter(s, i)), address
	case ideograph(s[i:]):
		return i + n, word
	case unicode.IsLetter(r) || unicode.IsDigit(r):
		return scanRuns(s, i)
	case strings.ContainsRune("$€£₽", r) && i+n < len(s) && s[i+n] >= '0' && s[i+n] <= '9':
		end, _ = scanRuns(s, i+n)
		return end, number
	}
	return i + n, gap
}

// scanRuns reads runs of letters and digits and joins those that make one identifier, price, date or address.
func scanRuns(s string, i int) (int, shape) {
	end, digits := run(s, i)
	kind := word
	if digits {
		kind = number
	}

	// What follows the run may join it to the next one; what begins a link or a mail address takes all of it.
	for {
		r, n := utf8.DecodeRuneInString(s[end:])
		if n == 0 || end+n >= len(s) || end-i > maxToken {
			return end, kind
		}
		next, nextDigits := run(s, end+n)
		switch {
		case next == end+n:
			return end, kind
		case r == '@':
			return trimLink(s, i, spaceAfter(s, i)), address
		case (r == '\'' || r == '’') && kind == word && !nextDigits:
		case joins(s[i:end], r, s[end+n:next], digits, nextDigits):
			kind = number
		case kind == word && mailAhead(s, end):
			return trimLink(s, i, spaceAfter(s, i)), address
		default:
			return end, kind
		}
		end, digits = next, nextDigits
	}
}

// joins tells whether the sign r ties what stands before and behind it into one token.
func joins(before string, r rune, behind string, digitsBefore, digitsBehind bool) bool {
	switch r {
	case '.', ',', ':':
		return digitsBefore && digitsBehind
	case ' ', '\u00a0', '\u202f', '\u2009', '\u2007':
		return digitsBefore && len(behind) == 3 && onlyDigits(behind) && thousands(before)
	case '-', '/', '_', '–':
		if digitsBefore && digitsBehind {
			return true
		}
		return digitsBefore && code(behind) || digitsBehind && code(before)
	}
	return false
}

// code tells whether s looks like the letters of an order number: up to five capitals or digits.
func code(s string) bool {
	if len(s) > 5 {
		return strings.ContainsAny(s, "0123456789")
	}
	return s == strings.ToUpper(s)
}

// Digits counts the decimal digits of s.
func Digits(s string) (n int) {
	for _, r := range s {
		if unicode.IsDigit(r) {
			n++
		}
	}
	return n
}

// thousands reports whether s may be the beginning of a number in groups of three digits.
func thousands(s string) bool {
	groups := strings.FieldsFunc(s, unicode.IsSpace)
	for i, g := range groups {
		if !onlyDigits(g) || len(g) > 3 || i > 0 && len(g) < 3 {
			return false
		}
	}
	return len(groups) > 0
}

func onlyDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// run reads letters, digits and marks; digits reports whether there is a digit among them.
func run(s string, i int) (end int, digits bool) {
	for end = i; end < len(s); {
		r, n := utf8.DecodeRuneInString(s[end:])
		switch {
		case ideograph(s[end:]):
			return end, digits
		case unicode.IsDigit(r):
			digits = true
		case unicode.IsLetter(r), end > i && unicode.Is(unicode.M, r):
		default:
			return end, digits
		}
		end += n
	}
	return end, digits
}

// ideograph reports whether s begins with a sign of Chinese or Japanese, which are written without spaces: each is a token.
func ideograph(s string) bool {
	if s == "" || s[0] < utf8.RuneSelf {
		return false
	}
	r, _ := utf8.DecodeRuneInString(s)
	return r >= 0x2E80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

func linkAt(s string, i int) bool {
	if s[i] != 'h' && s[i] != 'w' {
		return false
	}
	rest := s[i:]
	return strings.HasPrefix(rest, "http://") || strings.HasPrefix(rest, "https://") || strings.HasPrefix(rest, "www.")
}

// mailAhead tells whether the word before end goes on as the local part of an e-mail address ("jan.novak@").
func mailAhead(s string, end int) bool {
	if s[end] != '.' && s[end] != '-' && s[end] != '_' {
		return false
	}
	for j := end + 1; j < len(s) && j < end+64; j++ {
		switch c := s[j]; {
		case c == '@':
			return j > end+1 && j+1 < len(s)
		case c >= utf8.RuneSelf, c != '.' && c != '-' && c != '_' && !alnum(c):
			return false
		}
	}
	return false
}

func alnum(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func spaceAfter(s string, i int) int {
	for j, r := range s[i:] {
		if unicode.IsSpace(r) || r == '<' || r == '>' || r == '"' {
			return i + j
		}
	}
	return len(s)
}

// trimLink takes closing punctuation off the end of a URL or address.
func trimLink(s string, i, end int) int {
	return i + len(strings.TrimRight(s[i:end], ".,;:!?)]}'\"”“«»"))
}

func makeToken(s string, start, end int, kind shape) Token {
	t := Token{Surface: s[start:end], Folded: folded(s[start:end], kind), Start: start, End: end, Number: kind != word}
	if kind == word && len(t.Surface) <= maxToken {
		t.function = loaded().stopping(t.Folded, t.Surface)
		t.Stop = t.function != nil || utf8.RuneCountInString(t.Folded) < 2 && !ideograph(t.Folded)
	}
	return t
}

// FindStem returns the stem of a token that was cut without it.
func (t Token) FindStem() string {
	switch {
	case t.Number:
		return strings.Replace(t.Folded, ",", ".", 1)
	case len(t.Surface) > maxToken:
		return t.Folded
	}
	return Stem(t.Surface)
}

// folded returns what makes spellings of a token comparable.
func folded(surface string, kind shape) string {
	s := strings.TrimLeft(foldToken(surface), "$€£₽")
	switch kind {
	case word:
		return strings.ReplaceAll(s, "'", "")
	case number:
		return strings.Map(dropSpace, s)
	}
	return s
}

// foldToken is Fold of what is looked at of a token, and no longer than that.
func foldToken(s string) string { return Head(Fold(Head(s, maxToken)), maxToken) }

func dropSpace(r rune) rune {
	if unicode.IsSpace(r) {
		return -1
	}
	return r
}
