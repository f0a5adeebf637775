package forget

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// This file carries out again, in a store from before an erasure, what the ledger outside names.

// Restored carries out again what the ledger outside names and the store does not know, since it is older: a backup that was put back. It returns
// how many orders that were. Cut short it is gone on with by the next call. A ledger that is damaged, cut or another store's is
// state.ErrConflict, and nothing is erased. It is for the start of a process, before anybody reads; graph.New calls it.
func (r *Room) Restored(ctx context.Context) (n int, err error) {
	if r.outer == nil {
		return 0, nil
	}
	lines, err := r.outer.Lines(ctx)
	if err != nil {
		return 0, err
	}
	k, _, err := r.readKnows(ctx)
	if err == nil {
		err = r.fits(lines, k)
	}
	if err != nil {
		return 0, err
	}

	// What the store does not know, and what it knows and is not at its end.
	all := foldLines(lines)
	late := slices.DeleteFunc(slices.Clone(all), func(o outerOrder) bool { return o.last <= k.Through })
	if n, err = r.allAgain(ctx, late); err != nil {
		return n, err
	}
	if !k.Told {
		if err := r.tellOlder(ctx, all); err != nil {
			return n, err
		}
	}
	var last Line
	if len(lines) > 0 {
		last = lines[len(lines)-1]
	}
	return n, r.note(ctx, func(k *knows) {
		k.Told, k.Through = true, max(k.Through, last.Seq)
		if last.Seq > k.Last {
			k.Last, k.Sum = last.Seq, last.Sum
		}
	})
}

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
	if s.Seen = k.Last; err != nil || r.outer == nil {
		return s, err
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

// RestoredOf is Restored for one user, of whom the ledger is looked at from its first line on: his memory was brought from elsewhere, and may be older than
// what the store knows.
func (r *Room) RestoredOf(ctx context.Context, scope state.Scope) (n int, err error) {
	if r.outer == nil {
		return 0, nil
	}
	lines, err := r.outer.Lines(ctx)
	if err == nil {
		err = Check(lines)
	}
	if err != nil {
		return 0, err
	}
	scope = scope.Default()
	return r.allAgain(ctx, slices.DeleteFunc(foldLines(lines), func(o outerOrder) bool { return o.user().UserPrefix() != scope.UserPrefix() }))
}

// allAgain carries out those of some orders that the store does not know, and returns how many.
func (r *Room) allAgain(ctx context.Context, orders []outerOrder) (n int, err error) {
	unknown, err := r.unknown(ctx, orders)
	if err != nil {
		return 0, err
	}
	for _, o := range unknown {
		if err := r.again(ctx, o); err != nil {
			return n, fmt.Errorf("order %s of the erasure ledger: %w", o.asked.Order, err)
		}
		n++
	}
	return n, nil
}

// fits refuses a ledger that is damaged, or that is not the one the store was used with.
func (r *Room) fits(lines []Line, k knows) error {
	const way = "put the ledger back from a copy, or name the right one (erasure_ledger)"
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

// unknown returns the orders that the store does not know. It goes on with those that it knows and that are not at their end. An order of a
// user whose memory began at another moment here is refused: the ledger is another store's.
func (r *Room) unknown(ctx context.Context, orders []outerOrder) (out []outerOrder, err error) {
	for _, x := range orders {
		user := x.user()
		o, there, err := r.known(ctx, user, x.asked.Order)
		switch {
		case err != nil:
			return nil, err
		case !there && x.closed == Dropped:
		case !there:
			origin, err := r.origin(ctx, user)
			if err != nil {
				return nil, err
			}
			if origin != 0 && origin != x.asked.Origin {
				return nil, state.Errorf(state.Conflict, "erasure ledger "+r.outer.Where(),
					"names an order of user %s of client %s (line %d), and the memory of that user began at another time in this store: the ledger is of another store; name the right one (erasure_ledger), or a new one for this store",
					user.User, user.Client, x.asked.Seq)
			}
			out = append(out, x)
		case o.Stage != "":
			if _, err := r.carryOutOrders(ctx, user, noBudget, nil); err != nil {
				return nil, err
			}
		case x.closed == "" || x.closed == Waits && len(o.Held) == 0:
			if err := r.tellDone(ctx, user, o); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

func (o outerOrder) user() state.Scope {
	return state.Scope{Client: o.asked.Client, User: o.asked.User}.Default()
}

// order returns the order as it is carried out again.
func (o outerOrder) order(now time.Time) state.Order {
	l := o.asked
	again := state.Order{
		ID: l.Order, Rev: 1, What: l.What, Name: l.Name, Pinned: l.Pinned, Whole: l.Whole, At: l.AskedAt, AgainAt: now, Stage: state.StageTurns,
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

// again carries an order out in a store that does not know it. It is planned from what the ledger names and is there, as a new one is.
func (r *Room) again(ctx context.Context, x outerOrder) (err error) {
	user := x.user()
	for range forgetTries {
		if _, err := r.carryOutOrders(ctx, user, noBudget, nil); err != nil {
			return err
		}
		log := r.eraser()
		err = log.Settle(ctx, user.UserPrefix())
		if err = errors.Join(err, log.Close()); err != nil {
			return err
		}
		head, err := ledger.Head(ctx, r.desk.Base, user)
		if err != nil {
			return err
		}
		o := x.order(r.desk.Now())
		if head.Seq == 0 {
			return r.nothingThere(ctx, user, o)
		}
		if err := r.holdAgain(ctx, user, x.held); err != nil {
			return err
		}
		if head, err = ledger.Head(ctx, r.desk.Base, user); err != nil {
			return err
		}
		plan, err := r.planAgain(ctx, user, &o)
		if err != nil {
			return err
		}
		o.After = head.Seq
		if err = r.desk.Commit(ctx, []state.Effect{{Scope: user, Order: &o, By: &o.By}}); err == nil {
			_, err := r.carryOutOrders(ctx, user, noBudget, plan)
			return err
		}
		if !errors.Is(err, state.ErrConflict) {
			return err
		}
		if _, there, err := r.known(ctx, user, o.ID); there || err != nil {
			return err
		}
	}
	return err
}

// nothingThere notes an order of a user who has said nothing yet in this store. He gets no feed by it: when his memory began tells one store from
// another.
func (r *Room) nothingThere(ctx context.Context, user state.Scope, o state.Order) error {
	if o.Whole {
		if _, err := r.desk.Documents.Erase(ctx, user); err != nil {
			return err
		}
	}
	o.Stage, o.Held, o.DoneAt = "", nil, r.desk.Now()
	body, err := bson.Marshal(o)
	if err != nil {
		return state.Errorf(state.Internal, "order "+o.ID, "cannot be stored: %w", err)
	}
	err = r.desk.Store.Write(ctx, store.Doc{Collection: state.Orders, ID: user.Key(o.ID), Body: body})
	if errors.Is(err, state.ErrConflict) { // another process was first
		return nil
	}
	return errors.Join(err, r.tellDone(ctx, user, o))
}

// planAgain plans an order of the ledger in a store from before it, and fills it in.
func (r *Room) planAgain(ctx context.Context, user state.Scope, o *state.Order) (*erasure, error) {
	kept, err := r.readKept(ctx, user)
	if err != nil {
		return nil, err
	}
	p := newErasure(r, user, kept, o.What, o.Name)
	p.pinned, p.again, p.order = o.Pinned, true, o.ID
	p.read = readTexts(kept)
	if p.meanAgain(*o); !p.whole {
		p.close()
	}
	turns := o.Turns
	o.Erase, o.Cut, o.Threads, o.Turns, o.Spared, o.Held, o.Whole = nil, nil, nil, nil, nil, nil, false
	if err := p.fill(ctx, o); err != nil {
		return nil, err
	}
	o.Turns = joinTurns(o.Turns, turns)
	return p, nil
}

// holdAgain has records held that an order of the ledger waits for: the store may be from before that too.
func (r *Room) holdAgain(ctx context.Context, user state.Scope, held []Holding) error {
	for _, h := range held {
		rec, err := ledger.Get[state.Record](ctx, r.desk.Base, state.Records, user.Key(h.Record))
		switch {
		case errors.Is(err, state.ErrNotFound) || err == nil && rec.Held != nil:
			continue
		case err != nil:
			return err
		}
		by := h.By
		by.Path = ledger.HoldPath
		rec.Held, rec.HeldAt = &by, h.At
		if err := r.desk.Commit(ctx, []state.Effect{{Scope: user, Record: &rec, By: &by}}); err != nil {
			return err
		}
	}
	return nil
}

// joinTurns adds turns that are not named yet: their steps may be there without their messages.
func joinTurns(to, more []state.OrderTurns) []state.OrderTurns {
	for _, t := range more {
		i := slices.IndexFunc(to, func(o state.OrderTurns) bool { return o.Thread == t.Thread })
		if i < 0 {
			to = append(to, t)
			continue
		}
		for _, id := range t.Turns {
			if !slices.Contains(to[i].Turns, id) {
				to[i].Turns = append(slices.Clip(to[i].Turns), id)
			}
		}
	}
	return to
}

// meanAgain takes in what an order of the ledger names, as far as it is there and is what it was. In a store that has gone on since only that; else
// also what the order's own kind means, for an older store has what was gone by then.
func (p *erasure) meanAgain(o state.Order) {
	older := func(at time.Time) bool { return !at.After(o.At) }
	gone, onlyOlder := map[string]bool{}, true
	for _, name := range o.Spared {
		p.spared[parseRef(name).ID] = true
	}
	for _, name := range o.Held {
		p.held[parseRef(name).ID] = find(p.kept.records, parseRef(name).ID) != nil
	}
	for _, name := range o.Erase {
		gone[name] = true
	}
	sets := map[state.Collection]map[string]bool{}
	for _, of := range p.named() {
		sets[of.collection] = of.keys
	}
	p.kept.each(func(c state.Collection, key string, at time.Time) {
		onlyOlder = onlyOlder && older(at)
		if older(at) && (o.Whole || gone[string(c)+"/"+key]) && !(c == state.Records && (p.spared[key] || p.held[key])) {
			sets[c][key] = true
		}
	})
	p.cutAgain(o, older)

	// A whole memory goes as such where nothing was said since.
	p.whole = o.Whole && onlyOlder
	if p.whole || !onlyOlder {
		return
	}
	for _, id := range o.Threads {
		p.threads = append(p.threads, strings.TrimPrefix(id, p.scope.User+"/"))
	}
	switch o.What {
	case "record":
		p.meanRecord(o.Name)
	case "affair":
		p.takeAffair(o.Name)
	case "session", "clear session":
		p.meanSession(o.Name, o.What == "session")
	case "clear global":
		p.meanGlobal()
	}
}

// cutAgain takes in the sentences that an order of the ledger names. What a message says never changes; of what may have been another text then the
// places mean nothing: a record goes whole, and an affair and a session lose their texts, which are made again of what stays.
func (p *erasure) cutAgain(o state.Order, older func(time.Time) bool) {
	for _, c := range o.Cut {
		ref := parseRef(c.Ref)
		switch rev := p.kept.rev(ref); {
		case rev == 0:
		case ref.Collection == state.Messages:
			if msg := find(p.kept.messages, ref.ID); older(msg.v.At) && !p.messages[ref.ID] {
				p.cuts[c.Ref] = c.Gone
			}
		case rev == c.Rev:
			p.cuts[c.Ref] = c.Gone
		case ref.Collection == state.Records:
			if r := find(p.kept.records, ref.ID); older(r.v.RecordedAt) {
				p.records[ref.ID] = true
			}
		default:
			p.cuts[c.Ref] = []int{everyPlace}
		}
	}
}
