package local

// best keeps the rows that can be among the nearest, going by cosines that are off by half of slack at most: the limit
// best that were offered, and all that lie no further than slack behind the last of them. What it ends with does not
// depend on the order of the offers.
type best struct {
	limit int
	slack float32
	heap  []found // the best so far, once there are limit of them with the worst at the root
	floor float32 // slack below the root
	close []found // others that were not below the floor when they came
}

type found struct {
	cosine float32
	row    int32
}

func newBest(limit, rows int, slack float32) *best {
	return &best{limit: limit, slack: slack, heap: make([]found, 0, min(limit, rows))}
}

// offer lets a row in if it can be among the best. A cosine that rounding took above 1 or below -1 is 1 or -1.
func (b *best) offer(cosine float32, row int) {
	f := found{min(max(cosine, -1), 1), int32(row)}
	if len(b.heap) < b.limit {
		b.heap = append(b.heap, f)
		if len(b.heap) == b.limit {
			for i := b.limit/2 - 1; i >= 0; i-- {
				b.sink(i)
			}
			b.floor = b.heap[0].cosine - b.slack
		}
		return
	}
	if f.cosine < b.floor {
		return
	}
	if f.cosine > b.heap[0].cosine {
		f, b.heap[0] = b.heap[0], f
		b.sink(0)
		b.floor = b.heap[0].cosine - b.slack
	}
	b.keep(f)
}

// keep takes a row in that is not among the best, but may be close to them. Before the list grows it loses those that the
// floor has left behind.
func (b *best) keep(f found) {
	if f.cosine < b.floor {
		return
	}
	if len(b.close) == cap(b.close) {
		b.close = b.above()
	}
	b.close = append(b.close, f)
}

// above returns the close rows that are not below the floor by now, with room for as many again.
func (b *best) above() []found {
	const room = 64
	kept := b.close[:0]
	for _, f := range b.close {
		if f.cosine >= b.floor {
			kept = append(kept, f)
		}
	}
	if cap(kept) >= room && len(kept) <= cap(kept)/2 {
		return kept
	}
	return append(make([]found, 0, max(room, 2*len(kept))), kept...)
}

// sink moves element i down to where neither child is worse.
func (b *best) sink(i int) {
	for {
		worst := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(b.heap); child++ {
			if b.heap[child].cosine < b.heap[worst].cosine {
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

// rows returns those kept, in no order.
func (b *best) rows() []found { return append(b.heap, b.above()...) }
