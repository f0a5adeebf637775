package checkpoint

import (
	"context"
	"errors"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Turn is a running turn of a thread: the only writer of its log. It belongs to one run and is not safe
// for concurrent use; Release ends it.
type Turn struct {
	log     *Log
	thread  state.Thread
	id      string
	attempt string
	seq     int64 // last committed step of the thread
	base    int64 // 0 until the first commit of a turn that Begin prepared
	openRev int64 // revision of the open document, 0 = none yet
	prev    Step  // the head that Begin found
	over    error // why nothing can be committed any more
}

// Commit is what a step adds.
type Commit struct {
	Source  Source // default: SourceInput for a turn's first commit, SourceLoop after it
	Parts   []Part
	Effects []state.Effect // decided edits of memory, made durable with the step
	Fresh   bool           // first commit only: the parts hold the whole state, nothing before counts
	Done    bool           // the turn is finished
}

// applyTries bounds how often effects are merged again because another writer touched the same documents.
const applyTries = 16

// grace is how long a commit may take whose context is already cancelled, and how long reading back may
// take when the outcome of a write is not known.
const grace = 5 * time.Second

// ID is the turn's id.
func (t *Turn) ID() string { return t.id }

// Attempt is unique to this run of the turn; tokens carry it, so that a repeat can be told apart.
func (t *Turn) Attempt() string { return t.attempt }

// Prev is the last step before the turn (Seq 0 = the thread is new).
func (t *Turn) Prev() Step { return t.prev }

// Release ends the run's hold on the thread in this process; a second Release does nothing. A turn that
// is not Done can be taken again.
func (t *Turn) Release() {
	if t.log == nil {
		return
	}
	t.log.leave(t.thread)
	t.log = nil
}

// Commit writes the next step together with its effects, all or nothing, durable before it returns. If
// somebody else's step stands there, the answer is state.ErrFenced after the first commit and
// state.ErrConflict at the first one. After an error the turn accepts no commit any more: what is in the
// log then may be more than the caller knows, and only Take finds out. A context that is cancelled
// beforehand gives the commit a few seconds all the same, so that work that was paid for is kept.
func (t *Turn) Commit(ctx context.Context, c Commit) error {
	switch {
	case t.log == nil:
		return state.Errorf(state.Conflict, "turn "+t.id, "was released; take it again")
	case t.over != nil:
		return t.over
	}
	if c.Source == "" {
		c.Source = SourceLoop
		if t.base == 0 {
			c.Source = SourceInput
		}
	}
	if ctx.Err() != nil {
		late, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
		defer cancel()
		ctx = late
	}
	if err := t.commit(ctx, c); err != nil {
		t.over = err
		return err
	}
	if c.Done {
		t.over = state.Errorf(state.Conflict, "turn "+t.id, "is finished")
	}
	state.TraceFrom(ctx).Charge(state.Bill{Commits: 1})
	return nil
}

func (t *Turn) commit(ctx context.Context, c Commit) error {
	base := t.baseOf(c)
	body, err := bson.Marshal(Step{
		Version: stepVersion, Seq: t.seq + 1, Base: base, Turn: t.id, Attempt: t.attempt,
		Source: c.Source, Parts: c.Parts, At: t.log.c.Now(), Done: c.Done,
	})
	if err != nil {
		return state.Errorf(state.Internal, "step of turn "+t.id, "cannot be stored: %w", err)
	}
	step := store.Doc{Collection: state.Steps, ID: t.thread.StepKey(t.seq + 1), Body: body}
	applied, err := t.write(ctx, c, step)
	if err != nil {
		if err = t.settle(ctx, c, err); err != nil {
			return err
		}
	}
	if len(applied) > 0 && t.log.c.Applied != nil {
		t.log.c.Applied(applied)
	}
	if t.opens(c) && !c.Done {
		t.openRev++
	}
	t.seq, t.base = t.seq+1, base
	return nil
}

// baseOf is the step from which the state is rebuilt.
func (t *Turn) baseOf(c Commit) int64 {
	switch {
	case t.base > 0:
		return t.base
	case c.Fresh || t.prev.Seq == 0:
		return t.seq + 1
	}
	return t.prev.Base
}

// write merges the effects into documents as they stand now and writes them with the step, again when
// somebody else was faster at one of them. It returns the documents of the last try.
func (t *Turn) write(ctx context.Context, c Commit, step store.Doc) (applied []store.Doc, err error) {
	var at *store.ConflictError
	if t.log.c.Exclusive != nil && len(c.Effects) > 0 {
		leave, err := t.log.c.Exclusive(ctx, c.Effects)
		if err != nil {
			return nil, err
		}
		defer leave()
	}
	for range applyTries {
		docs := []store.Doc{step}
		if open, ok, err := t.openDoc(c); err != nil {
			return nil, err
		} else if ok {
			docs = append(docs, open)
		}
		if len(c.Effects) > 0 {
			if applied, err = t.log.c.Apply(ctx, c.Effects); err != nil {
				return nil, err
			}
			docs = append(docs, applied...)
		}
		err = t.log.c.Store.Write(ctx, docs...)
		if !errors.As(err, &at) || at.Collection == state.Steps {
			return applied, err
		}
		if at.Collection == state.Open {
			if _, t.openRev, err = t.log.open(ctx, t.thread); err != nil {
				return nil, err
			}
		}
	}
	return nil, state.Errorf(state.Conflict, "turn "+t.id, "gave up after %d tries: %w", applyTries, at)
}

// openDoc is the change of the turn's open document: made by the first commit, renewed by a takeover,
// deleted by the last.
func (t *Turn) openDoc(c Commit) (doc store.Doc, needed bool, err error) {
	doc = store.Doc{Collection: state.Open, ID: t.thread.Key(), Rev: t.openRev}
	switch {
	case c.Done:
		return doc, t.openRev > 0, nil
	case !t.opens(c):
		return doc, false, nil
	}
	now := t.log.c.Now()
	doc.Body, err = bson.Marshal(openDoc{
		Client: t.thread.Client, Thread: t.thread.ID, Turn: t.id, Attempt: t.attempt,
		Holder: t.log.holder, Until: now.Add(t.log.c.Lease), At: now,
	})
	return doc, true, err
}

// opens reports whether the commit writes the open document unless it is the turn's last.
func (t *Turn) opens(c Commit) bool { return t.base == 0 || c.Source == SourceTakeover }

// settle finds out what a failed write did. A step of our own attempt that stands in the store means it
// was written after all (the reply was lost); a foreign one means the thread went on without us.
func (t *Turn) settle(ctx context.Context, c Commit, cause error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	doc, err := t.log.get(ctx, state.Steps, t.thread.StepKey(t.seq+1))
	if err != nil {
		return cause
	}
	step, err := decodeStep(doc)
	switch {
	case err != nil:
		return errors.Join(cause, err)
	case step.Attempt == t.attempt:
		return nil
	case t.base == 0 || c.Source == SourceTakeover:
		return state.Errorf(state.Conflict, "thread "+t.thread.Key(), "another turn was first; wait for its reply and send again")
	}
	return state.ErrFenced
}
