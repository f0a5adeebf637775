package prompts

import (
	"strings"
	"unicode"
)

// Section is a part of an answer written in Markdown: a heading and the lines below it. What stands before the first
// heading has none.
type Section struct {
	Heading string // without its signs
	Lines   []string
}

// What may be a heading without a # in front.
const (
	maxHeading = 80 // bytes
	maxWords   = 4  // before a colon
)

// Outline cuts an answer that is no JSON into sections. Headings are lines with # in front, lines in bold, and short lines
// that end with a colon, or begin with words that known takes and a colon; then the rest of the line is the first below it.
// A line keeps its words; bullets, numbers and quotes around it are gone.
// It never panics, takes time linear in the length of the answer, and reads none of more than 256 KB.
func Outline(raw string, known func(heading string) bool) []Section {
	if len(raw) > maxAnswer {
		return nil
	}
	out := []Section{{}}
	for line := range strings.Lines(afterThinking(raw)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "```") || strings.Trim(line, "-*_= ") == "" {
			continue
		}
		heading, rest, ok := readHeading(line, known)
		if ok {
			out, line = append(out, Section{Heading: heading}), rest
		}
		if line = readLine(line); line != "" {
			s := &out[len(out)-1]
			s.Lines = append(s.Lines, line)
		}
	}
	return out
}

// readHeading tells whether a line is a heading, or begins with one.
func readHeading(line string, known func(string) bool) (heading, rest string, ok bool) {
	if strings.HasPrefix(line, "#") {
		return trimMarks(line), "", true
	}
	before, after, colon := strings.Cut(line, ":")
	bullet := strings.HasPrefix(line, "* ") || strings.IndexAny(line, "-+>[(<") == 0 || strings.HasPrefix(line, "•")
	if colon && !bullet && len(before) <= maxHeading && len(strings.Fields(before)) <= maxWords && known(trimMarks(before)) {
		return trimMarks(before), strings.TrimSpace(strings.TrimLeft(after, "*_")), true
	}
	whole := strings.HasPrefix(line, "**") && strings.HasSuffix(line, "**") || strings.HasPrefix(line, "__") && strings.HasSuffix(line, "__")
	if whole && len(line) <= maxHeading && known(trimMarks(line)) {
		return trimMarks(line), "", true
	}
	return "", "", false
}

// trimMarks takes what Markdown and numbering put around a heading off it.
func trimMarks(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && r != ')' && r != ']' && r != '(' && r != '[' })
}

// readLine takes bullet or number off a line.
func readLine(line string) string {
	rest := strings.TrimLeft(line, "-*•‣◦▪·–—+> \t\u00a0")
	if number := strings.TrimLeft(rest, "0123456789"); number != rest && (strings.HasPrefix(number, ". ") || strings.HasPrefix(number, ") ")) {
		rest = number[1:]
	}
	return unquoted(rest)
}
