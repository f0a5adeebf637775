package facts_test

import (
	"cmp"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/mneme-graph/mneme/memory/internal/read/facts"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// TestFitNaming prints the weights of data/naming.txt, fitted by logistic regression on the titles that people gave the affairs of the development
// dialogues, and how often the weightiest phrase of a message holds a word of its title in messages left out. Set MNEME_TEST_FIT to run it.
func TestFitNaming(t *testing.T) {
	if os.Getenv("MNEME_TEST_FIT") == "" {
		t.Skip("set MNEME_TEST_FIT")
	}
	type message struct {
		phrases []candidate
		lang    string
	}
	var all []message
	for _, lang := range []string{"cs", "pl", "ru", "en"} {
		names, err := filepath.Glob("../../detect/testdata/dialogues/" + lang + "-w[12347].jsonl")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			eachTitled(t, name, func(title, said string) {
				m, wanted := message{lang: lang}, text.Terms(title)
				for _, p := range facts.Named(said, lang) {
					m.phrases = append(m.phrases, candidate{traits: p.Traits, right: sharesWord(p.Text, wanted)})
				}
				all = append(all, m)
			})
		}
	}
	const folds, decay = 5, 0.002
	hits, of, could := map[string]int{}, map[string]int{}, map[string]int{}
	for fold := range folds {
		var train []candidate
		for i, m := range all {
			if i%folds != fold {
				train = append(train, m.phrases...)
			}
		}
		w := fit(train, decay)
		for i, m := range all {
			if i%folds != fold {
				continue
			}
			of[m.lang]++
			right := func(c candidate) bool { return c.right }
			if slices.ContainsFunc(m.phrases, right) {
				could[m.lang]++
				if right(slices.MaxFunc(m.phrases, func(a, b candidate) int { return cmp.Compare(sum(w, a.traits), sum(w, b.traits)) })) {
					hits[m.lang]++
				}
			}
		}
	}
	for _, lang := range slices.Sorted(maps.Keys(of)) {
		t.Logf("%s: of %d messages the weightiest phrase is right %.3f, any is %.3f", lang, of[lang], ratio(hits[lang], of[lang]), ratio(could[lang], of[lang]))
	}
	var train []candidate
	for _, m := range all {
		train = append(train, m.phrases...)
	}
	w := fit(train, decay)
	for _, name := range slices.Sorted(maps.Keys(w)) {
		if math.Abs(w[name]) >= 0.05 {
			t.Logf("WEIGHT %s: %.2f", name, w[name])
		}
	}
}

// sharesWord reports whether a phrase holds one of the words.
func sharesWord(phrase string, wanted []string) bool {
	return slices.ContainsFunc(text.Terms(phrase), func(a string) bool {
		return slices.ContainsFunc(wanted, func(b string) bool { return text.Akin(a, b, 3) })
	})
}
