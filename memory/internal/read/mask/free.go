package mask

import (
	_ "embed" // the expressions
	"regexp"
	"strings"
	"sync"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

//go:embed free/says.txt
var freeing string

// frees is what says that something is no secret, and what makes of it a figure of speech.
var frees = sync.OnceValues(func() (says, figure *regexp.Regexp) { //nolint:gochecknoglobals // constants that are computed once
	var all []string
	for line := range strings.Lines(freeing) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			all = append(all, line)
		}
	}
	listed := "(^|[^\\pL])(" + strings.Join(all, "|") + ")"
	return regexp.MustCompile(listed + "($|[^\\pL])"), regexp.MustCompile(listed + "[, ]+(that|how|why|ze|iz|что|как|почему)[^\\pL]")
})

// Frees reports whether a person says that what he tells, or what was hidden of what he told, is no secret: "that's no secret, the gate code is 4471".
// "It's no secret that I hate Mondays" is none of it.
func Frees(message string) bool {
	const most = 1 << 10 // bytes: a longer message is about something else
	if len(message) > most {
		return false
	}
	says, figure := frees()
	message = text.Fold(message)
	return says.MatchString(message) && !figure.MatchString(message)
}

// formed returns the secrets of a text that are known by their form alone.
func (m *Masker) formed(text string) []span {
	var found []span
	for _, f := range m.forms {
		found = append(found, f.find(text)...)
	}
	return append(append(found, findNumbers(text)...), findRandom(text)...)
}
