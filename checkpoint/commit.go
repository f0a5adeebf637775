package checkpoint

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// This file is a commit where the store has transactions: one Write.

// writeWhole puts the step, its effects merged into documents as they stand now, and the signpost into one transaction.
func (t *Turn) writeWhole(ctx context.Context, c Commit, step Step, body bson.Raw) error {
	// The step with its chunk, the turn's end, and the turn folded.
	own := []store.Doc{{Collection: state.Steps, ID: t.thread.StepKey(step.Seq), Body: body}}
	var folded []store.Doc
	if bodies := append(slices.Clip(t.bodies), body); c.Done && c.Source != SourceFork && t.log.canFold(t, bodies) {
		var err error
		if own[0].Body, err = t.log.folder.fold(step, t.first, bodies); err != nil {
			return err
		}
		folded = t.placeholders(step.Seq)
	}
	if c.Chunk != nil {
		chunk, err := t.makeChunk(c, step)
		if err != nil {
			return err
		}
		own = append(own, chunk)
	}
	end, err := makeEndDocs(t.thread, step)
	if err != nil {
		return err
	}

	// One Write of them, of the signpost, and of what memory makes of the effects. Where another writer was faster at one of the step's own the
	// revision is read again.
	return t.log.write(ctx, c.Effects, func(ctx context.Context, merged [][]store.Doc) (again bool, err error) {
		t.sign.mu.Lock()
		defer t.sign.mu.Unlock()
		docs := slices.Concat(append(merged, own, folded, end)...)
		sign, signed, err := t.changeSign(c)
		if err != nil {
			return false, err
		}
		if signed {
			docs = append(docs, sign)
		}
		err = t.log.c.Store.Write(ctx, docs...)

		// Of a conflict at the step, or another failure, the store is asked what stands there.
		var at *store.ConflictError
		if err == nil || !errors.As(err, &at) || at.Collection == state.Steps && at.ID == own[0].ID {
			if err != nil {
				err = t.readBack(ctx, c, step, err)
			}
			if err == nil && signed {
				t.noteSign(sign)
			}
			return false, err
		}
		switch at.Collection {
		case state.Open:
			return true, t.sign.read(ctx)
		case state.Turns:
			end[0].Rev, _, err = t.log.readEnd(ctx, t.thread, t.id)
			return true, err
		case state.Steps: // a step to be folded was written anew, by a change of keys, or is gone: let it be
			folded = nil
			return true, nil
		}
		return false, err
	})
}

// commitTries bounds how often a commit is tried again because other writers were faster at its documents.
const commitTries = 64

// write has memory merge effects, and put write what comes of them, until no other writer was faster. Put says whether to try again because of a
// document of its own; other conflicts are memory's.
func (l *Log) write(ctx context.Context, effects []state.Effect, put func(ctx context.Context, merged [][]store.Doc) (again bool, err error)) error {
	var batch Batch = nothing{}
	if len(effects) > 0 {
		var err error
		if batch, err = l.c.Memory.Merge(ctx, effects); err != nil {
			return err
		}
	}
	defer batch.Release()

	var met error
	for range commitTries {
		again, err := put(ctx, batch.Docs())
		if err == nil && !again {
			return batch.Wrote(ctx)
		}
		if err != nil {
			met, err = err, batch.Again(ctx, err)
		}
		if err != nil {
			return err
		}
	}
	return state.Errorf(state.Conflict, "commit", "each of %d tries met another writer of the same thread or memory: %w; "+
		"go on with the turn, or send its message again, when they are done", commitTries, cmp.Or(met, error(ErrBusy)))
}

// nothing is what no effects make.
type nothing struct{}

// Docs are none.
func (nothing) Docs() [][]store.Doc { return nil }

// Again has nothing to merge.
func (nothing) Again(_ context.Context, failed error) error { return failed }

// Wrote tells nobody.
func (nothing) Wrote(context.Context) error { return nil }

// Release does nothing.
func (nothing) Release() {}

// canFold reports whether the bodies of a turn's steps are worth folding and not too long for it. A store that lives and dies
// with this process gains nothing by it.
func (l *Log) canFold(t *Turn, bodies []bson.Raw) bool {
	size := 0
	for _, b := range bodies {
		size += len(b)
	}
	return !l.c.Unfolded && l.can.Shared && t.first > 0 && len(bodies) > 1 && size <= maxFold
}

// placeholders take the places of the steps that were folded into a later one, step number into: a process that slept
// meanwhile must not find them free.
func (t *Turn) placeholders(into int64) []store.Doc {
	docs := make([]store.Doc, 0, into-t.first)
	for seq := t.first; seq < into; seq++ {
		docs = append(docs, store.Doc{Collection: state.Steps, ID: t.thread.StepKey(seq), Rev: 1, Body: placeholder(seq, t.base, into)})
	}
	return docs
}

// changeSign returns the change of the turn's signpost: set up by the first commit, renewed by a takeover and when the turn
// begins or ends to wait, taken down by the last.
func (t *Turn) changeSign(c Commit) (doc store.Doc, needed bool, err error) {
	begins := t.base == 0 || c.Source == SourceTakeover || c.Source == SourceFork
	if c.Done && t.log.c.Keep == 0 {
		return store.Doc{Collection: state.Open, ID: t.thread.Key(), Rev: t.sign.rev}, t.sign.rev > 0, nil
	}
	if !begins && !c.Done && len(c.Asked) == 0 {
		return doc, false, nil
	}

	d := t.sign.runningDoc(t)
	switch {
	case c.Done:
		d = openDoc{Client: d.Client, Thread: d.Thread, At: d.At, Goes: d.At.Add(t.log.c.Keep)}
	case len(c.Asked) > 0:
		d.Waits, d.Until = true, d.At
	}
	doc, err = t.sign.makeChange(d)
	return doc, true, err
}

// noteSign takes note of the signpost as it was written.
func (t *Turn) noteSign(doc store.Doc) {
	if doc.Body == nil {
		t.sign.rev = 0
		return
	}
	doc.Rev++
	_ = t.sign.take(doc) // our own encoding
}

// readBack finds out what a failed write did. A step of our own attempt that stands in the store means it
// was written after all (the reply was lost); a foreign one means the thread went on without us.
func (t *Turn) readBack(ctx context.Context, c Commit, step Step, cause error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	doc, err := t.log.get(ctx, state.Steps, t.thread.StepKey(step.Seq))
	if err != nil {
		return cause
	}
	stands, err := t.log.folder.unfold(doc)
	switch {
	case err != nil:
		return errors.Join(cause, err)
	case len(stands) > 0 && stands[len(stands)-1].Attempt == t.attempt:
		return nil
	}
	return t.lose(c)
}

// lose returns the error of a commit whose step another attempt has made.
func (t *Turn) lose(c Commit) error {
	if t.base == 0 || c.Source == SourceTakeover {
		return t.log.busyError(t.thread, time.Time{}, "it was first; wait for its reply and send again")
	}
	return state.ErrFenced
}
