package prompts

import (
	"strings"
	"unicode"
)

// Plain returns the text of an answer that should be prose: without thoughts, code fence, a leading label such as
// "Summary:" and quotes around the whole. It is "" when nothing is left, and when the answer ended within the thoughts.
func Plain(raw string) string {
	s := strings.TrimSpace(afterThinking(raw))
	if strings.HasPrefix(s, "<think") {
		return ""
	}
	if body, ok := strings.CutPrefix(s, "```"); ok {
		if line, rest, ok := strings.Cut(body, "\n"); ok && !strings.Contains(strings.TrimSpace(line), " ") {
			body = rest
		}
		s = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(body), "```"))
	}
	if label, rest, ok := strings.Cut(s, ":"); ok && isLabel(label) {
		s = strings.TrimSpace(rest)
	}
	s = unquoted(s)
	if meansNothing(s) {
		return ""
	}
	return s
}

// isLabel reports whether s is a word that models put before their answer.
func isLabel(s string) bool {
	switch squash(s) {
	case "summary", "updatedsummary", "title", "affairtitle", "answer", "shrnutí", "název", "podsumowanie", "streszczenie", "tytuł",
		"резюме", "сводка", "название", "zusammenfassung", "titel":
		return true
	}
	return false
}

// unquoted takes away quotes and Markdown emphasis that stand around the whole of s.
func unquoted(s string) string {
	s = strings.TrimSpace(strings.Trim(s, "*_"))
	closers, size := quotes(s)
	if size == 0 || len(s) <= size {
		return s
	}
	for _, closer := range closers {
		inner, ok := strings.CutSuffix(s[size:], closer)
		if ok && !strings.Contains(inner, closer) {
			return strings.TrimFunc(inner, unicode.IsSpace)
		}
	}
	return s
}
