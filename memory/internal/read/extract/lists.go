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

// ends are the ways in which a content goes on behind a pattern.
const ends = "VNSvns"

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
	err := text.ReadLists(from, "data/*.txt", func(_ string, line text.Line) error {
		lang := strings.TrimSuffix(strings.TrimPrefix(line.File, "data/"), ".txt")
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
		for written := range strings.SplitSeq(line.Value, "/") {
			k.roles[line.Key].Add(strings.TrimPrefix(strings.TrimSpace(written), "^"), true)
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
	places := line.Words()
	if last := places[len(places)-1]; len(last) == 1 && strings.Contains(ends, last) {
		is.end, places = last, places[:len(places)-1]
	}
	if len(places) == 0 {
		return line.Wrong("has no words before its ending")
	}
	k.patterns.Add(strings.Join(places, " "), is)
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
	if len(words) == 0 {
		return false
	}
	for p := range k.roles[role].At(words[0]) {
		if p.Match(words, false, nil) > 0 {
			return true
		}
	}
	return false
}
