package state_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/account"
)

func TestTrace(t *testing.T) {
	t.Parallel()
	var trace state.Trace
	ctx := state.ContextWithTrace(t.Context(), &trace)
	var wg sync.WaitGroup
	for n := range 50 {
		wg.Go(func() {
			got := state.TraceFrom(ctx)
			got.Note("note %d", n)
			got.Node(account.NodeTime{Node: fmt.Sprint(n)})
			got.Charge(state.Bill{Commits: 1, Reads: 2, Usage: state.Usage{ModelCalls: 3, CachedTokens: 4}})
		})
	}
	wg.Wait()
	want := state.Bill{Commits: 50, Reads: 100, Usage: state.Usage{ModelCalls: 150, CachedTokens: 200}}
	same(t, "bill", want, trace.Bill())
	if len(trace.Notes()) != 50 || len(trace.Nodes()) != 50 {
		t.Errorf("%d notes, %d nodes", len(trace.Notes()), len(trace.Nodes()))
	}
	trace.Notes()[0] = "changed"
	trace.Nodes()[0].Node = "changed"
	if trace.Notes()[0] == "changed" || trace.Nodes()[0].Node == "changed" {
		t.Error("the trace can be changed from outside")
	}
}

// Outside a turn there is no trace, and nobody has to ask.
func TestNoTrace(t *testing.T) {
	t.Parallel()
	trace := state.TraceFrom(t.Context())
	trace.Note("x")
	trace.Node(account.NodeTime{})
	trace.Charge(state.Bill{Commits: 1})
	if trace != nil || trace.Notes() != nil || trace.Nodes() != nil || trace.Bill() != (state.Bill{}) {
		t.Error("something was kept")
	}
}

func TestUsagePlus(t *testing.T) {
	t.Parallel()
	a := state.Usage{ModelCalls: 1, SmallModelCalls: 2, PromptTokens: 3, CompletionTokens: 4, CachedTokens: 5}
	b := state.Usage{ModelCalls: 10, SmallModelCalls: 20, PromptTokens: 30, CompletionTokens: 40, CachedTokens: 50}
	want := state.Usage{ModelCalls: 11, SmallModelCalls: 22, PromptTokens: 33, CompletionTokens: 44, CachedTokens: 55}
	if a.Plus(b) != want || b.Plus(a) != want {
		t.Errorf("%+v and %+v, want %+v", a.Plus(b), b.Plus(a), want)
	}
}

func TestEffects(t *testing.T) {
	t.Parallel()
	if state.EffectsFrom(t.Context()) != nil {
		t.Error("there are effects outside a step")
	}
	var effects state.Effects
	ctx := state.ContextWithEffects(t.Context(), &effects)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() { state.EffectsFrom(ctx).Add(state.Effect{}, state.Effect{}) })
	}
	wg.Wait()
	if n := len(effects.Take()); n != 40 {
		t.Errorf("took %d effects, want 40", n)
	}
	if n := len(effects.Take()); n != 0 {
		t.Errorf("took %d effects again", n)
	}
}

// A part of a step sees what the step has decided by then, and keeps its own edits to itself.
func TestEffectsOfAPart(t *testing.T) {
	t.Parallel()
	var none *state.Effects
	if none.Child() != nil {
		t.Error("outside a step there is nothing to collect")
	}
	step := &state.Effects{}
	step.Add(state.Effect{Scope: state.Scope{User: "a"}})
	first, second := step.Child(), step.Child()
	first.Add(state.Effect{Scope: state.Scope{User: "b"}})
	step.Take() // a commit
	if n, m := len(first.List()), len(second.List()); n != 2 || m != 1 {
		t.Errorf("the parts see %d and %d edits, want 2 and 1", n, m)
	}
	if own := first.Take(); len(own) != 1 || own[0].Scope.User != "b" || len(step.List()) != 0 {
		t.Errorf("took %+v, the step has %+v", own, step.List())
	}
}

func TestEmit(t *testing.T) {
	t.Parallel()
	state.Emit(t.Context(), state.Event{Name: state.RunStart}) // nobody listens
	var heard []state.EventName
	ctx := state.ContextWithEvents(t.Context(), func(e state.Event) { heard = append(heard, e.Name) })
	state.Emit(ctx, state.Event{Name: state.RunStart})
	state.Emit(ctx, state.Event{Name: state.RunEnd})
	same(t, "got", []state.EventName{state.RunStart, state.RunEnd}, heard)
	state.Emit(state.ContextWithEvents(ctx, nil), state.Event{Name: state.RunEnd})
	var wg sync.WaitGroup
	for range 20 { // one at a time: the race detector would tell
		wg.Go(func() { state.Emit(ctx, state.Event{Name: state.TokenEvent}) })
	}
	wg.Wait()
	if len(heard) != 22 {
		t.Errorf("heard %d events, want 22", len(heard))
	}
}
