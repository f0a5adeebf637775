package checkpoint

import (
	"context"
	"errors"
	"slices"

	"github.com/mneme-graph/mneme/state"
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
	var docs []store.Doc // read and not looked at yet
	if w.Before > 1 {
		doc, err := l.at(ctx, thread, w.Before-1)
		switch {
		case err == nil: // as it is: by the time of a second look it may have been folded into one behind it
			docs, q.After = []store.Doc{doc}, doc.ID
		case state.CodeOf(err) != state.NotFound:
			return nil, 0, err
		}
	}
	var last Step // the one read before
	for {
		end := false
		if docs == nil {
			if docs, err = l.scan(ctx, q); err != nil {
				return nil, 0, err
			}
			end = len(docs) < q.Limit
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
		if end {
			return found, last.lacks(), nil
		}
		q.After, docs = docs[len(docs)-1].ID, nil
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
// can be taken in both. The ids of finished turns are not known to the new thread: BeginOnce runs them there. The new thread must not exist: state.ErrConflict; the old one must: state.ErrNotFound.
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
	case l.gone(sign, head) && !l.elsewhere(sign):
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
		building := openDoc{Client: d.Client, Thread: d.Thread, At: now, Goes: longAgo(), Holder: l.holder, Process: l.machine.self(), Until: now.Add(l.c.Lease)}
		post, err := sign.change(building)
		if err == nil {
			err = l.c.Store.Write(ctx, post) // in the place of nobody's: another copy may have begun
		}
		if err != nil {
			return err
		}
		sign.doc, sign.rev = building, sign.rev+1
		head, err := l.Head(ctx, sign.thread) // another may have come and gone before the post stood
		if err == nil && head.Seq > 0 {
			err = errors.Join(state.Errorf(state.Conflict, "thread "+sign.thread.Key(), "is there already; delete it or name another"), sign.drop(ctx, ""))
		}
		if err == nil {
			err = l.c.Store.Write(ctx, docs...)
		}
		if err != nil {
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
