package text

import (
	"flag"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write data/thesaurus_stems.txt anew from the word lists")

// TestThesaurusStemsAreFresh keeps the stored stems equal to what the word lists and the stemmer give now.
func TestThesaurusStemsAreFresh(t *testing.T) {
	t.Parallel()
	want := strings.Join(stemThesaurus(loaded()), "\n") + "\n"
	if *update {
		must(t, os.WriteFile("data/"+stemsFile, []byte(want), 0o644))
		return
	}
	if got := strings.Join(loaded().lines(stemsFile), "\n") + "\n"; got != want {
		t.Error("data/thesaurus_stems.txt is stale: go test ./memory/internal/read/text -run Fresh -update")
	}
}

// stemThesaurus stems lines of "cs: word word | pl: ... | ru: ... | en: ...", one matter a line, to lines of
// "stem stem|stem|..." with the columns in the order of thesaurusColumns.
func stemThesaurus(t *tables) []string {
	var out []string
	for _, name := range thesaurusFiles() {
		for _, line := range loaded().lines(name) {
			var columns [kinLanguages][]string
			for column := range strings.SplitSeq(line, "|") {
				lang, words, _ := strings.Cut(column, ":")
				if at := slices.Index(thesaurusColumns(), strings.TrimSpace(lang)); at >= 0 {
					columns[at] = t.kinStems(strings.Fields(words))
				}
			}
			joined := make([]string, kinLanguages)
			for i, stems := range columns {
				joined[i] = strings.Join(stems, " ")
			}
			out = append(out, strings.Join(joined, "|"))
		}
	}
	return out
}

const kinLanguages = 4

func thesaurusColumns() []string { return []string{"cs", "pl", "ru", "en"} }

// kinStems stems the words of one language and line, each stem once. It leaves out words that tell nothing:
// stop words, those of any affair, and what is no plain word.
func (t *tables) kinStems(words []string) []string {
	var out []string
	for _, w := range words {
		if strings.ContainsAny(w, "0123456789@/") || t.stopping(strings.ReplaceAll(Fold(w), "'", ""), "") != nil {
			continue
		}
		if stem := t.stem(w); len(stem) > 1 && t.stopping(stem, "") == nil && !t.general[stem] && !slices.Contains(out, stem) {
			out = append(out, stem)
		}
	}
	return out
}

func TestRelated(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		word, kin string
		weight    float64 // at least
	}{
		{"dům", "barák", .5}, {"domek", "dom", .25}, {"dovolená", "prázdniny", .6}, {"dovolená", "vacation", .3},
		{"wakacje", "urlop", .6}, {"urlop", "отпуск", .3}, {"отпуск", "каникулы", .6}, {"отпуск", "holiday", .3},
		{"journey", "travel", .6}, {"travel", "cestovat", .3}, {"квартира", "flat", .3}, {"apartment", "квартира", .3},
	} {
		if got := weightOf(Related(Stem(x.word)), Stem(x.kin)); got < x.weight {
			t.Errorf("Related(%s) has %s at %.2f, want at least %.2f: %v", x.word, x.kin, got, x.weight, Related(Stem(x.word)))
		}
	}
	for _, w := range []string{"", "4471", "AB-1234", "38.10", "qwxyz", "www.example.org", "and", "need"} {
		if got := Related(Stem(w)); len(got) > 0 {
			t.Errorf("Related(%s) = %v, want none", w, got)
		}
	}
}

func weightOf(kin []Kin, stem string) float64 {
	for _, k := range kin {
		if k.Stem == stem {
			return k.Weight
		}
	}
	return 0
}

// TestRelatedHolds checks what is promised of every stem of the thesaurus.
func TestRelatedHolds(t *testing.T) {
	t.Parallel()
	x := loaded().loadThesaurus()
	for id, stem := range x.stems {
		kin := x.related(stem)
		if len(kin) > mostKin {
			t.Errorf("%s has %d kin", stem, len(kin))
		}
		for i, k := range kin {
			if k.Stem == stem || k.Weight <= 0 || k.Weight > sameLanguage || General(k.Stem) || loaded().stopping(k.Stem, "") != nil {
				t.Errorf("%s has kin %+v", stem, k)
			}
			if i > 0 && kin[i-1].Weight < k.Weight {
				t.Errorf("%s: %+v stands before %+v", stem, kin[i-1], k)
			}
		}
		if diff := cmp.Diff(x.merge(int32(id)), kin); diff != "" {
			t.Errorf("%s merges to another answer:\n%s", stem, diff)
		}
	}
}

func TestRelatedWeighsManyMeaningsLess(t *testing.T) {
	t.Parallel()
	x := loaded().loadThesaurus()
	for id := range x.stems {
		if n := len(x.of[id]); n > manyLines && len(x.merge(int32(id))) > 0 {
			if got := x.merge(int32(id))[0].Weight; got > manyLines/float64(n) {
				t.Errorf("%s stands in %d lines and has kin of weight %.2f", x.stems[id], n, got)
			}
		}
	}
}

func TestRelatedTogether(t *testing.T) {
	t.Parallel()
	x := loaded().loadThesaurus()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for _, stem := range x.stems[:min(500, len(x.stems))] {
				x.related(stem)
			}
		})
	}
	wg.Wait()
}

func TestRelatedAllocatesOnce(t *testing.T) {
	stem := Stem("dům")
	Related(stem)
	if n := testing.AllocsPerRun(100, func() { Related(stem) }); n > 0 {
		t.Errorf("Related allocates %.0f times a call, want 0", n)
	}
}

// TestThesaurusLists reads the word lists as a reviewer would: four columns, no empty one, plain words.
func TestThesaurusLists(t *testing.T) {
	t.Parallel()
	stops := map[string][]string{}
	for _, lang := range thesaurusColumns() {
		stops[lang] = strings.Fields(strings.Join(loaded().lines("stop_"+lang+".txt"), " "))
	}
	for _, name := range thesaurusFiles() {
		for n, line := range loaded().lines(name) {
			columns := strings.Split(line, "|")
			if len(columns) != kinLanguages {
				t.Errorf("%s, line %d has %d columns: %s", name, n+1, len(columns), line)
				continue
			}
			for i, column := range columns {
				lang, words, _ := strings.Cut(strings.TrimSpace(column), ":")
				if lang != thesaurusColumns()[i] || len(strings.Fields(words)) == 0 {
					t.Errorf("%s, line %d: column %d is %q", name, n+1, i+1, column)
				}
				for _, w := range strings.Fields(words) {
					if !plainWord(lang, w) || slices.Contains(stops[lang], w) {
						t.Errorf("%s, %s: %q is a stop word, or no plain word of the language", name, lang, w)
					}
				}
			}
		}
	}
}

func plainWord(lang, w string) bool {
	tokens := Tokens(w)
	return len(tokens) == 1 && !tokens[0].Number && tokens[0].Surface == w && tokens[0].Stem != "" && cyrillic(w) == (lang == "ru")
}

func FuzzRelated(f *testing.F) {
	for _, s := range []string{"", "dom", "4471", "\xff", "flat", "квартир"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		stem := Stem(s)
		for _, k := range Related(stem) {
			if k.Stem == stem || k.Weight <= 0 {
				t.Errorf("Related(%q) has %+v", stem, k)
			}
		}
	})
}

func BenchmarkLoadThesaurus(b *testing.B) {
	for b.Loop() {
		loaded().loadThesaurus()
	}
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		load(files)
	}
}

func BenchmarkRelated(b *testing.B) {
	stem := Stem("chata")
	b.ReportAllocs()
	for b.Loop() {
		Related(stem)
	}
}
