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

// This file is a commit where the store has no transactions: the step carries its effects, its insert is the commit, and the
// documents follow at once. After a crash in between, the thread's next turn or a sweep makes them up: the last step stands as
// it was inserted, which says that something may be missing, and the documents' marks say what of it is there already.

// insert makes the step and the signpost, at the same time.
func (t *Turn) insert(ctx context.Context, c Commit, step Step, body bson.Raw) error {
	if c.Chunk != nil {
		if err := t.insertChunk(ctx, c, step); err != nil {
			return err
		}
	}

	// The signpost of a turn that ends or waits is changed when its effects are carried out.
	docs := []store.Doc{{Collection: state.Steps, ID: t.thread.StepKey(step.Seq), Body: body}}
	t.sign.mu.Lock()
	defer t.sign.mu.Unlock()
	begins := t.base == 0 || c.Source == SourceTakeover || c.Source == SourceFork && !c.Done
	mine := t.sign.runningDoc(t)
	if begins {
		sign, err := t.sign.makeChange(mine)
		if err != nil {
			return err
		}
		docs = append(docs, sign)
	}
	err := t.log.c.Store.Write(ctx, docs...)
	if err == nil {
		if begins {
			t.sign.doc, t.sign.rev = mine, t.sign.rev+1
		}
		return nil
	}

	// Which of the two was not written?
	var at *store.ConflictError
	if !errors.As(err, &at) || at.Collection == state.Steps {
		if err = t.readBack(ctx, c, step, err); err != nil {
			if begins && t.sign.read(ctx) == nil { // it may be the winner's
				_ = t.sign.replace(ctx, t.attempt, nil)
			}
			return err
		}
	}
	if !begins {
		return nil
	}
	if err := t.sign.read(ctx); err != nil || t.sign.doc.Attempt == t.attempt {
		return err
	}
	return t.sign.put(ctx, mine) // the step is there: the turn is ours, whoever set the signpost up
}

// mayBeDeleted reports whether the thread may have been deleted under the turn: before its first step, or while its lease was
// over.
func (t *Turn) mayBeDeleted(c Commit, step Step) bool {
	if !t.log.can.Shared || step.Seq == 1 {
		return false
	}
	if t.base == 0 {
		return step.Base != step.Seq || c.Chunk != nil
	}
	t.sign.mu.Lock()
	defer t.sign.mu.Unlock()
	return !t.sign.doc.Until.After(t.log.c.Now())
}

// checkDeleted takes a step back that stands in a thread without the one before it.
func (t *Turn) checkDeleted(ctx context.Context, step Step) error {
	_, err := t.log.get(ctx, state.Steps, t.thread.StepKey(step.Seq-1))
	if state.CodeOf(err) != state.NotFound {
		return err
	}

	docs := []store.Doc{{Collection: state.Steps, ID: t.thread.StepKey(step.Seq), Rev: 1}}
	if step.Items == step.Seq {
		docs = append(docs, store.Doc{Collection: state.Steps, ID: chunkKey(t.thread, step.Seq), Rev: 1})
	}
	if err := errors.Join(t.log.c.Store.Write(ctx, docs...), t.sign.drop(ctx, t.attempt)); err != nil {
		return err
	}

	if t.base != 0 {
		return state.ErrFenced
	}
	return state.Errorf(state.Conflict, "thread "+t.thread.Key(), "was deleted meanwhile; send again")
}

func (t *Turn) insertChunk(ctx context.Context, c Commit, step Step) error {
	chunk, err := t.makeChunk(c, step)
	if err != nil {
		return err
	}
	err = t.log.c.Store.Write(ctx, chunk)
	if errors.Is(err, state.ErrConflict) { // of an attempt that died before its step
		var old store.Doc
		if old, err = t.log.get(ctx, state.Steps, chunk.ID); err == nil {
			chunk.Rev = old.Rev
			err = t.log.c.Store.Write(ctx, chunk)
		}
	}
	return err
}

