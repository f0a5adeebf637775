package sessions

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/memory/internal/parts"
	"github.com/mneme-graph/mneme/state"
)

// This file is consolidation by volume: l1_after_sessions parts of sessions that are over become an L1, l2_after_l1 of those an L2. They
// are records of kind summary. There is no queue beside the documents: what waits are the summaries that no L1 or L2 names. So a crash
// leaves either all of it or nothing. An L1 has the first free number for its id: of two that are made at once one stays, and what
// only the other one named waits on.

// finishParts does what is due once parts are over: parts that wait for the small model are tried again, and L1 and L2 are made.
func (e *edits) finishParts(ctx context.Context) error {
	if err := e.learnLate(ctx); err != nil {
		return err
	}
	if err := e.x.reorganise(ctx, e.Edits); err != nil {
		return err
	}
	return e.consolidate(ctx)
}

// lateAtOnce bounds how many parts that wait for the small model are tried again when another one ends.
const lateAtOnce = 3

// learnLate tries parts again that the small model did not answer for, the oldest first, until it does not answer again. Those that wait
// for a batch are let alone.
func (e *edits) learnLate(ctx context.Context) error {
	if e.x.desk.Set(ctx).Batched() {
		return nil
	}

	// The oldest parts that are late, a few at a time.
	parts, err := e.parts(ctx)
	if err != nil {
		return err
	}
	left := len(parts.Late)
	for _, part := range parts.Late[:min(lateAtOnce, left)] {
		if e.Silent {
			break
		}

		// A part whose document is gone is late no more.
		of, gone, err := e.partRecords(ctx, []mind.Part{part})
		if err != nil {
			return err
		}
		if gone != "" {
			left--
			continue
		}

		// The span is a copy, so that the record that was read stays as it is.
		r, span := of[0], *of[0].Span
		r.Span = &span
		if err := e.learnPart(ctx, &r); err != nil {
			return err
		}
		if !span.Waits {
			left--
			e.Add(state.Effect{Record: &r, Part: r.ID})
		}
	}

	// Those that still wait are told of.
	if left > 0 {
		state.TraceFrom(ctx).Note("%d parts of sessions wait for the small model to read them", left)
	}
	return nil
}

// parts returns the parts of sessions that are over, as the mind has them and with what these edits say of them.
func (e *edits) parts(ctx context.Context) (mind.Parts, error) {
	d, err := e.x.desk.Mind(ctx, e.Scope)
	if err != nil {
		return mind.Parts{}, err
	}
	parts := d.Parts.Clone()
	d.Unlock()
	for _, effect := range e.Effects {
		if effect.Record != nil {
			parts.Take(*effect.Record)
		}
	}
	return parts, nil
}

// consolidate makes an L1 and an L2 if they are due, with the parts that these edits end. It makes one of each at most: whether it stands
// is known once it is committed. A summary that is gone is left out.
func (e *edits) consolidate(ctx context.Context) error {
	parts, err := e.parts(ctx)
	if err != nil {
		return err
	}

	// Each level is made of the one below, so the lower one comes first. One of each is made at a time.
	for level, after := range []int{e.x.desk.Set(ctx).L1AfterSessions, e.x.desk.Set(ctx).L2AfterL1} {
		for list := parts.Level(level); len(list) >= after; list = parts.Level(level) {
			of, gone, err := e.partRecords(ctx, list[:after])
			if err != nil {
				return err
			}
			if gone != "" {
				parts.Drop(gone)
				continue
			}
			whole, err := e.consolidateParts(ctx, level+1, parts.Next(level+1), of)
			if err != nil {
				return err
			}
			parts.Take(whole)
			e.Add(state.Effect{Record: &whole})
			break
		}
	}
	return nil
}

// partRecords returns the summaries of a list, as these edits have them, else as they are kept. Gone names one that is not there any more.
func (e *edits) partRecords(ctx context.Context, list []mind.Part) (out []state.Record, gone string, err error) {
	from, err := e.x.desk.Reads(ctx, e.Scope)
	if err != nil {
		return nil, "", err
	}

	for _, part := range list {
		r, ok := e.decided(part.ID)
		if !ok {
			r, err = ledger.Get[state.Record](ctx, from, state.Records, e.Scope.Key(part.ID))
		}
		if errors.Is(err, state.ErrNotFound) || err == nil && r.Span == nil {
			return nil, part.ID, nil
		}
		if err != nil {
			return nil, "", err
		}
		out = append(out, r)
	}
	return out, "", nil
}

