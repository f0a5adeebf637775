package text

import (
	"cmp"
	"maps"
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
// their translations at 0.5, less when either word belongs to many matters. At most 24, heaviest first, then
// the usual words before rare ones, never the stem itself; nil for stems the thesaurus does not know, numbers and identifiers
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
	rank int8 // place in its column: the usual word comes first
}

func thesaurusFiles() []string { return []string{"thesaurus_home.txt", "thesaurus_world.txt"} }

// stemsFile holds the same lines as stems, "stem stem|stem|..." with a column for each language: reading them is ten times faster than
// stemming thirty thousand words. A test makes the file and holds it to the word lists.
const stemsFile = "thesaurus_stems.txt"

// loadThesaurus reads the stems.
func (t *tables) loadThesaurus() *thesaurus {
	x := &thesaurus{ids: make(map[string]int32, 1<<14)}
	for _, line := range t.lines(stemsFile) {
		x.add(line)
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

// add takes up one line of stems.
func (x *thesaurus) add(line string) {
	all := make([]entry, 0, strings.Count(line, " ")+strings.Count(line, "|")+1)
	lang := int8(0)
	for column := range strings.SplitSeq(line, "|") {
		rank := int8(0)
		for stem := range strings.FieldsSeq(column) {
			all = append(all, entry{x.id(stem), lang, rank})
			rank = min(rank+1, 100)
		}
		lang++
	}
	x.lines = append(x.lines, all)
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

// merge joins the lines of a stem: of each other stem the best weight, and the first place at that weight.
func (x *thesaurus) merge(id int32) []Kin {
	type found struct {
		Kin
		rank int8
	}
	best := map[int32]found{}

	// Every line that has the stem says what it is related to; of several ways the best one stays.
	for _, n := range x.of[id] {
		for _, own := range x.lines[n] {
			if own.stem != id {
				continue
			}
			for _, e := range x.lines[n] {
				k := found{Kin{x.stems[e.stem], x.share(id) * x.share(e.stem) * closeness(own, e)}, e.rank}
				old := best[e.stem]
				if e.stem != id && (k.Weight > old.Weight || k.Weight == old.Weight && k.rank < old.rank) {
					best[e.stem] = k
				}
			}
		}
	}

	// The nearest, ties in an order that is the same each time.
	all := slices.SortedFunc(maps.Values(best), func(a, b found) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.rank, b.rank), cmp.Compare(a.Stem, b.Stem))
	})
	out := make([]Kin, min(len(all), mostKin))
	for i := range out {
		out[i] = all[i].Kin
	}
	return out
}

// share returns what one matter of a stem is worth: 1, or less when it stands in many lines.
func (x *thesaurus) share(id int32) float64 {
	return min(1, manyLines/float64(len(x.of[id])))
}

func closeness(a, b entry) float64 {
	if a.lang == b.lang {
		return sameLanguage
	}
	return otherLanguage
}

// Listed tells whether a word stands in the thesaurus as it is: so it is a form that dictionaries give. Case and diacritics
// do not count.
func Listed(word string) bool {
	_, found := slices.BinarySearch(loaded().listed(), Fold(word))
	return found
}

// listedWords returns the folded words of the thesaurus, in order.
func (t *tables) listedWords() []string {
	var all []string
	for _, name := range thesaurusFiles() {
		for _, line := range t.lines(name) {
			for column := range strings.SplitSeq(line, "|") {
				_, words, _ := strings.Cut(column, ":")
				all = append(all, strings.Fields(Fold(words))...)
			}
		}
	}
	slices.Sort(all)
	return slices.Clip(slices.Compact(all))
}
