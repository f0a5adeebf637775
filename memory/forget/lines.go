package forget

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// This file reads the ledger outside, and looks whether it is whole and the right one.

// Standing says how the ledger outside stands.
type Standing struct {
	Where  string // "" = there is none
	Lines  int
	Orders int
	Late   int   // orders that this store does not know, and which Restored carries out
	Seen   int64 // number of the last line that the store knows of
}

// Outside looks whether the ledger outside is whole and fits the store, and is state.ErrConflict if not. It changes nothing.
func (r *Room) Outside(ctx context.Context) (s Standing, err error) {
	k, _, err := r.readKnows(ctx)
	switch s.Seen = k.Last; {
	case err != nil:
		return s, err
	case r.outer == nil && k.Last > 0:
		return s, errUnnamed("erasure ledger")
	case r.outer == nil:
		return s, nil
	}
	lines, err := r.outer.Lines(ctx)
	if err == nil {
		err = r.fits(lines, k)
	}
	if err != nil {
		return s, err
	}
	all := foldLines(lines)
	s.Where, s.Lines, s.Orders = r.outer.Where(), len(lines), len(all)
	for _, o := range all {
		_, there, err := r.known(ctx, o.user(), o.asked.Order)
		if err != nil {
			return s, err
		}
		if !there && o.closed != Dropped {
			s.Late++
		}
	}
	return s, nil
}

// tellOlder writes down outside the orders that the store has from before there was a ledger.
func (r *Room) tellOlder(ctx context.Context, told []outerOrder) error {
	return r.each(ctx, state.Orders, "", func(doc store.Doc) error {
		o, err := ledger.Decode[state.Order](doc)
		if err != nil {
			return err
		}
		part := strings.Split(doc.ID, "/")
		user := state.Scope{Client: part[0], User: part[1]}.Default()
		if slices.ContainsFunc(told, func(x outerOrder) bool { return x.asked.Order == o.ID && x.user() == user }) {
			return nil
		}
		l, err := r.asking(ctx, user, o)
		if err == nil {
			err = r.tell(ctx, user, o.ID, l)
		}
		if err == nil {
			err = r.tellDone(ctx, user, o)
		}
		return err
	})
}

// fits refuses a ledger that is damaged, or that is not the one the store was used with.
func (r *Room) fits(lines []Line, k knows) error {
	const way = "put the ledger back from a copy, or name the right one (erasure_ledger); if there is none any more see mneme forget --adopt"
	op := "erasure ledger " + r.outer.Where()
	if err := Check(lines); err != nil {
		return state.Errorf(state.Conflict, op, "%w; %s", err, way)
	}
	switch {
	case k.Last > int64(len(lines)):
		return state.Errorf(state.Conflict, op, "ends at line %d, and this store has seen line %d: its end was cut off, or it is another store's; %s", len(lines), k.Last, way)
	case k.Last > 0 && lines[k.Last-1].Sum != k.Sum:
		return state.Errorf(state.Conflict, op, "has another line %d than the one that this store has seen: it is another store's, or was written anew; %s", k.Last, way)
	}
	return nil
}

// outerOrder is an order as the ledger has it.
type outerOrder struct {
	asked  Line      // the last line that asks for it
	closed Said      // what the last line says that does not ask, "" = none does
	held   []Holding // what it waits for
	last   int64     // number of its last line
}

// foldLines returns the orders of lines, in the order in which they were asked for first.
func foldLines(lines []Line) (out []outerOrder) {
	at := map[string]int{}
	for _, l := range lines {
		key := l.Client + "/" + l.User + "/" + l.Order
		i, there := at[key]
		if !there {
			i = len(out)
			at[key], out = i, append(out, outerOrder{})
		}
		out[i].held = l.Held
		if out[i].last = l.Seq; l.Said == Asked {
			out[i].asked = l
		} else {
			out[i].closed = l.Said
		}
	}
	return slices.DeleteFunc(out, func(o outerOrder) bool { return o.asked.Seq == 0 })
}

func (o outerOrder) user() state.Scope {
	return state.Scope{Client: o.asked.Client, User: o.asked.User}.Default()
}

// order returns the order as it is carried out again.
func (o outerOrder) order(now time.Time) state.Order {
	l := o.asked
	again := state.Order{
		ID: l.Order, What: l.What, Name: l.Name, Pinned: l.Pinned, Whole: l.Whole, At: l.AskedAt, Origin: l.Origin, AgainAt: now,
		Erase: l.Erase, Cut: l.Cut, Threads: l.Threads, Turns: l.Turns, Spared: l.Spared,
	}
	for _, h := range o.held {
		again.Held = append(again.Held, recordRef(h.Record))
	}
	if l.By != nil {
		again.By = *l.By
	}
	return again
}
