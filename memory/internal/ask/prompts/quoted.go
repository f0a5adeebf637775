package prompts

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// quotes returns what may close the string that s begins, and the size of its opening quote; 0 if s begins none.
func quotes(s string) (closers []string, size int) {
	switch {
	case strings.HasPrefix(s, `"""`):
		return []string{`"""`}, 3
	case strings.HasPrefix(s, `"`):
		return []string{`"`}, 1
	case strings.HasPrefix(s, `'`):
		return []string{`'`}, 1
	case strings.HasPrefix(s, "`") && !strings.HasPrefix(s, "```"):
		return []string{"`", "'"}, 1
	case strings.HasPrefix(s, "“"), strings.HasPrefix(s, "”"), strings.HasPrefix(s, "„"):
		return []string{"”", "“", `"`}, len("“")
	case strings.HasPrefix(s, "‘"), strings.HasPrefix(s, "’"), strings.HasPrefix(s, "‚"):
		return []string{"’", "‘", `'`}, len("‘")
	case strings.HasPrefix(s, "«"):
		return []string{"»"}, len("«")
	}
	return nil, 0
}

// hasAny returns the length of the first of prefixes that s begins with, 0 if it begins with none.
func hasAny(s string, prefixes []string) int {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return len(p)
		}
	}
	return 0
}

// text reads the string that begins at r.at with a quote of size bytes. A quote closes it only if what follows could
// follow a value, so quotes inside need no backslash. It reports whether the string was closed.
func (r *reader) text(closers []string, size int, member bool) (s string, closed bool) {
	if strings.HasPrefix(r.src[r.at:], `"""`) && (r.exact || !strings.Contains(r.src[r.at+3:], `"""`)) {
		closers, size = []string{`"`}, 1 // an empty string, or one that begins with a quote
	}
	from := r.at + size
	for at := from; at < len(r.src); at++ {
		if r.src[at] == '\\' {
			at++
			continue
		}
		n := hasAny(r.src[at:], closers)
		if n == 0 || !r.exact && !r.endsValue(at+n, member) {
			continue
		}
		r.at = at + n
		return unescaped(r.src[from:at]), true
	}
	r.at = len(r.src)
	return unescaped(r.src[min(from, len(r.src)):]), false
}

// endsValue reports whether a value can end before at: the text, the object or the array ends there, a comment
// begins, or the next member or item does.
func (r *reader) endsValue(at int, member bool) bool {
	gap := spaces(r.src[at:])
	rest := r.src[at+gap:]
	if rest == "" || hasAny(rest, []string{"}", "]", "//", "/*", "#", "```"}) > 0 {
		return true
	}
	if rest[0] == ',' {
		return !member || beginsMember(rest[1:])
	}
	_, quoted := quotes(rest)
	if !member {
		return quoted > 0 // a comma was forgotten
	}
	return strings.ContainsRune(r.src[at:at+gap], '\n') && beginsMember(rest)
}

// beginsMember reports whether s begins with a key and a colon, or ends before that could be seen.
func beginsMember(s string) bool {
	all := len(s) <= ahead
	s = strings.TrimLeft(s[:min(len(s), ahead)], " \t\r\n,")
	if s == "" || s[0] == '}' || hasAny(s, []string{"//", "/*", "#"}) > 0 {
		return true
	}
	if closers, size := quotes(s); size > 0 {
		for at := size; at < len(s); at++ {
			if s[at] == '\\' {
				at++
			} else if n := hasAny(s[at:], closers); n > 0 {
				after := strings.TrimLeft(s[at+n:], " \t\r\n")
				return strings.HasPrefix(after, ":") || after == "" && all
			}
		}
		return all
	}
	word := strings.IndexFunc(s, func(c rune) bool { return c != '_' && c != '-' && !unicode.IsLetter(c) && !unicode.IsDigit(c) })
	if word <= 0 {
		return false
	}
	after := strings.TrimLeft(s[word:], " \t")
	return strings.HasPrefix(after, ":") && !strings.HasPrefix(after, "://")
}

