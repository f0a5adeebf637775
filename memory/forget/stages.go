package forget

import (
	"context"
	"errors"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// This file is the stages of an order, one function each, in their order (state.Order.Stage).

// planAnew plans an order that names what was erased elsewhere: in a younger store, or in the memory that this one is a copy of.
func (p *erasing) planAnew(ctx context.Context) (_ []state.Effect, over bool, err error) {
	head, err := p.m.settled(ctx, p.scope)
	if err != nil {
		return nil, false, err
	}
	p.plan, err = p.m.planAgain(ctx, p.scope, &p.order)
	p.order.After = head.Seq
	return nil, true, err
}

// endTurns ends the user's turns that are not finished, and carries out what finished ones owe: nothing that they have in the log is
// written later.
func (p *erasing) endTurns(ctx context.Context) (_ []state.Effect, over bool, err error) {
	log := p.m.eraser()
	defer func() { err = errors.Join(err, log.Close()) }()
	threads, err := log.Threads(ctx, p.scope.UserPrefix())
	if err != nil {
		return nil, false, err
	}

	for _, thread := range threads {
		if thread == p.scope.WritesThread() {
			continue
		}
		ended, err := log.EndTurn(ctx, thread)
		if err != nil {
			return nil, false, err
		}
		if ended {
			p.order.Count("turns ended", 1)
		}
	}

	// A plan made before is right as long as nothing has been written but the order.
	err = log.Settle(ctx, p.scope.UserPrefix())
	if head, e := ledger.Head(ctx, p.m.desk.Base, p.scope); e != nil || head.Seq != p.order.After+1 {
		p.plan = nil
	}
	return nil, true, err
}

// planned returns what the order names as far as it is still there, and what that says.
func (p *erasing) planned(ctx context.Context) (*erasure, error) {
	if p.plan != nil {
		return p.plan, nil
	}
	kept, err := p.m.readKept(ctx, p.scope)
	if err != nil {
		return nil, err
	}

	// The plan is made again from the order, since it may be another process that goes on with it.
	e := newErasure(p.m, p.scope, kept, p.order.What, p.order.Name)
	e.read = readTexts(kept)
	sets := map[state.Collection]map[string]bool{}
	for _, of := range e.named() {
		sets[of.collection] = of.keys
	}

	for _, name := range p.order.Erase {
		ref := parseRef(name)
		sets[ref.Collection][ref.ID] = true
	}
	for _, name := range p.order.Remake {
		e.remake[name] = true
	}
	for _, cut := range p.order.Cut {
		e.cuts[cut.Ref] = cut.Gone
	}

	e.learn()
	p.plan = e
	return e, nil
}

// remakeSome makes some documents again from what is left.
func (p *erasing) remakeSome(ctx context.Context) (effects []state.Effect, over bool, err error) {
	if p.order.Whole || len(p.order.Remake) == 0 {
		return nil, true, nil
	}

	// The next pieces, in an order in which each is made of what is made already.
	e, err := p.planned(ctx)
	if err != nil {
		return nil, false, err
	}
	part := p.order.Remake[min(p.order.Next, len(p.order.Remake)):]
	part = part[:min(len(part), remakePiece)]

	// What nothing is left of has no body: it is deleted.
	for _, name := range part {
		ref := parseRef(name)
		doc, err := p.m.desk.Store.Get(ctx, ref.Collection, p.scope.Key(ref.ID))
		if errors.Is(err, state.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, false, err
		}
		value, err := e.remade(ref)
		if err != nil {
			return nil, false, err
		}
		var body []byte
		if value != nil {
			if body, err = bson.Marshal(value); err != nil {
				return nil, false, state.Errorf(state.Internal, name, "cannot be stored: %w", err)
			}
		}
		effects = append(effects, state.Effect{Erase: &state.Erase{Collection: ref.Collection, ID: ref.ID, Rev: doc.Rev, Body: body}})
	}

	// The order moves on with the same commit.
	p.order.Next += len(part)
	p.order.Count("made again", len(part))
	return effects, p.order.Next >= len(p.order.Remake), nil
}

// stripFeed takes out of some entries of the feed what documents were before changes, where they are the order's or say what goes.
func (p *erasing) stripFeed(ctx context.Context) ([]state.Effect, bool, error) {
	its := func(ledger.Change) bool { return true }
	cut := cutDocuments(p.order.Cut)
	if !p.order.Whole {
		e, err := p.planned(ctx)
		if err != nil {
			return nil, false, err
		}
		its = func(c ledger.Change) bool {
			name := string(c.Ref.Collection) + "/" + c.Ref.ID
			named := slices.Contains(p.order.Erase, name) || slices.Contains(p.order.Remake, name) || isCut(cut, name)
			return named || e.f.in(c.By.Why) ||
				slices.ContainsFunc(c.Fields, func(f ledger.Field) bool { return e.f.inValue(f.Was) })
		}
	}

	last, n, err := ledger.Strip(ctx, p.m.desk.Store, p.scope, int64(p.order.Next), erasePiece, p.order.Whole, its)
	if err != nil {
		return nil, false, err
	}
	p.order.Count("feed", n)
	over := last == 0 || last > p.order.After
	p.order.Next = int(last)
	return nil, over, nil
}

// eraseLog takes turns out of the log of a few threads.
func (p *erasing) eraseLog(ctx context.Context) (_ []state.Effect, over bool, err error) {
	log := p.m.eraser()
	defer func() { err = errors.Join(err, log.Close()) }()
	threads, err := log.Threads(ctx, p.scope.UserPrefix())
	if err != nil {
		return nil, false, err
	}

	// What goes: whole threads, or single turns.
	turns := map[string]map[string]bool{}
	for _, t := range p.order.Turns {
		turns[t.Thread] = map[string]bool{}
		for _, id := range t.Turns {
			turns[t.Thread][id] = true
		}
	}

	// A few threads at a time; each keeps a step, so that it keeps its place in the list.
	part := threads[min(p.order.Next, len(threads)):]
	part = part[:min(len(part), remakePiece)]
	for _, thread := range part {
		var n int
		switch whole := p.order.Whole || slices.ContainsFunc(p.order.Threads, func(id string) bool { return thread.ID == id || strings.HasPrefix(thread.ID, id+"/") }); {
		case whole && thread != p.scope.WritesThread():
			n, err = log.EraseThread(ctx, thread)
		default:
			n, err = p.eraseTurns(ctx, log, thread, turns[thread.ID])
		}
		if p.order.Count("log", n); err != nil {
			return nil, false, err
		}
	}

	// The log has no part in the commit: a piece that is cut short is done again.
	p.order.Next += len(part)
	return nil, p.order.Next >= len(threads), nil
}

// eraseTurns takes the turns out of a thread that are named, and those whose steps say what goes.
func (p *erasing) eraseTurns(ctx context.Context, log *checkpoint.Log, thread state.Thread, named map[string]bool) (int, error) {
	if thread == p.scope.WritesThread() { // its steps are empty once they are carried out
		return 0, nil
	}
	e, err := p.planned(ctx)
	if err != nil {
		return 0, err
	}
	return log.EraseTurns(ctx, thread, func(s checkpoint.Step) bool {
		return named[s.Turn] || slices.ContainsFunc(s.Parts, func(part checkpoint.Part) bool { return e.f.inDocument(part.Fields) })
	})
}

// eraseDocuments deletes some documents, and cuts those that lose sentences.
func (p *erasing) eraseDocuments(ctx context.Context) (effects []state.Effect, over bool, err error) {
	if p.order.Whole {
		return nil, true, p.eraseAll(ctx)
	}

	// Those that go come first.
	cut := cutDocuments(p.order.Cut)
	all := p.order.Erase
	for _, c := range cut {
		all = append(slices.Clip(all), c.Ref)
	}
	part := all[min(p.order.Next, len(all)):]
	part = part[:min(len(part), erasePiece)]

	for i, name := range part {
		ref := parseRef(name)
		doc, err := p.m.desk.Store.Get(ctx, ref.Collection, p.scope.Key(ref.ID))
		if errors.Is(err, state.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, false, err
		}
		layer, body := string(ref.Collection), []byte(nil)
		if at := p.order.Next + i - len(p.order.Erase); at >= 0 {
			layer = cutLayer
			if body, err = cutBody(doc, cut[at].Gone); err != nil {
				return nil, false, err
			}
		}
		p.order.Count(layer, 1)
		effects = append(effects, state.Effect{Erase: &state.Erase{Collection: ref.Collection, ID: ref.ID, Rev: doc.Rev, Body: body}})
	}

	p.order.Next += len(part)
	return effects, p.order.Next >= len(all), nil
}

// eraseAll deletes everything of the user but what is pinned or held, and what says that numbers and ids are taken.
func (p *erasing) eraseAll(ctx context.Context) error {
	if n, err := p.m.desk.Documents.Erase(ctx, p.scope); err != nil {
		return err
	} else if n > 0 {
		p.order.Count(string(state.Overrides), n)
	}

	// What says that numbers and ids are taken stays, and what later stages erase.
	for _, c := range store.Collections() {
		if slices.Contains([]state.Collection{state.Steps, state.Turns, state.Feed, state.Orders, state.Meta, state.Hosts, state.Snapshots, state.Vectors}, c) {
			continue
		}
		var n int
		var err error
		if c == state.Records && len(p.order.Spared)+len(p.order.Held) > 0 {
			n, err = p.eraseRecords(ctx)
		} else {
			n, err = p.m.desk.Store.Delete(ctx, c, p.scope.UserPrefix())
		}
		if err != nil {
			return err
		}
		if n > 0 {
			p.order.Count(string(c), n)
		}
	}
	return nil
}

// eraseRecords deletes all records but those that are spared or held.
func (p *erasing) eraseRecords(ctx context.Context) (n int, err error) {
	for docs, err := range store.Pages(ctx, p.m.desk.Store.Scan, store.Query{Collection: state.Records, Prefix: p.scope.UserPrefix(), Limit: erasePiece}) {
		if err != nil {
			return n, err
		}
		docs = slices.DeleteFunc(docs, func(d store.Doc) bool {
			name := recordRef(strings.TrimPrefix(d.ID, p.scope.UserPrefix()))
			return slices.Contains(p.order.Spared, name) || slices.Contains(p.order.Held, name)
		})
		for i := range docs {
			docs[i].Body = nil
		}
		if err := p.m.desk.Store.Write(ctx, docs...); err != nil {
			return n, err
		}
		n += len(docs)
	}
	return n, nil
}

// eraseDerived deletes what is made of documents and kept in the store: word indexes, and vectors where nobody here can tell them apart.
// Then everybody may write again.
func (p *erasing) eraseDerived(ctx context.Context) ([]state.Effect, bool, error) {
	n, err := p.m.desk.Store.Delete(ctx, state.Snapshots, p.scope.UserPrefix())
	if p.order.Count("word index", n); err != nil {
		return nil, false, err
	}
	if p.order.Whole || p.m.desk.Vectors == nil {
		n, err = p.m.desk.Store.Delete(ctx, state.Vectors, p.scope.UserPrefix())
		p.order.Count("vectors", n)
	}
	if err != nil {
		return nil, false, err
	}
	p.order.Probe("word index", 0, "")
	return nil, true, p.probe(ctx)
}

// eraseVectors brings the vectors of the user in step with his documents.
func (p *erasing) eraseVectors(ctx context.Context) ([]state.Effect, bool, error) {
	if p.m.desk.Vectors == nil {
		p.order.Probe("vectors", 0, "no embedder is configured here: an index on a server is brought in step by the next process that has one, or by mneme reindex")
		return nil, true, nil
	}
	n, err := p.m.desk.Vectors.Purge(ctx, index.Of(p.scope))
	if err != nil {
		return nil, false, err
	}
	p.order.Count("vectors", n)
	p.order.Probe("vectors", 0, "")
	return nil, true, nil
}

// emptyPages sees to it that the store's files have no byte of what was deleted.
func (p *erasing) emptyPages(ctx context.Context) ([]state.Effect, bool, error) {
	done, err := store.Purge(ctx, p.m.desk.Store)
	if err != nil {
		return nil, false, err
	}
	p.order.Count("pages", 0)
	if !done {
		p.order.Probe("pages", 0, "the server keeps deleted documents in free blocks and in its log until it writes over them; its own compact and the age of its log settle it")
	}
	return nil, true, nil
}
