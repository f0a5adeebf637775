package checkpoint

import (
	"context"
	"errors"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/field"
	"github.com/mneme-graph/mneme/state/store"
)

// Which selects steps of a thread. Zero fields select all; several must all hold.
type Which struct {
	Before int64  // only steps before this one
	Limit  int    // at most so many, the newest
	Turn   string // of this turn
	Source Source // made by this
	Done   bool   // only those that end a turn
}

// historyTries bounds how often a history is read again because steps were folded meanwhile.
const historyTries = 4

// History returns a thread's steps, newest first. A thread that does not exist has none. Steps that a commit adds
// meanwhile do not disturb it, so a page that begins Before the last step of the page before it misses none.
func (l *Log) History(ctx context.Context, thread state.Thread, w Which) (found []Step, err error) {
	if err := thread.Validate(); err != nil {
		return nil, err
	}
	if w.Limit < 0 || w.Before < 0 {
		return nil, state.Errorf(state.Invalid, "history of "+thread.Key(), "neither Before nor Limit may be negative")
	}
	for range historyTries {
		var missing int64
		if found, missing, err = l.history(ctx, thread, w); err != nil || missing == 0 {
			return found, err
		}
		err = state.Errorf(state.Internal, "thread "+thread.Key(), "its step %d is missing from the store", missing)
	}
	return nil, err
}

// history reads backwards. Missing is a step that should have come next: it was folded into one that had been read by
// then, or the store has lost it.
func (l *Log) history(ctx context.Context, thread state.Thread, w Which) (found []Step, missing int64, err error) {
	q := store.Query{Collection: state.Steps, Prefix: thread.StepPrefix(), Reverse: true, Limit: sweepPage}
	if w.Before > 1 {
		doc, err := l.at(ctx, thread, w.Before-1)
		if err == nil {
			q.After = doc.ID + "+" // the document itself too
		} else if state.CodeOf(err) != state.NotFound {
			return nil, 0, err
		}
	}
	var last Step // the one read before
	for {
		docs, err := l.scan(ctx, q)
		if err != nil {
			return nil, 0, err
		}
		for _, d := range docs {
			if isChunk(thread, d.ID) {
				return found, last.lacks(), nil
			}
			steps, err := l.folder.steps(d)
			if err != nil {
				return nil, 0, err
			}
			for _, s := range slices.Backward(steps) {
				switch {
				case last.Seq > 0 && s.Seq >= last.Seq: // folded already
					continue
				case last.Seq > 0 && s.Seq < last.Seq-1: // or left over by a prune that was cut short
					return found, last.lacks(), nil
				}
				if last = s; w.selects(s) {
					found = append(found, s)
				}
				if w.Limit > 0 && len(found) == w.Limit {
					return found, 0, nil
				}
			}
		}
		if len(docs) < q.Limit {
			return found, last.lacks(), nil
		}
		q.After = docs[len(docs)-1].ID
	}
}

// lacks is the step before this one, 0 if this one can do without it.
func (s *Step) lacks() int64 {
	if s.Seq == 0 || s.Whole() {
		return 0
	}
	return s.Seq - 1
}

func (w Which) selects(s Step) bool {
	return (w.Before == 0 || s.Seq < w.Before) && (w.Turn == "" || s.Turn == w.Turn) &&
		(w.Source == "" || s.Source == w.Source) && (!w.Done || s.Done) && s.Source != SourceDeleted
}

// Copy makes a new thread with the log of another as it stands: all steps, under the same numbers. An unfinished turn
// can be taken in both. The new thread must not exist: state.ErrConflict; the old one must: state.ErrNotFound.
func (l *Log) Copy(ctx context.Context, from, to state.Thread) error {
	if err := errors.Join(from.Validate(), to.Validate()); err != nil {
		return state.Errorf(state.Invalid, "copy of "+from.Key(), "%w", err)
	}
	if _, err := l.enter(ctx, to); err != nil {
		return err
	}
	defer l.leave(to)
	docs, err := l.scan(ctx, store.Query{Collection: state.Steps, Prefix: from.StepPrefix()})
	if err != nil {
		return err
	}
	if len(docs) == 0 {
		return state.Errorf(state.NotFound, "thread "+from.Key(), "does not exist")
	}
	sign, err := l.signOf(ctx, to)
	if err != nil {
		return err
	}
	head, err := l.Head(ctx, to)
	switch {
	case err != nil:
		return err
	case l.gone(sign):
		err = l.erase(ctx, sign)
	case head.Seq > 0 || l.elsewhere(sign):
		err = state.Errorf(state.Conflict, "thread "+to.Key(), "is there already; delete it or name another")
	}
	if err != nil {
		return err
	}
	for i, d := range docs {
		docs[i].ID, docs[i].Rev = to.StepPrefix()+d.ID[len(from.StepPrefix()):], 0
	}
	last, err := decodeStep(docs[len(docs)-1])
	if err != nil {
		return err
	}
	return l.found(ctx, sign, last, docs)
}

