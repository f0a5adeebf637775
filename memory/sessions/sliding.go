package sessions

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/memory/internal/affair"
	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/memory/internal/parts"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// This file is the sliding summary of a session. It is a record of kind summary, one for each part of the session, which is written
// anew when messages leave the window. It covers only what belongs to no affair: an affair's messages are summed up in the affair.
//
// The summary of a session is a record of kind summary, one for each part of the session, written anew in place. Behind the reply it
// takes in what the next prompt's window does not show, sliding_summary_window messages at a time. When the last messages fill 70
// per cent of the smaller of context_window and max_tokens, it takes in all but four. Its length grows with the logarithm of the
// number of messages, up to sliding_summary_max_tokens. A prompt shows it in its section and not as evidence, behind what earlier
// parts come to in short. An undone turn's messages are taken out of it: the rules make it anew.

// Summarise writes, behind a reply, what is due: the documents of parts that are over, and the summary of the part that goes on.
func (x *Room) Summarise(ctx context.Context, e *desk.Edits) error {
	return (&edits{x, e}).summarise(ctx)
}

// summarise writes what is due: the documents of parts that are over, and the summary of the part that goes on.
func (e *edits) summarise(ctx context.Context) error {
	if err := e.endParts(ctx); err != nil || e.x.desk.Set(ctx).SummaryStrategy == desk.SummaryOff {
		return err
	}

	s := &e.View.Session
	to := e.foldTo(ctx)
	if to <= s.Summarised {
		return nil
	}

	// The part's summary takes in what has left the window.
	r, err := e.partRecord(ctx, state.Span{
		Part: s.Part, First: s.First(), Last: s.Messages, StartedAt: s.PartAt, Affairs: s.Touched, Covered: max(s.Summarised, s.First()-1),
	})
	if err != nil {
		return err
	}

	before := r.Span.Messages
	if err := e.fold(ctx, &r, to); err != nil {
		return err
	}
	s.Summarised = r.Span.Covered
	if r.Span.Messages > before {
		e.keepSummary(r)
	}
	return nil
}

// Bounds of the sliding summary.
const (
	keptWhole  = 4   // last messages that are folded in only when they have left the window
	fullShare  = .7  // of the room that the identity core leaves to a conversation, from which on messages are folded in before they leave the window
	foldRead   = 512 // messages read at a time
	foldAtOnce = 30  // messages summed up at a time
	foldBytes  = 32 << 10
)

// foldTo returns the number of the message up to which the summary is to reach: all that the next turn's window does not show, in
// steps of sliding_summary_window, and all but the last four when the last messages fill most of the room there is.
func (e *edits) foldTo(ctx context.Context) int64 {
	s, set := e.View.Session, e.x.desk.Set(ctx)
	calls := int64(0)
	for _, msg := range slices.Concat(e.View.Window, e.View.Turn) {
		if !msg.Spoken() {
			calls++
		}
	}
	left, most, to := s.Messages-int64(set.HistoryLimit)-calls, s.Messages-keptWhole, s.Summarised
	if left > to {
		step := int64(set.SummaryWindow)
		to = min(to+(left-to+step-1)/step*step, max(left, most))
	}
	if to < most && e.crowded(ctx) {
		to = most
	}
	return to
}

// crowded reports whether the last messages that are not summed up yet fill most of what the prompt has room for.
func (e *edits) crowded(ctx context.Context) bool {
	room := int(fullShare * float64(min(e.x.desk.Set(ctx).ContextWindow, e.x.desk.Set(ctx).MaxTokens)-state.MaxCoreTokens))
	last := slices.Concat(e.View.Window, e.View.Turn)
	last = slices.DeleteFunc(last, func(msg state.Message) bool { return msg.Seq <= e.View.Session.Summarised })

	bytes := 0
	for _, msg := range last {
		bytes += len(msg.Text)
	}
	if bytes <= room { // no token has less than a byte
		return false
	}

	tokens := 0
	for _, msg := range last {
		tokens += e.x.desk.Tokens.Count(msg.Text)
	}
	return tokens > room
}

