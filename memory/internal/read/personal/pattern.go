package personal

import (
	"embed"
	"io/fs"
	"strings"
	"sync"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

//go:embed data/*.txt
var files embed.FS

// knowledge is what the files say.
type knowledge struct {
	patterns text.Patterns[meaning]
	roles    text.Roles
}

// meaning is what a pattern says, and how its value is read: V, N, A, D, P, E, =, or "" when it stands in the middle.
type meaning struct {
	property, label, end string
	one                  bool // the label has one value at a time
}

// patterns parses the files once, on first use; what it returns never changes.
var patterns = sync.OnceValue(func() *knowledge { //nolint:gochecknoglobals // a constant that is computed once
	k, _ := readPatterns(files) // a test reads them too
	return k
})

// readPatterns reads words.txt and the patterns of each language; the error is a *text.ListError. A line of a pattern is
// property=label, then the places, then how the value is read; a label with ! behind it has one value at a time.
func readPatterns(from fs.FS) (*knowledge, error) {
	k := &knowledge{roles: text.Roles{}}
	err := text.ReadLists(from, "data/*.txt", func(_ string, line text.Line) error {
		if line.File == "data/words.txt" {
			k.roles.Add(line)
			return nil
		}
		var is meaning
		is.property, is.label, _ = strings.Cut(line.Key, "=")
		is.label, is.one = strings.CutSuffix(strings.ReplaceAll(is.label, "_", " "), "!")
		var places string
		places, is.end = line.Pop("V", "N", "A", "D", "P", "E", "=")
		k.patterns.Add(places, is)
		return nil
	})
	return k, err
}

// is reports whether a word does something.
func (k *knowledge) is(role string, w word) bool {
	return k.roles.Has(role, w.Fold)
}

// matched is where a pattern was found.
type matched struct {
	start, end int // words
	label      int // -1 = none
	value      int // where it begins, -1 = behind the end
	valueEnd   int
}

// match tries a pattern at word i. A clause does not end within it.
func match(p *text.Pattern, words []text.Word, i int) (matched, bool) {
	at := make([]int, len(p.Places))
	n := p.Match(words[i:], false, at)
	m := matched{start: i, end: i + n, label: -1, value: -1}
	for k, place := range p.Places {
		switch {
		case at[k] < 0:
		case place.Sign == '@':
			m.label = i + at[k]
		case place.Sign == '~' || place.Open:
			if m.value < 0 {
				m.value = i + at[k]
			}
			m.valueEnd = i + at[k] + 1
		}
	}
	return m, n > 0
}