// carryOut carries out a step's effects, and those that the attempts before have left. If that fails the attempt is over:
// what is in the log is carried out by whoever takes the turn. A turn that has ended has not failed; the next one makes it up.
func (t *Turn) carryOut(ctx context.Context, c Commit, step Step) error {
	t.owed = append(t.owed, markEffects(t.thread, step.Seq, c.Effects, false)...)
	err := t.log.carryOut(ctx, t.owed)
	if err == nil {
		err = t.log.writeEnd(ctx, t.thread, step)
	}

	switch {
	case err == nil:
		t.owed, t.tidy = nil, c.Done
	case c.Done:
		state.TraceFrom(ctx).Note("memory: other processes do not see this turn yet, the next turn makes it up: %v", err)
		return nil
	}
	if err != nil || c.Done || len(c.Asked) == 0 {
		return err
	}

	t.sign.mu.Lock()
	defer t.sign.mu.Unlock()
	d := t.sign.runningDoc(t)
	d.Waits, d.Until, d.Applied = true, d.At, t.seq
	return t.sign.put(ctx, d)
}

// markEffects lets the effects of step seq say so.
func markEffects(thread state.Thread, seq int64, effects []state.Effect, again bool) []state.Effect {
	effects = slices.Clone(effects)
	for i := range effects {
		effects[i].From = state.Mark{Thread: thread.Key(), Seq: seq, Again: again}
	}
	return effects
}

// carryOut has memory merge effects into their documents and tell its feed of it. The steps are in the log by then, so a
// caller who gives up does not end it.
func (l *Log) carryOut(ctx context.Context, effects []state.Effect) error {
	if len(effects) == 0 {
		return nil
	}
	err := l.write(ctx, effects, l.writeMerged)
	if err == nil || ctx.Err() == nil {
		return err
	}
	for i := range effects {
		effects[i].From.Again = true
	}
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	return l.write(late, effects, l.writeMerged)
}

// writeMerged writes what memory makes of effects, and nothing else.
func (l *Log) writeMerged(ctx context.Context, merged [][]store.Doc) (again bool, err error) {
	for _, docs := range merged {
		if err := l.c.Store.Write(ctx, docs...); err != nil {
			return false, err
		}
	}
	return false, nil
}

// Append makes effects durable that no turn decided. Where the store is not Atomic that is a turn of one step in a thread of their own. Of the
// steps before it nothing stays but their numbers, for a while. It returns when the effects are carried out. Writers to the same thread wait for
// each other.
func (l *Log) Append(ctx context.Context, thread state.Thread, effects []state.Effect) error {
	if l.can.Atomic {
		return l.write(ctx, effects, l.writeMerged)
	}
	var last error
	for try := 0; try < commitTries || try < appendTries && errors.Is(last, ErrBusy); try++ {
		t, err := l.Begin(ctx, thread, l.c.NewID())
		if err == nil {
			err = t.append(ctx, effects)
			t.Release()
		}
		if last = err; state.CodeOf(err) != state.Conflict {
			return err
		}

		select {
		case <-l.c.After(appendPause * time.Duration(1+min(try, 15))):
		case <-ctx.Done():
			return store.Cancelled(ctx)
		}
	}
	return last
}

// appendPause is how long Append waits for another writer at first; it waits longer each time, up to 80 ms. So often it tries as it takes until the lease of a
// writer that died is over, and longer: a crowd of processes writes one after the other.
const (
	appendPause = 5 * time.Millisecond
	appendTries = 600
)

func (t *Turn) append(ctx context.Context, effects []state.Effect) error {
	if err := t.Commit(ctx, Commit{Source: SourceUpdate, Effects: effects, Whole: true, Done: true}); err != nil {
		return err
	}
	if len(t.owed) > 0 || t.prev.Seq == 0 {
		return nil
	}
	if err := t.freeNumbers(ctx); err != nil { // they are only in the way
		state.TraceFrom(ctx).Note("memory: a step that nobody needs any more stays in the log: %v", err)
	}
	return nil
}

// freeAfter is how many numbers of an Append thread are not free yet: a process that looked at the thread must not insert
// its step under one that so many others have used since. Its effects would count as carried out, and be lost.
const freeAfter = 60