// found writes all of a new thread. Where that is no transaction, the signpost says that the thread goes, until it is
// there. What its steps have decided is carried out for the thread they come from, and not once more.
func (l *Log) found(ctx context.Context, sign *signpost, last Step, docs []store.Doc) error {
	now := l.c.Now()
	d := openDoc{Client: sign.thread.Client, Thread: sign.thread.ID, At: now}
	switch {
	case !last.Done:
		d.Turn, d.Attempt, d.Applied = last.Turn, last.Attempt, last.Seq
	case l.c.Keep > 0:
		d.Goes = now.Add(l.c.Keep)
	}
	if !l.can.Atomic {
		building := openDoc{Client: d.Client, Thread: d.Thread, At: now, Goes: longAgo(), Holder: l.holder, Until: now.Add(l.c.Lease)}
		if err := sign.put(ctx, building); err != nil {
			return err
		}
		if err := l.c.Store.Write(ctx, docs...); err != nil {
			return err
		}
		docs = nil
	}
	open, err := sign.change(d)
	if last.Done && l.c.Keep == 0 {
		open.Body = nil
	}
	if err != nil {
		return err
	}
	if open.Rev > 0 || open.Body != nil {
		docs = append(docs, open)
	}
	return l.c.Store.Write(ctx, docs...)
}

// Rebuild plays a past into an empty state and returns its fields.
type Rebuild func(Past) ([]field.Named, error)

// Prune deletes a thread's steps before number from, which must be the first of a turn. The state as it was there is
// put into that step first, so that every step that is left can still be rebuilt, and a prune that is cut short has
// lost nothing but what was to be deleted. It returns how many documents were deleted. A turn that runs is
// state.ErrConflict.
func (l *Log) Prune(ctx context.Context, thread state.Thread, from int64, rebuild Rebuild) (int, error) {
	leave, err := l.claim(ctx, thread)
	if err != nil {
		return 0, err
	}
	defer leave()
	if err := l.makeWhole(ctx, thread, from, rebuild); err != nil {
		return 0, err
	}
	// What is directly before goes first: behind a gap before a whole step nobody reads on, however much is left there.
	q := store.Query{Collection: state.Steps, Prefix: thread.StepPrefix(), After: thread.StepKey(from), Reverse: true, Limit: 1}
	for n := 0; ; q = (store.Query{Collection: state.Steps, Prefix: thread.StepPrefix(), After: thread.StepKey(0), Limit: sweepPage}) {
		docs, err := l.scan(ctx, q)
		if err != nil {
			return n, err
		}
		old := slices.DeleteFunc(docs, func(d store.Doc) bool { return d.ID >= thread.StepKey(from) || isChunk(thread, d.ID) })
		if len(old) == 0 {
			return n, nil
		}
		for i := range old {
			old[i].Body = nil
		}
		if err := l.c.Store.Write(ctx, old...); err != nil {
			return n, err
		}
		n += len(old)
	}
}

// makeWhole lets step number n, the first of its turn, hold the state before it, so that it can do without the steps
// before.
func (l *Log) makeWhole(ctx context.Context, thread state.Thread, n int64, rebuild Rebuild) error {
	doc, err := l.at(ctx, thread, n)
	if err != nil {
		return err
	}
	steps, err := l.folder.steps(doc)
	switch {
	case err != nil:
		return err
	case steps[0].Seq == n && steps[0].Whole():
		return nil
	}
	past, err := l.Past(ctx, thread, n-1)
	switch {
	case err != nil:
		return err
	case steps[0].Seq != n || !past.Steps[len(past.Steps)-1].Done:
		return state.Errorf(state.Invalid, "step "+thread.StepKey(n), "is not the first of its turn")
	}
	fields, err := rebuild(past)
	if err != nil {
		return err
	}
	part := Part{}
	if err := part.All(fields, isGrowing); err != nil {
		return err
	}
	parts := append([]Part{part}, past.growing(fields)...)
	steps[0].Parts = append(parts, steps[0].Parts...)
	steps[0].Base, steps[0].Items = n, past.Steps[0].Items
	if doc.Body, err = l.encode(steps); err != nil {
		return err
	}
	return l.c.Store.Write(ctx, doc)
}

func isGrowing(f field.Field) bool {
	_, ok := f.(field.Growing)
	return ok
}

