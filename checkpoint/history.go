package checkpoint

import (
	"context"
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

	// Where it begins.
	if w.Before > 1 {
		doc, err := l.findDoc(ctx, thread, w.Before-1)
		switch {
		case err == nil: // as it is: by the time of a second look it may have been folded into one behind it
			docs, q.After = []store.Doc{doc}, doc.ID
		case state.CodeOf(err) != state.NotFound:
			return nil, 0, err
		}
	}

	// Page by page, and a folded turn as a whole.
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
				return found, last.stepBefore(), nil
			}
			steps, err := l.stepsIn(ctx, thread, d, last.Seq-1)
			switch {
			case state.CodeOf(err) == state.NotFound: // it was pruned meanwhile, with what it was folded into
				return nil, last.Seq - 1, nil
			case err != nil:
				return nil, 0, err
			}
			for _, s := range slices.Backward(steps) {
				switch {
				case last.Seq > 0 && s.Seq >= last.Seq: // folded already
					continue
				case last.Seq > 0 && s.Seq < last.Seq-1: // or left over by a prune that was cut short
					return found, last.stepBefore(), nil
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
			return found, last.stepBefore(), nil
		}
		q.After, docs = docs[len(docs)-1].ID, nil
	}
}

// stepsIn reads what a document holds; where next, the step that comes next, was folded into a later one, that one is read: not all that was folded with it
// need have been marked, where there are no transactions and that was cut short.
func (l *Log) stepsIn(ctx context.Context, thread state.Thread, d store.Doc, next int64) ([]Step, error) {
	if into, ok := d.Body.Lookup("into").AsInt64OK(); ok && into > 0 && d.ID == thread.StepKey(next) {
		var err error
		if d, err = l.get(ctx, state.Steps, thread.StepKey(into)); err != nil {
			return nil, err
		}
	}
	return l.folder.unfold(d)
}

// stepBefore returns the step before this one, 0 if this one can do without it.
func (s *Step) stepBefore() int64 {
	if s.Seq == 0 || s.whole() {
		return 0
	}
	return s.Seq - 1
}

func (w Which) selects(s Step) bool {
	return (w.Before == 0 || s.Seq < w.Before) && (w.Turn == "" || s.Turn == w.Turn) &&
		(w.Source == "" || s.Source == w.Source) && (!w.Done || s.Done) && s.Source != SourceDeleted
}

// Turn returns the steps of a turn, newest first, without reading the history behind them; none when the log does not have it. Of a
// turn that was gone back to those that count.
func (l *Log) Turn(ctx context.Context, thread state.Thread, turn string) ([]Step, error) {
	// The newest step of the turn is found by the turn's id, or by looking back.
	if err := thread.Validate(); err != nil {
		return nil, err
	}
	last := Which{Turn: turn, Limit: 1}
	if state.ValidateID("turn", turn) == nil { // else its end is kept nowhere
		_, end, err := l.readEnd(ctx, thread, turn)
		if err != nil {
			return nil, err
		}
		if end > 0 {
			last.Before = end + 1
		}
	}
	steps, err := l.History(ctx, thread, last)
	if err != nil || len(steps) == 0 {
		return nil, err
	}

	// Its other steps stand right before that one.
	for {
		more, err := l.History(ctx, thread, Which{Before: steps[len(steps)-1].Seq, Limit: turnPage})
		if err != nil {
			return nil, err
		}
		for _, s := range more {
			if s.Turn != turn {
				return steps, nil
			}
			steps = append(steps, s)
		}
		if len(more) < turnPage {
			return steps, nil
		}
	}
}

// turnPage is how many steps of a turn are read at a time.
const turnPage = 32
