package checkpoint

import (
	"context"
	"errors"
	"slices"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// This file is a commit where the store has transactions: one Write.

// write puts the step, its effects merged into documents as they stand now, and the signpost into one transaction.
func (t *Turn) write(ctx context.Context, c Commit, step Step, body bson.Raw) error {
	own, folded, err := t.stepDocs(c, step, body)
	if err != nil {
		return err
	}
	end, err := t.endDocs(step)
	if err != nil {
		return err
	}
	put := func(ctx context.Context, applied ...store.Doc) error {
		t.sign.mu.Lock()
		defer t.sign.mu.Unlock()
		return t.put(ctx, c, step, own, folded, end, applied)
	}
	if len(c.Effects) == 0 {
		return put(ctx)
	}
	return t.log.c.Memory.Apply(ctx, c.Effects, put)
}

// put writes a step's documents with those of memory, again when another writer was faster at one of the step's own. The
// caller holds the signpost.
func (t *Turn) put(ctx context.Context, c Commit, step Step, own, folded, end, applied []store.Doc) error {
	sign, signed, err := t.signDoc(c)
	for range applyTries {
		if err != nil {
			return err
		}
		docs := slices.Concat(own, folded, end, applied)
		if signed {
			docs = append(docs, sign)
		}
		err = t.log.c.Store.Write(ctx, docs...)
		var at *store.ConflictError
		if err == nil || !errors.As(err, &at) || at.Collection == state.Steps && at.ID == own[0].ID {
			if err != nil {
				err = t.settle(ctx, c, step, err)
			}
			if err == nil && signed {
				t.signed(sign)
			}
			return err
		}
		switch at.Collection {
		case state.Open:
			err = t.sign.read(ctx)
			sign.Rev = t.sign.rev
			signed = signed && (sign.Rev > 0 || sign.Body != nil)
		case state.Turns:
			end[0].Rev, _, err = t.log.endOf(ctx, t.thread, t.id)
		case state.Steps: // a step to be folded was written anew, by a change of keys, or is gone: let it be
			folded, err = nil, nil
		default: // memory merges again
			return err
		}
	}
	return state.Errorf(state.Conflict, "turn "+t.id, "each of %d tries met another writer of its thread; go on with it when they are done", applyTries)
}

// stepDocs are the documents of a step where there are transactions: itself, its chunk of items, and, with a turn's
// first step, the turn before folded into one.
func (t *Turn) stepDocs(c Commit, step Step, body bson.Raw) (own, folded []store.Doc, err error) {
	own = []store.Doc{{Collection: state.Steps, ID: t.thread.StepKey(step.Seq), Body: body}}
	if c.Chunk != nil {
		chunk, err := t.chunk(c, step)
		if err != nil {
			return nil, nil, err
		}
		own = append(own, chunk)
	}
	if t.base == 0 {
		folded = t.log.folds.take(t.thread, t.prev)
	}
	return own, folded, nil
}

// pack folds the turn that has ended. It is done beside the thread's next turn, whose first commit writes it.
func (l *Log) pack(t *Turn, into *pending) {
	body, err := l.folder.fold(t.last, t.first, t.bodies)
	if err != nil {
		return // it stays as it is
	}
	last := store.Doc{Collection: state.Steps, ID: t.thread.StepKey(t.last.Seq), Rev: 1, Body: body}
	l.folds.put(into, append(t.folded(l, t.last.Seq), last))
}

// foldable reports whether the turn is worth folding and not too long for it.
func (t *Turn) foldable(l *Log) bool {
	size := 0
	for _, b := range t.bodies {
		size += len(b)
	}
	return !l.c.Unfolded && t.first > 0 && len(t.bodies) > 1 && size <= maxFold
}

// folded are the changes to the steps that were folded into a later one, step number into. Where other processes write
// too, something has to stay in their places: one that slept meanwhile must not find them free.
func (t *Turn) folded(l *Log, into int64) []store.Doc {
	var docs []store.Doc
	for i := range t.bodies[1:] {
		doc := store.Doc{Collection: state.Steps, ID: t.thread.StepKey(t.first + int64(i)), Rev: 1}
		if l.can.Shared {
			doc.Body = placeholder(t.first+int64(i), t.base, into)
		}
		docs = append(docs, doc)
	}
	return docs
}

// signDoc is the change of the turn's signpost: set up by the first commit, renewed by a takeover and when the turn
// begins or ends to wait, taken down by the last.
func (t *Turn) signDoc(c Commit) (doc store.Doc, needed bool, err error) {
	begins := t.base == 0 || c.Source == SourceTakeover || c.Source == SourceFork
	if c.Done && t.log.c.Keep == 0 {
		return store.Doc{Collection: state.Open, ID: t.thread.Key(), Rev: t.sign.rev}, t.sign.rev > 0, nil
	}
	if !begins && !c.Done && len(c.Asked) == 0 {
		return doc, false, nil
	}
	d := t.sign.mine(t)
	switch {
	case c.Done:
		d = openDoc{Client: d.Client, Thread: d.Thread, At: d.At, Goes: d.At.Add(t.log.c.Keep)}
	case len(c.Asked) > 0:
		d.Waits, d.Until = true, d.At
	}
	doc, err = t.sign.change(d)
	return doc, true, err
}

// signed takes note of the signpost as it was written.
func (t *Turn) signed(doc store.Doc) {
	if doc.Body == nil {
		t.sign.rev = 0
		return
	}
	doc.Rev++
	_ = t.sign.take(doc) // our own encoding
}

// settle finds out what a failed write did. A step of our own attempt that stands in the store means it
// was written after all (the reply was lost); a foreign one means the thread went on without us.
func (t *Turn) settle(ctx context.Context, c Commit, step Step, cause error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	doc, err := t.log.get(ctx, state.Steps, t.thread.StepKey(step.Seq))
	if err != nil {
		return cause
	}
	stands, err := t.log.folder.steps(doc)
	switch {
	case err != nil:
		return errors.Join(cause, err)
	case len(stands) > 0 && stands[len(stands)-1].Attempt == t.attempt:
		return nil
	}
	return t.beaten(c)
}

// beaten is the error of a commit whose step another attempt has made.
func (t *Turn) beaten(c Commit) error {
	if t.base == 0 || c.Source == SourceTakeover {
		return t.log.busy(t.thread, time.Time{}, "it was first; wait for its reply and send again")
	}
	return state.ErrFenced
}
