package personal

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
	by    map[string][]pattern // by each word that may begin it
	roles map[string][]element // what a word does -> words
}

// pattern is one way to say a thing.
type pattern struct {
	property, label string
	elements        []element
	begins          bool   // only where a clause begins
	end             string // how the value is read: V, N, A, D, P, E, =, or "" when it stands in the middle
}

// element is one place of a pattern.
type element struct {
	words    []string // folded; with a star at the end a beginning, with = in front unfolded
	optional bool
	label    bool // the word is the label
	value    bool // the word is of the value
}

// patterns parses the files once, on first use; what it returns never changes.
var patterns = sync.OnceValue(load) //nolint:gochecknoglobals // a constant that is computed once

func load() *knowledge {
	k, _ := readPatterns(files) // a test reads them too
	return k
}

// readPatterns reads words.txt and the patterns of each language; the error is a *text.ListError.
func readPatterns(from fs.FS) (*knowledge, error) {
	k := &knowledge{by: map[string][]pattern{}, roles: map[string][]element{}}
	names, err := fs.Glob(from, "data/*.txt")
	if err != nil {
		return k, err
	}
	for _, name := range names {
		lines, err := text.ReadList(from, name)
		if err != nil {
			return k, err
		}
		for _, line := range lines {
			if name == "data/words.txt" {
				k.roles[line.Key] = append(k.roles[line.Key], element{words: folded(line.Words())})
				continue
			}
			k.add(parse(line.Key, line.Words()))
		}
	}
	return k, nil
}

// add files a pattern under the words that begin it.
func (k *knowledge) add(p pattern) {
	for _, w := range p.elements[0].words {
		w = text.Fold(strings.TrimPrefix(w, "="))
		k.by[w] = append(k.by[w], p)
	}
}

// parse reads a line of a file: property=label, then the places.
func parse(about string, fields []string) pattern {
	var p pattern
	p.property, p.label, _ = strings.Cut(about, "=")
	p.label = strings.ReplaceAll(p.label, "_", " ")
	if fields[0] == "^" {
		p.begins, fields = true, fields[1:]
	}
	if last := fields[len(fields)-1]; slices.Contains([]string{"V", "N", "A", "D", "P", "E", "="}, last) {
		p.end, fields = last, fields[:len(fields)-1]
	}
	for _, f := range fields {
		var e element
		if inner, ok := strings.CutPrefix(f, "["); ok {
			e.optional, f = true, strings.TrimSuffix(inner, "]")
		}
		if inner, ok := strings.CutPrefix(f, "@"); ok {
			e.label, f = true, inner
		}
		inner, ok := strings.CutPrefix(f, "~")
		if ok {
			f = inner
		}
		e.value = ok || f == "_" || f == "#"
		e.words = folded(strings.Split(f, "|"))
		p.elements = append(p.elements, e)
	}
	return p
}

// folded makes words comparable; those with = in front keep their marks.
func folded(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		if out[i] = text.Fold(w); strings.HasPrefix(w, "=") {
			out[i] = strings.ToLower(w)
		}
	}
	return out
}

// takes reports whether a word fits the place.
func (e element) takes(w word) bool {
	return slices.ContainsFunc(e.words, func(want string) bool {
		switch {
		case want == "_":
			return w.digits() == 0
		case want == "#":
			return w.digits() == len(w.raw)
		case strings.HasPrefix(want, "="):
			return strings.ToLower(w.raw) == want[1:]
		case strings.HasSuffix(want, "*"):
			return strings.HasPrefix(w.fold, want[:len(want)-1])
		}
		return w.fold == want
	})
}

// is reports whether a word does something.
func (k *knowledge) is(role string, w word) bool {
	return slices.ContainsFunc(k.roles[role], func(e element) bool { return e.takes(w) })
}

// matched is where a pattern was found.
type matched struct {
	start, end int // words
	label      int // -1 = none
	value      int // where it begins, -1 = behind the end
	valueEnd   int
}

// match tries the pattern at word i. A clause does not end within it.
func (p pattern) match(words []word, i int) (matched, bool) {
	m := matched{start: i, label: -1, value: -1}
	for _, e := range p.elements {
		within := i < len(words) && (i == m.start || !words[i-1].ends())
		switch {
		case within && e.takes(words[i]):
			if e.label {
				m.label = i
			}
			if e.value && m.value < 0 {
				m.value = i
			}
			if i++; e.value {
				m.valueEnd = i
			}
		case !e.optional:
			return m, false
		}
	}
	m.end = i
	return m, true
}
