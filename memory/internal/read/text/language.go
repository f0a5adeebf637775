package text

import (
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Language guesses the language from script, letters with marks and function words, which is what a message of three words still has:
// one of those that have word lists. It returns fallback when nothing tells, or two languages tie.
func Language(s, fallback string) string { return loaded().language(s, fallback) }

func (t *tables) language(s, fallback string) string {
	score := make([]float64, len(t.langs))
	n := 0
	for i := 0; i < len(s) && n < 200; { // the beginning of a long text tells as much as all of it
		end, kind := scan(s, i)
		if kind == word {
			t.vote(score, Head(s[i:end], maxToken))
			n++
		}
		i = end
	}
	best, second := 0, -1
	for lang := 1; lang < len(score); lang++ {
		switch {
		case score[lang] > score[best]:
			best, second = lang, best
		case second < 0 || score[lang] > score[second]:
			second = lang
		}
	}
	known := slices.Index(t.langs, fallback)
	if known >= 0 && score[known] > 0 && score[best] < score[known]+0.3 || score[best] < 0.25 || score[best]-score[second] < 0.05 {
		return fallback
	}
	return t.langs[best]
}

// look is what words of a language look like.
type look struct {
	script  *unicode.RangeTable // nil = one that many languages have
	letters string
	parts   []weighted
}

// weighted is a part of words with what it is worth.
type weighted struct {
	part   string
	begins bool // the word begins with it
	marks  bool // it is looked for as written
	weight float64
}

// in reports whether a word has the part.
func (w weighted) in(lower, folded string) bool {
	if w.marks {
		folded = lower
	}
	if w.begins {
		return strings.HasPrefix(folded, w.part)
	}
	return strings.Contains(folded, w.part)
}

// loadLooks reads shape_LANG.txt.
func loadLooks(from fs.FS) (map[string]*look, error) {
	out := map[string]*look{}
	err := ReadLists(from, "data/shape_*.txt", func(lang string, line Line) (err error) {
		x := out[lang]
		if x == nil {
			x = &look{}
			out[lang] = x
		}

		// A script, letters of its own, and parts of words with their weights.
		kind, value, _ := strings.Cut(line.Key, " ")
		switch kind {
		case "script":
			x.script = unicode.Scripts[line.Value]
		case "letters":
			x.letters = line.Value
		case "part":
			w := weighted{}
			if w.weight, err = strconv.ParseFloat(value, 64); err != nil {
				return line.Wrong(value + " is not a weight")
			}
			for _, written := range line.Words() {
				w.part, w.begins = strings.CutPrefix(written, "^")
				w.marks = !ascii(w.part)
				x.parts = append(x.parts, w)
			}
		default:
			return line.Wrong(kind + " is not a script, letters or a part")
		}
		return nil
	})
	return out, err
}

// vote adds what one word says about the language.
func (t *tables) vote(score []float64, surface string) {
	if f := t.function[strings.ReplaceAll(strings.ToLower(surface), "'", "")]; f != nil {
		part := 1.
		if len([]rune(surface)) == 1 { // "w" is Polish, and how "with" is typed
			part = .25
		}
		f.speak(score, part)
	}
	t.look(score, surface)
}

// look adds what the script, the letters and the parts of a word say.
func (t *tables) look(score []float64, surface string) {
	lower, folded := strings.ReplaceAll(strings.ToLower(surface), "'", ""), Fold(surface)
	first, _ := utf8.DecodeRuneInString(lower)
	for i, lang := range t.langs {
		x := t.looks[lang]
		if x.script != nil && unicode.Is(x.script, first) {
			score[i] += 2
		}
		for _, r := range lower {
			if r >= utf8.RuneSelf && strings.ContainsRune(x.letters, r) {
				score[i] += 1.2
			}
		}
		for _, p := range x.parts {
			if p.in(lower, folded) {
				score[i] += p.weight
			}
		}
	}
}
