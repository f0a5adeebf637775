package isolation_test

import (
	"context"
	"math"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/tools"
)

// ofTools calls every tool with v in each of its arguments.
func (c *crowd) ofTools(scope state.Scope, about, v string) []probe {
	var out []probe
	for _, call := range []struct {
		name string
		args map[string]any
	}{
		{tools.MemoryRecall, map[string]any{"query": v + " " + about}},
		{tools.MemoryRecall, map[string]any{"query": about, "scope": v}},
		{tools.MemoryRecall, map[string]any{"query": about, "scope": "current", "affair_id": v, "client": v, "user": v, "session": v}},
		{tools.MemoryStore, map[string]any{"subject": about, "content": about, "category": "fact", "affair_id": "?" + v}},
		{tools.MemoryStore, map[string]any{"subject": about, "content": about, "category": "?" + v}},
		{tools.ListAffairs, map[string]any{"affair_id": v, "client": v, "user": v}},
		{tools.RecallAffair, map[string]any{"affair_id": v}},
		{tools.ResolveAffair, map[string]any{"affair_id": "?" + v}},
	} {
		x, args := c.tools[call.name], jsonOf(call.args)
		out = append(out, probe{call.name, []string{v, about, args, scope.Client}, func(ctx context.Context) (any, error) {
			ctx = memory.ContextWithOrigin(state.ContextWithScope(ctx, scope), memory.Origin{Scope: scope, Affair: v, Turn: v, Message: v, Seq: math.MaxInt32, Call: v})
			return x.InvokableRun(ctx, args)
		}})
	}
	return out
}

// ofGraph asks for the log of sessions and turns.
func (c *crowd) ofGraph(scope state.Scope, v string) []probe {
	session := scope
	session.Session = v
	empty := scope
	empty.Session = "none" + v
	said := []string{v, scope.Client}
	g := c.graph
	return []probe{
		{"History of a session", said, func(ctx context.Context) (any, error) { return g.History(ctx, session, checkpoint.Which{}) }},
		{"History of a turn", said, func(ctx context.Context) (any, error) {
			return g.History(ctx, scope, checkpoint.Which{Turn: "?" + v, Source: checkpoint.Source(v)})
		}},
		{"State", said, func(ctx context.Context) (any, error) { return g.State(ctx, session, 0) }},
		{"State at", said, func(ctx context.Context) (any, error) { return g.State(ctx, session, 2) }},
		{"Diff", said, func(ctx context.Context) (any, error) { return g.Diff(ctx, session, 1, 2) }},
		{"Explain", said, func(ctx context.Context) (any, error) { return g.Explain(ctx, session, "") }},
		{"Explain a turn", said, func(ctx context.Context) (any, error) { return g.Explain(ctx, scope, "?"+v) }},
		{"Explain a message", said, func(ctx context.Context) (any, error) { return g.Explain(ctx, session, "1") }},
		{"Waits", said, func(ctx context.Context) (any, error) { return g.Waits(ctx, session) }},
		{"Answer", said, func(ctx context.Context) (any, error) {
			return g.Answer(ctx, scope, map[string]state.Answer{v: {Choice: state.Approve, Value: v}})
		}},
		{"Resume", said, func(ctx context.Context) (any, error) { return g.Resume(ctx, empty) }},
		{"Prune", said, func(ctx context.Context) (any, error) { return g.Prune(ctx, empty, flow.Keep{}) }},
		{"DeleteTurns", said, func(ctx context.Context) (any, error) { return g.DeleteTurns(ctx, scope, v) }},
		{"DeleteThread", said, func(ctx context.Context) (any, error) { return nil, g.DeleteThread(ctx, empty) }},
		{"Fork", said, func(ctx context.Context) (any, error) { return nil, g.Fork(ctx, scope, "?"+v, "forked") }},
		{"Sweep", said, func(ctx context.Context) (any, error) { return g.Sweep(ctx, "none"+v, false) }},
	}
}

// ofIndex asks the index itself, by whose hits memory would only join the owner's own documents.
func (c *crowd) ofIndex(vectors index.Vectors, scope state.Scope, v string) []probe {
	o := index.Of(scope)
	said := []string{v, scope.Client}
	query := index.Query{Vector: make([]float32, dim), Limit: 16384}
	query.Vector[0] = 1
	search := func(name string, change func(*index.Query)) probe {
		q := query
		change(&q)
		return probe{"index: " + name, said, func(ctx context.Context) (any, error) { return vectors.Search(ctx, o, q) }}
	}
	return []probe{
		search("ids", func(q *index.Query) {
			q.IDs = []string{v, "records/" + v, "affairs/" + v, "messages/" + v + "/000000000001"}
		}),
		search("session", func(q *index.Query) { q.Session = v }),
		search("kinds", func(q *index.Query) { q.Kinds = []string{v, "fact"} }),
		{"index: Delete", said, func(ctx context.Context) (any, error) { return nil, vectors.Delete(ctx, o, "?"+v, "../"+v) }},
	}
}

// whole are the questions that need no id: all there is of the owner.
func (c *crowd) whole(vectors index.Vectors, scope state.Scope) []probe {
	o, said := index.Of(scope), []string{scope.Client}
	query := index.Query{Vector: make([]float32, dim), Limit: 16384, Fresh: true}
	query.Vector[0] = 1
	return []probe{
		{"index: Search", said, func(ctx context.Context) (any, error) { return vectors.Search(ctx, o, query) }},
		{"index: List", said, func(ctx context.Context) (any, error) { return vectors.List(ctx, o) }},
		{"Records", said, func(ctx context.Context) (any, error) { return c.memory.Records(ctx, scope) }},
	}
}

// inStepOf asks under the context of a step that has decided something of another owner and not committed it.
func (c *crowd) inStepOf(other *owner, scope state.Scope, about string) []probe {
	record := state.Record{
		ID: other.own("rec", 9), Client: other.scope.Client, User: other.scope.User, Kind: state.FactRecord, Subject: about,
		Content: about + " " + silent(other.number), RecordedAt: now(), ValidFrom: now(),
	}
	within := func(ctx context.Context) context.Context {
		effects := &state.Effects{}
		effects.Add(state.Effect{Scope: other.scope, Record: &record})
		return state.ContextWithEffects(ctx, effects)
	}
	said := []string{about, scope.Client}
	return []probe{
		{"Recall in another's step", said, func(ctx context.Context) (any, error) {
			return c.memory.Recall(within(ctx), memory.Query{Scope: scope, Text: about})
		}},
		{"memory_recall in another's step", said, func(ctx context.Context) (any, error) {
			return c.tools[tools.MemoryRecall].InvokableRun(state.ContextWithScope(within(ctx), scope), jsonOf(map[string]string{"query": about}))
		}},
		{"Write in another's step", said, func(ctx context.Context) (any, error) {
			return c.memory.Write(within(ctx), scope, memory.Change{Subject: record.Subject, Content: record.Content[:len(about)]})
		}},
	}
}
