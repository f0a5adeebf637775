package text

import (
	"cmp"
	"slices"
	"strings"
	"sync/atomic"
)

// Kin is a stem that stands for the same everyday matter as another.
type Kin struct {
	Stem   string
	Weight float64 // in (0, 1]: how much finding it counts, compared with finding the word itself
}

const (
	sameLanguage  = 1.0 // weight of a word of the same line and language
	otherLanguage = 0.5 // of its translations
	manyLines     = 3   // a word in more lines than this means too many things: weights shrink to manyLines / lines
	mostKin       = 24  // Related returns no more
)

// Related returns what else may stand where the stem does: near synonyms of the same language at weight 1,
// their translations at 0.5, less when either word belongs to many matters. At most 24, heaviest first, ties
// by spelling, never the stem itself; nil for stems the thesaurus does not know, numbers and identifiers
// among them. The slice is shared: read it only. The first call for a stem builds it, later ones allocate
// nothing. Safe for concurrent use.
func Related(stem string) []Kin { return loaded().thesaurus().related(stem) }

// thesaurus holds lines of stems and, for each stem, the lines it stands in. What Related returns is made on
// demand and kept, since a process asks for a small part of the vocabulary.
type thesaurus struct {
	ids   map[string]int32
	stems []string
	lines [][]entry
	of    [][]int32 // by stem: its lines
	made  []atomic.Pointer[[]Kin]
}

// entry is one word of a line.
type entry struct {
	stem int32
	lang int8
}

func thesaurusFiles() []string { return []string{"thesaurus_home.txt", "thesaurus_world.txt"} }

// loadThesaurus reads lines of "cs: word word | pl: ... | ru: ... | en: ..."; one matter a line.
func loadThesaurus(t *tables) *thesaurus {
	x := &thesaurus{ids: make(map[string]int32, 1<<14)}
	for _, name := range thesaurusFiles() {
		for _, line := range lines(name) {
			x.add(t, line)
		}
	}
	x.of = make([][]int32, len(x.stems))
	for n, line := range x.lines {
		for _, e := range line {
			if have := x.of[e.stem]; len(have) == 0 || have[len(have)-1] != int32(n) {
				x.of[e.stem] = append(have, int32(n))
			}
		}
	}
	x.made = make([]atomic.Pointer[[]Kin], len(x.stems))
	return x
}

func (x *thesaurus) add(t *tables, line string) {
	var all []entry
	for column := range strings.SplitSeq(line, "|") {
		lang, words, _ := strings.Cut(column, ":")
		at := int8(slices.Index(languages(), strings.TrimSpace(lang)))
		for w := range strings.FieldsSeq(words) {
			stem, ok := t.kinStem(w)
			if !ok {
				continue
			}
			if e := (entry{x.id(stem), at}); !slices.Contains(all, e) {
				all = append(all, e)
			}
		}
	}
	x.lines = append(x.lines, slices.Clip(all))
}

func (x *thesaurus) id(stem string) int32 {
	id, ok := x.ids[stem]
	if !ok {
		id = int32(len(x.stems))
		x.ids[stem] = id
		x.stems = append(x.stems, stem)
	}
	return id
}

// kinStem stems a word of the thesaurus; ok is false for words that tell nothing: stop words, those of any
// affair, and what is no plain word.
func (t *tables) kinStem(w string) (stem string, ok bool) {
	if strings.ContainsAny(w, "0123456789@/") || t.stop[strings.ReplaceAll(Fold(w), "'", "")] {
		return "", false
	}
	stem = t.stem(w)
	return stem, len(stem) > 1 && !t.stop[stem] && !t.general[stem]
}

func (x *thesaurus) related(stem string) []Kin {
	id, ok := x.ids[stem]
	if !ok {
		return nil
	}
	if kin := x.made[id].Load(); kin != nil {
		return *kin
	}
	kin := x.merge(id)
	x.made[id].Store(&kin)
	return kin
}

// merge joins the lines of a stem: of each other stem the best weight.
func (x *thesaurus) merge(id int32) []Kin {
	best := map[int32]float64{}
	for _, n := range x.of[id] {
		line := x.lines[n]
		for _, own := range line {
			if own.stem != id {
				continue
			}
			for _, e := range line {
				if w := x.share(id) * x.share(e.stem) * closeness(own, e); e.stem != id && w > best[e.stem] {
					best[e.stem] = w
				}
			}
		}
	}
	out := make([]Kin, 0, len(best))
	for other, w := range best {
		out = append(out, Kin{x.stems[other], w})
	}
	slices.SortFunc(out, func(a, b Kin) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.Stem, b.Stem))
	})
	return slices.Clip(slices.Clone(out[:min(len(out), mostKin)]))
}

// share is what one matter of a stem is worth: 1, or less when it stands in many lines.
func (x *thesaurus) share(id int32) float64 {
	return min(1, manyLines/float64(len(x.of[id])))
}

func closeness(a, b entry) float64 {
	if a.lang == b.lang {
		return sameLanguage
	}
	return otherLanguage
}
