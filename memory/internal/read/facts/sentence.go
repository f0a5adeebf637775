package facts

import (
	"iter"
	"unicode"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// Sentences cuts a text into sentences, each a piece of the text with its closing sign. Line breaks end a
// sentence too; the points of "č. 5", "20. 2.", "Dr. Novák" and "ul. Długa" do not.
func Sentences(message string) []string {
	var out []string
	for _, s := range skim(message).Sentences() {
		out = append(out, s.Text())
	}
	return out
}

// Sentences returns the sentences of a message that was read, each as a message of its own.
func (r *Reading) Sentences() (out []*Reading) {
	for i, end := range r.spans() {
		out = append(out, &Reading{w: r.w, g: r.g, text: r.text, lang: r.lang, lex: r.lex[i:end]})
	}
	return out
}

// Text returns the message from its first lexeme to its last.
func (r *Reading) Text() string {
	if len(r.lex) == 0 {
		return ""
	}
	return r.text[r.lex[0].start:r.lex[len(r.lex)-1].end]
}

// spans goes through the sentences: the index of the first lexeme and the one after the last.
func (r *Reading) spans() iter.Seq2[int, int] {
	return func(yield func(from, end int) bool) {
		for i := 0; i < len(r.lex); {
			end := sentenceEnd(r.lex, i)
			if !yield(i, end) {
				return
			}
			i = end
		}
	}
}

// sentenceEnd returns the index after the last lexeme of the sentence that holds lexeme i.
func sentenceEnd(lex []lexeme, i int) int {
	for ; i < len(lex); i++ {
		if lex[i].last {
			return i + 1
		}
	}
	return len(lex)
}

// endsSentence decides about lexeme i of a text from its neighbours.
func endsSentence(s string, lex []lexeme, i int) bool {
	if i+1 == len(lex) || lex[i+1].line {
		return true
	}
	l, after := lex[i], lex[i+1]
	if l.shape != mark {
		return false
	}
	switch l.raw {
	case "!", "?":
		return after.raw != "!" && after.raw != "?" && !(after.glued && after.shape == mark)
	case ";", "…":
		return true
	case ".":
		return !after.glued && text.Ends(s, l.start)
	}
	return false
}

// isDay reports whether a number looks like the day and month of "20.2. 2026".
func isDay(raw string) bool {
	d, m, y := splitDate(raw)
	return d > 0 && m > 0 && y == 0
}

func startsUpper(l lexeme) bool {
	r, _ := utf8.DecodeRuneInString(l.raw)
	return (l.shape == word || l.shape == code) && unicode.IsUpper(r)
}
