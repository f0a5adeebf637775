package indextest

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/state"
)

// plainShelf is the seam in the plainest way, over the model the suite compares drivers with. Its fault is the one mistake it
// makes; "" is none.
type plainShelf struct {
	fault  string
	mu     sync.Mutex
	spaces map[index.Space]book
	live   index.Space
}

type plainVectors struct {
	*plainShelf
	space index.Space
}

func (p *plainShelf) lock(ctx context.Context) (func(), error) {
	if ctx.Err() != nil && p.fault != "goes on when cancelled" {
		return nil, state.Errorf(state.Unavailable, "call", "given up: %w", ctx.Err())
	}
	p.mu.Lock()
	return p.mu.Unlock, nil
}

func (p *plainShelf) Live(ctx context.Context) (index.Space, bool, error) {
	unlock, err := p.lock(ctx)
	if err != nil {
		return index.Space{}, false, err
	}
	defer unlock()
	return p.live, p.live != index.Space{}, nil
}

func (p *plainShelf) Open(ctx context.Context, s index.Space) (index.Vectors, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if p.fault == "spaces of one model meet" {
		s.Version = 1
	}
	unlock, err := p.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if p.spaces[s] == nil || p.fault == "opening empties" {
		p.spaces[s] = book{}
	}
	return plainVectors{p, s}, nil
}

func (p *plainShelf) Promote(ctx context.Context, s index.Space) error {
	if err := s.Validate(); err != nil {
		return err
	}
	unlock, err := p.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if p.spaces[s] == nil && p.fault != "promotes what is not there" {
		return state.Errorf(state.NotFound, "promote "+s.String(), "is not there")
	}
	p.live = s
	return nil
}

func (p *plainShelf) Drop(ctx context.Context, keep ...index.Space) (dropped []index.Space, err error) {
	for _, s := range keep {
		if err := s.Validate(); err != nil {
			return nil, err
		}
	}
	unlock, err := p.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if p.live == (index.Space{}) && p.fault != "drops while none is live" {
		return nil, state.Errorf(state.Conflict, "drop", "none is live")
	}
	for _, s := range slices.SortedFunc(maps.Keys(p.spaces), index.Space.Compare) {
		switch {
		case s == p.live && p.fault != "drops the live one", slices.Contains(keep, s) && p.fault != "drops what is to be kept",
			p.fault == "drops one at a time" && len(dropped) > 0:
			continue
		case p.fault != "drop keeps the entries":
			delete(p.spaces, s)
		}
		if p.fault != "drops without a word" {
			dropped = append(dropped, s)
		}
	}
	return dropped, nil
}

func (p *plainShelf) Close() error { return nil }

// whose is the owner as a faulty driver takes it.
func (p *plainShelf) whose(call string, o index.Owner) index.Owner {
	switch {
	case p.fault == call+" forgets the client":
		o.Client = ""
	case p.fault == call+" forgets the user":
		o.User = ""
	case p.fault == "owners in small letters":
		o = index.Owner{Client: strings.ToLower(o.Client), User: strings.ToLower(o.User)}
	}
	return o
}

// reach are the entries a call gets at: those of its owner, or with a fault of every owner that looks alike to it.
func (v plainVectors) reach(call string, o index.Owner) []index.Owner {
	var all []index.Owner
	for other := range v.spaces[v.space] {
		if v.whose(call, other) == v.whose(call, o) {
			all = append(all, other)
		}
	}
	return all
}

func (v plainVectors) Put(ctx context.Context, o index.Owner, entries ...index.Entry) error {
	if err := v.space.Check(o, entries...); err != nil && v.fault != "puts anything" {
		return err
	}
	unlock, err := v.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	for i, e := range entries {
		if v.fault != "keeps the caller's memory" {
			e.Vector = slices.Clone(e.Vector)
		}
		e.At = time.UnixMilli(e.At.UnixMilli())
		if v.fault == "times to the second" {
			e.At = e.At.Truncate(time.Second)
		}
		if v.fault == "batches end at 1000" && i == 1000 || v.fault == "never replaces" && v.spaces[v.space][o][e.ID].ID != "" {
			break
		}
		for _, other := range append(v.reach("put", o), o) {
			if _, there := v.spaces[v.space][other][e.ID]; there || other == o {
				v.spaces[v.space].put(other, []index.Entry{e})
			}
		}
	}
	return nil
}

func (v plainVectors) Delete(ctx context.Context, o index.Owner, ids ...string) error {
	if err := o.Validate(); err != nil {
		return err
	}
	if len(ids) == 0 && v.fault != "deletes nothing gladly" {
		return state.Errorf(state.Invalid, "delete", "names no ids")
	}
	unlock, err := v.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	for _, other := range v.reach("delete", o) {
		for id := range v.spaces[v.space][other] {
			if slices.Contains(ids, id) || v.fault == "deletes by prefix" && strings.HasPrefix(id, ids[0]) {
				delete(v.spaces[v.space][other], id)
			}
		}
	}
	return nil
}

func (v plainVectors) Search(ctx context.Context, o index.Owner, q index.Query) ([]index.Hit, error) {
	if err := q.Validate(v.space, o); err != nil {
		return nil, err
	}
	unlock, err := v.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	var hits []index.Hit
	limit := q.Limit
	q = v.spoil(q)
	for _, other := range v.reach("search", o) {
		for _, h := range v.spaces[v.space].search(other, q) {
			if v.fault == "scores by dot product" {
				h.Cosine *= float32(math.Sqrt(cosine(q.Vector, q.Vector))) * 2
			}
			hits = append(hits, h)
		}
	}
	slices.SortStableFunc(hits, func(x, y index.Hit) int {
		if v.fault == "ties by anything" {
			return cmp.Or(cmp.Compare(y.Cosine, x.Cosine), cmp.Compare(y.ID, x.ID))
		}
		return cmp.Or(cmp.Compare(y.Cosine, x.Cosine), cmp.Compare(x.ID, y.ID))
	})
	if v.fault == "no negative cosines" {
		hits = slices.DeleteFunc(hits, func(h index.Hit) bool { return h.Cosine < 0 })
	}
	return hits[:min(len(hits), limit)], nil
}

// spoil is the query as a faulty driver understands it.
func (v plainVectors) spoil(q index.Query) index.Query {
	switch v.fault {
	case "no ids are any":
		if len(q.IDs) == 0 {
			q.IDs = nil
		}
	case "ids do not filter":
		q.IDs = nil
	case "kinds do not filter":
		q.Kinds = nil
	case "the empty kind is any":
		if slices.Contains(q.Kinds, "") {
			q.Kinds = nil
		}
	case "sessions do not filter":
		q.Session = ""
	case "from is exclusive":
		if !q.From.IsZero() {
			q.From = q.From.Add(time.Millisecond)
		}
	case "to is inclusive":
		if !q.To.IsZero() {
			q.To = q.To.Add(time.Millisecond)
		}
	}
	return q
}

func (v plainVectors) List(ctx context.Context, o index.Owner) ([]index.Entry, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	unlock, err := v.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	var entries []index.Entry
	for _, other := range v.reach("list", o) {
		entries = append(entries, v.spaces[v.space].list(other)...)
	}
	slices.SortFunc(entries, func(x, y index.Entry) int { return cmp.Compare(x.ID, y.ID) })
	for i := range entries {
		if v.fault != "lists vectors" {
			entries[i].Vector = nil
		}
	}
	if v.fault == "lists end at 1000" {
		entries = entries[:min(len(entries), 1000)]
	}
	return entries, nil
}
