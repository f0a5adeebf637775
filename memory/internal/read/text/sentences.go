package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentences cuts s after . ! ? … and at line breaks; a full stop inside a token (20.2, e-mail addresses) does
// not cut, nor one behind an ordinal (8. května, 8. 5. 2023).
func Sentences(s string) []string {
	var out []string
	start := 0
	flush := func(end int) {
		if part := strings.TrimSpace(s[start:end]); part != "" {
			out = append(out, part)
		}
		start = end
	}
	for i := 0; i < len(s); {
		end, kind := scan(s, i)
		if kind == gap && closes(s, i, end) {
			flush(end)
		}
		i = end
	}
	flush(len(s))
	return out
}

// closes tells whether the sign at s[i:end] ends a sentence.
func closes(s string, i, end int) bool {
	r, _ := utf8.DecodeRuneInString(s[i:])
	if r == '\n' {
		return true
	}
	next, n := utf8.DecodeRuneInString(s[end:])
	if !strings.ContainsRune(".!?…", r) || n > 0 && !unicode.IsSpace(next) {
		return false
	}
	if r != '.' || n == 0 || i == 0 || s[i-1] < '0' || s[i-1] > '9' {
		return true
	}
	next, _ = utf8.DecodeRuneInString(s[end+n:])
	return !unicode.IsLower(next) && !unicode.IsDigit(next)
}
