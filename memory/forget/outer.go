package forget

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// This file writes the lines of the ledger outside, and in the store how far it knows them.

// tellAsked writes down outside that something is to be erased. Where that cannot be done nothing is erased.
func (r *Room) tellAsked(ctx context.Context, user state.Scope, o state.Order) error {
	if r.outer == nil {
		return r.mayDoWithout(ctx)
	}
	l, err := r.asking(ctx, user, o)
	if err == nil {
		err = r.tell(ctx, user, o.ID, l)
	}
	if err != nil {
		return state.Errorf(state.Unavailable, "forget "+o.What, "nothing was erased, for it cannot be written down outside of the store: %w", err)
	}
	return nil
}

// mayDoWithout refuses to erase where others write down outside what is erased, and this process has nothing to write to: a backup would bring it back.
func (r *Room) mayDoWithout(ctx context.Context) error {
	if k, _, err := r.readKnows(ctx); err != nil || k.Last == 0 {
		return err
	}
	return state.Errorf(state.Unavailable, "forget", "nothing was erased: %w", errUnnamed("erasure ledger"))
}

// errUnnamed returns the error of a process that has no ledger, where others have one.
func errUnnamed(op string) error {
	return state.Errorf(state.Conflict, op, "what is erased of this store is written down outside of it, and this process knows of no erasure ledger: name it (erasure_ledger), or if it is lost see mneme forget --adopt")
}

// asking returns the line that asks for an order.
func (r *Room) asking(ctx context.Context, user state.Scope, o state.Order) (Line, error) {
	origin, err := o.Origin, error(nil)
	if origin == 0 { // of an older release
		origin, err = r.origin(ctx, user)
	}
	if err != nil {
		return Line{}, err
	}
	held, err := r.holdings(ctx, user, o)
	by := o.By
	by.Why = ""
	return Line{
		Said: Asked, What: o.What, Name: o.Name, By: &by, AskedAt: o.At, Origin: origin, Pinned: o.Pinned, Whole: o.Whole,
		Erase: o.Erase, Cut: o.Cut, Threads: o.Threads, Turns: o.Turns, Spared: o.Spared, Held: held,
	}, err
}

// tellDone writes down outside that an order is carried out.
func (r *Room) tellDone(ctx context.Context, user state.Scope, o state.Order) error {
	if r.outer == nil || o.Stage != "" {
		return nil
	}
	l := Line{Said: Done, Layers: o.Layers}
	switch {
	case len(o.Held) > 0:
		held, err := r.holdings(ctx, user, o)
		if err != nil {
			return err
		}
		l.Said, l.Held = Waits, held
	case !o.AgainAt.IsZero():
		l.Said = Again
	}
	if err := r.tell(ctx, user, o.ID, l); err != nil {
		return fmt.Errorf("order %s is carried out, and the next start writes that down outside: %w", o.ID, err)
	}
	return nil
}

// tellDropped writes down outside that an order, if there is one, came to nothing.
func (r *Room) tellDropped(ctx context.Context, user state.Scope, id string) error {
	if r.outer == nil || id == "" {
		return nil
	}
	return r.tell(ctx, user, id, Line{Said: Dropped})
}

// tell adds a line, and notes in the store that there is one.
func (r *Room) tell(ctx context.Context, user state.Scope, order string, l Line) error {
	before, _, err := r.readKnows(ctx)
	if err != nil {
		return err
	}
	l.At, l.Client, l.User, l.Order = r.desk.Now(), user.Client, user.User, order
	if l, err = r.outer.Append(ctx, l); err != nil {
		return err
	}
	if l.Seq <= before.Last || l.Seq == before.Last+1 && l.Prev != before.Sum {
		return state.Errorf(state.Conflict, "erasure ledger "+r.outer.Where(), "has lost lines since this process began: it has %d, and this store has seen %d; put it back from a copy", l.Seq-1, before.Last)
	}
	return r.note(ctx, func(k *knows) {
		if l.Seq > k.Last {
			k.Last, k.Sum = l.Seq, l.Sum
		}
	})
}

// origin returns when a user's memory began, in milliseconds, 0 = it has not. Copies and backups of a store have it alike.
func (r *Room) origin(ctx context.Context, user state.Scope) (int64, error) {
	docs, err := r.desk.Store.Scan(ctx, store.Query{Collection: state.Feed, Prefix: user.UserPrefix(), Limit: 1})
	if err != nil || len(docs) == 0 {
		return 0, err
	}
	e, err := ledger.Decode[ledger.Entry](docs[0])
	return int64(e.At), err
}

// known returns an order as the store has it, and whether it has it.
func (r *Room) known(ctx context.Context, user state.Scope, id string) (state.Order, bool, error) {
	doc, err := r.desk.Store.Get(ctx, state.Orders, user.Key(id))
	if errors.Is(err, state.ErrNotFound) {
		return state.Order{}, false, nil
	}
	if err != nil {
		return state.Order{}, false, err
	}
	o, err := ledger.Decode[state.Order](doc)
	return o, err == nil, err
}

// knows says what a store knows of the ledger outside. It is a document of the store, so a backup has it as it was.
type knows struct {
	Last    int64  `bson:"last"`    // number of the last line that was seen
	Sum     string `bson:"sum"`     // of that line
	Through int64  `bson:"through"` // the orders of the lines up to this one are all in the store
	Told    bool   `bson:"told"`    // the orders from before there was a ledger are all in it

	Brought []string `bson:"brought,omitempty"` // users of whom a Bring has begun: "client/user"
}

// knowsID is its id among the documents of state.Meta.
const knowsID = "erasures"

// readKnows reads it, and its revision.
func (r *Room) readKnows(ctx context.Context) (k knows, rev int64, err error) {
	doc, err := r.desk.Store.Get(ctx, state.Meta, knowsID)
	if errors.Is(err, state.ErrNotFound) {
		return k, 0, nil
	}
	if err != nil {
		return k, 0, err
	}
	k, err = ledger.Decode[knows](doc)
	return k, doc.Rev, err
}

// note changes what the store knows; of several at once one comes after the other.
func (r *Room) note(ctx context.Context, change func(*knows)) error {
	for {
		k, rev, err := r.readKnows(ctx)
		if err != nil {
			return err
		}
		was, err := bson.Marshal(k)
		change(&k)
		body, changed := bson.Marshal(k)
		if err = errors.Join(err, changed); err != nil {
			return state.Errorf(state.Internal, knowsID, "cannot be stored: %w", err)
		}
		if bytes.Equal(was, body) {
			return nil
		}
		err = r.desk.Store.Write(ctx, store.Doc{Collection: state.Meta, ID: knowsID, Rev: rev, Body: body})
		if !errors.Is(err, state.ErrConflict) {
			return err
		}
	}
}
