package graph_test

import (
	"context"
	"strings"
	"testing"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// heard is what a host hears of a run: a line for each message, the interrupt it ended with, its error.
type heard struct {
	lines     []string
	chunks    int
	interrupt *adk.InterruptCtx
	err       error
}

func hear(t *testing.T, events *adk.AsyncIterator[*adk.AgentEvent]) (h heard) {
	t.Helper()
	for {
		e, ok := events.Next()
		switch {
		case !ok:
			return h
		case e.Err != nil:
			h.err = e.Err
		case e.Action != nil && e.Action.Interrupted != nil:
			h.interrupt = e.Action.Interrupted.InterruptContexts[0]
		case e.Output != nil:
			v := e.Output.MessageOutput
			if v.IsStreaming {
				copies := v.MessageStream.Copy(2)
				v.MessageStream = copies[0]
				for {
					if _, err := copies[1].Recv(); err != nil {
						break
					}
					h.chunks++
				}
			}
			msg, err := v.GetMessage()
			must(t, err)
			line := string(msg.Role) + " " + msg.Content
			for _, c := range msg.ToolCalls {
				line += c.Function.Name
			}
			h.lines = append(h.lines, e.AgentName+" "+line)
		}
	}
}

func seatSteps() []scripted.Step {
	return []scripted.Step{
		scripted.Call("memory_store", `{"subject":"seat","content":"The seat is 14C.","category":"fact"}`), scripted.Say("I have noted your seat."),
	}
}

func newAgent(t *testing.T, c graph.Config, ac graph.AgentConfig) adk.ResumableAgent {
	t.Helper()
	a, err := openGraph(t, c).Agent(t.Context(), ac)
	must(t, err)
	return a
}

func TestAgentAsksUnderTheHostsRunner(t *testing.T) {
	t.Parallel()
	s, kept := ram.New(), &checkpoints{}
	runner := func() *adk.Runner { // as in another process
		a := newAgent(t, graph.Config{Store: s, Model: scripted.New(seatSteps(), nil), Approve: []string{"memory_store"}}, graph.AgentConfig{})
		return adk.NewRunner(t.Context(), adk.RunnerConfig{Agent: a, EnableStreaming: true, CheckPointStore: kept})
	}
	values := adk.WithSessionValues(map[string]any{graph.UserValue: "ann", graph.SessionValue: "desk", graph.MessageValue: "q1"})
	h := hear(t, runner().Query(t.Context(), "Note my seat, 14C.", values, adk.WithCheckPointID("run 1")))
	if h.err != nil || h.interrupt == nil {
		t.Fatalf("%+v", h)
	}
	asked, ok := h.interrupt.Info.([]graph.Question)
	if !ok || len(asked) != 1 || asked[0].Question.Tool != "memory_store" {
		t.Fatalf("asked %+v", h.interrupt.Info)
	}
	again, err := runner().Resume(t.Context(), "run 1")
	must(t, err)
	if h = hear(t, again); h.err != nil || h.interrupt == nil {
		t.Fatalf("resumed without an answer: %+v", h)
	}
	for i := range 2 { // the second time as from a host that died before it had kept what came of it
		answers := map[string]any{h.interrupt.ID: map[string]state.Answer{asked[0].ID: {Choice: state.Approve}}}
		events, err := runner().ResumeWithParams(t.Context(), "run 1", &adk.ResumeParams{Targets: answers})
		must(t, err)
		got := hear(t, events)
		if n := len(got.lines); got.err != nil || n == 0 || got.lines[n-1] != "mneme assistant I have noted your seat." {
			t.Errorf("time %d: %+v", i+1, got)
		}
	}
}

// A front agent that runs its clerk again, and a person who answers in a form that is none, get the question again and not an error.
func TestAgentAsksAgain(t *testing.T) {
	t.Parallel()
	for _, answer := range []any{state.Approve, "approve", state.Answer{Choice: state.Approve, By: "ann"}} {
		kept := &checkpoints{}
		host := &hosting{store: ram.New(), steps: []scripted.Step{scripted.Call("pay", `{"Amount":"100"}`), scripted.Say("Done.")}}
		a, err := host.open(t).Agent(t.Context(), graph.AgentConfig{})
		must(t, err)
		runner := adk.NewRunner(t.Context(), adk.RunnerConfig{Agent: a, CheckPointStore: kept})
		values := adk.WithSessionValues(map[string]any{graph.UserValue: "ann"})
		first := hear(t, runner.Query(t.Context(), "Pay the bill.", values, adk.WithCheckPointID("run 1")))
		h := hear(t, runner.Query(t.Context(), "Are you there?", values, adk.WithCheckPointID("run 2")))
		if first.interrupt == nil || h.err != nil || h.interrupt == nil {
			t.Fatalf("a run in a session that waits: %+v, %+v, %v", first, h, h.err)
		}

		asked := h.interrupt.Info.([]graph.Question)
		resume := func(data any) heard {
			events, err := runner.ResumeWithParams(t.Context(), "run 2", &adk.ResumeParams{Targets: map[string]any{h.interrupt.ID: data}})
			must(t, err)
			return hear(t, events)
		}
		for _, wrong := range []any{3, "approved", state.Answer{Choice: "yes"}, map[string]state.Answer{asked[0].ID: {}}} {
			if h = resume(wrong); h.err != nil || h.interrupt == nil || h.interrupt.Info.([]graph.Question)[0].ID != asked[0].ID {
				t.Errorf("answered %v: %+v", wrong, h)
			}
		}
		if got := resume(answer); got.err != nil || len(got.lines) == 0 || got.lines[len(got.lines)-1] != "mneme assistant Done." {
			t.Errorf("answered %v: %+v", answer, got)
		}
	}
}

func TestAgentStreamsCallsAndAnswer(t *testing.T) {
	t.Parallel()
	for _, stream := range []bool{false, true} {
		a := newAgent(t, graph.Config{Store: ram.New(), Model: scripted.New(seatSteps(), nil)}, graph.AgentConfig{Name: "notes"})
		h := hear(t, adk.NewRunner(t.Context(), adk.RunnerConfig{Agent: a, EnableStreaming: stream}).Query(t.Context(), "Note my seat, 14C."))
		if h.err != nil || len(h.lines) != 3 || h.lines[0] != "notes assistant memory_store" || !strings.HasPrefix(h.lines[1], "notes tool stored fact") ||
			h.lines[2] != "notes assistant I have noted your seat." || stream != (h.chunks > 1) {
			t.Errorf("stream %t: %+v", stream, h)
		}
	}
}

// A parent that hands over; what it has said on the way is a note, not the user's words.
func TestAgentIsHandedTo(t *testing.T) {
	t.Parallel()
	s := ram.New()
	model := scripted.New([]scripted.Step{scripted.Say("It is 14C.")}, nil)
	sub := newAgent(t, graph.Config{Store: s, Model: model}, graph.AgentConfig{Name: "notes", Description: "knows the user"})
	front, err := adk.NewChatModelAgent(t.Context(), &adk.ChatModelAgentConfig{
		Name: "front", Description: "front desk", Instruction: "Hand over.",
		Model: scripted.New([]scripted.Step{scripted.Call("transfer_to_agent", `{"agent_name":"notes"}`)}, nil),
	})
	must(t, err)
	both, err := adk.SetSubAgents(t.Context(), front, []adk.Agent{sub})
	must(t, err)
	values := adk.WithSessionValues(map[string]any{graph.UserValue: "ann"})
	h := hear(t, adk.NewRunner(t.Context(), adk.RunnerConfig{Agent: both}).Query(t.Context(), "Where do I sit?", values))
	if n := len(h.lines); h.err != nil || n == 0 || h.lines[n-1] != "notes assistant It is 14C." {
		t.Fatalf("%+v", h)
	}
	said, err := openGraph(t, graph.Config{Store: s, Model: echo{}}).Memory().Messages(t.Context(), state.Scope{User: "ann"}.Default())
	if err != nil || len(said) != 2 || said[0].Text != "Where do I sit?" {
		t.Errorf("%+v, %v", said, err)
	}
	if prompt := model.Prompts()[0]; !strings.HasSuffix(prompt[len(prompt)-1].Content, "Where do I sit?") {
		t.Errorf("asked %q", prompt[len(prompt)-1].Content)
	}
}

func TestAgentRefuses(t *testing.T) {
	t.Parallel()
	a := newAgent(t, graph.Config{Store: ram.New(), Model: echo{}}, graph.AgentConfig{})
	empty := ""
	for name, in := range map[string][]*schema.Message{
		"no message":        {schema.SystemMessage("Be kind.")},
		"a part of nothing": {{Role: schema.User, UserInputMultiContent: []schema.MessageInputPart{{Type: schema.ChatMessagePartTypeImageURL, Image: &schema.MessageInputImage{}}}}},
		"an empty URL":      {{Role: schema.User, UserInputMultiContent: []schema.MessageInputPart{{Type: schema.ChatMessagePartTypeImageURL, Image: &schema.MessageInputImage{MessagePartCommon: schema.MessagePartCommon{URL: &empty}}}}}},
	} {
		h := hear(t, a.Run(t.Context(), &adk.AgentInput{Messages: in}))
		if state.CodeOf(h.err) != state.Invalid {
			t.Errorf("%s: %+v", name, h)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if h := hear(t, a.Run(ctx, &adk.AgentInput{Messages: []*schema.Message{schema.UserMessage("Hello")}})); h.err == nil {
		t.Errorf("a run whose time was over: %+v", h)
	}
}
