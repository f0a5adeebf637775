package memory

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/state"
)

// Messages returns the session's messages, oldest first, with marks in the place of what was forgotten.
func (m *Memory) Messages(ctx context.Context, scope state.Scope) ([]state.Message, error) {
	scope = scope.Default()
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	if err := desk.Settled(ctx); err != nil {
		return nil, err
	}
	all, err := desk.MessagesAfter(ctx, m.desk.Base, scope, 0)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	d, err := m.desk.Mind(ctx, scope)
	if err != nil {
		return nil, err
	}
	d.Unlock() // Unsay locks it itself
	for i, msg := range all {
		all[i] = d.Unsay(scope.Session, msg)
	}
	return all, nil
}

// Records returns the user's records, in the order of their ids, with marks in the place of what was forgotten; where ids are given, those of them that
// are there, in that order, without reading the others, and behind them those that the running step has decided and not committed.
func (m *Memory) Records(ctx context.Context, scope state.Scope, ids ...string) ([]state.Record, error) {
	scope = scope.Default()
	all, err := m.desk.Records(ctx, scope, ids...)
	for _, id := range ids {
		stored := slices.ContainsFunc(all, func(r state.Record) bool { return r.ID == id })
		if r, decided := desk.DraftsOf(ctx, scope).Get(id); decided && !stored {
			all = append(all, r)
		}
	}
	if err != nil || !slices.ContainsFunc(all, func(r state.Record) bool { return r.EndedIn != "" }) {
		return all, err
	}
	d, err := m.desk.Mind(ctx, scope)
	if err != nil {
		return nil, err
	}
	d.Unlock() // Hidden locks it itself
	for i, r := range all {
		if r.EndedIn != "" {
			all[i].Subject, all[i].Content = d.Hidden(r.Subject, time.Time{}, ""), d.Hidden(r.Content, time.Time{}, "")
		}
	}
	return all, nil
}

// validRecords returns the user's records that hold now, those in the archive too, with what the running step has decided, the oldest first. Summaries are not among them.
func (m *Memory) validRecords(ctx context.Context, scope state.Scope) ([]state.Record, error) {
	records, err := m.desk.Records(ctx, scope.Default())
	if err != nil {
		return nil, err
	}
	step := desk.DraftsOf(ctx, scope)
	records = slices.DeleteFunc(records, func(r state.Record) bool {
		_, newer := step.Get(r.ID)
		return newer
	})
	records = append(records, step.All()...)
	now := m.c.Now()
	records = slices.DeleteFunc(records, func(r state.Record) bool { return !r.Holds(now) || r.Span != nil })
	slices.SortStableFunc(records, func(a, b state.Record) int { return a.RecordedAt.Compare(b.RecordedAt) })
	return records, nil
}

// recordsOf reads the records of an affair, oldest first.
func (m *Memory) recordsOf(ctx context.Context, scope state.Scope, affair string) (out []state.Record, err error) {
	d, err := m.desk.Mind(ctx, scope)
	if err != nil {
		return nil, err
	}
	_, records := filedUnder(d, scope, affair)
	docs := d.Docs
	d.Unlock()
	for _, f := range records {
		_, key := mind.DocumentKey(scope, f.id)
		r, err := ledger.Get[state.Record](ctx, docs, state.Records, key)
		switch {
		case err == nil:
			out = append(out, r)
		case !errors.Is(err, state.ErrNotFound):
			return nil, err
		}
	}
	return out, nil
}

// endDue returns the edits that end those tasks and deadlines of an affair that are over. They are history then, and not forgotten.
func (m *Memory) endDue(ctx context.Context, scope state.Scope, affair string, over func(state.Record) bool) (out []state.Effect, err error) {
	if affair == "" || !m.desk.Allows(ctx, scope) {
		return nil, nil
	}
	records, err := m.recordsOf(ctx, scope, affair)
	now := m.c.Now()
	for _, r := range records {
		due := (r.Kind == state.DeadlineRecord || r.Due != nil) && r.Valid(now) && !r.Pinned && m.desk.MayChange(ctx, scope, r.Agent, "") == nil
		if due && over(r) {
			r.ValidTo = &now
			out = append(out, state.Effect{Scope: scope, Record: &r})
		}
	}
	return out, err
}
