package isolation_test

import (
	"context"
	"time"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/sessions"
	"github.com/mneme-graph/mneme/state"
)

// probe is one call that tries to see something, and what it says in doing so.
type probe struct {
	name string
	said []string
	ask  func(ctx context.Context) (any, error)
}

// ofMemory asks every call of Memory in an owner's scope for v, which names what is another's or is a wildcard. None of them
// can succeed in writing.
func (c *crowd) ofMemory(scope state.Scope, about, v string) []probe {
	said := []string{v, about, scope.Client}
	in := func(change func(*state.Scope)) state.Scope {
		s := scope
		change(&s)
		return s
	}
	session := in(func(s *state.Scope) { s.Session = v })
	labelled := in(func(s *state.Scope) { s.Agent, s.Project = v, v })
	msg := state.Message{ID: v, Seq: 1 << 30, Role: state.RoleUser, Text: "what about " + about + " " + v, Affair: v, At: now()}
	m := c.memory
	recall := func(name string, q memory.Query) probe {
		return probe{"Recall " + name, said, func(ctx context.Context) (any, error) { return m.Recall(ctx, q) }}
	}
	moving := func(to state.Status) probe {
		return probe{"MoveAffair " + string(to), said, func(ctx context.Context) (any, error) { return m.Affairs().Move(ctx, scope, v, to, "") }}
	}
	view := func(ctx context.Context) (state.View, error) {
		return m.Turn().Load(ctx, state.Input{Scope: scope, Seq: msg.Seq})
	}
	return []probe{
		recall("text", memory.Query{Scope: scope, Text: v, Limit: 1000}),
		recall("everything", memory.Query{Scope: scope, Text: about, Limit: 1000, In: memory.InAll}),
		recall("affair", memory.Query{Scope: scope, Text: about, In: memory.InCurrent, Affair: v, Limit: 50}),
		recall("records", memory.Query{Scope: scope, Text: about + " " + v, In: memory.InKB, Kinds: state.Categories(), Limit: 50}),
		recall("kind", memory.Query{Scope: scope, Text: about, Kinds: []state.RecordKind{state.RecordKind(v)}}),
		recall("where", memory.Query{Scope: scope, Text: about, In: memory.Where(v)}),
		recall("session", memory.Query{Scope: session, Text: about, Before: 3, Limit: 50}),
		recall("labels", memory.Query{Scope: labelled, Text: about, Limit: 50, Tokens: 500}),
		recall("as of", memory.Query{Scope: scope, Text: about + v, AsOf: now().Add(time.Hour), MinSeq: 1, Limit: 50}),
		recall("seq", memory.Query{Scope: scope, Text: about, MinSeq: 1 << 40}),
		recall("time", memory.Query{Scope: scope, Text: about, From: now().Add(-time.Hour), To: now().Add(time.Hour)}),
		{"Affair", said, func(ctx context.Context) (any, error) { return m.Affairs().Get(ctx, scope, v) }},
		moving(state.Parked), moving(state.Active), moving(state.Resolved), moving(state.Archived),
		{"Affairs", said, func(ctx context.Context) (any, error) { return m.Affairs().List(ctx, session, true) }},
		{"Messages", said, func(ctx context.Context) (any, error) { return m.Messages(ctx, session) }},
		{"Records", said, func(ctx context.Context) (any, error) { return m.Records(ctx, labelled) }},
		{"Session", said, func(ctx context.Context) (any, error) { return m.Sessions().Get(ctx, session) }},
		{"Load", said, func(ctx context.Context) (any, error) {
			return m.Turn().Load(ctx, state.Input{Scope: session, Seq: msg.Seq})
		}},
		{"Write", said, func(ctx context.Context) (any, error) {
			return m.Write(ctx, scope, memory.Change{Content: about, Affair: v, Kind: state.RecordKind("?" + v)})
		}},
		{"Sessions", said, func(ctx context.Context) (any, error) { return m.Sessions().List(ctx, session) }},
		{"EditSession", said, func(ctx context.Context) (any, error) {
			return m.Sessions().Edit(ctx, in(func(s *state.Scope) { s.Session = "none" + v }), sessions.Change{End: true})
		}},
		{"Undo", said, func(ctx context.Context) (any, error) {
			return nil, m.History().UndoTurn(ctx, in(func(s *state.Scope) { s.Session = "none" + v }), v)
		}},
		{"Fork", said, func(ctx context.Context) (any, error) { return nil, m.Sessions().Fork(ctx, session, 1<<40, "s1") }},
		{"Indexed", said, func(ctx context.Context) (any, error) { return nil, m.Vectors().Settle(ctx, session) }},
		{"Detect", said, func(ctx context.Context) (any, error) {
			seen, err := view(ctx)
			if err != nil {
				return nil, err
			}
			return m.Turn().Detect(ctx, seen, msg, false)
		}},
		{"Gather", said, func(ctx context.Context) (any, error) {
			seen, err := view(ctx)
			if err != nil {
				return nil, err
			}
			seen.Turn = []state.Message{msg}
			prompt, err := m.Turn().Gather(ctx, seen, state.Decision{Kind: state.AdHoc, AffairID: v}, "")
			if err != nil {
				return nil, err
			}
			return m.Turn().Compose(ctx, prompt)
		}},
	}
}
