package checkpoint

import (
	"context"
	"errors"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// This file makes the id of a turn whose caller chose it a key that counts once: where such a turn ends, a document of
// the turns collection says with which step.

// ErrDone is a state.Conflict: the thread has finished the turn, and the state that it ended with was pruned since.
// What it did stays done.
var ErrDone = &state.Error{Code: state.Conflict, Op: "the turn is finished, and its state was pruned"}

// BeginOnce is Begin for a turn whose id the caller chose, so that the same message can be sent again. Where the thread
// has finished a turn of that id, or has given it up, there is no turn to run: done is the step that ended it, which may have
// been pruned. The id must be able to stand in a key (state.ValidateID).
func (l *Log) BeginOnce(ctx context.Context, thread state.Thread, turn string) (t *Turn, done int64, err error) {
	if err := state.ValidateID("turn", turn); err != nil {
		return nil, 0, err
	}
	t, err = l.prepare(ctx, thread, func() (*Turn, error) {
		t, done, err = l.begin(ctx, thread, turn, true)
		return t, err
	})
	return t, done, err
}

// endDoc says which step ended a turn. Where the store is not Atomic it is written before that step, so it counts only
// if the step is there, is of the turn, and ends it.
type endDoc struct {
	Seq int64 `bson:"seq"`
}

// ended finds the step that ended a turn of the thread, whose last step is head; 0 = none did.
func (l *Log) ended(ctx context.Context, thread state.Thread, turn string, head int64) (int64, error) {
	if head == 0 {
		return 0, nil
	}
	_, seq, err := l.endOf(ctx, thread, turn)
	if err != nil || seq == 0 || seq > head {
		return 0, err
	}
	is, err := l.ends(ctx, thread, turn, seq)
	if !is {
		seq = 0
	}
	return seq, err
}

// ends reports whether a step that was written once ended a turn. Of one that was pruned that is assumed.
func (l *Log) ends(ctx context.Context, thread state.Thread, turn string, seq int64) (bool, error) {
	doc, err := l.at(ctx, thread, seq)
	if state.CodeOf(err) == state.NotFound {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	steps, err := l.folder.steps(doc)
	return slices.ContainsFunc(steps, func(s Step) bool { return s.Seq == seq && s.Turn == turn && s.Done }), err
}

// endOf reads the document of a turn's end: its revision and the step, 0 = there is none.
func (l *Log) endOf(ctx context.Context, thread state.Thread, turn string) (rev, seq int64, err error) {
	doc, err := l.get(ctx, state.Turns, thread.TurnKey(turn))
	if state.CodeOf(err) == state.NotFound {
		return 0, 0, nil
	}
	if err != nil {
		return 0, 0, err
	}
	var end endDoc
	if err := bson.Unmarshal(doc.Body, &end); err != nil {
		return 0, 0, state.Errorf(state.Internal, "end of turn "+doc.ID, "is damaged: %w", err)
	}
	return doc.Rev, end.Seq, nil
}

// endDocs is the document of the turn's end where a step ends it and its id was chosen, else none.
func (t *Turn) endDocs(step Step) ([]store.Doc, error) {
	if !step.Named || !step.Done {
		return nil, nil
	}
	body, err := marshal("end of turn "+t.id, endDoc{step.Seq})
	return []store.Doc{{Collection: state.Turns, ID: t.thread.TurnKey(t.id), Body: body}}, err
}

// putEnd writes the document of the turn's end before the step, over one that an attempt at it has left. A document that
// names a later step is of an attempt that the thread went on with: it stays, and this one has lost.
func (t *Turn) putEnd(ctx context.Context, c Commit, step Step) error {
	docs, err := t.endDocs(step)
	for err == nil && len(docs) > 0 {
		if err = t.log.c.Store.Write(ctx, docs...); err == nil || !errors.Is(err, state.ErrConflict) {
			return err
		}
		var seq int64
		docs[0].Rev, seq, err = t.log.endOf(ctx, t.thread, t.id)
		if seq > step.Seq {
			return t.beaten(c)
		}
	}
	return err
}

// dropEnd removes what putEnd wrote for a step whose place another turn has taken.
func (t *Turn) dropEnd(ctx context.Context, step Step) {
	if !step.Named || !step.Done {
		return
	}
	l := t.log
	rev, seq, err := l.endOf(ctx, t.thread, t.id)
	if err != nil || rev == 0 || seq != step.Seq {
		return
	}
	if is, err := l.ends(ctx, t.thread, t.id, seq); err == nil && !is { // else another attempt at the turn was first
		_ = l.c.Store.Write(ctx, store.Doc{Collection: state.Turns, ID: t.thread.TurnKey(t.id), Rev: rev})
	}
}

// forget removes the document of a turn's end.
func (l *Log) forget(ctx context.Context, thread state.Thread, turn string) (err error) {
	rev := int64(0)
	if state.ValidateID("turn", turn) == nil { // else it never had one
		rev, _, err = l.endOf(ctx, thread, turn)
	}
	if err != nil || rev == 0 {
		return err
	}
	return l.c.Store.Write(ctx, store.Doc{Collection: state.Turns, ID: thread.TurnKey(turn), Rev: rev})
}
