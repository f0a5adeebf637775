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
	classes  map[string]string               // name -> alternatives of a place
	things   []thing
}

// thing is what a user has one of at a time, and the words for it.
type thing struct {
	slot  string
	words text.Place
}

// meaning is what a pattern says, and how its content goes on.
type meaning struct {
	label   Label
	subject string
	one     bool
	wide    bool   // it goes on behind a sign
	side    string // + for what is liked, - for what is not
	end     string
}

// across reports whether a pattern goes on behind a sign: "correction: Brno", "not Brno, but Prague", "remember: ...", "a new project, it's called ...".
func (is meaning) across() bool { return is.label == Update || is.label == note || is.one || is.wide }

// roles are what expressions can do.
var roles = []string{"block", "suppose", "past", "over", "now", "and", "always", "never", "number", "joke", "remember", "oneoff", "not", "stop", "unfit", "opening", "person", "polite", "paste", "kin", "kind", "imagine", "news", "medium", "only", "ends", "trades", "holds", "third"} //nolint:gochecknoglobals // a constant

// lists parses the files once, on first use; what it returns never changes.
var lists = sync.OnceValue(func() map[string]*knowledge { //nolint:gochecknoglobals // a constant that is computed once
	all, _ := readLists(files) // a test reads them too
	return all
})

// listed returns the knowledge of a language, nil for one without a file.
func listed(lang string) *knowledge { return lists()[lang] }

// readLists reads the files, one a language. The error is a *text.ListError.
func readLists(from fs.FS) (map[string]*knowledge, error) {
	all := map[string]*knowledge{}
	err := text.ReadLists(from, "data/*.txt", func(lang string, line text.Line) error {
		k := all[lang]
		if k == nil {
			k = &knowledge{roles: map[string]*text.Patterns[bool]{}, classes: map[string]string{}}
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
	// Expressions that do something; classes of words; the rest are patterns.
	if slices.Contains(roles, line.Key) {
		for _, written := range line.Expressions() {
			k.roles[line.Key].Add(strings.TrimPrefix(written, "^"), true)
		}
		return nil
	}
	if name, isClass := strings.CutPrefix(line.Key, "%"); isClass {
		name, slot, _ := strings.Cut(name, "=")
		words := strings.Join(line.Words(), "|")
		if slot != "" {
			k.things = append(k.things, thing{strings.ReplaceAll(slot, "_", " "), text.ParsePlace(words)})
		}
		k.classes[name] = strings.Trim(k.classes[name]+"|"+words, "|")
		return nil
	}

	// A pattern says which kind of record it makes, and of what.
	var is meaning
	label, subject, found := strings.Cut(line.Key, "=")
	is.label = Label(label)
	if !found || !slices.Contains([]Label{Core, Preference, Decision, Project, Update, Delete, note}, is.label) {
		return line.Wrong("is neither LABEL=subject nor what words do")
	}

	// Signs behind the subject say how it is taken: one at a time, across a sign, liked or not.
	is.subject, is.one = strings.CutSuffix(strings.ReplaceAll(subject, "_", " "), "!")
	is.subject, is.wide = strings.CutSuffix(is.subject, ",")
	for _, side := range []string{"+", "-"} {
		if subject, signed := strings.CutSuffix(is.subject, side); signed {
			is.subject, is.side = subject, side
		}
	}

	// How its content goes on stands at the end of the line.
	var places string
	places, is.end = line.Pop("V", "N", "S", "M", "v", "n", "s")
	k.patterns.Add(k.spellOut(places), is)
	return nil
}

// spellOut puts the alternatives of a class where its name stands: "my @%thing?".
func (k *knowledge) spellOut(places string) string {
	fields := strings.Fields(places)
	for i, f := range fields {
		if !strings.Contains(f, "%") {
			continue
		}
		bare, maybe := strings.CutSuffix(f, "?")
		words := strings.Split(bare, "|")
		for j, w := range words {
			if sign, name, found := strings.Cut(w, "%"); found {
				words[j] = sign + k.classes[name]
			}
		}
		if fields[i] = strings.Join(words, "|"); maybe {
			fields[i] += "?"
		}
	}
	return strings.Join(fields, " ")
}

// slotOf returns what of the user's a word stands for, "" if none.
func (k *knowledge) slotOf(w text.Word) string {
	for _, t := range k.things {
		if t.words.Takes(w) {
			return t.slot
		}
	}
	return ""
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
