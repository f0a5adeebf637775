package graph_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/cloudwego/eino/schema"

	"github.com/cloudwego/eino/components/tool"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/ram"
)

func TestStream(t *testing.T) {
	t.Parallel()
	w := newWorld()
	g, _ := w.says(t, scripted.Call("list_affairs", "{}"), scripted.Say("There is one."))
	var names []string
	var text strings.Builder
	var end graph.Event
	for e, err := range g.Stream(t.Context(), ask("Which affairs are there?", state.NewAffair, "", "Affairs")) {
		must(t, err)
		name := string(e.Name)
		switch e.Name {
		case state.NodeStart, state.NodeEnd:
			name += " " + e.Node
		case state.TokenEvent:
			text.WriteString(e.Text)
		case state.ContextDecision:
			if e.Decision == nil || e.Decision.Title != "Affairs" {
				t.Errorf("decision: %+v", e.Decision)
			}
		}
		names, end = append(names, name), e
	}
	want := []string{
		"run.start", "node.start intake", "node.end intake", "node.start memory_load", "node.end memory_load",
		"node.start context_detect", "context.decision", "node.end context_detect",
		"node.start respond", "context.composed", "tool.call", "tool.result", "context.composed", "token", "token", "token", "node.end respond",
		"node.start memory_flush", "node.end memory_flush", "node.start finalize", "node.end finalize", "run.end",
	}
	same(t, "events", want, names)
	if end.Reply == nil || end.Reply.Text != "There is one." || end.Text != "There is one." || text.String() != "There is one." || end.Turn != end.Reply.Turn {
		t.Errorf("the end: %+v, tokens %q", end, text.String())
	}
}

func TestStreamOfAFailedTurn(t *testing.T) {
	t.Parallel()
	w := newWorld()
	g, _ := w.says(t, scripted.Fail(errors.New("no route")))
	var names []string
	var last error
	for e, err := range g.Stream(t.Context(), graph.Request{Text: "Hello!"}) {
		names, last = append(names, string(e.Name)), err
	}
	if !slices.Contains(names, "error") || names[len(names)-1] != "run.end" {
		t.Errorf("events: %v", names)
	}
	code(t, last, state.Unavailable)
	names = nil
	for e, err := range g.Stream(t.Context(), graph.Request{}) {
		names, last = append(names, string(e.Name)), err
	}
	code(t, last, state.Invalid)
	same(t, "events of a refused request", []string{"run.start", "node.start", "node.end", "run.end"}, names)
}

// Whoever stops listening ends the turn, which is closed in order: the next message is not kept waiting for it.
func TestStreamIsStopped(t *testing.T) {
	t.Parallel()
	for at, want := range map[state.EventName][]string{
		state.RunStart:        {},
		state.ContextDecision: {},
		state.ToolStart:       {"assistant ->list_affairs", "tool "},
		state.TokenEvent:      {"assistant ->list_affairs", "tool ", "assistant There"},
	} {
		t.Run(string(at), func(t *testing.T) {
			t.Parallel()
			g := newWorld().open(t, func(c *graph.Config) { c.Model = resumable() })
			for e := range g.Stream(t.Context(), graph.Request{Text: "List them"}) {
				if e.Name == at {
					break
				}
			}
			closed(t, g)
			before := len(kept(t, g, scope()))
			if r := invoke(t, g, graph.Request{Text: "Are you there?"}); r.Text != "Yes." || len(r.Trace.Notes) > 0 {
				t.Errorf("the next turn: %q, %q", r.Text, r.Trace.Notes)
			}
			got := kept(t, g, scope())
			if at == state.RunStart && before == 0 { // the message had not been taken in yet
				return
			}
			for i, line := range append([]string{"user List them"}, want...) {
				if line = fmt.Sprintf("%d %s", i+1, line); !strings.HasPrefix(got[i], line) {
					t.Errorf("message %d is %q, want %q", i+1, got[i], line)
				}
			}
			end := []string{fmt.Sprintf("%d user Are you there?", before+1), fmt.Sprintf("%d assistant Yes.", before+2)}
			same(t, "kept", end, got[before:])
		})
	}
}

