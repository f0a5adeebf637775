package checkpoint

import (
	"context"
	"errors"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/field"
	"github.com/mneme-graph/mneme/state/store"
)

// This file takes what turns held out of the log for good. Numbers of steps stay taken, and so do the ids of turns that their callers chose: a
// process that slept meets a step that is not its own, and a message that is sent again finds its turn finished.

// Threads returns the threads of the client whose keys begin with prefix that have anything in the log, by their keys.
func (l *Log) Threads(ctx context.Context, prefix string) (threads []state.Thread, err error) {
	for after := ""; ; {
		docs, err := l.scan(ctx, store.Query{Collection: state.Steps, Prefix: prefix, After: after, Limit: 1})
		if err != nil || len(docs) == 0 {
			return threads, err
		}
		key, _, _ := strings.Cut(docs[0].ID, "/$")
		client, id, _ := strings.Cut(key, "/")
		thread := state.Thread{Client: client, ID: id}
		threads = append(threads, thread)
		after = thread.StepPrefix() + "~" // behind all its steps
	}
}

// Settle carries out what finished turns of the threads whose keys begin with prefix have left owing.
func (l *Log) Settle(ctx context.Context, prefix string) error {
	return l.eachSign(ctx, prefix, func(s *signpost) error {
		_, err := l.sweep(ctx, s)
		return err
	})
}

// EndTurn ends a thread's turn that is not finished, whoever runs it: he meets a step that is not his own, and stops. What the turn held goes. It
// reports whether there was one.
func (l *Log) EndTurn(ctx context.Context, thread state.Thread) (bool, error) {
	head, err := l.Head(ctx, thread)
	if err != nil || head.Seq == 0 || head.Done {
		return false, err
	}
	if head, err = l.fence(ctx, thread, true); err != nil {
		return false, err
	}
	_, err = l.blank(ctx, thread, func(s Step) bool { return s.Turn == head.Turn && s.Turn != "" }, head.Seq)
	return true, errors.Join(err, l.dropSign(ctx, thread))
}

// EraseThread takes everything out of a thread's log, whoever runs a turn on it. An empty step stays as its last one. It returns how many
// documents went.
func (l *Log) EraseThread(ctx context.Context, thread state.Thread) (n int, err error) {
	// An empty step becomes the last one, so that whoever runs a turn meets it and stops.
	head, err := l.Head(ctx, thread)
	switch {
	case err != nil:
		return 0, err
	case head.Seq > 0 && head.Source != SourceDeleted:
		if _, err = l.fence(ctx, thread, false); err == nil {
			head, err = l.Head(ctx, thread)
		}
	case head.Seq > 0 && !head.whole(): // it fences a turn: its number must not be free again
		head.Base, head.Items = head.Seq, 0
		var body bson.Raw
		if body, err = head.encode(); err == nil {
			err = l.c.Store.Write(ctx, store.Doc{Collection: state.Steps, ID: thread.StepKey(head.Seq), Rev: head.rev, Body: body})
		}
	}
	if err != nil {
		return 0, err
	}

	// Then all before it goes, and the chunks of items, page by page.
	for docs, err := range store.Pages(ctx, l.scan, store.Query{Collection: state.Steps, Prefix: thread.StepPrefix(), Limit: sweepPage}) {
		if err != nil {
			return n, err
		}
		docs = slices.DeleteFunc(docs, func(d store.Doc) bool { return !isChunk(thread, d.ID) && d.ID >= thread.StepKey(head.Seq) })
		gone, err := l.deleteDocs(ctx, docs)
		if n += gone; err != nil {
			return n, err
		}
	}
	return n, l.dropSign(ctx, thread)
}

// EraseTurns takes the contents out of those turns of a thread that its steps say, and out of the whole thread where the state of others
// is built on theirs. It returns how many steps were emptied.
func (l *Log) EraseTurns(ctx context.Context, thread state.Thread, its func(Step) bool) (int, error) {
	head, err := l.Head(ctx, thread)
	if err != nil || head.Seq == 0 {
		return 0, err
	}
	return l.blank(ctx, thread, its, head.Seq)
}

