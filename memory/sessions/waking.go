package sessions

import (
	"context"
	"slices"

	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/memory/internal/affair"
	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/memory/internal/parts"
	"github.com/mneme-graph/mneme/state"
)

// This file is what the agent knows when it wakes up in a new session while the last one was left and has not ended yet: that is ended behind
// the first reply. Until then its digest is made by the rules, of what RAM holds. Nothing is written, and no model is asked.

// Wake returns the digest of the session with the scope's agent that was left last and is not ended yet, as the rules make it, and where it will
// be kept; "" if another one was ended later.
func (x *Room) Wake(ctx context.Context, scope state.Scope) (digest, of string, err error) {
	// The session that was left, and its affairs; the mind is not held longer than that.
	d, err := x.desk.Mind(ctx, scope)
	if err != nil {
		return "", "", err
	}
	s, ok := x.leftLast(ctx, d, scope)
	var affairs []*state.Affair
	if ok {
		affairs = d.Seen(s.ID)
	}
	d.Unlock()
	if !ok {
		return "", "", nil
	}

	// The part of it that no digest says yet.
	e := &edits{x, &desk.Edits{Scope: desk.ScopeOf(s), View: state.View{Session: s, Agent: s.Agent, Affairs: affairs}}}
	span := state.Span{Part: s.Part, First: s.First(), Last: s.Messages, StartedAt: s.PartAt, EndedAt: s.LastAt, Affairs: s.Touched}
	if span.First > span.Last || span.First <= s.WindowFrom {
		return "", "", nil
	}
	r, err := e.partRecord(ctx, span)
	if err != nil {
		return "", "", err
	}

	// What was said in it, and what of that belongs to no affair and is not summed up.
	said, err := e.partMessages(ctx, r)
	if err != nil || len(said) == 0 {
		return "", "", err
	}
	r.Content, said = e.x.putRight(r.Content, said)
	alone := slices.DeleteFunc(affair.FromUser(said), func(msg state.Message) bool { return msg.Affair != "" || msg.Seq <= r.Span.Covered })
	r.Content = affair.Summarise(r.Content, alone, parts.DigestTokens, x.desk.Tokens.Count)
	digest, err = x.current(ctx, d, e.Scope, e.digest(r, said), span.StartedAt)
	return digest, compose.Origin{Kind: compose.OfRecord, ID: r.ID, Part: parts.DigestPart}.String(), err
}

// leftLast returns the session with the scope's agent that was left last, if it is not ended yet and no part of another one has ended since. The
// caller holds the mind.
func (x *Room) leftLast(ctx context.Context, d *mind.Mind, scope state.Scope) (last state.Session, ok bool) {
	since, idleSince := d.Parts.Last[scope.Agent].EndedAt, x.idleSince(ctx)
	for _, s := range d.Sessions {
		if s.ID != scope.Session && s.Agent == scope.Agent && s.LastAt.After(since) && abandoned(&s, idleSince) {
			last, since, ok = s, s.LastAt, true
		}
	}
	return last, ok
}
