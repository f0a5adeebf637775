package facts_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/memory/facts"
	"github.com/mneme-graph/mneme/state"
)

// group are the pairs of one stated clause.
type group struct {
	hand  string
	pairs []candidate
	text  string
	shown []string
}

// TestFitRenewing prints the weights of what speaks for a stated value being a new one of a known thing. Set MNEME_TEST_FIT to run it.
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
	pairs := func(keep func(group) bool) (out []candidate) {
		for _, g := range all {
			if keep(g) {
				out = append(out, g.pairs...)
			}
		}
		return out
	}
	type pick struct {
		weight float64
		right  bool
	}
	var picks []pick
	const decay, renewing = 0.0024, -0.75
	possible := 0
	for _, hand := range learning() {
		w := fit(pairs(func(g group) bool { return g.hand != hand }), decay)
		for _, g := range all {
			if g.hand != hand {
				continue
			}
			best := -1
			for i, p := range g.pairs {
				if best < 0 || sum(w, p.traits) > sum(w, g.pairs[best].traits) {
					best = i
				}
			}
			any := slices.ContainsFunc(g.pairs, func(c candidate) bool { return c.right })
			if any {
				possible++
			}
			if best >= 0 {
				x := sum(w, g.pairs[best].traits)
				picks = append(picks, pick{x, g.pairs[best].right})
				if show && (x > renewing && !g.pairs[best].right || any && (x < renewing || !g.pairs[best].right)) {
					t.Logf("PICK %.2f %v any %v: %s | %s", x, g.pairs[best].right, any, g.shown[best], g.text)
				}
			}
		}
	}
	all2 := pairs(func(group) bool { return true })
	n := 0
	for _, c := range all2 {
		if c.right {
			n++
		}
	}
	t.Logf("%d pairs, %d right, %d clauses with a right one", len(all2), n, possible)
	for z := -1.5; z <= 2; z += 0.25 {
		made, right := 0, 0
		for _, p := range picks {
			if p.weight >= z {
				made++
				if p.right {
					right++
				}
			}
		}
		t.Logf("from %.2f: made %d, precision %.3f, recall %.3f", z, made, ratio(right, made), ratio(right, possible))
	}
	w := fit(all2, decay)
	for _, name := range slices.Sorted(maps.Keys(w)) {
		t.Logf("WEIGHT %s: %.2f", name, w[name])
	}
}

// groups are the pairs of all clauses of one writer's messages with what was known, as if every replacement had been recognised.
func groups(t *testing.T, lang, hand string) (out []group) {
	known := map[string]state.Facts{}
	for _, m := range dialogue(t, lang+"-"+hand) {
		if m.Role != state.RoleUser || m.Gold.Affair == "" {
			continue
		}
		key := m.Conversation + m.Gold.Affair
		had := known[key]
		r := facts.NewRenewal(m.Text, lang, had)
		for _, f := range facts.Told(m.Text, lang) {
			renewed := false
			g := group{hand: hand, text: m.Text}
			for _, p := range r.Pairs(f) {
				k := had[max(0, len(had)-facts.LookedBack)+p.Known]
				right := slices.ContainsFunc(m.Facts, func(g goldFact) bool {
					return g.Replaces != "" && overlap(p.New, without(bag(g.Value), bag(g.Replaces))) && overlap(p.Old, without(bag(g.Replaces), bag(g.Value)))
				})
				g.pairs = append(g.pairs, candidate{p.Traits, right, hand})
				g.shown = append(g.shown, p.New+" of "+f.Label+"="+f.Value+" <- "+p.Old+" of "+k.Label+"="+k.Value)
				if right {
					known[key] = known[key].With(k.Label, strings.Replace(k.Value, p.Old, p.New, 1))
					renewed = true
				}
			}
			if len(g.pairs) > 0 {
				out = append(out, g)
			}
			if !f.Doubtful && !renewed {
				label := f.Label
				for n := 2; ; n++ {
					if _, taken := known[key].Get(label); !taken {
						break
					}
					label = fmt.Sprintf("%s %d", f.Label, n)
				}
				known[key] = known[key].With(label, f.Value)
			}
		}
	}
	return out
}

// overlap reports whether a quantity says one of the words.
func overlap(quantity string, words []string) bool {
	return slices.ContainsFunc(bag(quantity), func(w string) bool { return slices.Contains(words, w) })
}
