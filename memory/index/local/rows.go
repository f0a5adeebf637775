package local

import (
	"slices"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/memory/index"
)

// rows is one view of a block: the entries of one owner in one space, in the order they were written. Nobody changes a view
// that others have; the next one shares its memory and appends behind its end.
type rows struct {
	n, living int
	vectors   strip[float32]
	ids       []string
	hashes    []string
	kinds     []uint32 // numbers of names
	sessions  []uint32
	ats       []int64  // milliseconds since 1970
	revs      []int64  // of the documents
	dead      []uint64 // a bit per row; rows behind its end live
	names     []string // kinds and sessions by number
	text      int      // bytes of the strings in the columns
	sketch    *sketch  // nil = none
}

func newRows(dim int) *rows { return &rows{vectors: newStrip[float32](dim)} }

// next returns a view that can be appended to and have rows marked dead, while r stays as it is.
func (r *rows) next() *rows {
	n := *r
	n.vectors = r.vectors.next()
	n.dead = slices.Clone(r.dead)
	n.sketch = r.sketch.next()
	return &n
}

// add appends an entry; kind and session are the numbers of their names. Strings are copied: a caller's may be a piece of
// something large.
func (r *rows) add(e index.Entry, kind, session uint32, rev int64) {
	r.vectors.add(e.Vector)
	r.sketch.add(e.Vector)
	r.ids, r.hashes = append(r.ids, strings.Clone(e.ID)), append(r.hashes, strings.Clone(e.Hash))
	r.kinds, r.sessions = append(r.kinds, kind), append(r.sessions, session)
	r.ats, r.revs = append(r.ats, e.At.UnixMilli()), append(r.revs, rev)
	r.text += allocated(len(e.ID)) + allocated(len(e.Hash))
	r.n++
	r.living++
}

func (r *rows) isDead(i int) bool { return i>>6 < len(r.dead) && r.dead[i>>6]>>(i&63)&1 == 1 }

// bury marks a living row dead.
func (r *rows) bury(i int) {
	for len(r.dead) <= i>>6 {
		r.dead = append(r.dead, 0)
	}
	r.dead[i>>6] |= 1 << (i & 63)
	r.living--
}

// entry returns a row as it was put, without its vector.
func (r *rows) entry(i int) index.Entry {
	return index.Entry{ID: r.ids[i], Hash: r.hashes[i], Kind: r.names[r.kinds[i]], Session: r.names[r.sessions[i]], At: time.UnixMilli(r.ats[i]).UTC()}
}

// number returns that of a kind or session among names, a new one if need be.
func (r *rows) number(names map[string]uint32, name string) uint32 {
	n, ok := names[name]
	if !ok {
		name, n = strings.Clone(name), uint32(len(r.names))
		r.names, names[name] = append(r.names, name), n
		r.text += allocated(len(name)) + slotBytes
	}
	return n
}

const (
	headerBytes = 16 // of a string
	slotBytes   = 44 // of a map from string to number, at its usual filling
)

// bytes returns what the view takes in memory: capacities, not lengths, strings, and the map of its ids.
func (r *rows) bytes() int64 {
	total := 4*r.vectors.capacity() + r.sketch.bytes() + 8*cap(r.dead) + r.text + slotBytes*r.living
	total += headerBytes*(cap(r.ids)+cap(r.hashes)+cap(r.names)) + 4*(cap(r.kinds)+cap(r.sessions)) + 8*(cap(r.ats)+cap(r.revs))
	return int64(total)
}

// allocated is about what the runtime sets aside for n bytes.
func allocated(n int) int { return (n + 15) &^ 15 }

// strip is a long run of rows of equal width, in pieces, so that growing copies at most one piece.
type strip[T float32 | uint64] struct {
	width  int
	shift  int // a full piece has 1 << shift rows
	pieces [][]T
}

// newStrip chooses pieces of about four megabytes of float32.
func newStrip[T float32 | uint64](width int) strip[T] {
	shift := 4
	for shift < 13 && width<<(shift+1) <= 1<<20 {
		shift++
	}
	return strip[T]{width: width, shift: shift}
}

func (s strip[T]) next() strip[T] {
	s.pieces = slices.Clone(s.pieces)
	return s
}

func (s strip[T]) row(i int) []T {
	at := (i & (1<<s.shift - 1)) * s.width
	return s.pieces[i>>s.shift][at : at+s.width]
}

func (s *strip[T]) add(row []T) {
	full := s.width << s.shift
	last := len(s.pieces) - 1
	if last < 0 || len(s.pieces[last]) == full {
		s.pieces, last = append(s.pieces, nil), last+1
	}
	piece := s.pieces[last]
	if len(piece)+s.width > cap(piece) {
		grown := make([]T, len(piece), min(max(2*cap(piece), 4*s.width), full))
		copy(grown, piece)
		piece = grown
	}
	s.pieces[last] = append(piece, row...)
}

func (s strip[T]) capacity() int {
	total := 0
	for _, p := range s.pieces {
		total += cap(p)
	}
	return total
}