// bare reads a value without quotes: a literal, a number, or words up to the end of the value or line.
func (r *reader) bare(member bool) outcome {
	from := r.at
	for r.at < len(r.src) && !r.endsBare(from, member) {
		r.at++
	}
	word := r.src[from:r.at]
	if at := strings.Index(word, " //"); at >= 0 {
		word = word[:at]
	}
	ended := r.at < len(r.src) || strings.TrimRight(word, " \t\r") != word
	word = strings.TrimSpace(word)
	if from == r.at { // a stray byte such as ')' cannot be here, but nothing may stand still
		r.at++
	}
	if !ended || strings.Trim(word, ".…") == "" { // cut in the middle, or "..." for "and so on"
		return none
	}
	r.out = append(r.out, literal(word)...)
	return done
}

func (r *reader) endsBare(from int, member bool) bool {
	switch c := r.src[r.at]; c {
	case '}', ']', '\n':
		return true
	case ',', ';':
		return !member || r.exact || beginsMember(r.src[r.at+1:])
	case ' ', '\t':
		return isLiteral(r.src[from:r.at]) && beginsMember(r.src[r.at+1:])
	}
	return false
}

// isLiteral reports whether word is a number or a word of JSON.
func isLiteral(word string) bool {
	return len(word) > 0 && len(word) < 32 && literal(word)[0] != '"'
}

// literal is word as a JSON value: true, false, null, a number, else a string.
func literal(word string) string {
	switch strings.ToLower(word) {
	case "true":
		return "true"
	case "false":
		return "false"
	case "null", "none", "nil", "undefined", "nan", "inf", "-inf", "+inf", "infinity", "-infinity", "+infinity":
		return "null"
	}
	if c := word[0]; (c == '-' || c >= '0' && c <= '9') && json.Valid([]byte(word)) {
		return word
	}
	// .5 and +1 are numbers; 007 and 1-2 are not: what may be an identifier keeps its characters.
	number := strings.TrimPrefix(word, "+")
	if strings.HasPrefix(number, ".") {
		number = "0" + number
	}
	if number != word && number != "" && number[0] >= '0' && number[0] <= '9' && json.Valid([]byte(number)) {
		return number
	}
	return quote(word)
}

// unescaped resolves the escapes of JSON, and those that models add: \' and Markdown's \_ lose the backslash, unknown
// ones such as \d keep it.
func unescaped(s string) string {
	// Most strings have none.
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			if s[i] != '\\' {
				b.WriteByte(s[i])
			}
			continue
		}
		i++

		// The escapes of JSON come first, then those that lose their backslash.
		switch c := s[i]; c {
		case 'b', 'f', 'n', 'r', 't':
			b.WriteByte("\b\f\n\r\t"[strings.IndexByte("bfnrt", c)])
		case 'u':
			r, size := escapedRune(s[i-1:])
			b.WriteRune(r)
			i += size - 2
		case '"', '\\', '/', '\'', '`', '_', '*', '#', '[', ']', '~', '\n':
			b.WriteByte(c)
		default:
			b.WriteByte('\\')
			b.WriteByte(c)
		}
	}
	return b.String()
}

// escapedRune reads \uXXXX, or two of them that make one rune, at the start of s, and says how many bytes that was.
func escapedRune(s string) (rune, int) {
	unit := func(s string) (rune, bool) {
		if len(s) < 6 || s[:2] != `\u` {
			return 0, false
		}
		n, err := strconv.ParseUint(s[2:6], 16, 32)
		return rune(n), err == nil
	}
	first, ok := unit(s)
	if !ok {
		return 'u', 2
	}
	if !utf16.IsSurrogate(first) {
		return first, 6
	}
	if second, ok := unit(s[6:]); ok {
		if r := utf16.DecodeRune(first, second); r != utf8.RuneError {
			return r, 12
		}
	}
	return utf8.RuneError, 6
}