// errBuiltOn says that a turn's state is needed by a later one.
var errBuiltOn = errors.New("its state is built on the turn")

// blank empties the turns of which any step is meant, up to a step.
func (l *Log) blank(ctx context.Context, thread state.Thread, its func(Step) bool, upTo int64) (n int, err error) {
	steps, err := l.Steps(ctx, thread, 1)
	if err != nil {
		return 0, err
	}

	// A turn is meant as a whole when any of its steps is.
	meant := map[string]bool{}
	for _, s := range steps {
		if s.Seq <= upTo && s.Source != SourceDeleted && its(s) {
			meant[s.Turn] = true
		}
	}

	// Turn by turn, each a run of steps. One that others are built on takes the whole thread with it.
	for len(steps) > 0 {
		end := 1
		for end < len(steps) && steps[end].Turn == steps[0].Turn && steps[end].Source != SourceDeleted {
			end++
		}
		if run := steps[:end:end]; meant[run[0].Turn] && run[0].Source != SourceDeleted {
			never := func(Past) ([]field.Named, error) { return nil, errBuiltOn }
			if err := l.deleteTurn(ctx, thread, run, never); err != nil {
				if !errors.Is(err, errBuiltOn) && state.CodeOf(err) != state.Conflict && state.CodeOf(err) != state.Invalid {
					return n, err
				}
				all, err := l.EraseThread(ctx, thread)
				return n + all, err
			}
			n += len(run)
		}
		steps = steps[end:]
	}
	return n, nil
}

// fence puts an empty step behind the thread's last, and returns that one. With keep the state is then the one before the last turn, else
// an empty one.
func (l *Log) fence(ctx context.Context, thread state.Thread, keep bool) (Step, error) {
	for {
		head, err := l.Head(ctx, thread)
		if err != nil {
			return head, err
		}

		step := Step{Version: stepVersion, Seq: head.Seq + 1, Base: head.Seq + 1, Attempt: l.c.NewID(), Source: SourceDeleted, At: l.c.Now(), Done: true}
		if keep && head.Seq > 0 {
			if err := l.baseBefore(ctx, thread, head, &step); err != nil {
				return head, err
			}
		}

		body, err := step.encode()
		if err == nil {
			err = l.c.Store.Write(ctx, store.Doc{Collection: state.Steps, ID: thread.StepKey(step.Seq), Body: body})
		}
		if !errors.Is(err, state.ErrConflict) {
			return head, err
		}
	}
}

// baseBefore lets a step go on from the state before the turn of the thread's last step.
func (l *Log) baseBefore(ctx context.Context, thread state.Thread, head Step, step *Step) error {
	its, err := l.History(ctx, thread, Which{Turn: head.Turn})
	if err != nil || len(its) == 0 {
		return err
	}
	before, err := l.History(ctx, thread, Which{Before: its[len(its)-1].Seq, Limit: 1})
	if err == nil && len(before) > 0 {
		step.Base, step.Items = before[0].Base, before[0].Items
	}
	return err
}

// dropSign takes down the signpost of a thread.
func (l *Log) dropSign(ctx context.Context, thread state.Thread) error {
	doc, err := l.get(ctx, state.Open, thread.Key())
	if err != nil {
		if state.CodeOf(err) == state.NotFound {
			return nil
		}
		return err
	}
	doc.Body = nil
	if err = l.c.Store.Write(ctx, doc); errors.Is(err, state.ErrConflict) { // its holder renews the lease
		return l.dropSign(ctx, thread)
	}
	return err
}

// deleteDocs deletes documents, and returns how many. One that was written anew meanwhile is read again.
func (l *Log) deleteDocs(ctx context.Context, docs []store.Doc) (n int, err error) {
	for _, doc := range docs {
		for doc.Rev > 0 {
			doc.Body = bson.Raw(nil)
			if err = l.c.Store.Write(ctx, doc); err == nil {
				n++
				break
			}
			if !errors.Is(err, state.ErrConflict) {
				return n, err
			}
			if doc, err = l.get(ctx, state.Steps, doc.ID); err != nil && state.CodeOf(err) != state.NotFound {
				return n, err
			}
		}
	}
	return n, nil
}
