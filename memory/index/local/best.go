package local

import (
	"cmp"
	"slices"

	"github.com/mneme-graph/mneme/memory/index"
)

// best keeps the nearest rows that were offered: by cosine, equal ones by id. It is a heap whose root is the worst of them.
// What it ends with does not depend on the order of the offers.
type best struct {
	limit int
	ids   []string
	heap  []found
}

type found struct {
	cosine float32
	row    int32
}

func newBest(limit int, ids []string) *best {
	return &best{limit: limit, ids: ids, heap: make([]found, 0, min(limit, len(ids)))}
}

// offer lets a row in if it is among the best so far. A cosine that rounding took above 1 or below -1 is 1 or -1.
func (b *best) offer(cosine float32, row int) {
	cosine = min(max(cosine, -1), 1)
	if len(b.heap) < b.limit {
		b.heap = append(b.heap, found{cosine, int32(row)})
		if len(b.heap) == b.limit {
			for i := b.limit/2 - 1; i >= 0; i-- {
				b.sink(i)
			}
		}
		return
	}
	if cosine < b.heap[0].cosine {
		return
	}
	if f := (found{cosine, int32(row)}); b.compare(f, b.heap[0]) < 0 {
		b.heap[0] = f
		b.sink(0)
	}
}

// compare orders what is nearer first.
func (b *best) compare(x, y found) int {
	if x.cosine != y.cosine {
		return cmp.Compare(y.cosine, x.cosine)
	}
	return cmp.Compare(b.ids[x.row], b.ids[y.row])
}

// sink moves element i down to where neither child is worse.
func (b *best) sink(i int) {
	for {
		worst := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(b.heap); child++ {
			if b.compare(b.heap[child], b.heap[worst]) > 0 {
				worst = child
			}
		}
		if worst == i {
			return
		}
		b.heap[i], b.heap[worst] = b.heap[worst], b.heap[i]
		i = worst
	}
}

// hits are the rows kept, nearest first.
func (b *best) hits() []index.Hit {
	slices.SortFunc(b.heap, b.compare)
	hits := make([]index.Hit, len(b.heap))
	for i, f := range b.heap {
		hits[i] = index.Hit{ID: b.ids[f.row], Cosine: f.cosine}
	}
	return hits
}
