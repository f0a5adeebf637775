package flow_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/field"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// speaking emits two words and something of its own.
func speaking(did *tally, name string, n int) flow.Node[trip] {
	node := failing(did, name, n)
	run := node.Run
	node.Run = func(ctx context.Context, s trip) (trip, error) {
		state.Emit(ctx, state.Event{Name: state.TokenEvent, Text: "hello "})
		state.Emit(ctx, state.Event{Name: state.TokenEvent, Text: "world"})
		state.Emit(ctx, state.Event{Name: "progress", Text: "half"})
		return run(ctx, s)
	}
	return node
}

// tell writes an event as a line.
func tell(e flow.Event) string {
	line := string(e.Mode)
	if e.Space != "" {
		line += " [" + e.Space + "]"
	}
	if e.Node != "" {
		line += fmt.Sprintf(" %s#%d", e.Node, e.Visit)
	}
	if e.Item > 0 {
		line += fmt.Sprintf(".%d", e.Item)
	}
	switch e.Mode {
	case flow.Values, flow.Ending:
		s := e.State.(trip)
		line += fmt.Sprint(" ", s.Trail.Items())
	case flow.Updates:
		line += fmt.Sprint(" ", e.Fields)
	case flow.Messages, flow.Custom:
		line += fmt.Sprintf(" %q", e.Said.Text)
	case flow.Tasks:
		line += fmt.Sprintf(" try %d", e.Try)
		if e.Ends {
			line += " ends"
		}
		if e.Err != nil {
			line += ": " + e.Err.Error()
		}
	case flow.Checkpoints:
		line += fmt.Sprint(" ", e.Checkpoint.Seq, " ", e.Checkpoint.Source, " next ", e.Checkpoint.Next)
	}
	return line
}

func read(t *testing.T, events func(func(flow.Event, error) bool)) (lines []string, last error) {
	t.Helper()
	for e, err := range events {
		if last != nil {
			t.Errorf("after the error came %s", tell(e))
		}
		lines, last = append(lines, tell(e)), err
	}
	return lines, last
}

// streamed has a node that speaks, and one that calls a graph whose node speaks; one of them is tried twice.
func streamed(t *testing.T, did *tally, log func() flow.Config[trip]) *flow.Graph[trip, *trip] {
	inner := compile(t, chain(speaking(did, "in", 0)), log())
	outer := speaking(did, "a", 1)
	outer.Retry = flow.Retry{Attempts: 2, If: func(error) bool { return true }}
	return compile(t, chain(outer, flow.Node[trip]{Name: "b", Run: func(ctx context.Context, s trip) (trip, error) {
		end, err := flow.Call(ctx, inner, "sub", trip{})
		s.Trail.Add(end.Trail.Items()...)
		return s, err
	}}), log())
}

// Each mode alone, and all at once: what is told, where, in which order, of the graphs below too.
func TestStream(t *testing.T) {
	t.Parallel()
	modes := map[flow.Mode][]string{
		flow.Values:   {"values []", "values a#1 [a]", "values [sub] []", "values [sub] in#1 [in]", "values b#1 [a in]"},
		flow.Updates:  {"updates a#1 [trail sum]", "updates [sub] in#1 [trail sum]", "updates b#1 [trail]"},
		flow.Messages: {`messages a#1 "hello "`, `messages a#1 "world"`, `messages a#1 "hello "`, `messages a#1 "world"`, `messages [sub] in#1 "hello "`, `messages [sub] in#1 "world"`},
		flow.Custom:   {`custom a#1 "half"`, `custom a#1 "half"`, `custom [sub] in#1 "half"`},
		flow.Tasks: {
			"tasks a#1 try 1", "tasks a#1 try 1 ends: boom", "tasks a#1 try 2", "tasks a#1 try 2 ends",
			"tasks b#1 try 1", "tasks [sub] in#1 try 1", "tasks [sub] in#1 try 1 ends", "tasks b#1 try 1 ends",
		},
		flow.Checkpoints: {"checkpoints 1 input next [b]", "checkpoints [sub] 1 input next []", "checkpoints 2 loop next []"},
	}
	var all []flow.Mode
	for mode, want := range modes {
		all = append(all, mode)
		var did tally
		clock, log := &waits{}, newLog(ram.New())
		g := streamed(t, &did, func() flow.Config[trip] { return flow.Config[trip]{Log: log, After: clock.after} })
		got, err := read(t, g.Stream(t.Context(), thread("x"), "t1", trip{}, mode))
		wantErr(t, string(mode), err, nil)
		same(t, string(mode), append(slices.Clone(want), "end [a in]"), got)
	}
	var did tally
	clock, log := &waits{}, newLog(ram.New())
	g := streamed(t, &did, func() flow.Config[trip] { return flow.Config[trip]{Log: log, After: clock.after} })
	got, err := read(t, g.Stream(t.Context(), thread("x"), "t1", trip{}, all...))
	wantErr(t, "all", err, nil)
	for mode, want := range modes {
		mine := slices.DeleteFunc(slices.Clone(got), func(line string) bool { return !strings.HasPrefix(line, string(mode)+" ") })
		same(t, string(mode)+" among all", want, mine)
	}
	if i, j := slices.Index(got, "tasks a#1 try 2 ends"), slices.Index(got, "tasks b#1 try 1"); i > j {
		t.Errorf("b begins before a has ended:\n%s", strings.Join(got, "\n"))
	}
}

