package graph

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cloudwego/eino/components"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/state"
)

// This file keeps a process that looks after a host's store from finishing the host's turns: a turn knows the name of the model and
// of the tools that it was begun with. Parameters of the model and descriptions of tools do not count.

// RecordAnswers writes answers to questions of the session's turn down, by their ids, and does not go on with it: Resume or Answer
// does, in a process that has the turn's model and tools. It returns the questions that are left. It refuses what Answer refuses.
func (g *Graph) RecordAnswers(ctx context.Context, scope state.Scope, answers map[string]state.Answer) ([]checkpoint.Ask, error) {
	thread, done, err := g.openThread(scope)
	if err != nil {
		return nil, err
	}
	defer done()
	key := thread.Key()
	if _, err := g.lines.enter(ctx, key, "", state.RejectTexting); err != nil {
		return nil, err
	}
	defer g.lines.leave(key)
	return g.flow.RecordAnswers(ctx, thread, g.dateAnswers(answers))
}

// beginWith notes what a turn is begun with: the request's own model and tools count.
func (g *Graph) beginWith(ctx context.Context, in state.Input, r Request) state.Input {
	in.Model, in.Tools = modelName(r.Model), toolNames(ctx, slices.Concat(g.c.Tools, r.Tools))
	if r.Model == nil {
		in.Model = g.ModelName(in.Scope.Agent)
	}
	return in
}

// ModelName names the model that an agent answers with: by its String where it has one, else by its type.
func (g *Graph) ModelName(agent string) string {
	if m := g.models.chat(agent); m != nil {
		return modelName(m)
	}
	return modelName(g.c.Model)
}

// modelName returns what a model is called, else its type.
func modelName(m model.ToolCallingChatModel) string {
	if named, ok := m.(fmt.Stringer); ok {
		return named.String()
	}
	kind, _ := components.GetType(m)
	return cmp.Or(kind, fmt.Sprintf("%T", m))
}

// toolNames returns the names of tools, sorted. One that does not tell its name is met by the turn itself.
func toolNames(ctx context.Context, list []tool.InvokableTool) (names []string) {
	for _, t := range list {
		if info, err := t.Info(ctx); err == nil {
			names = append(names, info.Name)
		}
	}
	slices.Sort(names)
	return names
}

// checkOwn refuses to go on with the session's unfinished turn where Config.OwnTurns is set and another program began it.
func (g *Graph) checkOwn(ctx context.Context, scope state.Scope, own Request) error {
	if other := g.differsFrom(ctx, scope, own); other != "" {
		return state.Errorf(state.Conflict, "session "+scope.SessionKey(), "has a turn that another program began, with %s: that program goes on with it; "+
			"an answer can be written down for it (mneme approve --record), and mneme cancel ends it", other)
	}
	return nil
}

// differsFrom tells with what the session's unfinished turn was begun that is not here; "" = nothing, or all turns are gone on with.
// What a call brings of its own is here too. What cannot be read here is told by the call that goes on with it.
func (g *Graph) differsFrom(ctx context.Context, scope state.Scope, own Request) string {
	if !g.c.OwnTurns {
		return ""
	}
	last, err := g.flow.State(ctx, scope.Thread(), 0)
	in := last.State.Input.Get()
	if err != nil || last.Seq == 0 || last.Done || in.Model == "" {
		return ""
	}

	var differs []string
	here := g.ModelName(in.Scope.Agent)
	if own.Model != nil {
		here = modelName(own.Model)
	}
	if here != in.Model {
		differs = append(differs, fmt.Sprintf("the model %s (here: %s)", in.Model, here))
	}
	if here := toolNames(ctx, slices.Concat(g.c.Tools, own.Tools)); !slices.Equal(here, in.Tools) {
		list := func(names []string) string { return cmp.Or(strings.Join(names, ", "), "none") }
		differs = append(differs, fmt.Sprintf("the tools %s (here: %s)", list(in.Tools), list(here)))
	}
	return strings.Join(differs, " and ")
}