// freeNumbers empties the step before this one, and deletes ten of those long before it at every tenth.
func (t *Turn) freeNumbers(ctx context.Context) error {
	prev := store.Doc{Collection: state.Steps, ID: t.thread.StepKey(t.prev.Seq), Rev: t.prev.rev, Body: placeholder(t.prev.Seq, t.prev.Seq, t.seq)}
	err := t.log.c.Store.Write(ctx, prev)
	if t.seq%10 != 0 || t.seq <= freeAfter {
		return err
	}
	ten := t.thread.StepKey(t.seq - freeAfter) // its number ends in 0, as those of the ten do but for their last digit
	_, gone := t.log.c.Store.Delete(ctx, state.Steps, ten[:len(ten)-1])
	return errors.Join(err, gone)
}

// repair makes up for a process that died behind its turn, the thread's last: what the turn decided is carried out, and its
// signpost is taken down.
func (l *Log) repair(ctx context.Context, thread state.Thread, head Step, sign *signpost) error {
	if !head.Done {
		return nil
	}
	if !l.can.Atomic && head.mayOwe() {
		if err := l.carryOutLast(ctx, thread, head, sign); err != nil {
			return err
		}
	}
	if sign.doc.Turn == "" || l.isHeldElsewhere(sign) { // whose it is takes it down
		return nil
	}
	return sign.endTurn(ctx, sign.doc.Attempt)
}

// carryOutLast carries out what the thread's last turn has decided.
func (l *Log) carryOutLast(ctx context.Context, thread state.Thread, head Step, sign *signpost) error {
	from := head.Base
	if sign.doc.Turn == head.Turn {
		from = max(from, sign.doc.Applied+1)
	}
	past, err := l.Steps(ctx, thread, from)
	if err != nil {
		return err
	}
	var owed []state.Effect
	for _, s := range past {
		if s.Turn == head.Turn {
			owed = append(owed, markEffects(thread, s.Seq, s.Effects, true)...)
		}
	}
	if err := l.carryOut(ctx, owed); err != nil {
		return err
	}
	if err := l.writeEnd(ctx, thread, head); err != nil {
		return err
	}

	// Written anew the last step says that nothing is owed.
	head.Effects = nil
	body, err := head.encode()
	if err == nil {
		err = l.c.Store.Write(ctx, store.Doc{Collection: state.Steps, ID: thread.StepKey(head.Seq), Rev: head.rev, Body: body})
	}
	if errors.Is(err, state.ErrConflict) {
		return nil // another process has done it
	}
	return err
}

// mayOwe reports whether a turn that this step ends may have effects that are not carried out: they are taken out of
// its steps when they are.
func (s *Step) mayOwe() bool { return s.Done && s.first == 0 && s.rev == 1 }

// tidyUp tidies up behind a finished turn whose effects are carried out: its steps are folded, without the effects,
// and its signpost goes. What fails here is done by nobody else and harms nothing, but for the signpost, which
// the next turn takes down.
func (l *Log) tidyUp(t *Turn) {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	if err := l.strip(ctx, t); err != nil {
		return
	}

	// Others may have taken the signpost down since and set up their own, of the same number: what is read now is ours, or is left alone.
	t.sign.mu.Lock()
	err := t.sign.read(ctx)
	t.sign.mu.Unlock()
	if err == nil {
		_ = t.sign.endTurn(ctx, t.attempt)
	}
}

// strip folds a finished turn's steps into the last one, or writes them anew: without the effects, which are in their documents
// now, and what is forgotten there must not live on here.
func (l *Log) strip(ctx context.Context, t *Turn) (err error) {
	if t.first == 0 {
		return nil
	}

	ends := t.bodies[len(t.bodies)-1]
	var docs []store.Doc
	if l.canFold(t, t.bodies) {
		if ends, err = l.folder.fold(t.last, t.first, t.bodies); err != nil {
			return err
		}
		docs = t.placeholders(t.last.Seq)
	} else {
		for i, b := range t.bodies[:len(t.bodies)-1] {
			docs = append(docs, store.Doc{Collection: state.Steps, ID: t.thread.StepKey(t.first + int64(i)), Rev: 1, Body: b})
		}
	}

	if err := l.c.Store.Write(ctx, store.Doc{Collection: state.Steps, ID: t.thread.StepKey(t.last.Seq), Rev: 1, Body: ends}); err != nil {
		return err
	}
	return l.c.Store.Write(ctx, docs...)
}