// What a host listens to besides is heard once; items, attempts and steps are told; a turn that goes on tells where it stands.
func TestStreamOfATurnThatGoesOn(t *testing.T) {
	t.Parallel()
	var did tally
	log := newLog(ram.New())
	each := flow.Node[trip]{Name: "each", Items: func(trip) int { return 2 }, Parallel: 1, Run: func(ctx context.Context, s trip) (trip, error) {
		state.Emit(ctx, state.Event{Name: state.TokenEvent, Text: "word"})
		if flow.At(ctx).Item == 2 && did.add("second") == 1 {
			return s, errBoom
		}
		s.Trail.Add(fmt.Sprint(flow.At(ctx).Item))
		return s, nil
	}}
	g := compile(t, chain(mark(&did, "a"), each), flow.Config[trip]{Log: log, Durability: flow.Async})
	var heard []string
	ctx := state.ContextWithEvents(t.Context(), func(e state.Event) { heard = append(heard, e.Text) })
	got, err := read(t, g.Stream(ctx, thread("x"), "t1", trip{}, flow.Messages, flow.Tasks))
	wantErr(t, "Stream", err, errBoom)
	want := []string{
		"tasks a#1 try 1", "tasks a#1 try 1 ends", "tasks each#1 try 1",
		"tasks each#1.1 try 1", `messages each#1.1 "word"`, "tasks each#1.1 try 1 ends",
		"tasks each#1.2 try 1", `messages each#1.2 "word"`, "tasks each#1.2 try 1 ends: boom",
		"tasks each#1 try 1 ends: node each, item 2: boom", "end [a 1]",
	}
	same(t, "got", want, got)
	same(t, "heard besides", []string{"word", "word"}, heard)

	attempts := map[string]bool{}
	var lines []string
	for e, err := range flow.Listen(t.Context(), func(ctx context.Context) (trip, error) { return g.Resume(ctx, thread("x"), nil) }, flow.Values, flow.Checkpoints, flow.Messages) {
		wantErr(t, "Resume", err, nil)
		lines = append(lines, tell(e))
		if e.Mode != flow.Ending {
			attempts[e.Attempt] = true
		}
		if e.Mode == flow.Messages && e.Step < 2 {
			t.Errorf("a message of step %d", e.Step)
		}
	}
	if len(lines) < 4 || !strings.HasPrefix(lines[0], "checkpoints ") || lines[1] != "values [a 1]" || lines[len(lines)-1] != "end [a 1 2]" || len(attempts) != 1 || attempts[""] {
		t.Errorf("attempts %v:\n%s", attempts, strings.Join(lines, "\n"))
	}
}

// A reader who is slow holds nothing up: the turn ends, and what was lost is said before what is left.
func TestStreamToASlowReader(t *testing.T) {
	t.Parallel()
	const said = 5000
	ended := make(chan struct{})
	n := flow.Node[trip]{Name: "a", Run: func(ctx context.Context, s trip) (trip, error) {
		for i := range said {
			state.Emit(ctx, state.Event{Name: state.TokenEvent, Text: fmt.Sprint(i)})
		}
		close(ended)
		return s, nil
	}}
	g := compile(t, chain(n), flow.Config[trip]{Log: newLog(ram.New())})
	heard, lost, last, ends := 0, 0, "", 0
	for e, err := range g.Stream(t.Context(), thread("x"), "t1", trip{}, flow.Messages) {
		wantErr(t, "Stream", err, nil)
		<-ended
		switch e.Mode {
		case flow.Messages:
			heard, last = heard+1, e.Said.Text
		case flow.Gap:
			lost += e.Dropped
		case flow.Ending:
			ends++
		}
	}
	if heard+lost != said || lost == 0 || last != fmt.Sprint(said-1) || ends != 1 {
		t.Errorf("heard %d, lost %d of %d, the last %q, %d ends", heard, lost, said, last, ends)
	}
}

// Breaking off cancels the turn and waits for it; it can be gone on with. A mode of no kind runs nothing; a question is the end's error.
func TestStreamIsLeft(t *testing.T) {
	t.Parallel()
	var did tally
	hang := flow.Node[trip]{Name: "hang", Run: func(ctx context.Context, s trip) (trip, error) {
		if did.add("hang") == 1 {
			<-ctx.Done()
			did.add("cancelled")
			return s, ctx.Err()
		}
		_, err := state.AskPerson(ctx, state.Question{Text: "?"})
		return s, err
	}}
	g := compile(t, chain(mark(&did, "a"), hang), flow.Config[trip]{Log: newLog(ram.New())})
	for range g.Stream(t.Context(), thread("x"), "t1", trip{}) {
		break
	}
	if did.all()["cancelled"] != 1 {
		t.Error("the node was not cancelled, or not waited for")
	}
	open, err := g.Unfinished(t.Context(), thread("x"))
	if err != nil || !open {
		t.Errorf("unfinished: %v, %v", open, err)
	}
	_, err = read(t, g.Stream(t.Context(), thread("x"), "t1", trip{Note: field.Of("again")}))
	var waits *flow.WaitingError
	if !errors.As(err, &waits) || did.all()["a"] != 1 {
		t.Errorf("going on: %v, runs %v", err, did.all())
	}
	_, err = read(t, g.Stream(t.Context(), thread("y"), "t1", trip{}, "debug"))
	wantErr(t, "mode", err, state.ErrInvalid)
	if open, err := g.Unfinished(t.Context(), thread("y")); open || err != nil {
		t.Errorf("a mode of no kind: %v, %v", open, err)
	}
}
