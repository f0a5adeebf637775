package local

// SketchFrom lets tests sketch small blocks and short vectors.
func (s *Shelf) SketchFrom(rows, dim int) { s.sketchFrom, s.sketchDim = rows, dim }

// PureGo makes the shelf compute as it does on a processor that package vek has no instructions for.
func (s *Shelf) PureGo() { s.dot = dot }

// Usage is what a shelf holds in memory, and what it did to get there.
type Usage struct {
	Bytes   int64 `json:"bytes"`   // of all blocks, their unused capacity too
	Blocks  int   `json:"blocks"`  // an owner's entries in one space each
	Entries int   `json:"entries"` // in those blocks
	Loads   int64 `json:"loads"`   // blocks read from the store since New
	Drops   int64 `json:"drops"`   // blocks let go to make room since New
}

// Usage says how much memory the blocks take. A block counts from the end of the call that read or changed it.
func (s *Shelf) Usage() Usage {
	t := s.blocks
	t.mu.Lock()
	defer t.mu.Unlock()
	u := Usage{Bytes: t.total, Blocks: t.order.Len(), Loads: t.loads.Load(), Drops: t.drops}
	for e := t.order.Front(); e != nil; e = e.Next() {
		u.Entries += e.Value.(*block).entries
	}
	return u
}
