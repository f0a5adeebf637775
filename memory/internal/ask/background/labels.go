package background

import (
	"embed"
	"io/fs"
	"strings"
	"sync"
	"unicode"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// The labels of extracted facts.
const (
	Core       = "CORE"       // who the user is
	Preference = "PREFERENCE" // tastes, habits, how to be answered
	Decision   = "DECISION"   // what was settled
	Project    = "PROJECT"    // what the user is busy with
	Update     = "UPDATE"     // a line of the brain holds no more, something else does
	Delete     = "DELETE"     // the user asked to forget something

	skip = "SKIP" // read, but never handed on
)

// Parts of an answer, what a lesson says of itself, and words for the user, as the word lists name them.
const (
	partFacts, partSummary, partLessons = "facts", "summary", "lessons"
	lessonWorked, lessonFailed          = "worked", "failed"
	wordSelf                            = "self"
)

//go:embed data/*.txt
var files embed.FS

// spellings are the words of all languages, folded, with what each means.
var spellings = sync.OnceValue(func() map[string]string { //nolint:gochecknoglobals // a constant that is computed once
	out, _ := readSpellings(files) // a test reads them too
	return out
})

// readSpellings reads the word lists. The error is a *text.ListError: a file cannot be read, or a word means two things.
func readSpellings(from fs.FS) (map[string]string, error) {
	out := make(map[string]string)
	err := text.ReadLists(from, "data/*.txt", func(_ string, line text.Line) error {
		for _, w := range line.Words() {
			w = text.Fold(w)
			if was := out[w]; was != "" && was != line.Key {
				return line.Wrong(w + " means " + was + " already")
			}
			out[w] = line.Key
		}
		return nil
	})
	return out, err
}

// label returns the label that a word means, "" for none.
func label(word string) string {
	switch is := spellings()[text.Fold(strings.Trim(word, " "))]; is {
	case Core, Preference, Decision, Project, Update, Delete, skip:
		return is
	}
	return ""
}

// headed returns what a heading announces: a part of the answer, a label, or "". Its first words decide, numbers and what
// stands in brackets aside.
func headed(heading string) string {
	const most = 6
	head, _, _ := strings.Cut(text.Fold(heading), "(")
	words := strings.FieldsFunc(head, func(r rune) bool { return !unicode.IsLetter(r) && r != '_' })
	if len(words) > most {
		return ""
	}
	for _, w := range words {
		switch is := spellings()[w]; is {
		case partFacts, partSummary, partLessons:
			return is
		}
	}
	if len(words) == 1 {
		return label(words[0])
	}
	return ""
}

// announces reports whether a heading opens a part of the answer.
func announces(heading string) bool {
	switch headed(heading) {
	case partFacts, partSummary, partLessons:
		return true
	}
	return false
}
