package text

import (
	"cmp"
	"embed"
	"maps"
	"slices"
	"strings"
	"sync"
)

//go:embed data
var files embed.FS

// loaded parses the embedded word lists once, on first use; the tables never change afterwards.
var loaded = sync.OnceValue(load) //nolint:gochecknoglobals // a constant that is computed once

type tables struct {
	langs     []string // those with word lists
	looks     map[string]*look
	stop      map[string]bool
	function  map[string]map[string]float64 // language -> function word as written -> weight as evidence
	english   map[string]bool               // Porter stems of known English words
	irregular map[string]string             // form as written in lower case, and folded -> stem
	oddities  map[string]string             // of English: the same for words without marks
	general   map[string]bool               // stems of words that occur in any affair
	concepts  *concepts
	topical   map[string]bool   // stems of words about the conversation itself
	phrases   func() *phrases   // read on first use
	thesaurus func() *thesaurus // read on first use
	listed    func() []string   // read on first use
}

func load() *tables {
	t := &tables{stop: map[string]bool{}, english: map[string]bool{}, general: map[string]bool{}}
	t.irregular, t.oddities = irregular("irregular.txt", Fold), irregular("irregular_en.txt", porterOdd)
	t.looks, _ = loadLooks(files) // a test reads them too
	t.langs = slices.Sorted(maps.Keys(t.looks))
	t.function = t.functionWords()
	for _, w := range strings.Fields(strings.Join(append(lines("stop_en.txt"), lines("general_en.txt")...), " ")) {
		t.english[porter(Fold(w))] = true
	}
	for _, line := range lines("english.txt") {
		for stem := range strings.FieldsSeq(line) {
			t.english[stem] = true
		}
	}
	for _, lang := range t.langs {
		for _, w := range strings.Fields(strings.Join(lines("general_"+lang+".txt"), " ")) {
			t.general[t.stem(w)] = true
		}
	}
	t.concepts = loadConcepts(t)
	t.topical = map[string]bool{}
	for _, w := range strings.Fields(strings.Join(lines("topical.txt"), " ")) {
		t.topical[t.stem(w)] = true
	}
	t.phrases = sync.OnceValue(loadPhrases)
	t.thesaurus = sync.OnceValue(loadThesaurus)
	t.listed = sync.OnceValue(listedWords)
	return t
}

// irregular reads lines of a stem and its forms. A form with marks also stands for its folded spelling, unless
// that is a form of its own.
func irregular(name string, stemOf func(string) string) map[string]string {
	out, folded := map[string]string{}, map[string]string{}
	for _, line := range lines(name) {
		fields := strings.Fields(line)
		stem := stemOf(fields[0])
		for _, form := range append(fields[1:], strings.TrimPrefix(fields[0], "=")) {
			out[form] = stem
			if plain := Fold(form); folded[plain] == "" {
				folded[plain] = stem
			}
		}
	}
	for form, stem := range folded {
		out[form] = cmp.Or(out[form], stem)
	}
	return out
}

// porterOdd is the stem of an irregular English word; one behind = is its own.
func porterOdd(w string) string {
	if own, ok := strings.CutPrefix(w, "="); ok {
		return own
	}
	return porter(w)
}

// functionWords reads the stop lists: every folded form stops, except of a word behind =, which is another word
// without its marks (být, byt), or behind -, which is one in another language; a word is evidence for its language, less when
// other languages have it too.
func (t *tables) functionWords() map[string]map[string]float64 {
	owners := map[string]int{}
	out := map[string]map[string]float64{}
	for _, lang := range t.langs {
		out[lang] = map[string]float64{}
		for _, w := range strings.Fields(strings.Join(lines("stop_"+lang+".txt"), " ")) {
			w, elsewhere := strings.CutPrefix(w, "-")
			w, marked := strings.CutPrefix(w, "=")
			folded := strings.ReplaceAll(Fold(w), "'", "")
			if marked {
				folded = strings.ToLower(w)
			}
			if !elsewhere {
				t.stop[folded] = true
			}
			for _, form := range []string{strings.ToLower(w), folded} {
				if out[lang][form] == 0 {
					out[lang][form] = 1
					owners[form]++
				}
			}
		}
	}
	for _, words := range out {
		for form := range words {
			words[form] = 1 / float64(owners[form])
		}
	}
	return out
}

// General tells whether a stem occurs in any affair ("need", "week") and so says little about which.
func General(stem string) bool { return loaded().general[stem] }

func isStop(folded string) bool { return loaded().stop[folded] }

// lines returns the lines of an embedded file without comments and empty ones.
func lines(name string) []string {
	b, err := files.ReadFile("data/" + name)
	if err != nil {
		return nil
	}
	var out []string
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "#") {
			out = append(out, line)
		}
	}
	return out
}
