package local

import (
	"container/list"
	"sync"
	"sync/atomic"
)

// table has the blocks in memory, in the order in which they were used, and keeps their size below a bound.
type table struct {
	bound int64
	loads atomic.Int64

	mu     sync.Mutex
	blocks map[place]*list.Element
	order  *list.List // of *block, last used first
	total  int64
	drops  int64
}

func newTable(bound int64) *table {
	return &table{bound: bound, blocks: map[place]*list.Element{}, order: list.New()}
}

// take returns the block of a place, an empty one if there is none. It stays until the caller gives it back.
func (t *table) take(p place, dim int) *block {
	t.mu.Lock()
	defer t.mu.Unlock()
	e, ok := t.blocks[p]
	if !ok {
		e = t.order.PushFront(newBlock(p, dim))
		t.blocks[p] = e
	}
	t.order.MoveToFront(e)
	b := e.Value.(*block)
	b.refs++
	return b
}

// give ends the use of a block: it is counted at its present size, and blocks that nobody uses go, the one used longest ago
// first, until the rest is within the bound. The one used last stays, however large: it would only be read again.
func (t *table) give(b *block) {
	t.mu.Lock()
	defer t.mu.Unlock()
	b.refs--
	t.total -= b.size
	b.size, b.entries = b.bytes()
	t.total += b.size
	for e := t.order.Back(); e != nil && e != t.order.Front() && t.total > t.bound; {
		before := e.Prev()
		if e.Value.(*block).refs == 0 {
			t.remove(e)
			t.drops++
		}
		e = before
	}
}

func (t *table) remove(e *list.Element) {
	b := t.order.Remove(e).(*block)
	delete(t.blocks, b.place)
	t.total -= b.size
}

// removeSpace lets go of the blocks of a space, which nobody uses.
func (t *table) removeSpace(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for p, e := range t.blocks {
		if p.space == key {
			t.remove(e)
		}
	}
}

func (t *table) clear() {
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.blocks)
	t.order.Init()
	t.total = 0
}
