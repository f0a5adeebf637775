package facts_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/memory/internal/read/facts"
	"github.com/mneme-graph/mneme/state"
)

// group are the pairs of one stated fact.
type group struct {
	hand  string
	pairs []candidate
	shown []string
}

// best is the weightiest pair of a group and what it weighs.
func (g group) best(w map[string]float64) (best int, weight float64) {
	for i, p := range g.pairs {
		if z := sum(w, p.traits); i == 0 || z > weight {
			best, weight = i, z
		}
	}
	return best, weight
}

// TestFitRenewing prints the weights of data/renewing.txt and how they do on a writer they have not seen, by the threshold. Set
// MNEME_TEST_FIT to run it.
func TestFitRenewing(t *testing.T) {
	if os.Getenv("MNEME_TEST_FIT") == "" {
		t.Skip("set MNEME_TEST_FIT")
	}
	var all []group
	for _, lang := range []string{"cs", "pl", "ru", "en"} {
		for _, hand := range learning() {
			all = append(all, groups(t, lang, hand)...)
		}
	}
	made, right, possible := map[float64]int{}, map[float64]int{}, 0
	for _, hand := range learning() {
		w := fit(pairs(all, hand), decay)
		for _, g := range all {
			if g.hand != hand {
				continue
			}
			if slices.ContainsFunc(g.pairs, func(c candidate) bool { return c.right }) {
				possible++
			}
			best, weight := g.best(w)
			if show {
				t.Logf("%.2f %v %s", weight, g.pairs[best].right, g.shown[best])
			}
			for z := -1.5; z <= min(weight, 1); z += 0.25 {
				made[z]++
				if g.pairs[best].right {
					right[z]++
				}
			}
		}
	}
	for _, z := range slices.Sorted(maps.Keys(made)) {
		t.Logf("from %.2f: made %d, precision %.3f, recall %.3f", z, made[z], ratio(right[z], made[z]), ratio(right[z], possible))
	}
	w := fit(pairs(all, ""), decay)
	for _, name := range slices.Sorted(maps.Keys(w)) {
		t.Logf("WEIGHT %s: %.2f", name, w[name])
	}
}

// decay pulls the weights of pairs to nothing: there are few to learn from.
const decay = 0.0024

// pairs are those of all writers but one.
func pairs(all []group, but string) (out []candidate) {
	for _, g := range all {
		if g.hand != but {
			out = append(out, g.pairs...)
		}
	}
	return out
}

// groups are the pairs of all sentences of one writer's messages with those said before in the same affair, as if every replacement had been
// recognised.
func groups(t *testing.T, lang, hand string) (out []group) {
	t.Helper()
	known := map[string][]string{}
	for _, m := range dialogue(t, lang+"-"+hand) {
		if m.Role != state.RoleUser || m.Gold.Affair == "" {
			continue
		}
		key := m.Conversation + m.Gold.Affair
		had := known[key]
		for _, s := range facts.Sentences(m.Text) {
			g := grouped(m, facts.Read(s, lang).Renewal(had...), known[key])
			g.hand = hand
			if len(g.pairs) > 0 {
				out = append(out, g)
			}
			known[key] = append(known[key], s)
		}
	}
	return out
}

// grouped sets a sentence beside those that were said before, and puts the new quantities into these.
func grouped(m line, r *facts.Renewal, had []string) (g group) {
	for _, p := range r.Pairs() {
		k := &had[max(0, len(had)-facts.LookedBack)+p.Known]
		right := slices.ContainsFunc(m.Facts, func(f goldFact) bool {
			return f.Replaces != "" && overlap(p.New, less(f.Value, f.Replaces)) && overlap(p.Old, less(f.Replaces, f.Value))
		})
		g.pairs = append(g.pairs, candidate{traits: p.Traits, right: right})
		g.shown = append(g.shown, fmt.Sprintf("%s <- %s of %s | %s", p.New, p.Old, *k, m.Text))
		if right {
			*k = strings.Replace(*k, p.Old, p.New, 1)
		}
	}
	return g
}

// overlap reports whether a quantity says one of the words.
func overlap(quantity string, words []string) bool {
	return slices.ContainsFunc(bag(quantity), func(w string) bool { return slices.Contains(words, w) })
}

// less are the words of a value that another has not, or not as often: the 3 of "March 3, 3pm".
func less(value, other string) []string {
	words := bag(value)
	for _, w := range bag(other) {
		if i := slices.Index(words, w); i >= 0 {
			words = slices.Delete(words, i, i+1)
		}
	}
	return words
}