// decided returns a record as these edits leave it.
func (e *edits) decided(id string) (r state.Record, ok bool) {
	for _, effect := range e.Effects {
		if effect.Record != nil && effect.Record.ID == id {
			r, ok = *effect.Record, true
		}
	}
	return r, ok
}

// consolidateParts makes one L1 or L2 of summaries.
func (e *edits) consolidateParts(ctx context.Context, level, number int, of []state.Record) (state.Record, error) {
	whole := state.Record{
		ID: "l" + strconv.Itoa(level) + "." + strconv.Itoa(number), Client: e.Scope.Client, User: e.Scope.User, Kind: state.SummaryRecord,
		Trust: state.TrustExtracted, Importance: 6, RecordedAt: e.x.desk.Now(), Priority: state.Background, Pinned: true,
		Span: &state.Span{Level: level, Part: number, Version: 1, UpdatedAt: e.x.desk.Now()},
	}

	gone, err := e.x.desk.Cleared(ctx, e.Scope)
	if err != nil {
		return whole, err
	}

	var texts []string
	for _, r := range of {
		if text := e.shownText(r, gone); text != "" {
			texts = append(texts, text)
		}
		takeIn(whole.Span, *r.Span, r.ID)
	}
	whole.Content = e.consolidated(ctx, level, texts)
	return whole, nil
}

// shownText returns what a summary gives to the L1 or L2 made of it; nothing if it was cleared.
func (e *edits) shownText(r state.Record, gone mind.Cleared) string {
	s := e.View.Session
	if r.Span.Level == 0 && (gone.Hides(r.Session, r.Span.Last) || r.Session == s.ID && r.Span.Last <= s.WindowFrom) {
		return ""
	}
	return strings.TrimSpace(r.Span.Digest + "\n" + r.Content)
}

// reconsolidate makes the L1 and L2 anew that hold parts of the session which was cleared, or a part that was read since: changed.
func (e *edits) reconsolidate(ctx context.Context, changed string) error {
	gone, err := e.x.desk.Cleared(ctx, e.Scope)
	if err != nil {
		return err
	}
	all, err := e.x.desk.Records(ctx, e.Scope)
	if err != nil {
		return err
	}
	held, due := map[string]state.Record{}, map[string]bool{} // due are cleared, or made anew
	hold := func(r state.Record) {
		if r.Span != nil {
			held[r.ID] = r
		}
	}
	for _, r := range all {
		hold(r)
	}
	for _, effect := range e.Effects { // as they will be
		if effect.Record != nil {
			hold(*effect.Record)
		}
	}
	for _, r := range held {
		cleared := r.Session == e.View.Session.ID && e.shownText(r, gone) == ""
		due[r.ID] = r.ID == changed || changed == "" && cleared
	}
	for level := 1; level <= 2; level++ {
		for _, id := range slices.Sorted(maps.Keys(held)) {
			r := held[id]
			if r.Span.Level != level || !slices.ContainsFunc(r.Span.Of, func(part string) bool { return due[part] }) {
				continue
			}
			r.Content = e.consolidated(ctx, level, e.textsOf(r, held, gone))
			held[id], due[id] = r, true
			e.Add(state.Effect{Record: &r, Part: changed})
		}
	}
	return nil
}

// textsOf returns the texts that an L1 or L2 is made of.
func (e *edits) textsOf(whole state.Record, held map[string]state.Record, gone mind.Cleared) (texts []string) {
	for _, id := range whole.Span.Of {
		part, ok := held[id]
		if !ok {
			continue
		}
		if text := e.shownText(part, gone); text != "" {
			texts = append(texts, text)
		}
	}
	return texts
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

// consolidated returns the text of an L1 or L2 of summaries: the small model's, else each gets its part of the room.
func (e *edits) consolidated(ctx context.Context, level int, texts []string) string {
	if e.x.desk.Sums(ctx, e.View.Agent) {
		said, err := e.x.desk.Small(ctx, e.View.Agent).Digest(ctx, level, texts, e.View.Session.Language)
		switch {
		case err == nil && said != "":
			return e.x.desk.Tokens.Cut(e.x.desk.Mask(said), parts.LevelTokens)
		case err != nil && !errors.Is(err, state.ErrNotFound):
			state.TraceFrom(ctx).Note("L%d: extracted, the small model did not give one: %v", level, err)
		}
	}
	return parts.Shares(texts, e.x.desk.Tokens.Count)
}
