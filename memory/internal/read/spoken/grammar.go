package spoken

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

// knowledge is what the files say.
type knowledge struct {
	patterns     text.Patterns[meaning]
	leads, tails text.Patterns[bool]
	glue         map[string]bool // what stands between an order and its statement: that
	spelling     spelling
}

// meaning is what a pattern says.
type meaning struct {
	action Action
	lang   string
	rest   rest
	asks   bool // it holds in a question too
}

// rest is what may follow a pattern.
type rest int

const (
	closedOnly rest = iota
	needed          // an object
	free            // an object, or nothing
)

// loaded parses the files once, on first use; what it returns never changes.
var loaded = sync.OnceValue(func() *knowledge { //nolint:gochecknoglobals // a constant that is computed once
	k, _ := read(files) // a test reads them too
	return k
})

// read reads the lists; the error is a *text.ListError.
func read(from fs.FS) (*knowledge, error) {
	k := &knowledge{glue: map[string]bool{}, spelling: spelling{known: map[string]bool{}}}
	defs, of := map[string][]string{}, ""
	err := text.ReadLists(from, "data/*.txt", func(_ string, line text.Line) error {
		if line.File != of {
			defs, of = map[string][]string{}, line.File
		}
		lang := strings.TrimSuffix(strings.TrimPrefix(line.File, "data/"), ".txt")
		var all []string
		for p := range strings.SplitSeq(line.Value, " / ") {
			written, ok := expand(strings.TrimSpace(p), defs)
			if !ok {
				return line.Wrong("names what no def line before it defines: " + p)
			}
			all = append(all, written...)
		}
		if name, ok := strings.CutPrefix(line.Key, "def "); ok {
			defs[name] = all
			return nil
		}
		for _, p := range all {
			if !k.take(line.Key, lang, p) {
				return line.Wrong("is about no action")
			}
		}
		return nil
	})
	k.spelling.sort()
	return k, err
}

// expand replaces each {name} by every alternative of it.
func expand(written string, defs map[string][]string) ([]string, bool) {
	before, rest, found := strings.Cut(written, "{")
	if !found {
		return []string{written}, true
	}
	name, behind, _ := strings.Cut(rest, "}")
	var out []string
	for _, d := range defs[name] {
		more, ok := expand(before+d+behind, defs)
		if !ok {
			return nil, false
		}
		out = append(out, more...)
	}
	return out, len(out) > 0
}

// take takes up a pattern and its words.
func (k *knowledge) take(key, lang, written string) bool {
	is := meaning{lang: lang}
	if w, ok := strings.CutSuffix(written, " X?"); ok {
		written, is.rest = w, free
	} else if w, ok := strings.CutSuffix(written, " X"); ok {
		written, is.rest = w, needed
	}
	k.spelling.add(written, key != "known" && key != string(None))
	switch key {
	case "known":
		return true
	case "lead":
		k.leads.Add(written, true)
		return true
	case "glue":
		k.glue[text.Fold(written)] = true
		return true
	case "tail":
		k.tails.Add(written, true)
		return true
	}
	key, is.asks = strings.CutSuffix(key, "?")
	is.action = Action(key)
	k.patterns.Add(written, is)
	return slices.Contains([]Action{None, Remember, ForgetLast, DoNotRemember, ShowAll, AboutTopic, ClearTopic, Correct, Pin}, is.action)
}
