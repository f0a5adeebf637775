package extract

import (
	"embed"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

//go:embed data/*.txt
var files embed.FS

// knowledge is what the file of one language says.
type knowledge struct {
	patterns text.Patterns[meaning]
	roles    map[string]*text.Patterns[bool] // what expressions do -> expressions
}

// meaning is what a pattern says, and how its content goes on.
type meaning struct {
	label   Label
	subject string
	one     bool
	side    string // + for what is liked, - for what is not
	end     string
}

// across reports whether a pattern goes on behind a sign: "correction: Brno", "not Brno, but Prague", "remember: ...", "a new project, it's called ...".
func (is meaning) across() bool { return is.label == Update || is.label == note || is.one }

// roles are what expressions can do.
var roles = []string{"block", "suppose", "past", "over", "now", "and", "always", "never", "number", "joke", "remember", "oneoff", "not", "stop", "unfit", "opening", "person", "polite", "paste"} //nolint:gochecknoglobals // a constant

// lists parses the files once, on first use; what it returns never changes.
var lists = sync.OnceValue(func() map[string]*knowledge { //nolint:gochecknoglobals // a constant that is computed once
	all, _ := readLists(files) // a test reads them too
	return all
})

// listed is the knowledge of a language, nil for one without a file.
func listed(lang string) *knowledge { return lists()[lang] }

// readLists reads the files, one a language. The error is a *text.ListError.
func readLists(from fs.FS) (map[string]*knowledge, error) {
	all := map[string]*knowledge{}
	err := text.ReadLists(from, "data/*.txt", func(lang string, line text.Line) error {
		k := all[lang]
		if k == nil {
			k = &knowledge{roles: map[string]*text.Patterns[bool]{}}
			for _, role := range roles {
				k.roles[role] = &text.Patterns[bool]{}
			}
			all[lang] = k
		}
		return k.take(line)
	})
	return all, err
}

// take takes up one line.
func (k *knowledge) take(line text.Line) error {
	if slices.Contains(roles, line.Key) {
		for _, written := range line.Expressions() {
			k.roles[line.Key].Add(strings.TrimPrefix(written, "^"), true)
		}
		return nil
	}
	var is meaning
	label, subject, found := strings.Cut(line.Key, "=")
	is.label = Label(label)
	if !found || !slices.Contains([]Label{Core, Preference, Decision, Project, Update, Delete, note}, is.label) {
		return line.Wrong("is neither LABEL=subject nor what words do")
	}
	is.subject, is.one = strings.CutSuffix(strings.ReplaceAll(subject, "_", " "), "!")
	for _, side := range []string{"+", "-"} {
		if subject, signed := strings.CutSuffix(is.subject, side); signed {
			is.subject, is.side = subject, side
		}
	}
	var places string
	places, is.end = line.Pop("V", "N", "S", "v", "n", "s")
	k.patterns.Add(places, is)
	return nil
}

// contains reports whether an expression that does something stands anywhere among the words.
func (k *knowledge) contains(role string, words []text.Word) bool {
	for i := range words {
		if k.begins(role, words[i:]) {
			return true
		}
	}
	return false
}

// begins reports whether an expression that does something stands at the beginning of the words.
func (k *knowledge) begins(role string, words []text.Word) bool {
	return len(words) > 0 && k.roles[role].Begin(words)
}