// growing are the parts of the past's steps with nothing but the items of growing fields.
func (p *Past) growing(fields []field.Named) (parts []Part) {
	for _, s := range p.Steps {
		for _, part := range s.Parts {
			var doc []byte
			for _, f := range fields {
				if v, err := part.Fields.LookupErr(f.Name); err == nil && isGrowing(f.Field) {
					doc = appendElement(doc, f.Name, v)
				}
			}
			if doc != nil {
				parts = append(parts, Part{Fields: closed(doc)})
			}
		}
	}
	return parts
}

// encode makes one document of steps: several are folded.
func (l *Log) encode(steps []Step) (bson.Raw, error) {
	var bodies []bson.Raw
	size := 0
	for _, s := range steps {
		body, err := s.encode()
		if err != nil {
			return nil, err
		}
		bodies, size = append(bodies, body), size+len(body)
	}
	switch {
	case len(steps) == 1:
		return bodies[0], nil
	case size > maxUnfold:
		return nil, state.Errorf(state.Invalid, "turn "+steps[0].Turn, "with the state before it has %d bytes, at most %d go into one step", size, maxUnfold)
	}
	return l.folder.fold(steps[len(steps)-1], steps[0].Seq, bodies)
}

// DeleteTurns removes finished turns of a thread from its log; what the turns after them hold stays. Turns that the
// thread does not have are no error. It returns how many were deleted. A turn that runs is state.ErrConflict, as is a
// turn to be deleted that is not finished, or that the thread was taken back to and has not gone on from.
func (l *Log) DeleteTurns(ctx context.Context, thread state.Thread, rebuild Rebuild, turns ...string) (n int, err error) {
	leave, err := l.claim(ctx, thread)
	if err != nil {
		return 0, err
	}
	defer leave()
	if slices.Contains(turns, "") {
		return 0, state.Errorf(state.Invalid, "turns of "+thread.Key(), "one of the ids is empty")
	}
	for _, turn := range turns {
		steps, err := l.History(ctx, thread, Which{Turn: turn})
		if err != nil {
			return n, err
		}
		if len(steps) == 0 {
			continue
		}
		if !steps[0].Done {
			return n, state.Errorf(state.Conflict, "turn "+turn, "is not finished; finish it or give it up first")
		}
		slices.Reverse(steps)
		for len(steps) > 0 { // a turn that was gone back to lies in several places
			end := 1
			for end < len(steps) && steps[end].Seq == steps[end-1].Seq+1 {
				end++
			}
			if err := l.deleteTurn(ctx, thread, steps[:end:end], rebuild); err != nil {
				return n, err
			}
			steps = steps[end:]
		}
		n++
	}
	return n, nil
}

func (l *Log) deleteTurn(ctx context.Context, thread state.Thread, steps []Step, rebuild Rebuild) error {
	first, last := steps[0], steps[len(steps)-1]
	after, err := l.Steps(ctx, thread, last.Seq+1)
	if err != nil {
		return err
	}
	next := slices.IndexFunc(after, func(s Step) bool { return s.Source != SourceDeleted })
	switch {
	case next >= 0:
		err = l.makeWhole(ctx, thread, after[next].Seq, rebuild)
	case slices.ContainsFunc(steps, func(s Step) bool { return s.Source == SourceFork && s.Seq > 1 }):
		err = state.Errorf(state.Conflict, "turn "+first.Turn, "is where the thread was taken back to: without it what was given up would count again; go on first")
	}
	if err != nil {
		return err
	}
	base, items := first.Base, first.Items
	if first.Whole() && first.Seq > 1 {
		before, err := l.History(ctx, thread, Which{Before: first.Seq, Limit: 1})
		if err != nil {
			return err
		}
		if len(before) > 0 {
			base, items = before[0].Base, before[0].Items
		}
	}
	for i := range steps {
		steps[i] = Step{Version: stepVersion, Seq: steps[i].Seq, Base: base, Items: items, Source: SourceDeleted, At: steps[i].At, Done: steps[i].Done}
	}
	body, err := l.encode(steps)
	if err != nil {
		return err
	}
	docs, err := l.scan(ctx, store.Query{
		Collection: state.Steps, Prefix: thread.StepPrefix(), After: thread.StepKey(first.Seq - 1), Limit: len(steps),
	})
	if err != nil {
		return err
	}
	docs = slices.DeleteFunc(docs, func(d store.Doc) bool { return d.ID > thread.StepKey(last.Seq) })
	for i := range docs {
		docs[i].Body = nil
	}
	docs[len(docs)-1].Body = body
	if l.can.Atomic {
		return l.c.Store.Write(ctx, docs...)
	}
	if err := l.c.Store.Write(ctx, docs[len(docs)-1]); err != nil {
		return err
	}
	return l.c.Store.Write(ctx, docs[:len(docs)-1]...)
}
