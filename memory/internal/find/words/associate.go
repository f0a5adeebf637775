package words

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// Bounds of an association.
const (
	attended    = 32   // documents that a query attends to, the best hits
	temperature = .05  // of the attention: what lies .05 nearer weighs e times as much
	recalled    = 24   // words of what they say together, the weightiest
	mostRecall  = 1000 // documents that have one of them are compared
)

// Association is a document that resembles what a query brings to mind. Cosine is that with what its hits say together.
type Association struct {
	ID     string
	Cosine float64
}

// Associate attends to the best hits of the query, each by its cosine with it: that of Query.Near, or without vectors that of
// tf-idf word vectors. What they say together, their word vectors weighed by the softmax of these cosines, is compared with the others'.
// The gate is the cosine of the hits, weighed so: how near the query is to what memory makes of it. The hits themselves, Query.Limit of
// them, are no associations; at most that many come back, the nearest first. A document of few words is held back: it resembles all that
// has them.
func (x *Index) Associate(q Query) (gate float64, out []Association) {
	x.mu.RLock()
	defer x.mu.RUnlock()

	// The best hits, each with its nearness to the query; a vector counts instead of words where there is one.
	limit := q.Limit
	q.Limit = max(attended, limit)
	hits := x.search(q, x.t.profile())
	asked, cosines := x.t.queryVector(q.Text), make([]float64, min(attended, len(hits)))
	for i := range cosines {
		cosines[i] = dotVectors(asked, x.t.vector(x.t.slots[hits[i].ID]))
		if q.Near != nil {
			cosines[i] = max(float64(q.Near[hits[i].ID]), 0)
		}
	}

	together, sum := vector{}, 0.0
	for i, cosine := range cosines {
		weight := math.Exp((cosine - 1) / temperature)
		sum += weight
		gate += weight * cosine
		for list, w := range x.t.vector(x.t.slots[hits[i].ID]) {
			together[list] += weight * w
		}
	}

	// Without a hit nothing comes to mind.
	if sum == 0 {
		return 0, nil
	}
	shown := map[string]bool{}
	for _, h := range hits[:min(limit, len(hits))] {
		shown[h.ID] = true
	}
	return gate / sum, x.t.resembling(together.unit(), shown, q.Keep, limit)
}

// vector is a text as the worth of its words, of length 1.
type vector map[uint32]float64

func (v vector) unit() vector {
	sum := 0.0
	for _, list := range slices.Sorted(maps.Keys(v)) {
		sum += v[list] * v[list]
	}
	for list := range v {
		v[list] /= math.Sqrt(sum)
	}
	return v
}

// dotVectors adds in the order of lists, so that equal vectors give equal bits.
func dotVectors(a, b vector) float64 {
	sum := 0.0
	for _, list := range slices.Sorted(maps.Keys(a)) {
		sum += a[list] * b[list]
	}
	return sum
}

// vector returns that of a document's own text.
func (t *tables) vector(slot uint32) vector {
	v := vector{}
	for _, c := range t.entries[slot].terms {
		if c.text > 0 {
			v[c.list] = idf(float64(len(t.slots)), float64(t.lists[c.list].textDF)) * (1 + math.Log(float64(c.text)))
		}
	}
	return v.unit()
}

// queryVector returns that of a query, as far as its words are known.
func (t *tables) queryVector(query string) vector {
	v := vector{}
	for _, c := range analyse(Doc{Text: query}).terms {
		if list, ok := t.words[c.word]; ok && t.lists[list].textDF > 0 && c.counts.text > 0 {
			v[list] = idf(float64(len(t.slots)), float64(t.lists[list].textDF))
		}
	}
	return v.unit()
}

// resembling returns the documents nearest to a vector.
func (t *tables) resembling(v vector, shown map[string]bool, keep Filter, limit int) []Association {
	lists := slices.SortedFunc(maps.Keys(v), func(a, b uint32) int {
		return cmp.Or(cmp.Compare(v[b], v[a]), cmp.Compare(t.lists[a].word, t.lists[b].word))
	})
	met := map[uint32]bool{}
	for _, list := range lists[:min(recalled, len(lists))] {
		for _, p := range t.lists[list].posts {
			e := &t.entries[p.slot]
			if p.text > 0 && t.cells[p.slot].live && len(met) < mostRecall && !met[p.slot] && !shown[e.doc.ID] && keep.lets(&e.doc) {
				met[p.slot] = true
			}
		}
	}
	var out []Association
	for slot := range met {
		words := float64(t.entries[slot].distinct)
		out = append(out, Association{t.entries[slot].doc.ID, dotVectors(t.vector(slot), v) * words / (words + 3)})
	}
	slices.SortFunc(out, func(a, b Association) int { return cmp.Or(cmp.Compare(b.Cosine, a.Cosine), cmp.Compare(a.ID, b.ID)) })
	return out[:min(limit, len(out))]
}
