package scenario

import (
	_ "embed"
	"strings"
)

//go:embed format.yaml
var format string

// Format returns the reference of a scenario file: every key with its form and what it means, as a file that can be played.
func Format() string { return format }

// hint is how the reference writes a key, for who wrote it otherwise; "" where that takes more than a line.
func hint(key string) string {
	lines := strings.Split(format, "\n")
	for i, line := range lines {
		line = withoutComment(line)
		if line == key+":" { // what follows is a list
			next := withoutComment(lines[i+1])
			if !strings.HasPrefix(next, "{") {
				continue
			}
			line += " [" + next + "]"
		}
		if strings.HasPrefix(line, key+": ") {
			return "; write it as in `" + line + "`"
		}
	}
	return ""
}

func withoutComment(line string) string {
	line, _, _ = strings.Cut(line, " #")
	return strings.TrimPrefix(strings.TrimSpace(line), "- ")
}
