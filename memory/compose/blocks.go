package compose

import (
	"encoding/json"
	"errors"
	"strings"
	"unicode"
)

// A block of text in the history that is longer than either is shown as a placeholder.
const (
	blockLines  = 20
	blockBytes  = 2000
	base64Bytes = 512 // of base64, which says nothing
)

// stretch is a part of a text that is no prose: the bytes from..to, of which body is what to show.
type stretch struct {
	kind     string // code block, JSON, log, table or base64
	from, to int
	body     string
}

// lines counts the lines of the body.
func (x stretch) lines() int { return strings.Count(strings.TrimRight(x.body, "\n"), "\n") + 1 }

// long reports whether a stretch is too long for the history.
func (x stretch) long() bool {
	return len(x.body) > blockBytes || x.lines() > blockLines || x.kind == base64Kind && len(x.body) >= base64Bytes
}

// The kinds of a stretch.
const (
	codeKind   = "code block"
	jsonKind   = "JSON"
	logKind    = "log"
	tableKind  = "table"
	base64Kind = "base64"
)

// longStretches finds what is too long for the history in a text, in its order. The time is linear in the text.
func longStretches(s string) []stretch {
	if len(s) < base64Bytes && strings.Count(s, "\n") < blockLines {
		return nil
	}
	var out []stretch
	f := finder{s: s}
	for at := 0; at < len(s); {
		x := f.begins(at)
		if x.kind == "" {
			x = base64In(s, at, lineEnd(s, at))
		}
		if x.long() {
			out = append(out, x)
		}
		at = max(x.to, at+1)
	}
	return out
}

// finder finds stretches that begin at a line of a text. Up to scanned it is known that no JSON begins, up to plain that no lines of
// base64 do: what is not mixed has no end that is.
type finder struct {
	s              string
	scanned, plain int
}

// begins returns the stretch that begins with the line at at; one without a kind is prose.
func (f *finder) begins(at int) stretch {
	end := lineEnd(f.s, at)
	line := strings.TrimLeft(f.s[at:end], " \t")

	if fence(line) {
		body, next := fenced(f.s, end, line)
		return stretch{codeKind, at, next, body}
	}

	if at >= f.scanned && (strings.HasPrefix(line, "{") || strings.HasPrefix(line, "[")) {
		next, scanned := bareJSON(f.s, at)
		if f.scanned = scanned; next > 0 {
			return stretch{jsonKind, at, next, f.s[at:next]}
		}
	}

	for _, kind := range []string{logKind, tableKind, base64Kind} {
		if next := f.run(at, kind, line); next > 0 {
			return stretch{kind, at, next, f.s[at:next]}
		}
	}
	return stretch{}
}

// leastLines is from how many lines on a run is a log or a table.
const leastLines = 4

// run returns where a run of lines of a kind ends that begins with the line at at; 0 = none does.
func (f *finder) run(at int, kind, first string) int {
	goesOn := continues(kind, first)
	if goesOn == nil || kind == base64Kind && at < f.plain {
		return 0
	}

	from, lines := at, 0
	for at < len(f.s) {
		end := lineEnd(f.s, at)
		if !goesOn(strings.TrimRight(f.s[at:end], "\r\n")) {
			break
		}
		lines++
		at = end
	}

	if kind == base64Kind && !mixed(f.s[from:at]) {
		f.plain = at
		return 0
	}
	if lines < leastLines {
		return 0
	}
	return at
}

// continues tells the lines that belong to a run of a kind with this first line, nil if it begins none.
func continues(kind, first string) func(line string) bool {
	first = strings.TrimRight(first, "\r\n")
	switch kind {
	case logKind:
		if stamped(first) {
			return func(line string) bool { return stamped(line) || traced(line) }
		}
	case tableKind:
		if by, n := columns(first); n > 0 {
			return func(line string) bool {
				other, m := columns(line)
				return other == by && (m == n || by == '|')
			}
		}
	case base64Kind:
		if encoded(first) && len(first) >= wrapped {
			return encoded
		}
	}
	return nil
}

// stamped reports whether a line begins as one of a log does: with a time of day, seconds included, or with a level.
func stamped(line string) bool {
	const head = 32 // bytes within which the time stands
	line = strings.TrimLeft(line[:min(len(line), head)], " \t[(<")
	word := line
	if end := strings.IndexAny(line, " \t])>:|"); end >= 0 {
		word = line[:end]
	}

	switch word {
	case "TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "WARNING", "ERROR", "FATAL", "CRITICAL", "PANIC":
		return true
	}

	for at := 2; at+6 <= len(line); at++ {
		if line[at] == ':' && line[at+3] == ':' && digits(line[at-2:at]) && digits(line[at+1:at+3]) && digits(line[at+4:at+6]) {
			return true
		}
	}
	return false
}

