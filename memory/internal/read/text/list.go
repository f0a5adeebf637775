package text

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// Line is one line of a word list. All lists of all packages are written the same way: what the line is about, a colon, and the words. A line
// that begins with # is a comment.
type Line struct {
	File   string
	Number int
	Key    string // before the colon
	Value  string // behind it
}

// ListError says what is wrong with which line of a word list.
type ListError struct {
	File   string
	Line   int // 0 where the file itself cannot be read
	Reason string
}

// Error names the file and the line.
func (e *ListError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.Reason)
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Reason)
}

// ReadList reads the lines of a word list. The error is a *ListError: the file cannot be read, or a line lacks its colon or its words.
func ReadList(from fs.FS, name string) ([]Line, error) {
	raw, err := fs.ReadFile(from, name)
	if err != nil {
		return nil, &ListError{File: name, Reason: err.Error()}
	}
	out := make([]Line, 0, strings.Count(string(raw), "\n"))
	number := 0
	for written := range strings.Lines(string(raw)) {
		number++
		written = strings.TrimSpace(written)
		if written == "" || strings.HasPrefix(written, "#") {
			continue
		}
		key, value, found := strings.Cut(written, ":")
		l := Line{File: name, Number: number, Key: strings.TrimSpace(key), Value: strings.TrimSpace(value)}
		if !found || l.Key == "" || l.Value == "" {
			return nil, l.Wrong(`is not "key: words"`)
		}
		out = append(out, l)
	}
	return out, nil
}

// ReadLists reads the lists whose names fit a pattern and hands over their lines; lang is what stands between the last _ of a name, or its last
// slash, and its point. The error is that of ReadList, or of take.
func ReadLists(from fs.FS, pattern string, take func(lang string, line Line) error) error {
	names, err := fs.Glob(from, pattern)
	for _, name := range names {
		lines, err := ReadList(from, name)
		if err != nil {
			return err
		}
		lang := strings.TrimSuffix(name[strings.LastIndexAny(name, "_/")+1:], ".txt")
		for _, line := range lines {
			if err := take(lang, line); err != nil {
				return err
			}
		}
	}
	return err
}

// Words returns the words of a line.
func (l Line) Words() []string { return strings.Fields(l.Value) }

// Pop cuts the last of several words off a line if it is one of the given: the sign of what follows the others.
func (l Line) Pop(signs ...string) (places, sign string) {
	words := l.Words()
	if last := len(words) - 1; last > 0 && slices.Contains(signs, words[last]) {
		return strings.Join(words[:last], " "), words[last]
	}
	return strings.Join(words, " "), ""
}

// Expressions returns the expressions of a line, with " / " between them.
func (l Line) Expressions() []string {
	out := strings.Split(l.Value, " / ")
	for i := range out {
		out[i] = strings.TrimSpace(out[i])
	}
	return out
}

// Wrong returns the error of a line that cannot be used.
func (l Line) Wrong(reason string) error {
	return &ListError{File: l.File, Line: l.Number, Reason: reason}
}
