package compose

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// A code or JSON block in the history that is longer than either is shown as a placeholder.
const (
	codeLines = 20
	codeBytes = 2000
)

// placeholders replaces each long code block (fenced, or bare JSON) of s by "[code block, N lines]", where N counts
// the lines between the fences. The time is linear in the length of s.
func placeholders(s string) string {
	if len(s) <= codeBytes && strings.Count(s, "\n") <= codeLines {
		return s
	}
	var b strings.Builder
	done, scanned := 0, 0 // up to done written, up to scanned known to begin no JSON
	for at := 0; at < len(s); {
		end := lineEnd(s, at)
		body, next := s[at:at], 0
		switch line := strings.TrimLeft(s[at:end], " \t"); {
		case fence(line):
			body, next = fenced(s, end, line)
		case at >= scanned && (strings.HasPrefix(line, "{") || strings.HasPrefix(line, "[")):
			next, scanned = bareJSON(s, at)
			body = s[at:max(at, next)]
		}
		if next == 0 {
			at = end
			continue
		}
		if lines := strings.Count(strings.TrimRight(body, "\n")+"\n", "\n"); lines > codeLines || len(body) > codeBytes {
			b.WriteString(s[done:at])
			fmt.Fprintf(&b, "[code block, %d lines]\n", lines)
			done = next
		}
		at = next
	}
	if done == 0 {
		return s
	}
	b.WriteString(s[done:])
	return strings.TrimRight(b.String(), "\n")
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
