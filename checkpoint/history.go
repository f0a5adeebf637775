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

// History returns a thread's steps, newest first. A thread that does not exist has none.
func (l *Log) History(ctx context.Context, thread state.Thread, w Which) ([]Step, error) {
	if err := thread.Validate(); err != nil {
		return nil, err
	}
	if w.Limit < 0 || w.Before < 0 {
		return nil, state.Errorf(state.Invalid, "history of "+thread.Key(), "neither Before nor Limit may be negative")
	}
	q := store.Query{Collection: state.Steps, Prefix: thread.StepPrefix(), Reverse: true, Limit: sweepPage}
	var found []Step
	for last := int64(0); ; {
		docs, err := l.scan(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, d := range docs {
			if isChunk(thread, d.ID) {
				return found, nil
			}
			steps, err := l.folder.steps(d)
			if err != nil {
				return nil, err
			}
			for _, s := range slices.Backward(steps) {
				if last > 0 && s.Seq >= last { // folded already
					continue
				}
				if last = s.Seq; w.selects(s) {
					found = append(found, s)
				}
				if w.Limit > 0 && len(found) == w.Limit {
					return found, nil
				}
			}
		}
		if len(docs) < q.Limit {
			return found, nil
		}
		q.After = docs[len(docs)-1].ID
	}
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
	head, sign, err := l.look(ctx, to)
	if err != nil {
		return err
	}
	if head.Seq > 0 && !l.gone(sign) {
		return state.Errorf(state.Conflict, "thread "+to.Key(), "is there already; delete it or name another")
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
// there.
func (l *Log) found(ctx context.Context, sign *signpost, last Step, docs []store.Doc) error {
	now := l.c.Now()
	d := openDoc{Client: sign.thread.Client, Thread: sign.thread.ID, Turn: last.Turn, Attempt: last.Attempt, At: now}
	if l.can.Atomic {
		if !last.Done {
			open, err := sign.change(d)
			if err != nil {
				return err
			}
			docs = append(docs, open)
		}
		return l.c.Store.Write(ctx, docs...)
	}
	if err := sign.put(ctx, openDoc{Client: d.Client, Thread: d.Thread, At: now, Goes: now}); err != nil {
		return err
	}
	if _, err := l.c.Store.Delete(ctx, state.Steps, sign.thread.StepPrefix()); err != nil {
		return err
	}
	if err := l.c.Store.Write(ctx, docs...); err != nil {
		return err
	}
	if last.Done {
		return sign.drop(ctx, "")
	}
	return sign.put(ctx, d)
}

// Rebuild plays a past into an empty state and returns its fields.
type Rebuild func(Past) ([]field.Named, error)

// Prune deletes a thread's steps before number from, which must be the first of a turn. The state as it was there is
// put into that step first, so that every step that is left can still be rebuilt, and a prune that is cut short has
// lost nothing but what was to be deleted. It returns how many documents were deleted.
func (l *Log) Prune(ctx context.Context, thread state.Thread, from int64, rebuild Rebuild) (int, error) {
	if err := l.makeWhole(ctx, thread, from, rebuild); err != nil {
		return 0, err
	}
	n := 0
	for {
		docs, err := l.scan(ctx, store.Query{Collection: state.Steps, Prefix: thread.StepPrefix(), After: thread.StepKey(0), Limit: sweepPage})
		if err != nil {
			return n, err
		}
		old := slices.DeleteFunc(docs, func(d store.Doc) bool { return d.ID >= thread.StepKey(from) })
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
	if err != nil || steps[0].Seq != n {
		return errors.Join(err, state.Errorf(state.Invalid, "step "+thread.StepKey(n), "is not the first of its turn"))
	}
	if steps[0].Whole() {
		return nil
	}
	past, err := l.Past(ctx, thread, n-1)
	if err != nil {
		return err
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
	for _, s := range steps {
		body, err := marshal("step", s)
		if err != nil {
			return nil, err
		}
		bodies = append(bodies, body)
	}
	if len(steps) == 1 {
		return bodies[0], nil
	}
	return l.folder.fold(steps[len(steps)-1], steps[0].Seq, bodies)
}

// DeleteTurns removes finished turns of a thread from its log; what the turns after them hold stays. Turns that the
// thread does not have are no error. It returns how many were deleted.
func (l *Log) DeleteTurns(ctx context.Context, thread state.Thread, rebuild Rebuild, turns ...string) (n int, err error) {
	for _, turn := range turns {
		steps, err := l.History(ctx, thread, Which{Turn: turn})
		if err != nil {
			return n, err
		}
		if len(steps) == 0 {
			continue
		}
		slices.Reverse(steps)
		if !steps[len(steps)-1].Done {
			return n, state.Errorf(state.Conflict, "turn "+turn, "is not finished; finish it or give it up first")
		}
		if err := l.deleteTurn(ctx, thread, steps, rebuild); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

func (l *Log) deleteTurn(ctx context.Context, thread state.Thread, steps []Step, rebuild Rebuild) error {
	first, last := steps[0], steps[len(steps)-1]
	err := l.makeWhole(ctx, thread, last.Seq+1, rebuild)
	if err != nil && state.CodeOf(err) != state.NotFound { // not found: it is the thread's last turn
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