func TestStreamOfACancelledContext(t *testing.T) {
	t.Parallel()
	w := newWorld()
	g, _ := w.says(t, scripted.Say("Never."))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var last error
	for _, err := range g.Stream(ctx, graph.Request{Text: "Hello!"}) {
		last = err
	}
	code(t, last, state.Unavailable)
}

// resumable is a model that says the same however often it is asked.
func resumable() *actor {
	return &actor{asked: map[string]int{}, lines: map[string][]*schema.Message{
		"List them":      {calls("list_affairs", "{}"), schema.AssistantMessage("There are none.", nil)},
		"Are you there?": {schema.AssistantMessage("Yes.", nil)},
	}}
}

// The turn that is finished first is not heard in the stream of the one that waits; the trace says that it was.
func TestStreamAfterAnUnfinishedTurn(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	g := newWorld().open(t, func(c *graph.Config) {
		c.Model, c.Settings = scripted.New([]scripted.Step{scripted.Call("stop", "{}"), scripted.Say("old answer")}, nil), leaves()
		c.Tools = []tool.InvokableTool{handmade{"stop", func(context.Context, string) (string, error) { cancel(); return "stopped", nil }}}
	})
	if _, err := g.Invoke(ctx, graph.Request{Text: "Hello!"}); err == nil {
		t.Fatal("want the first turn cancelled")
	}
	var heard string
	var reply *graph.Reply
	for e, err := range g.Stream(t.Context(), graph.Request{Text: "Are you there?", Model: scripted.New([]scripted.Step{scripted.Say("new answer")}, nil)}) {
		must(t, err)
		if e.Name == state.TokenEvent {
			heard += e.Text
		}
		reply = e.Reply
	}
	if heard != "new answer" {
		t.Errorf("heard %q, want the new answer only", heard)
	}
	if len(reply.Trace.Notes) == 0 {
		t.Error("want a note that an earlier turn was finished first")
	}
	msgs, err := g.Memory().Messages(t.Context(), scope())
	if err != nil || !slices.ContainsFunc(msgs, func(m state.Message) bool { return m.Text == "old answer" }) {
		t.Errorf("want the old answer kept, got %v, %v", msgs, err)
	}
}

// What comes behind an answer comes in pieces too, and who asks is told that it asks.
func TestStreamOfAnAnswer(t *testing.T) {
	t.Parallel()
	h := &hosting{store: ram.New(), steps: []scripted.Step{scripted.Call("pay", `{"Amount":"100"}`), scripted.Say("It is paid.")}}
	g := h.open(t)
	names := func(events iter.Seq2[graph.Event, error]) (names string, end graph.Event) {
		for e, err := range events {
			must(t, err)
			switch e.Name {
			case state.RunStart, state.TokenEvent, state.ToolStart, state.ToolEnd, state.QuestionEvent, state.RunEnd:
				names += string(e.Name) + " "
			}
			if e.Name == state.QuestionEvent && (e.Question == nil || e.Question.Question.Tool != "pay") {
				t.Errorf("the question is %+v", e.Question)
			}
			end = e
		}
		return names, end
	}
	asked, end := names(g.Stream(t.Context(), graph.Request{Text: "Pay 100.", MessageID: "bill"}))
	if asked != "run.start question run.end " {
		t.Errorf("asked with %s", asked)
	}
	if again, _ := names(g.StreamResume(t.Context(), scope())); again != "run.start question run.end " {
		t.Errorf("resumed with %s", again)
	}
	if follows, _ := names(g.Follow(t.Context(), scope(), "bill")); follows != "question run.end " {
		t.Errorf("followed, while it waits, with %s", follows)
	}
	answer := map[string]state.Answer{end.Reply.Waits[0].ID: {Choice: state.Approve}}
	got, end := names(g.StreamAnswer(t.Context(), scope(), answer))
	if got != "run.start tool.call tool.result token token token run.end " || end.Reply.Text != "It is paid." {
		t.Errorf("answered with %s, %+v", got, end.Reply)
	}
}
