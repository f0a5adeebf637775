package text

import (
	"cmp"
	"embed"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
)

//go:embed data
var files embed.FS

// loaded parses the embedded word lists once, on first use; the tables never change afterwards.
var loaded = sync.OnceValue(func() *tables { return load(files) }) //nolint:gochecknoglobals // a constant that is computed once

type tables struct {
	from      fs.FS
	langs     []string // those with word lists
	looks     map[string]*look
	function  map[string]*function // by spelling: as written in lower case, and folded
	english   map[string]bool      // Porter stems of known English words
	irregular map[string]string    // form as written in lower case, and folded -> stem
	oddities  map[string]string    // of English: the same for words without marks
	roles     Roles
	general   map[string]bool // stems of words that occur in any affair
	concepts  *concepts
	topical   map[string]bool   // stems of words about the conversation itself
	phrases   func() *phrases   // read on first use
	thesaurus func() *thesaurus // read on first use

	rooms  sync.Pool       // of *[]Token that nobody keeps: a text is read for its terms by several in a turn
	listed func() []string // read on first use
	points func() points   // read on first use
}

func load(from fs.FS) *tables {
	t := &tables{from: from, english: map[string]bool{}, general: map[string]bool{}}
	t.irregular, t.oddities = t.readIrregular("irregular.txt", Fold), t.readIrregular("irregular_en.txt", porterOdd)
	t.looks, _ = loadLooks(from) // a test reads them too
	t.roles = MustReadRoles(from, "data/roles.txt")
	t.langs = slices.Sorted(maps.Keys(t.looks))
	t.function = t.readFunctionWords()
	for _, w := range strings.Fields(strings.Join(append(t.lines("stop_en.txt"), t.lines("general_en.txt")...), " ")) {
		t.english[porter(Fold(w))] = true
	}
	for _, line := range t.lines("english.txt") {
		for stem := range strings.FieldsSeq(line) {
			t.english[stem] = true
		}
	}
	for _, lang := range t.langs {
		for _, w := range strings.Fields(strings.Join(t.lines("general_"+lang+".txt"), " ")) {
			t.general[t.stem(w)] = true
		}
	}
	t.concepts = loadConcepts(t)
	t.topical = map[string]bool{}
	for _, w := range strings.Fields(strings.Join(t.lines("topical.txt"), " ")) {
		t.topical[t.stem(w)] = true
	}
	t.phrases = sync.OnceValue(t.loadPhrases)
	t.thesaurus = sync.OnceValue(t.loadThesaurus)
	t.listed = sync.OnceValue(t.listedWords)
	t.points = sync.OnceValue(t.loadPoints)
	return t
}

// readIrregular reads lines of a stem and its forms. A form with marks also stands for its folded spelling, unless
// that is a form of its own.
func (t *tables) readIrregular(name string, stemOf func(string) string) map[string]string {
	out, folded := map[string]string{}, map[string]string{}
	for _, line := range t.lines(name) {
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

// porterOdd returns the stem of an irregular English word; one behind = is its own.
func porterOdd(w string) string {
	if own, ok := strings.CutPrefix(w, "="); ok {
		return own
	}
	return porter(w)
}

// General tells whether a stem occurs in any affair ("need", "week") and so says little about which.
func General(stem string) bool { return loaded().general[stem] }

// lines returns the lines of a file without comments and empty ones.
func (t *tables) lines(name string) []string {
	b, err := fs.ReadFile(t.from, "data/"+name)
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
