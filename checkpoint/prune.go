package checkpoint

import (
	"context"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/field"
	"github.com/mneme-graph/mneme/state/store"
)

// Rebuild plays a past into an empty state and returns its fields.
type Rebuild func(Past) ([]field.Named, error)

// Prune deletes a thread's steps before number from, which must be the first of a turn. The state as it was there is
// put into that step first, so that every step that is left can still be rebuilt, and a prune that is cut short has
// lost nothing but what was to be deleted. It returns how many documents were deleted. A turn that runs is
// state.ErrConflict.
func (l *Log) Prune(ctx context.Context, thread state.Thread, from int64, rebuild Rebuild) (int, error) {
	if _, _, err := l.claim(ctx, thread); err != nil {
		return 0, err
	}
	defer l.leave(thread)
	if err := l.makeWhole(ctx, thread, from, rebuild); err != nil {
		return 0, err
	}
	// What is directly before goes first: behind a gap before a whole step nobody reads on, however much is left there.
	q := store.Query{Collection: state.Steps, Prefix: thread.StepPrefix(), After: thread.StepKey(from), Reverse: true, Limit: 1}
	for n := 0; ; q = (store.Query{Collection: state.Steps, Prefix: thread.StepPrefix(), After: thread.StepKey(0), Limit: sweepPage}) {
		docs, err := l.scan(ctx, q)
		if err != nil {
			return n, err
		}
		old := slices.DeleteFunc(docs, func(d store.Doc) bool { return d.ID >= thread.StepKey(from) || isChunk(thread, d.ID) })
		if len(old) == 0 {
			return n, nil
		}
		for i := range old {
			old[i].Body = nil
		}
		if err := l.c.Store.Write(ctx, old...); err != nil {
			return n, err
		}
		n += len(old)
	}
}

// makeWhole lets step number n, the first of its turn, hold the state before it, so that it can do without the steps
// before.
func (l *Log) makeWhole(ctx context.Context, thread state.Thread, n int64, rebuild Rebuild) error {
	// Is it whole already?
	doc, err := l.findDoc(ctx, thread, n)
	if err != nil {
		return err
	}
	steps, err := l.folder.unfold(doc)
	switch {
	case err != nil:
		return err
	case steps[0].Seq == n && steps[0].whole():
		return nil
	}

	// The state before it.
	past, err := l.Past(ctx, thread, n-1)
	switch {
	case err != nil:
		return err
	case steps[0].Seq != n || !past.Steps[len(past.Steps)-1].Done:
		return state.Errorf(state.Invalid, "step "+thread.StepKey(n), "is not the first of its turn")
	}
	fields, err := rebuild(past)
	if err != nil {
		return err
	}

	// It goes in front of what the step held.
	part := Part{}
	if err := part.All(fields, isGrowing); err != nil {
		return err
	}
	parts := append([]Part{part}, past.growingParts(fields)...)
	steps[0].Parts = append(parts, steps[0].Parts...)
	steps[0].Base, steps[0].Items = n, past.Steps[0].Items
	if doc.Body, err = l.encodeSteps(steps); err != nil {
		return err
	}
	return l.c.Store.Write(ctx, doc)
}

func isGrowing(f field.Field) bool {
	_, ok := f.(field.Growing)
	return ok
}

// growingParts returns the parts of the past's steps with nothing but the items of growing fields.
func (p *Past) growingParts(fields []field.Named) (parts []Part) {
	for _, s := range p.Steps {
		for _, part := range s.Parts {
			var doc []byte
			for _, f := range fields {
				if v, err := part.Fields.LookupErr(f.Name); err == nil && isGrowing(f.Field) {
					doc = appendElement(doc, f.Name, v)
				}
			}
			if doc != nil {
				parts = append(parts, Part{Fields: makeDocument(doc)})
			}
		}
	}
	return parts
}

// encodeSteps makes one document of steps: several are folded.
func (l *Log) encodeSteps(steps []Step) (bson.Raw, error) {
	var bodies []bson.Raw
	size := 0
	for _, s := range steps {
		body, err := s.encode()
		if err != nil {
			return nil, err
		}
		bodies, size = append(bodies, body), size+len(body)
	}

	switch {
	case len(steps) == 1:
		return bodies[0], nil
	case size > maxUnfold:
		return nil, state.Errorf(state.Invalid, "turn "+steps[0].Turn, "with the state before it has %d bytes, at most %d go into one step", size, maxUnfold)
	}
	return l.folder.fold(steps[len(steps)-1], steps[0].Seq, bodies)
}

