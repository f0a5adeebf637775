package mask

import (
	"slices"
	"strings"
	"unicode"
)

// again finds the secrets of a text wherever they stand once more as words of their own: before they are announced, or after it.
func again(text string, found []span) []span {
	if len(found) == 0 {
		return nil
	}
	e := echoes{text: text, of: map[string]span{}}
	for _, f := range found {
		secret := text[f.start:f.end]
		word := strings.Trim(secret, edges)
		if strings.ContainsFunc(word, unicode.IsSpace) {
			e.phrase(secret, f.kind)
		} else if word != "" {
			e.of[word] = f
		}
	}

	// Each word once, without the signs around it; user=X and karel/X are looked at part by part too.
	for start := 0; start < len(text); {
		end := tokenEnd(text, start)
		if end > start && !e.take(start, end) {
			for from := start; from < end; {
				n := strings.IndexAny(text[from:end]+"=", "=:/|,;&")
				if part := text[from : from+n]; hasDigit(part) && hasLetter(part) {
					e.take(from, from+n)
				}
				from += n + 1
			}
		}
		start = end + 1
	}
	return e.out
}

// edges are what may stand around a secret that is a word.
const edges = around + "[]{}<>*…"

// echoes are the places where secrets of a text stand once more.
type echoes struct {
	text    string
	of      map[string]span // by the word
	phrases []string
	out     []span
}

// take adds a word if it is a secret.
func (e *echoes) take(start, end int) bool {
	word := strings.Trim(e.text[start:end], edges)
	f, ok := e.of[word]
	if !ok {
		return false
	}
	start += strings.Index(e.text[start:end], word)
	if secret := e.text[f.start:f.end]; strings.HasPrefix(e.text[start:], secret) { // a sign at its end is of it
		word = secret
	}
	if s := (span{start, start + len(word), f.kind}); !inPlaceholder(e.text, s) {
		e.out = append(e.out, s)
	}
	return true
}

// phrase adds the places of a secret of several words. Of more than a crowd of them the further ones are nonsense.
func (e *echoes) phrase(secret, kind string) {
	if len(e.phrases) == crowd || slices.Contains(e.phrases, secret) {
		return
	}
	e.phrases = append(e.phrases, secret)
	for from := 0; ; {
		n := strings.Index(e.text[from:], secret)
		if n < 0 {
			return
		}
		from += n + len(secret)
		if isWord(e.text, from-len(secret), from) {
			e.out = append(e.out, span{from - len(secret), from, kind})
		}
	}
}
