package memory

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/affair"
	"github.com/mneme-graph/mneme/memory/ledger"
	"github.com/mneme-graph/mneme/memory/mind"
	"github.com/mneme-graph/mneme/state"
)

// This file is consolidation by volume: l1_after_sessions parts of sessions that are over become an L1, l2_after_l1 of those an L2. They
// are records of kind summary. There is no queue beside the documents: what waits are the summaries that no L1 or L2 names, and
// a summary learns what was made of it (Span.In) in the commit that makes it. So a crash leaves either all of it or nothing. An L1 has the
// id of its first part, so two processes that make it at once make one.

// levelTokens is how long an L1 or L2 is at most.
const levelTokens = 300

// consolidate makes the L1 and L2 that are due, with the parts that these edits end.
func (e *edits) consolidate(ctx context.Context) error {
	d, err := e.m.mind(ctx, e.scope)
	if err != nil {
		return err
	}
	parts := d.Parts
	d.Unlock()
	made := map[string]state.Record{}
	for _, effect := range e.effects {
		if effect.Record != nil {
			parts = parts.With(*effect.Record)
			made[effect.Record.ID] = *effect.Record
		}
	}
	for level, after := range []int{e.m.c.Settings.L1AfterSessions, e.m.c.Settings.L2AfterL1} {
		for list := parts.Level(level); len(list) >= after; list = parts.Level(level) {
			whole, err := e.consolidateParts(ctx, level+1, list[:after], made)
			if err != nil || len(whole) == 0 {
				return err
			}
			for _, r := range whole {
				parts = parts.With(r)
				made[r.ID] = r
				e.add(state.Effect{Record: &r})
			}
		}
	}
	return nil
}

// consolidateParts makes one L1 or L2 of summaries, and the summaries as they are in it. A summary that is gone ends it: the
// next time it is not among those that wait.
func (e *edits) consolidateParts(ctx context.Context, level int, list []mind.Part, made map[string]state.Record) ([]state.Record, error) {
	from, err := e.m.reads(ctx, e.scope)
	if err != nil {
		return nil, err
	}
	gone, err := e.m.cleared(ctx, e.scope)
	if err != nil {
		return nil, err
	}
	whole := state.Record{
		ID: "l" + itoa(int64(level)) + "." + list[0].ID, Client: e.scope.Client, User: e.scope.User, Kind: state.SummaryRecord,
		Trust: state.TrustExtracted, Importance: 6, RecordedAt: e.m.c.Now(), Priority: state.Background, Pinned: true,
		Span: &state.Span{Level: level, Version: 1, UpdatedAt: e.m.c.Now()},
	}
	var texts []string
	out := make([]state.Record, 0, len(list)+1)
	for _, part := range list {
		r, ok := made[part.ID]
		if !ok {
			r, err = ledger.Get[state.Record](ctx, from, state.Records, e.scope.Key(part.ID))
		}
		if err != nil {
			if errors.Is(err, state.ErrNotFound) {
				err = nil
			}
			return nil, err
		}
		cleared := gone.Hides(r.Session, r.Span.Last) || r.Session == e.view.Session.ID && r.Span.Last <= e.view.Session.WindowFrom
		if text := strings.TrimSpace(r.Span.Digest + "\n" + r.Content); text != "" && (!cleared || r.Span.Level > 0) {
			texts = append(texts, text)
		}
		span := *r.Span
		span.In, r.Span = whole.ID, &span
		takeIn(whole.Span, span, r.ID)
		out = append(out, r)
	}
	whole.Content = e.consolidated(ctx, level, texts)
	return append(out, whole), nil
}

// takeIn widens what an L1 or L2 covers by one of its summaries.
func takeIn(whole *state.Span, part state.Span, id string) {
	whole.Of = append(whole.Of, id)
	whole.Messages += part.Messages
	if whole.StartedAt.IsZero() || part.StartedAt.Before(whole.StartedAt) {
		whole.StartedAt = part.StartedAt
	}
	if part.EndedAt.After(whole.EndedAt) {
		whole.EndedAt = part.EndedAt
	}
	for _, a := range part.Affairs {
		if !slices.Contains(whole.Affairs, a) {
			whole.Affairs = append(whole.Affairs, a)
		}
	}
}

// consolidated is the text of an L1 or L2 of summaries: the small model's, else each gets its part of the room.
func (e *edits) consolidated(ctx context.Context, level int, texts []string) string {
	if e.m.sums(ctx) {
		said, err := e.m.small(ctx).Digest(ctx, level, texts, e.view.Session.Language)
		switch {
		case err == nil && said != "":
			return e.m.c.Tokens.Cut(e.m.Mask(said), levelTokens)
		case err != nil && !errors.Is(err, state.ErrNotFound):
			state.TraceFrom(ctx).Note("L%d: extracted, the small model did not give one: %v", level, err)
		}
	}
	var out []string
	left := levelTokens
	for i, text := range texts {
		share := affair.Summarise(text, nil, left/(len(texts)-i), e.m.c.Tokens.Count)
		if share == "" {
			continue
		}
		left -= e.m.c.Tokens.Count(share + "\n")
		out = append(out, share)
	}
	return strings.Join(out, "\n")
}
