package memory

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/memory/internal/find/same"
	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// alike finds records whose vectors are close to those of the planned ones. When it cannot, words do, and it is said.
func (m *Memory) alike(ctx context.Context, scope state.Scope, plans []plan) [][]index.Hit {
	out := make([][]index.Hit, len(plans))
	if m.desk.Vectors == nil {
		return out
	}
	kinds := []string{}
	for _, p := range plans {
		if !slices.Contains(kinds, string(p.record.Kind)) {
			kinds = append(kinds, string(p.record.Kind))
		}
	}

	for i, p := range plans {
		hits, err := m.desk.Vectors.Search(ctx, index.Of(scope), mind.RecordText(p.record), index.Query{Limit: 4, Kinds: kinds})
		if err != nil {
			state.TraceFrom(ctx).Note("write: likeness judged by words alone: %v", err)
			return out
		}
		out[i] = hits
	}
	return out
}

// candidate is a record that may be about the same.
type candidate struct {
	record state.Record
	cosine float64
	vector bool // cosine is known
	stored bool
}

// Bounds of what is compared with a new record.
const (
	likely    = .3  // share of the words that tell what it is about, by worth, that a candidate of another subject has at least
	named     = .15 // the same of the words of its subject, which are few: one of two, where memory knows the other one not yet
	likeliest = 8   // candidates by words and by subject that are valid
	looked    = 64  // by words, whether valid or history, and by subject
)

// candidates returns the user's valid records that share words with r, are about the same subject, or lie near it.
func (w *writing) candidates(ctx context.Context, d *mind.Mind, r state.Record, topic string, near []index.Hit) ([]candidate, error) {
	from := d.Docs
	var out []candidate
	add := func(id string, cosine float64, vector bool) error {
		_, key := mind.DocumentKey(w.scope, id)
		if slices.ContainsFunc(out, func(c candidate) bool { return w.scope.Key(c.record.ID) == key }) {
			return nil // it came by its vector first, whose cosine stands
		}
		found, err := ledger.Get[state.Record](ctx, from, state.Records, key)
		if errors.Is(err, state.ErrNotFound) || err == nil && (found.ValidTo != nil || w.closed(found.ID)) {
			return nil
		}
		if err == nil {
			out = append(out, candidate{found, cosine, vector, true})
		}
		return err
	}
	for _, h := range near {
		if err := add(h.ID, float64(h.Cosine), true); err != nil {
			return out, err
		}
	}
	var ids []string
	for _, h := range slices.Concat(d.Index.Like(topic, likely, looked, mind.IsRecord), d.Index.Like(r.Subject, named, looked, mind.IsRecord)) {
		ids = append(ids, h.ID)
	}
	for _, id := range slices.Backward(d.About(r.Subject)) {
		ids = append(ids, mind.DocID(state.Records, id))
	}
	for _, id := range ids {
		if err := add(id, 0, false); err != nil {
			return out, err
		}
		if len(out) == len(near)+likeliest {
			break
		}
	}
	return out, nil
}

// like are records that the step, or this call, has decided and that share words with a text.
func (w *writing) like(s string) []state.Record {
	earlier := slices.DeleteFunc(w.step.Like(s, likeliest), func(r state.Record) bool { return w.own.Closes(r.ID) })
	return append(earlier, w.own.Like(s, likeliest)...)
}

// verdicts says what the i-th planned record is to the candidates, the likeliest first.
func (w *writing) verdicts(ctx context.Context, d *mind.Mind, i int) iter.Seq2[candidate, same.Verdict] {
	return func(yield func(candidate, same.Verdict) bool) {
		p := &w.plans[i]
		reading := same.Read(p.record, text.Language(p.record.Content, "en"))
		candidates, err := w.candidates(ctx, d, p.record, reading.Topic(), w.near[i])
		if err != nil { // rather twice than not at all
			state.TraceFrom(ctx).Note("write: %q may be there already, what is alike could not be read: %v", p.record.Subject, err)
		}
		for _, r := range w.like(mind.RecordText(p.record)) {
			candidates = append(slices.DeleteFunc(candidates, func(c candidate) bool { return c.record.ID == r.ID }), candidate{record: r})
		}
		for _, c := range candidates {
			if c.record.Project != p.record.Project && (mind.OfProject(c.record) || mind.OfProject(p.record)) {
				continue // each project has its own truth
			}
			if (c.record.Due == nil) != (p.record.Due == nil) {
				continue // a task reminds: a record that says the same does not
			}
			v := reading.Judge(c.record, same.Comparison{
				Cosine: c.cosine, HasCosine: c.vector, Weight: d.Index.Worth,
				Refine: w.m.desk.Set(ctx).DedupThreshold, Same: w.m.desk.Set(ctx).UpdateThreshold,
			})
			if !yield(c, v) {
				return
			}
		}
	}
}

// endRepeated ends the records that say nothing but what a correction says: a model may have stored its words before it named what they put right.
func (w *writing) endRepeated(ctx context.Context, d *mind.Mind, i int) {
	p := &w.plans[i]
	for c, v := range w.verdicts(ctx, d, i) {
		says := (v.Kind == same.Same || v.Kind == same.Refines) && c.record.About == p.record.About && c.record.Affair == p.record.Affair
		if says && c.record.ID != p.old.ID && c.record.ID != p.record.ID && w.m.desk.MayChange(ctx, w.scope, c.record.Agent, "") == nil {
			p.over = append(p.over, c.record)
		}
	}
}