// partRecord returns the document of a part of the session, or a new one that knows in short what came before.
func (e *edits) partRecord(ctx context.Context, span state.Span) (state.Record, error) {
	m, s := e.x, e.View.Session

	// A part that has its document is brought up to the span; the document read stays as it is.
	from, err := m.desk.Reads(ctx, e.Scope)
	if err != nil {
		return state.Record{}, err
	}
	id := mind.SummaryID(s.ID, span.First)
	r, err := ledger.Get[state.Record](ctx, from, state.Records, e.Scope.Key(id))
	if err == nil && r.Span != nil {
		known := *r.Span
		known.Covered, known.Last = max(known.Covered, span.Covered), max(known.Last, span.Last)
		known.Affairs, known.EndedAt = span.Affairs, span.EndedAt
		r.Span = &known
		return r, nil
	}
	if err != nil && !errors.Is(err, state.ErrNotFound) {
		return r, err
	}

	// A new one begins with a short form of all that came before.
	before, err := m.desk.ShownSummary(ctx, s)
	if err != nil {
		return r, err
	}
	span.Earlier = affair.Summarise(before.Span.Earlier+"\n"+before.Content, nil, m.desk.Set(ctx).SummaryMaxTokens/parts.EarlierShare, m.desk.Tokens.Count)
	return state.Record{
		ID: id, Client: s.Client, User: s.User, Agent: e.View.Agent, Session: s.ID, Kind: state.SummaryRecord, Subject: s.Title, Trust: state.TrustExtracted,
		Importance: 5, RecordedAt: m.desk.Now(), Priority: state.Background, Span: &span,
	}, nil
}

// keepSummary adds the record of a part to the effects. A prompt shows it from now on, if it says anything.
func (e *edits) keepSummary(r state.Record) {
	s := &e.View.Session
	effect := state.Effect{Record: &r}
	if r.Span.Ended() {
		effect.Part = r.ID
	}
	e.Add(effect)
	if r.Content != "" {
		s.Summary, s.SummaryID = "", r.ID
	}
}

// fold takes the messages up to number to into the record of a part, as far as they are not in it yet and belong to no affair.
func (e *edits) fold(ctx context.Context, r *state.Record, to int64) error {
	from, err := e.x.desk.Reads(ctx, e.Scope)
	if err != nil {
		return err
	}

	gone := max(r.Span.Covered, e.View.Session.WindowFrom)
	read, err := ledger.Scan[state.Message](ctx, from, store.Query{
		Collection: state.Messages, Prefix: e.Scope.SessionKey() + "/", After: e.Scope.MessageKey(gone), Limit: foldRead,
	})
	if err != nil {
		return err
	}

	if len(read) == foldRead {
		to = min(to, read[len(read)-1].Seq)
	}
	r.Content, read = e.x.putRight(r.Content, read)
	said, sum := parts.Unfiled(read, gone, to), parts.ByRule(e.x.desk.Tokens.Count)
	if len(said) <= parts.FoldAtOnce { // the small model is not shown more
		sum = func(previous string, said []state.Message, limit int) string {
			return e.x.desk.SumUp(ctx, e.View.Agent, "", previous, said, limit)
		}
	}

	parts.Fold(r, said, e.View.Session.Language, e.x.desk.Set(ctx).Settings, e.x.desk.Tokens.Count, sum, e.x.desk.Now())
	r.Span.Covered = to
	return nil
}

// Summary returns what a prompt shows of the session before its last messages: what its earlier parts come to, the
// summary of its part, and the key facts that this does not say, within sliding_summary_max_tokens; and where that is kept.
func (x *Room) Summary(ctx context.Context, s state.Session) (text, of string, err error) {
	if x.desk.Set(ctx).SummaryStrategy == desk.SummaryOff {
		return "", "", nil
	}

	// The summaries come first.
	r, err := x.desk.ShownSummary(ctx, s)
	if err != nil {
		return "", "", err
	}
	text = strings.TrimSpace(r.Span.Earlier + "\n" + r.Content)

	// Key facts that they do not say, as far as there is room.
	left := x.desk.Set(ctx).SummaryMaxTokens - x.desk.Tokens.Count(text)
	for _, f := range r.Span.KeyFacts {
		if strings.Contains(text, f.Value) {
			continue
		}
		line := "\n" + f.Label + ": " + f.Value
		if left -= x.desk.Tokens.Count(line); left < 0 {
			break
		}
		text += line
	}

	// What has changed since, or was forgotten, is told as it is now, whoever wrote the summary.
	d, err := x.desk.Mind(ctx, desk.ScopeOf(s))
	if err != nil {
		return "", "", err
	}
	d.Unlock()
	text, err = x.current(ctx, d, desk.ScopeOf(s), text, s.StartedAt)
	return text, compose.Origin{Kind: compose.OfRecord, ID: r.ID}.String(), err
}
