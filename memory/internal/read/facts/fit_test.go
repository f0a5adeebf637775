package facts_test

import (
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/mneme-graph/mneme/memory/internal/read/facts"
	"github.com/mneme-graph/mneme/state"
)

// candidate is one fact that could be told, with the traits of its clause.
type candidate struct {
	traits []string
	right  bool
	hand   string
}

// TestFitTelling prints the weights of data/telling.txt, fitted by logistic regression on writers w1 to w4, and how they do on a
// writer they have not seen. Set MNEME_TEST_FIT to run it.
func TestFitTelling(t *testing.T) {
	if os.Getenv("MNEME_TEST_FIT") == "" {
		t.Skip("set MNEME_TEST_FIT")
	}
	var all []candidate
	for _, lang := range []string{"cs", "pl", "ru", "en"} {
		for _, hand := range learning() {
			all = append(all, candidates(t, lang, hand)...)
		}
	}
	sums := make([]float64, len(all))
	for _, hand := range learning() {
		own := func(c candidate) bool { return c.hand == hand }
		w := fit(slices.DeleteFunc(slices.Clone(all), own), 0.0008)
		for i, c := range all {
			if own(c) {
				sums[i] = sum(w, c.traits)
			}
		}
	}
	for z := -0.5; z <= 1.5; z += 0.25 {
		told, right, of := 0, 0, 0
		for i, c := range all {
			if c.right {
				of++
			}
			if sums[i] >= z {
				told++
				if c.right {
					right++
				}
			}
		}
		t.Logf("from %.2f: told %d, precision %.3f, recall %.3f", z, told, ratio(right, told), ratio(right, of))
	}
	w := fit(all, 0.0008)
	for _, name := range slices.Sorted(maps.Keys(w)) {
		t.Logf("WEIGHT %s: %.2f", name, w[name])
	}
}

// candidates are all clauses of one writer's messages, whatever they weigh.
func candidates(t *testing.T, lang, hand string) (out []candidate) {
	golds := map[string][]goldFact{}
	for _, m := range dialogue(t, lang+"-"+hand) {
		if m.Role != state.RoleUser || m.Gold.Affair == "" {
			continue
		}
		key := m.Conversation + m.Gold.Affair
		golds[key] = append(golds[key], m.Facts...)
		for _, c := range facts.Clauses(m.Text, lang) {
			for _, f := range c.Told {
				right := isRight(state.Fact{Label: f.Label, Value: f.Value}, golds[key], bag(m.Text))
				out = append(out, candidate{c.Traits, right, hand})
			}
		}
	}
	return out
}

func sum(w map[string]float64, traits []string) (z float64) {
	for _, x := range traits {
		z += w[x]
	}
	return z
}

// fit is logistic regression by stochastic descent with adapted steps; traits seen fewer than ten times weigh nothing.
func fit(train []candidate, decay float64) map[string]float64 {
	count := map[string]float64{}
	for _, c := range train {
		for _, x := range c.traits {
			count[x]++
		}
	}
	const rounds, least, step = 30, 10, 0.1
	w, moved, order := map[string]float64{}, map[string]float64{}, rand.New(rand.NewPCG(1, 1))
	for range rounds {
		for _, i := range order.Perm(len(train)) {
			c := train[i]
			off := -1 / (1 + math.Exp(-sum(w, c.traits)))
			if c.right {
				off++
			}
			for _, x := range c.traits {
				if count[x] < least {
					continue
				}
				slope := off - decay*w[x]*float64(len(train))/count[x]
				moved[x] += slope * slope
				w[x] += step * slope / math.Sqrt(moved[x]+1e-6)
			}
		}
	}
	return w
}