// DeleteTurns removes finished turns of a thread from its log; what the turns after them hold stays. Turns that the
// thread does not have are no error. It returns how many were deleted. A turn that runs is state.ErrConflict, as is a
// turn to be deleted that is not finished, or that the thread was taken back to and has not gone on from.
func (l *Log) DeleteTurns(ctx context.Context, thread state.Thread, rebuild Rebuild, turns ...string) (n int, err error) {
	if _, _, err := l.claim(ctx, thread); err != nil {
		return 0, err
	}
	defer l.leave(thread)
	if slices.Contains(turns, "") {
		return 0, state.Errorf(state.Invalid, "turns of "+thread.Key(), "one of the ids is empty")
	}

	// Each turn, as far as it is finished.
	for _, turn := range turns {
		steps, err := l.History(ctx, thread, Which{Turn: turn})
		if err != nil {
			return n, err
		}
		if len(steps) > 0 && !steps[0].Done {
			return n, state.Errorf(state.Conflict, "turn "+turn, "is not finished; resume it, or cancel it to give it up, and delete it then")
		}
		if len(steps) > 0 {
			n++
		}
		slices.Reverse(steps)
		for len(steps) > 0 { // a turn that was gone back to lies in several places
			end := 1
			for end < len(steps) && steps[end].Seq == steps[end-1].Seq+1 {
				end++
			}
			if err := l.deleteTurn(ctx, thread, steps[:end:end], rebuild); err != nil {
				return n, err
			}
			steps = steps[end:]
		}
		if err := l.forget(ctx, thread, turn); err != nil {
			return n, err
		}
	}
	return n, nil
}

func (l *Log) deleteTurn(ctx context.Context, thread state.Thread, steps []Step, rebuild Rebuild) error {
	// What comes behind must do without it.
	first, last := steps[0], steps[len(steps)-1]
	after, err := l.Steps(ctx, thread, last.Seq+1)
	if err != nil {
		return err
	}
	next := slices.IndexFunc(after, func(s Step) bool { return s.Source != SourceDeleted })
	switch {
	case next >= 0:
		err = l.makeWhole(ctx, thread, after[next].Seq, rebuild)
	case slices.ContainsFunc(steps, func(s Step) bool { return s.Source == SourceFork && s.Seq > 1 }):
		err = state.Errorf(state.Conflict, "turn "+first.Turn, "is where the thread was taken back to: without it what was given up would count again; go on first")
	}
	if err != nil {
		return err
	}

	// In its place stand steps without contents.
	base, items := first.Base, first.Items
	if first.whole() && first.Seq > 1 {
		before, err := l.History(ctx, thread, Which{Before: first.Seq, Limit: 1})
		if err != nil {
			return err
		}
		if len(before) > 0 {
			base, items = before[0].Base, before[0].Items
		}
	}
	for i := range steps {
		steps[i] = Step{Version: stepVersion, Seq: steps[i].Seq, Base: base, Items: items, Source: SourceDeleted, At: steps[i].At, Done: steps[i].Done}
	}
	return l.blankSteps(ctx, thread, steps)
}

// blankSteps puts steps without contents in the place of the documents that held those of their numbers.
func (l *Log) blankSteps(ctx context.Context, thread state.Thread, steps []Step) error {
	first, last := steps[0], steps[len(steps)-1]
	body, err := l.encodeSteps(steps)
	if err != nil {
		return err
	}

	docs, err := l.scan(ctx, store.Query{
		Collection: state.Steps, Prefix: thread.StepPrefix(), After: thread.StepKey(first.Seq - 1), Limit: len(steps),
	})
	if err != nil {
		return err
	}

	docs = slices.DeleteFunc(docs, func(d store.Doc) bool { return d.ID > thread.StepKey(last.Seq) })
	if len(docs) == 0 {
		return nil // another process has pruned them meanwhile
	}
	for i := range docs {
		docs[i].Body = nil
	}
	docs[len(docs)-1].Body = body

	// The document with the empty steps comes first, so that no number is ever without a step.
	if err := l.c.Store.Write(ctx, docs[len(docs)-1]); err != nil {
		return err
	}
	return l.c.Store.Write(ctx, docs[:len(docs)-1]...)
}
