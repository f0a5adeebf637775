package local

// SketchFrom lets tests sketch small blocks and short vectors.
func (s *Shelf) SketchFrom(rows, dim int) { s.sketchFrom, s.sketchDim = rows, dim }

// PureGo makes the shelf compute as it does on a processor that package vek has no instructions for.
func (s *Shelf) PureGo() { s.dot = dot }