func digits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// traced reports whether a line goes on with what a log's line began: a trace of calls, or nothing.
func traced(line string) bool {
	if line == "" || line[0] == ' ' || line[0] == '\t' {
		return true
	}
	for _, lead := range []string{"at ", "Caused by", "Traceback", "..."} {
		if strings.HasPrefix(line, lead) {
			return true
		}
	}
	return false
}

// columns tells what separates the columns of a table's line, and how often it does; 0 = the line is none of a table. A comma that
// a space follows is one of prose.
func columns(line string) (by byte, n int) {
	if strings.HasPrefix(strings.TrimLeft(line, " \t"), "|") {
		return '|', strings.Count(line, "|") / 2
	}

	for _, by := range []byte("\t;,") {
		n := 0
		for i := range len(line) {
			if line[i] == by && (i+1 == len(line) || line[i+1] != ' ') {
				n++
			}
		}
		if n > 1 {
			return by, n
		}
	}
	return 0, 0
}

// wrapped is how long lines of base64 are at least, but for the last one.
const wrapped = 40

// encoded reports whether a line is one of base64.
func encoded(line string) bool {
	return (len(line) >= wrapped || strings.HasSuffix(line, "=")) && alphabet(line) == len(strings.TrimRight(line, "="))
}

// alphabet returns how many bytes at the beginning of s are of base64, in both its forms and without its padding.
func alphabet(s string) int {
	for i := range len(s) {
		if c := s[i]; (c|0x20 < 'a' || c|0x20 > 'z') && (c < '/' || c > '9') && c != '+' && c != '-' && c != '_' {
			return i
		}
	}
	return len(s)
}

// mixed reports whether s has capitals, small letters and digits, as what is encoded does and words do not.
func mixed(s string) bool {
	return strings.ContainsFunc(s, unicode.IsUpper) && strings.ContainsFunc(s, unicode.IsLower) && strings.ContainsFunc(s, unicode.IsDigit)
}

// base64In returns the first long run of base64 in s between at and end; without one it is a stretch of no kind.
func base64In(s string, at, end int) stretch {
	for at < end {
		n := alphabet(s[at:end])
		if n >= base64Bytes && mixed(s[at:at+n]) {
			for at+n < end && s[at+n] == '=' {
				n++
			}
			return stretch{base64Kind, at, at + n, s[at : at+n]}
		}
		at += n + 1
	}
	return stretch{to: end}
}

func fence(s string) bool { return strings.HasPrefix(s, "```") || strings.HasPrefix(s, "~~~") }

// lineEnd returns where the line at at ends, behind its line end.
func lineEnd(s string, at int) int {
	if n := strings.IndexByte(s[at:], '\n'); n >= 0 {
		return at + n + 1
	}
	return len(s)
}

// fenced returns the body of a fenced block whose opening line ends at from, and where the block ends. A block that is
// not closed goes to the end, as Markdown has it.
func fenced(s string, from int, open string) (body string, next int) {
	mark := open[:len(open)-len(strings.TrimLeft(open, open[:1]))]
	for at := from; at < len(s); {
		end := lineEnd(s, at)
		line := strings.TrimSpace(s[at:end])
		if strings.HasPrefix(line, mark) && strings.Trim(line, mark[:1]) == "" {
			return s[from:at], end
		}
		at = end
	}
	return s[min(from, len(s)):], len(s)
}

// bareJSON returns where the line ends on which a JSON value that begins at at ends; 0 = none begins there. scanned is
// how far it had to read: what begins before that need not be tried again.
func bareJSON(s string, at int) (next, scanned int) {
	d := json.NewDecoder(strings.NewReader(s[at:]))
	var value json.RawMessage
	if err := d.Decode(&value); err != nil {
		var bad *json.SyntaxError
		if errors.As(err, &bad) {
			return 0, at + int(bad.Offset)
		}
		return 0, len(s) // it ends in the middle of the value
	}

	end := at + int(d.InputOffset())
	next = lineEnd(s, end)
	if strings.TrimSpace(s[end:next]) != "" { // prose goes on behind it
		next = end
	}
	return next, next
}
