package checkpoint

import (
	"context"
	"slices"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Mended is a thread that goes on without steps that its store has lost.
type Mended struct {
	Thread state.Thread `json:"thread"`
	From   int64        `json:"from"`  // the first step that is left
	Empty  bool         `json:"empty"` // its state could not be rebuilt: it begins with an empty one
}

// Mend looks for threads with steps that are missing, in a store that was saved from damage and that nobody else has open. The steps before
// the gap go, as a Prune's do. A thread whose state would need them begins anew behind an empty step; what its turns wrote to memory stays.
func (l *Log) Mend(ctx context.Context) (mended []Mended, err error) {
	threads, err := l.Threads(ctx, "")
	if err != nil {
		return nil, err
	}
	for _, thread := range threads {
		head, err := l.Head(ctx, thread)
		if err != nil {
			return mended, err
		}
		past, err := l.readPast(ctx, thread, head)
		switch {
		case head.Seq == 0 || err != nil && isGap(err):
			if _, err = l.EraseThread(ctx, thread); err == nil {
				mended = append(mended, Mended{Thread: thread, From: head.Seq + 1, Empty: true})
			}
		case err == nil:
			if _, err = l.Steps(ctx, thread, 1); err != nil && isGap(err) {
				from := past.Steps[0].Seq
				mended, err = append(mended, Mended{Thread: thread, From: from}), l.dropBefore(ctx, thread, from)
			}
		}
		if err != nil {
			return mended, err
		}
	}
	return mended, nil
}

// isGap reports whether an error is of steps that are not there.
func isGap(err error) bool {
	code := state.CodeOf(err)
	return code == state.Internal || code == state.NotFound
}

// dropBefore deletes the steps before a whole one, which can do without them.
func (l *Log) dropBefore(ctx context.Context, thread state.Thread, from int64) error {
	for docs, err := range store.Pages(ctx, l.scan, store.Query{Collection: state.Steps, Prefix: thread.StepPrefix(), Limit: sweepPage}) {
		if err != nil {
			return err
		}
		docs = slices.DeleteFunc(docs, func(d store.Doc) bool { return isChunk(thread, d.ID) || d.ID >= thread.StepKey(from) })
		if _, err := l.deleteDocs(ctx, docs); err != nil {
			return err
		}
	}
	return nil
}
