package facts

import (
	"embed"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

//go:embed data/*.txt
var wordFiles embed.FS

// shipped is the lexicon of the embedded lists, read on first use.
var shipped = sync.OnceValue(func() *lexicon { //nolint:gochecknoglobals // a constant that is computed once
	w, _ := readLexicon(wordFiles) // a test reads them too
	return w
})

// lexicon is what the word lists say. It never changes once it is read.
type lexicon struct {
	whole, begins map[string]*entry   // folded words; folded beginnings of words
	langs         map[string]*grammar // by language

	renewing, naming map[string]float64 // what traits weigh
}

// entry is what the lists say of one word.
type entry struct {
	set     set
	labels  []label
	number  float64
	phrases []phraseEntry // those that begin with the word
}

type label struct {
	class      class
	lang, text string
}

type phraseEntry struct {
	rest  []string // the words behind the first
	entry entry
}

// readLexicon reads words_LANG.txt for as many languages as there are files, and the weights. The error is a *text.ListError.
func readLexicon(from fs.FS) (*lexicon, error) {
	w := &lexicon{whole: map[string]*entry{}, begins: map[string]*entry{}, langs: map[string]*grammar{}}
	names, err := fs.Glob(from, "data/words_*.txt")
	if err != nil {
		return w, err
	}

	// Each language has its grammar and its words.
	for _, name := range names {
		lang := strings.TrimSuffix(strings.TrimPrefix(name, "data/words_"), ".txt")
		g := &grammar{local: map[string]set{}, call: map[string]string{}, motion: map[string]string{}, endings: map[string][]rule{}, forms: map[string][]form{}}
		w.langs[lang] = g
		lines, err := text.ReadList(from, name)
		if err != nil {
			return w, err
		}
		for _, line := range lines {
			if err := w.take(g, lang, line); err != nil {
				return w, err
			}
		}
	}

	// The endings of their nouns and adjectives were learnt from tables of forms.
	if err := w.readEndings(from); err != nil {
		return w, err
	}

	// The weights were learnt from examples; see the tests that fit them.
	if w.renewing, err = readWeights(from, "data/renewing.txt"); err != nil {
		return w, err
	}
	w.naming, err = readWeights(from, "data/naming.txt")
	return w, err
}

// readWeights reads lines of a trait and its weight.
func readWeights(from fs.FS, name string) (map[string]float64, error) {
	lines, err := text.ReadList(from, name)
	out := make(map[string]float64, len(lines))
	for _, line := range lines {
		if _, twice := out[line.Key]; twice {
			return out, line.Wrong("stands twice")
		}
		if out[line.Key], err = strconv.ParseFloat(line.Value, 64); err != nil {
			return out, line.Wrong("is not a weight")
		}
	}
	return out, err
}

// take takes up one line of a language.
func (w *lexicon) take(g *grammar, lang string, line text.Line) error {
	// The line is the grammar's, or of a class that may have a label.
	key, about, _ := strings.Cut(line.Key, " ")
	if known, err := g.read(key, about, line); known || err != nil {
		return err
	}
	c, known := className(key)
	if !known {
		return line.Wrong(key + " is not a class")
	}
	if labelled().has(c) != (about != "") {
		return line.Wrong(key + " has a label too many or too few")
	}
	if c == counted {
		if n, err := strconv.ParseFloat(about, 64); err != nil || n <= 0 {
			return line.Wrong(about + " is not a number above 0")
		}
	}

	// Each word goes where it is looked up: by stem, of this language alone, by its beginning, or whole.
	for _, written := range line.Words() {
		fold := foldWord(strings.ReplaceAll(written, "_", " "))
		begin, starred := strings.CutSuffix(fold, "*")
		switch {
		case c == matter:
			stem := foldWord(text.Stem(written))
			g.local[stem] = g.local[stem].with(in(c))
		case c == motion:
			g.motion[fold] = about
		case local().has(c):
			g.local[fold] = g.local[fold].with(in(c))
		case starred:
			if !entryOf(w.begins, begin).add(c, lang, about) {
				return line.Wrong(written + " stands twice")
			}
		default:
			if !w.entry(fold).add(c, lang, about) {
				return line.Wrong(written + " stands twice")
			}
		}
	}
	return nil
}

// entry returns the entry of a word or of a phrase.
func (w *lexicon) entry(fold string) *entry {
	first, rest, more := strings.Cut(fold, " ")
	e := entryOf(w.whole, first)
	if !more {
		return e
	}
	words := strings.Fields(rest)
	at := slices.IndexFunc(e.phrases, func(p phraseEntry) bool { return slices.Equal(p.rest, words) })
	if at < 0 {
		at = len(e.phrases)
		e.phrases = append(e.phrases, phraseEntry{rest: words})
	}
	return &e.phrases[at].entry
}

func entryOf(m map[string]*entry, fold string) *entry {
	if m[fold] == nil {
		m[fold] = &entry{}
	}
	return m[fold]
}

// add gives a word a class; false if its language says it twice.
func (e *entry) add(c class, lang, about string) bool {
	if slices.ContainsFunc(e.labels, func(l label) bool { return l.class == c && l.lang == lang }) {
		return false
	}
	e.set = e.set.with(in(c))
	e.labels = append(e.labels, label{c, lang, about})
	if c == counted {
		e.number, _ = strconv.ParseFloat(about, 64) // take has looked
	}
	return true
}

// label returns what the entry calls a word of a class, in the message's language if that has a word for it.
func (e *entry) label(c class, lang string) string {
	if e == nil || !e.set.has(c) {
		return ""
	}
	found := ""
	for _, l := range e.labels {
		if l.class == c && (found == "" || l.lang == lang) {
			found = l.text
		}
	}
	return found
}

// classes returns those of a folded word in a message of a language.
func (w *lexicon) classes(fold, lang string) (s set) {
	if e := w.whole[fold]; e != nil {
		s = e.set
	}
	if g := w.langs[lang]; g != nil {
		s = s.with(g.local[fold])
		if g.motion[fold] != "" {
			s = s.with(in(motion))
		}
	}

	eachBeginning(fold, func(begin string) bool {
		if e := w.begins[begin]; e != nil {
			s = s.with(e.set)
		}
		return false
	})
	return s
}

// label returns what a folded word of one of the classes is called, by the longest beginning that the lists have; "" if it is of none.
func (w *lexicon) label(fold, lang string, classes ...class) (found string) {
	look := func(e *entry) bool {
		for _, c := range classes {
			if found = e.label(c, lang); found != "" {
				return true
			}
		}
		return false
	}
	if !look(w.whole[fold]) {
		eachBeginning(fold, func(begin string) bool { return look(w.begins[begin]) })
	}
	return found
}

// eachBeginning goes through the beginnings of a folded word, the longest first, until do returns true. An ending is at most as long as its
// beginning, and two runes after a beginning of three.
func eachBeginning(fold string, do func(string) bool) {
	const longest = 6
	end, runes := len(fold), utf8.RuneCountInString(fold)
	for cut := 0; cut <= longest && cut <= runes-cut; cut++ {
		if kept := runes - cut; kept > 3 || kept > 0 && cut <= 2 {
			if do(fold[:end]) {
				return
			}
		}
		_, size := utf8.DecodeLastRuneInString(fold[:end])
		end -= size
	}
}

// counts returns the number that a word says, 0 if it says none: "twenty-four" is two of them.
func (w *lexicon) counts(fold string) (n float64) {
	for part := range strings.SplitSeq(fold, "-") {
		e := w.whole[part]
		if e == nil || e.number == 0 {
			return 0
		}
		n += e.number
	}
	return n
}

// foldWord folds a word as the fold of a lexeme is.
func foldWord(w string) string { return strings.ReplaceAll(text.Fold(w), "й", "и") }
