package local

import (
	"context"
	"math"
	"slices"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/state/store"
)

// probe is a query in the numbers of one view. It needs no lock.
type probe struct {
	view     *rows
	vector   []float32 // normalised
	limit    int
	open     bool    // every row counts: no filter, none dead
	only     []int32 // rows of Query.IDs, ascending; meant if listed
	listed   bool
	kinds    []bool // by number; nil = any
	session  int64  // number; -1 = any
	from, to int64  // milliseconds
}

// ask puts a query in numbers. ok is false if the block has to be read first.
func (b *block) ask(q index.Query) (p *probe, ok bool) {
	// What needs no block.
	p = &probe{vector: index.Unit(q.Vector), limit: q.Limit, listed: q.IDs != nil, session: -1, from: math.MinInt64, to: math.MaxInt64}
	if !q.From.IsZero() {
		p.from = q.From.UnixMilli()
	}
	if !q.To.IsZero() {
		p.to = q.To.UnixMilli()
	}

	// Names and ids become the numbers of the view; a name that the block does not have is one that no row has.
	b.mu.RLock()
	defer b.mu.RUnlock()
	if b.view == nil {
		return nil, false
	}
	p.view = b.view
	p.open = p.view.n == p.view.living && len(q.Kinds) == 0 && q.Session == "" && q.From.IsZero() && q.To.IsZero()
	if len(q.Kinds) > 0 {
		p.kinds = make([]bool, len(p.view.names))
		for _, kind := range q.Kinds {
			if n, ok := b.names[kind]; ok {
				p.kinds[n] = true
			}
		}
	}
	if q.Session != "" {
		n, ok := b.names[q.Session]
		if p.session = int64(n); !ok {
			p.session = math.MaxInt64
		}
	}
	for _, id := range q.IDs {
		if i, ok := b.byID[id]; ok {
			p.only = append(p.only, i)
		}
	}
	slices.Sort(p.only)
	p.only = slices.Compact(p.only)
	return p, true
}

// lets says whether a row counts.
func (p *probe) lets(i int) bool {
	if p.open {
		return true
	}
	v := p.view
	return !v.isDead(i) && (p.kinds == nil || p.kinds[v.kinds[i]]) && (p.session < 0 || int64(v.sessions[i]) == p.session) &&
		v.ats[i] >= p.from && v.ats[i] < p.to
}

// search returns the hits, nearest first.
func (p *probe) search(ctx context.Context, s *Shelf) ([]index.Hit, error) {
	top := newBest(p.limit, p.view.n, slack(p.view.vectors.width))
	switch {
	case p.listed:
		p.score(s, p.only, top)
	case p.view.sketch != nil:
		p.score(s, p.nearby(), top)
	default:
		if err := p.scan(ctx, s, top); err != nil {
			return nil, err
		}
	}
	if ctx.Err() != nil {
		return nil, store.Cancelled(ctx)
	}
	return p.settle(top.rows()), nil
}

// scan computes the cosine of every row that counts.
func (p *probe) scan(ctx context.Context, s *Shelf, top *best) error {
	vectors := p.view.vectors
	width, first := vectors.width, 0
	for _, piece := range vectors.pieces {
		if ctx.Err() != nil {
			return store.Cancelled(ctx)
		}
		count := len(piece) / width
		for i := range count {
			if p.lets(first + i) {
				top.offer(s.dot(p.vector, piece[i*width:(i+1)*width]), first+i)
			}
		}
		first += count
	}
	return nil
}

// score computes the cosines of these rows, of those among them that count.
func (p *probe) score(s *Shelf, list []int32, top *best) {
	for _, i := range list {
		if p.lets(int(i)) {
			top.offer(s.dot(p.vector, p.view.vectors.row(int(i))), int(i))
		}
	}
}
