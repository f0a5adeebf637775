package checkpoint

import (
	"context"
	"errors"

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
		t, done, err = l.beginTurn(ctx, thread, turn, true)
		return t, err
	})
	return t, done, err
}

// endDoc says which step ended a turn. Where the store is not Atomic it is written behind that step, as its effects are.
type endDoc struct {
	Seq int64 `bson:"seq"`
}

// findEnd finds the step that ended a turn of the thread, whose last step is head; 0 = none did.
func (l *Log) findEnd(ctx context.Context, thread state.Thread, turn string, head Step) (int64, error) {
	if head.Seq == 0 || head.Done && head.Named && head.Turn == turn {
		return head.Seq, nil
	}
	_, seq, err := l.readEnd(ctx, thread, turn)
	if seq > head.Seq {
		seq = 0
	}
	return seq, err
}

// readEnd reads the document of a turn's end: its revision and the step, 0 = there is none.
func (l *Log) readEnd(ctx context.Context, thread state.Thread, turn string) (rev, seq int64, err error) {
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

// makeEndDocs returns the document of the turn's end where a step ends it and its id was chosen, else none.
func makeEndDocs(thread state.Thread, step Step) ([]store.Doc, error) {
	if !step.Named || !step.Done {
		return nil, nil
	}
	body, err := marshal("end of turn "+step.Turn, endDoc{step.Seq})
	return []store.Doc{{Collection: state.Turns, ID: thread.TurnKey(step.Turn), Body: body}}, err
}

// writeEnd writes the document of the end of the turn that a step ends, over that of an earlier end.
func (l *Log) writeEnd(ctx context.Context, thread state.Thread, step Step) error {
	docs, err := makeEndDocs(thread, step)
	for err == nil && len(docs) > 0 {
		if err = l.c.Store.Write(ctx, docs...); err == nil || !errors.Is(err, state.ErrConflict) {
			return err
		}
		var seq int64
		if docs[0].Rev, seq, err = l.readEnd(ctx, thread, step.Turn); seq == step.Seq {
			return nil
		}
	}
	return err
}

// forget removes the document of a turn's end.
func (l *Log) forget(ctx context.Context, thread state.Thread, turn string) (err error) {
	rev := int64(0)
	if state.ValidateID("turn", turn) == nil { // else it never had one
		rev, _, err = l.readEnd(ctx, thread, turn)
	}
	if err != nil || rev == 0 {
		return err
	}
	return l.c.Store.Write(ctx, store.Doc{Collection: state.Turns, ID: thread.TurnKey(turn), Rev: rev})
}
