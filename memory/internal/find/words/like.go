package words

import (
	"cmp"
	"slices"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// Likeness is a document that shares words with a text.
type Likeness struct {
	ID    string
	Share float64 // of the text's words that the document has in its own, rare ones weighing more; in (0,1]
}

// Like returns documents that have at least a share of a text's words: the words themselves, none that stand for them. The
// most alike come first; among equals the shorter, the newer, then by id. keep is as in Query. It is what a writer asks
// before something is kept twice, so it is fast where Search is thorough: a document with the share has one of the rarest
// words, for the others together are worth less, so common words' lists are never read (prefix filtering, as in Bayardo,
// Ma and Srikant, "Scaling up all pairs similarity search", 2007).
func (x *Index) Like(s string, least float64, limit int, keep func(*Doc) bool) []Likeness {
	x.mu.RLock()
	defer x.mu.RUnlock()
	asked, whole := x.t.asked(s)
	found := x.t.sharing(asked, whole, least, keep)
	slices.SortFunc(found, func(a, b rough) int {
		return cmp.Or(cmp.Compare(b.total, a.total), cmp.Compare(x.t.cells[a.slot].textLen, x.t.cells[b.slot].textLen), x.t.compare(a, b))
	})
	out := make([]Likeness, 0, min(len(found), limit))
	for _, f := range found[:min(len(found), limit)] {
		out = append(out, Likeness{x.t.entries[f.slot].doc.ID, f.total})
	}
	return out
}

// asked returns the distinct terms of a text as lookups, those that most documents have last, and what they are worth together.
func (t *tables) asked(s string) (asked []lookup, whole float64) {
	n, seen := float64(len(t.slots)), map[string]bool{}
	for _, stem := range slices.Concat(text.Sought(s), text.Emoji(s)) {
		if seen[stem] {
			continue
		}
		seen[stem] = true
		l := lookup{list: none, weight: rarity(n, 0)}
		if at, ok := t.words[stem]; ok {
			l.list, l.weight = at, rarity(n, float64(t.lists[at].textDF))
		}
		whole += l.weight
		asked = append(asked, l)
	}
	slices.SortStableFunc(asked, func(a, b lookup) int { return cmp.Compare(b.weight, a.weight) })
	return asked, whole
}

// rarity returns an idf in whole 1024ths, of which there is always one: sums are exact in any order.
func rarity(n, df float64) float64 { return max(grain(idf(n, df)), 1./1024) }

// sharing finds the living documents that have the share of what the terms are worth.
func (t *tables) sharing(asked []lookup, whole, least float64, keep func(*Doc) bool) []rough {
	var out []rough
	weights, met := make(map[uint32]float64, len(asked)), map[uint32]bool{}
	for _, l := range asked {
		weights[l.list] = l.weight
	}
	for rest := whole; len(asked) > 0 && rest/whole >= least; asked = asked[1:] {
		rest -= asked[0].weight
		if asked[0].list == none {
			continue
		}
		for _, p := range t.lists[asked[0].list].posts {
			if p.text == 0 || met[p.slot] || !t.cells[p.slot].live {
				continue
			}
			met[p.slot] = true
			if keep != nil && !keep(&t.entries[p.slot].doc) {
				continue
			}
			if share := t.share(p.slot, weights) / whole; share >= least {
				out = append(out, rough{share, p.slot})
			}
		}
	}
	return out
}

// share returns what the weighted terms that a document has are worth together.
func (t *tables) share(slot uint32, weights map[uint32]float64) float64 {
	sum := 0.0
	for _, f := range t.entries[slot].terms {
		if f.text > 0 {
			sum += weights[f.list]
		}
	}
	return sum
}
