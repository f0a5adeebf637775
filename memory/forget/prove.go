package forget

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// This file looks at orders that were given, and for what they should have left nothing of.

// Proof is an order with what is known of it: each of its layers says what a probe finds of it now.
type Proof struct {
	state.Order
	ProbedAt time.Time `json:"probed_at,omitzero"`
	Left     int       `json:"left"`              // of all layers
	Outside  []Line    `json:"outside,omitempty"` // what the ledger outside says of it
}

// Proves reports whether nothing is left of what was ordered, and nothing is waited for.
func (p Proof) Proves() bool { return !p.ProbedAt.IsZero() && p.Left == 0 && !p.DoneAt.IsZero() }

// Orders returns what was ordered to be erased of a user's memory, the last first.
func (r *Room) Orders(ctx context.Context, scope state.Scope) ([]state.Order, error) {
	scope = scope.Default()
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	orders, err := ledger.Scan[state.Order](ctx, r.desk.Base, store.Query{Collection: state.Orders, Prefix: scope.UserPrefix()})
	slices.SortStableFunc(orders, func(a, b state.Order) int { return b.At.Compare(a.At) })
	return orders, err
}

// Prove returns an order of a user's, and with probe looks in every layer for what it should have left nothing of. What was said again later is
// nothing of it. One that is not there is state.ErrNotFound. It changes nothing.
func (r *Room) Prove(ctx context.Context, scope state.Scope, id string, probe bool) (Proof, error) {
	scope = scope.Default()
	if err := errors.Join(scope.Validate(), state.ValidateID("order", id)); err != nil {
		return Proof{}, err
	}
	o, there, err := r.known(ctx, scope, id)
	if err == nil && !there {
		err = state.Errorf(state.NotFound, "order "+id, "is not there")
	}
	if err != nil {
		return Proof{}, err
	}
	p := Proof{Order: o}
	if err := r.tellOutside(ctx, scope, &p); err != nil || !probe {
		return p, err
	}

	// What the receipt has of a layer is put by what is found now.
	found, err := r.probeAgain(ctx, scope, o)
	if err != nil {
		return p, err
	}
	for name, n := range found {
		p.Order.Probe(name, n, "")
	}
	for i, l := range p.Layers {
		if p.Layers[i].Left = found[l.Name]; found[l.Name] > 0 {
			p.Left += found[l.Name]
		}
	}
	p.ProbedAt = r.desk.Now()
	return p, nil
}

// tellOutside adds what the ledger outside says of an order.
func (r *Room) tellOutside(ctx context.Context, user state.Scope, p *Proof) error {
	if r.outer == nil {
		return nil
	}
	lines, err := r.outer.Lines(ctx)
	if err == nil {
		err = Check(lines)
	}
	p.Outside = slices.DeleteFunc(lines, func(l Line) bool { return l.Client != user.Client || l.User != user.User || l.Order != p.ID })
	return err
}

// probeAgain looks in every layer for what is left of an order, by layer.
func (r *Room) probeAgain(ctx context.Context, user state.Scope, o state.Order) (map[string]int, error) {
	found := map[string]int{}
	for _, look := range []func(context.Context, state.Scope, state.Order, map[string]int) error{
		r.probeDocuments, r.probeFeed, r.probeLog, r.probeWords, r.probeVectors,
	} {
		if err := look(ctx, user, o, found); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// probeDocuments counts the documents that are there and are from before the order.
func (r *Room) probeDocuments(ctx context.Context, user state.Scope, o state.Order, found map[string]int) error {
	kept, err := r.readKept(ctx, user)
	if err != nil {
		return err
	}
	gone := map[string]bool{}
	for _, name := range o.Erase {
		gone[name] = true
	}
	count := func(c state.Collection, key string, at time.Time) {
		name := string(c) + "/" + key
		stays := slices.Contains(o.Spared, name) || slices.Contains(o.Held, name)
		if !at.After(o.At) && (gone[name] || o.Whole && !stays) {
			found[string(c)]++
		}
	}
	kept.each(count)
	return nil
}

// each calls do with every document, and when it was made.
func (k keptDocs) each(do func(c state.Collection, key string, at time.Time)) {
	for _, d := range k.messages {
		do(state.Messages, d.key, d.v.At)
	}
	for _, d := range k.records {
		do(state.Records, d.key, d.v.RecordedAt)
	}
	for _, d := range k.affairs {
		do(state.Affairs, d.key, d.v.CreatedAt)
	}
	for _, d := range k.sessions {
		do(state.Sessions, d.key, d.v.StartedAt)
	}
	for _, d := range k.suggestions {
		do(state.Suggestions, d.key, d.v.At)
	}
}

// probeFeed counts the entries from before the order that tell what its documents were.
func (r *Room) probeFeed(ctx context.Context, user state.Scope, o state.Order, found map[string]int) error {
	for docs, err := range store.Pages(ctx, r.desk.Store.Scan, store.Query{Collection: state.Feed, Prefix: user.UserPrefix(), Limit: erasePiece}) {
		if err != nil {
			return err
		}
		for _, doc := range docs {
			e, err := ledger.Decode[ledger.Entry](doc)
			if err != nil {
				return err
			}
			told := slices.ContainsFunc(e.Changes, func(c ledger.Change) bool {
				return !c.Erased && len(c.Fields) > 0 && slices.Contains(o.Erase, string(c.Ref.Collection)+"/"+c.Ref.ID)
			})
			if e.Seq <= o.After && (told || o.Whole && len(e.Changes)+len(e.Changed) > 0) {
				found["feed"]++
			}
		}
	}
	return nil
}

// probeLog counts the steps of its turns that hold anything.
func (r *Room) probeLog(ctx context.Context, user state.Scope, o state.Order, found map[string]int) (err error) {
	log := r.eraser()
	defer func() { err = errors.Join(err, log.Close()) }()
	for _, t := range o.Turns {
		steps, err := log.Steps(ctx, state.Thread{Client: user.Client, ID: t.Thread}, 1)
		if err != nil && !errors.Is(err, state.ErrNotFound) {
			return err
		}
		for _, s := range steps {
			if slices.Contains(t.Turns, s.Turn) && len(s.Parts) > 0 {
				found["log"]++
			}
		}
	}
	return nil
}

// probeWords counts word indexes from before the order.
func (r *Room) probeWords(ctx context.Context, user state.Scope, o state.Order, found map[string]int) error {
	docs, err := r.desk.Store.Scan(ctx, store.Query{Collection: state.Snapshots, Prefix: user.UserPrefix()})
	for _, doc := range docs {
		if seq, ok := doc.Body.Lookup("seq").AsInt64OK(); ok && seq <= o.After {
			found["word index"]++
		}
	}
	return err
}

// probeVectors counts the vectors whose documents are not there any more: in the index that is in use, or where this process has no embedder in the
// store.
func (r *Room) probeVectors(ctx context.Context, user state.Scope, o state.Order, found map[string]int) error {
	if r.desk.Vectors != nil {
		n, err := r.desk.Vectors.Orphans(ctx, index.Of(user))
		if n > 0 {
			found["vectors"] = n
		}
		return err
	}
	for docs, err := range store.Pages(ctx, r.desk.Store.Scan, store.Query{Collection: state.Vectors, Prefix: user.UserPrefix(), Limit: erasePiece}) {
		if err != nil {
			return err
		}
		for _, doc := range docs {
			if slices.ContainsFunc(o.Erase, func(name string) bool { return strings.HasSuffix(doc.ID, "/"+parseRef(name).ID) }) {
				found["vectors"]++
			}
		}
	}
	return nil
}
