package checkpoint

import (
	"context"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/field"
	"github.com/mneme-graph/mneme/state/store"
)

// Past is what a state is rebuilt from: the items of its growing fields that snapshots have put aside, then the
// steps since the last whole one, which is the first of them.
type Past struct {
	Chunks []bson.Raw // by field the deltas in their order; oldest first
	Steps  []Step
}

// A thread's chunks stand before its steps: "!" comes before all digits.
const chunkMark = "!"

func chunkKey(thread state.Thread, seq int64) string {
	return thread.StepPrefix() + chunkMark + state.SeqKey(seq)
}

func isChunk(thread state.Thread, id string) bool {
	return strings.HasPrefix(id, thread.StepPrefix()+chunkMark)
}

// chunkDoc holds the items that growing fields got since the chunk before it.
type chunkDoc struct {
	Version  int      `bson:"v"`
	Seq      int64    `bson:"seq"`      // of the step that it was made for
	Previous int64    `bson:"previous"` // chunk, 0 = none
	Fields   bson.Raw `bson:"fields"`   // by field an array of deltas
}

func (t *Turn) makeChunk(c Commit, step Step) (store.Doc, error) {
	body, err := marshal("items of turn "+t.id, chunkDoc{Version: stepVersion, Seq: step.Seq, Previous: t.prev.Items, Fields: c.Chunk})
	return store.Doc{Collection: state.Steps, ID: chunkKey(t.thread, step.Seq), Body: body}, err
}

// Past returns what the state at step number at is rebuilt from; 0 = at the thread's last. No such step is
// state.ErrNotFound.
func (l *Log) Past(ctx context.Context, thread state.Thread, at int64) (Past, error) {
	// The last step, or the one of the number, alone or folded.
	if at == 0 {
		head, err := l.Head(ctx, thread)
		if err == nil && head.Seq == 0 {
			err = state.Errorf(state.NotFound, "thread "+thread.Key(), "does not exist")
		}
		if err != nil {
			return Past{}, err
		}
		return l.readPast(ctx, thread, head)
	}
	doc, err := l.findDocFrom(ctx, thread, at)
	if err != nil {
		return Past{}, err
	}
	found, err := l.folder.unfold(doc)
	if err == nil && len(found) == 0 { // a placeholder tells the base too
		var place Step
		place, err = decodeStep(doc)
		found = []Step{place}
	}
	if err != nil {
		return Past{}, err
	}
	i := slices.IndexFunc(found, func(s Step) bool { return s.Seq == at })
	if i < 0 {
		return Past{}, l.noStepError(thread, at)
	}
	return l.readPast(ctx, thread, found[i])
}

// readPast returns what the state at a step is rebuilt from: the steps from the last whole one up to it, and the chunks before.
func (l *Log) readPast(ctx context.Context, thread state.Thread, step Step) (p Past, err error) {
	steps, err := l.Steps(ctx, thread, step.Base)
	if err != nil {
		return Past{}, err
	}

	p.Steps = slices.DeleteFunc(steps, func(s Step) bool { return s.Seq > step.Seq })
	for i := len(p.Steps) - 1; i > 0; i-- {
		if p.Steps[i].whole() {
			p.Steps = p.Steps[i:]
			break
		}
	}

	switch {
	case len(steps) > 0 && len(p.Steps) == 0:
		return Past{}, l.noStepError(thread, step.Seq) // a prune was cut short
	case len(p.Steps) == 0 || !p.Steps[0].whole() || p.Steps[len(p.Steps)-1].Seq != step.Seq:
		return Past{}, state.Errorf(state.Internal, "thread "+thread.Key(), "its step %d is missing from the store", step.Base)
	}

	p.Chunks, err = l.readChunks(ctx, thread, p.Steps[0].Items)
	return p, err
}

// findDoc finds the document that holds step number n.
func (l *Log) findDoc(ctx context.Context, thread state.Thread, n int64) (store.Doc, error) {
	doc, err := l.findDocFrom(ctx, thread, n)
	if err != nil {
		return store.Doc{}, err
	}
	last, err := decodeStep(doc)
	switch {
	case err != nil:
		return store.Doc{}, err
	case last.into > n && last.Seq == n:
		return l.findDoc(ctx, thread, last.into)
	case last.into == 0 && (last.Seq == n || last.first > 0 && last.first <= n):
		return doc, nil
	}
	return store.Doc{}, l.noStepError(thread, n)
}

// findDocFrom finds the first document that does not end before step number n.
func (l *Log) findDocFrom(ctx context.Context, thread state.Thread, n int64) (store.Doc, error) {
	if n < 1 {
		return store.Doc{}, l.noStepError(thread, n)
	}
	docs, err := l.scan(ctx, store.Query{
		Collection: state.Steps, Prefix: thread.StepPrefix(), After: thread.StepKey(n - 1), Limit: 1,
	})
	switch {
	case err != nil:
		return store.Doc{}, err
	case len(docs) == 0:
		return store.Doc{}, l.noStepError(thread, n)
	}
	return docs[0], nil
}

func (l *Log) noStepError(thread state.Thread, n int64) error {
	return state.Errorf(state.NotFound, "step "+thread.StepKey(n), "does not exist, or was pruned")
}

// readChunks returns the chain of chunks that ends with the one of step last, oldest first.
func (l *Log) readChunks(ctx context.Context, thread state.Thread, last int64) ([]bson.Raw, error) {
	if last == 0 {
		return nil, nil
	}
	docs, err := l.scan(ctx, store.Query{Collection: state.Steps, Prefix: thread.StepPrefix() + chunkMark})
	if err != nil {
		return nil, err
	}

	var chain []bson.Raw
	for i := len(docs) - 1; i >= 0; i-- {
		if docs[i].ID != chunkKey(thread, last) {
			continue
		}
		var c chunkDoc
		if err := bson.Unmarshal(docs[i].Body, &c); err != nil {
			return nil, state.Errorf(state.Internal, "items "+docs[i].ID, "are damaged: %w", err)
		}
		chain = append(chain, c.Fields)
		if last = c.Previous; last == 0 {
			slices.Reverse(chain)
			return chain, nil
		}
	}
	return nil, state.Errorf(state.Internal, "items of thread "+thread.Key(), "chunk %d is missing from the store", last)
}

// Play puts the items of the chunks into the fields of an empty state. The steps are played by the caller, who knows
// what else is in them.
func (p *Past) Play(fields []field.Named) error {
	for _, c := range p.Chunks {
		err := eachElement(c, func(name []byte, deltas bson.RawValue) error {
			return eachItem(deltas, func(delta bson.RawValue) error { return applyTo(fields, string(name), delta) })
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Grown collects what the growing fields among fields got in the past's steps, as a Commit's Chunk; nil = nothing.
func (p *Past) Grown(fields []field.Named) (bson.Raw, error) {
	var doc []byte
	for _, f := range fields {
		if _, ok := f.Field.(field.Growing); !ok {
			continue
		}

		// What each step has added to it, in the order of the steps.
		var deltas bson.A
		for _, s := range p.Steps {
			for _, part := range s.Parts {
				if v, err := part.Fields.LookupErr(f.Name); err == nil {
					deltas = append(deltas, v)
				}
			}
		}
		if deltas == nil {
			continue
		}

		kind, value, err := bson.MarshalValue(deltas)
		if err != nil {
			return nil, state.Errorf(state.Internal, "field "+f.Name, "cannot be stored: %w", err)
		}
		doc = appendElement(doc, f.Name, bson.RawValue{Type: kind, Value: value})
	}
	return makeDocument(doc), nil
}
