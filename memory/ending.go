package memory

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/memory/internal/affair"
	"github.com/mneme-graph/mneme/memory/ledger"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// This file is what a finished part of a session leaves: a digest, which is the active context of the agent's next session. It is
// made behind the reply or when somebody ends the session, in the commit that writes the part's document.

// digestTokens is how long the digest of a part is at most: three to five sentences.
const digestTokens = 150

// learnPart takes out of a part that is over what is to be kept of it.
func (e *edits) learnPart(ctx context.Context, r *state.Record) error {
	if r.Span.Digest != "" {
		return nil
	}
	said, err := e.partMessages(ctx, *r.Span)
	if err != nil || len(said) == 0 {
		return err
	}
	r.Span.Digest = e.digestPart(*r, said)
	return nil
}

// partMessages are what user and assistant have said in a part, oldest first, its last foldRead messages at most.
func (e *edits) partMessages(ctx context.Context, span state.Span) ([]state.Message, error) {
	from, err := e.m.reads(ctx, e.scope)
	if err != nil {
		return nil, err
	}
	after := max(span.First-1, span.Last-foldRead, e.view.Session.WindowFrom)
	read, err := ledger.Scan[state.Message](ctx, from, store.Query{
		Collection: state.Messages, Prefix: e.scope.SessionKey() + "/", After: e.scope.MessageKey(after), Limit: foldRead,
	})
	return slices.DeleteFunc(read, func(msg state.Message) bool {
		return msg.Seq > span.Last || msg.Undone || msg.Role == state.RoleTool || msg.Text == "" || msg.Unstored()
	}), err
}

// digestPart is what a part comes to, by rule: the affairs it spoke of and how they stand, then what was said besides, else what was
// said at all.
func (e *edits) digestPart(r state.Record, said []state.Message) string {
	count := e.m.c.Tokens.Count
	var lines []string
	for _, id := range r.Span.Affairs {
		if a, ok := e.view.Affair(id); ok {
			lines = append(lines, a.Title+" ("+strings.ToLower(string(a.Status))+")")
		}
	}
	spoken := strings.Join(lines, "; ")
	left := digestTokens - count(spoken)
	rest := affair.Summarise(r.Content, nil, max(left, 1), count)
	if len(lines) == 0 && rest == "" {
		rest = affair.Summarise("", users(said), digestTokens, count)
	}
	return e.m.c.Tokens.Cut(strings.TrimSpace(spoken+"\n"+rest), digestTokens)
}

// activeContext is what was going on last, before this part of the session: the digest of the last part of a session with the same
// agent that is over, and where it is kept. A part of this very session stands in its summary already.
func (m *Memory) activeContext(ctx context.Context, s state.Session, agent string) (text, of string, err error) {
	d, err := m.mind(ctx, scopeOf(s))
	if err != nil {
		return "", "", err
	}
	last, from := d.Parts.Last[agent], d.Docs
	hidden := d.Cleared
	d.Unlock()
	if last.ID == "" || last.Session == s.ID {
		return "", "", nil
	}
	r, err := ledger.Get[state.Record](ctx, from, state.Records, scopeOf(s).Key(last.ID))
	switch {
	case errors.Is(err, state.ErrNotFound):
		return "", "", nil
	case err != nil || r.Span == nil || hidden.Hides(last.Session, r.Span.Last):
		return "", "", err
	}
	return r.Span.Digest, compose.Origin{Kind: compose.OfRecord, ID: r.ID, Part: "digest"}.String(), nil
}
