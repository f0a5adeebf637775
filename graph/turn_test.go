package graph_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/components/tool/utils"
	"github.com/cloudwego/eino/schema"
	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

func TestAWrongRequestWritesNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		req  graph.Request
	}{
		{"an empty message", graph.Request{}},
		{"too long", graph.Request{Text: strings.Repeat("x", state.DefaultSettings().MaxMessageBytes+1)}},
		{"no UTF-8", graph.Request{Text: "\xff"}},
		{"a bad session", graph.Request{Text: "x", Scope: state.Scope{Session: "a/b"}}},
		{"a bad client", graph.Request{Text: "x", Scope: state.Scope{Client: "a$"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			counting := &store.Counting{Store: w.store}
			w.store = counting
			g, _ := w.says(t, scripted.Say("Hello."))
			_, err := g.Invoke(t.Context(), c.req)
			code(t, err, state.Invalid)
			if n := counting.Counts().Writes; n > 0 {
				t.Errorf("%d writes", n)
			}
			if r := invoke(t, g, graph.Request{Text: "Hi!"}); r.Text != "Hello." {
				t.Errorf("the next turn: %q", r.Text)
			}
			_, err = g.Resume(t.Context(), c.req.Scope)
			if c := state.CodeOf(err); c != state.NotFound && c != state.Invalid {
				t.Errorf("there is nothing to resume: %v", err)
			}
		})
	}
}

func TestAFailingModel(t *testing.T) {
	t.Parallel()
	w := newWorld()
	g, _ := w.says(t, scripted.Fail(errors.New("no route to host")), scripted.Say("It is 07-14244-53150."))
	r, err := g.Invoke(t.Context(), ask("I ordered brake pads, order number 07-14244-53150.", state.NewAffair, "", "Brake pads"))
	if text := code(t, err, state.Unavailable); !strings.Contains(text, "no route to host") {
		t.Errorf("the cause is missing: %q", text)
	}
	if r.Decision.Title != "Brake pads" || title(r.Active) != "Brake pads" || r.Turn == "" || r.Text != "" {
		t.Errorf("the reply of a failed turn tells what is known, got %+v", r)
	}
	same(t, "kept", []string{"1 user I ordered brake pads, order number 07-14244-53150."}, kept(t, g, scope()))
	a, err := g.Memory().Affairs().Get(t.Context(), scope(), "Brake pads")
	if err != nil || a.Status != state.Active || !strings.Contains(fmt.Sprint(a.KeyFacts), "07-14244-53150") {
		t.Errorf("learnt: %+v, %v", a, err)
	}
	if _, err := g.Resume(t.Context(), scope()); !errors.Is(err, state.ErrNotFound) {
		t.Errorf("the turn is closed, got %v", err)
	}
	r = invoke(t, g, graph.Request{Text: "What is the order number of the brake pads?"})
	if r.Text != "It is 07-14244-53150." || r.Message.Seq != 3 {
		t.Errorf("the next turn: %+v", r.Message)
	}
}

// A model that fails while a crashed turn is finished must not cost the user the new message.
func TestAModelThatStillFailsAfterACrash(t *testing.T) {
	t.Parallel()
	w := newWorld()
	ctx, cancel := context.WithCancel(t.Context())
	g := w.open(t, func(c *graph.Config) {
		c.Settings = leaves()
		c.Model = scripted.New([]scripted.Step{
			scripted.Call("stop", "{}"), scripted.Fail(errors.New("still down")), scripted.Say("Back again."),
		}, nil)
		c.Tools = []tool.InvokableTool{handmade{"stop", func(ctx context.Context, _ string) (string, error) {
			cancel()
			return "", ctx.Err()
		}}}
	})
	_, err := g.Invoke(ctx, graph.Request{Text: "Hello!"})
	code(t, err, state.Unavailable)
	r, err := g.Invoke(t.Context(), graph.Request{Text: "Are you there?"})
	if err != nil || r.Text != "Back again." {
		t.Errorf("the new message: %q, %v", r.Text, err)
	}
	want := []string{"1 user Hello!", "2 assistant ->stop", "3 tool error: context canceled", "4 user Are you there?", "5 assistant Back again."}
	got := kept(t, g, scope())
	if len(got) != 5 || got[0] != want[0] || got[3] != want[3] || got[4] != want[4] {
		t.Errorf("kept: %q", got)
	}
}

// A host's tool may take up an affair in the very first turn of a session, of which there is nothing but the message.
func TestAToolTakesUpAnAffairInAFirstTurn(t *testing.T) {
	t.Parallel()
	w, s2 := newWorld(), state.Scope{Session: "s2"}.Default()
	var g *graph.Graph
	g = w.open(t, func(c *graph.Config) {
		c.Model = scripted.New([]scripted.Step{scripted.Say("Noted."), scripted.Call("take_up", "{}"), scripted.Say("Here it is.")}, nil)
		c.Tools = []tool.InvokableTool{handmade{"take_up", func(ctx context.Context, _ string) (string, error) {
			a, err := g.Memory().Affairs().Move(ctx, s2, "Garden", state.Active, "")
			return a.Title, err
		}}}
	})
	invoke(t, g, ask("The garden needs a fence.", state.NewAffair, "", "Garden"))
	r := invoke(t, g, graph.Request{Scope: s2, Text: "Where were we?"})
	if title(r.Active) != "Garden" || r.Tools[0].Result != "Garden" {
		t.Errorf("active %q, the tool says %q", title(r.Active), r.Tools[0].Result)
	}
}

func TestASessionIsServedOneTurnAtATime(t *testing.T) {
	t.Parallel()
	w := newWorld()
	inside, leave := make(chan struct{}), make(chan struct{})
	g := w.open(t, func(c *graph.Config) {
		c.Model = scripted.New([]scripted.Step{scripted.Call("hold", "{}"), scripted.Say("One."), scripted.Say("Two."), scripted.Say("Three.")}, nil)
		c.Tools = []tool.InvokableTool{handmade{"hold", func(context.Context, string) (string, error) {
			close(inside)
			<-leave
			return "held", nil
		}}}
	})
	done := make(chan error, 1)
	go func() {
		_, err := g.Invoke(t.Context(), graph.Request{Text: "Hold on"})
		done <- err
	}()
	<-inside
	_, err := g.Invoke(t.Context(), graph.Request{Text: "Hello?"})
	if text := code(t, err, state.Conflict); !strings.Contains(text, "busy") {
		t.Errorf("want it to say busy, got %q", text)
	}
	_, err = g.Resume(t.Context(), scope())
	code(t, err, state.Conflict)
	close(leave)
	must(t, <-done)
	invoke(t, g, graph.Request{Text: "Hello!"})
	if got := kept(t, g, scope()); len(got) != 6 || slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, "Hello?") }) {
		t.Errorf("a refused message is not kept, got %q", got)
	}
}

func TestWhatATurnHasOfItsOwn(t *testing.T) {
	t.Parallel()
	w := newWorld()
	g, theirs := w.says(t, scripted.Say("Theirs."), scripted.Say("Theirs again."))
	invoke(t, g, graph.Request{Text: "Hello!"})
	mine := scripted.New([]scripted.Step{scripted.Call("weather", `{"city":"Brno"}`), scripted.Say("Mine.")}, nil)
	type place struct {
		City string `json:"city" jsonschema:"description=where"`
	}
	var seen state.Scope
	weather, err := utils.InferTool("weather", "Tell the weather.", func(ctx context.Context, p place) (string, error) {
		seen, _ = state.ScopeFrom(ctx)
		return "sunny in " + p.City, nil
	})
	must(t, err)
	r := invoke(t, g, graph.Request{Text: "How is the weather?", Model: mine, System: "Answer like a pirate.", Tools: []tool.InvokableTool{weather}})
	if r.Text != "Mine." || len(r.Tools) != 1 || r.Tools[0].Result != "sunny in Brno" || r.Tools[0].Name != "weather" || seen != scope() {
		t.Errorf("got %q with tools %+v in scope %+v", r.Text, r.Tools, seen)
	}
	if system := mine.Prompts()[0][0]; system.Role != schema.System || !strings.Contains(system.Content, "Answer like a pirate.") {
		t.Errorf("system prompt: %+v", system)
	}
	r = invoke(t, g, graph.Request{Text: "And now?"})
	if r.Text != "Theirs again." || strings.Contains(theirs.Prompts()[1][0].Content, "pirate") || len(theirs.Prompts()) != 2 {
		t.Errorf("the next turn is the graph's own again, got %q, %v", r.Text, theirs.Prompts()[1][0])
	}
	if prompt := fmt.Sprint(theirs.Prompts()[1]); !strings.Contains(prompt, "sunny in Brno") {
		t.Errorf("what the tool said is part of the history: %s", prompt)
	}
}

func TestIdentity(t *testing.T) {
	t.Parallel()
	w := newWorld()
	m := scripted.New([]scripted.Step{scripted.Say("Arr.")}, nil)
	g := w.open(t, func(c *graph.Config) { c.Model, c.Identity = m, "You are a parrot." })
	invoke(t, g, graph.Request{Text: "Hello!"})
	if got := m.Prompts()[0][0].Content; !strings.Contains(got, "You are a parrot.") {
		t.Errorf("system prompt: %q", got)
	}
}

func TestWhatComesWithAMessageIsKept(t *testing.T) {
	t.Parallel()
	w := newWorld()
	g, m := w.says(t, scripted.Say("A contract."), scripted.Say("Yes."))
	req := graph.Request{
		Text: "What is this?", MessageID: "D1:3", Speaker: "Ann", Metadata: map[string]string{"channel": "mail", "secret": "plain"}, System: "Be brief.",
		Parts:       []state.Part{{Type: "image_url", URL: "https://x/y.png", MIME: "image/png"}},
		Attachments: []state.Attachment{{Name: "contract.txt", MIME: "text/plain", Text: "The rent is 500 EUR."}, {Name: "a.bin", Data: []byte{1, 2}}},
	}
	invoke(t, g, req)
	list, err := g.Memory().Messages(t.Context(), scope())
	must(t, err)
	got := list[0]
	want := graph.Request{
		Text: got.Text, MessageID: got.ID, Speaker: got.Speaker, Metadata: got.Metadata, System: got.System, Parts: got.Parts, Attachments: got.Attachments,
	}
	same(t, "kept", req, want, cmp.AllowUnexported())
	prompt := m.Prompts()[0]
	last := prompt[len(prompt)-1]
	if all := fmt.Sprint(prompt); !strings.Contains(all, "The rent is 500 EUR.") || strings.Contains(all, "channel") {
		t.Errorf("the attachment's text belongs into the prompt, metadata does not: %s", all)
	}
	if len(last.UserInputMultiContent) != 2 || *last.UserInputMultiContent[1].Image.URL != "https://x/y.png" {
		t.Errorf("the image is missing: %+v", last)
	}
	invoke(t, g, graph.Request{Text: "Are you sure?"})
}

// A resumed turn keeps the system prompt it was asked with.
func TestAResumedTurnKeepsItsSystemPrompt(t *testing.T) {
	t.Parallel()
	w := newWorld()
	ctx, cancel := context.WithCancel(t.Context())
	m := scripted.New([]scripted.Step{scripted.Call("stop", "{}"), scripted.Say("Arr.")}, nil)
	g := w.open(t, func(c *graph.Config) {
		c.Model, c.Settings = m, leaves()
		c.Tools = []tool.InvokableTool{handmade{"stop", func(context.Context, string) (string, error) { cancel(); return "stopped", nil }}}
	})
	if _, err := g.Invoke(ctx, graph.Request{Text: "Hello!", System: "Answer like a pirate."}); state.CodeOf(err) != state.Unavailable {
		t.Fatalf("want the turn cancelled, got %v", err)
	}
	r, err := w.open(t, func(c *graph.Config) {
		c.Model = m
		c.Tools = []tool.InvokableTool{handmade{"stop", func(context.Context, string) (string, error) { return "stopped", nil }}}
	}).Resume(t.Context(), scope())
	if err != nil || r.Text != "Arr." || r.Turn == "" || len(r.Tools) != 1 {
		t.Fatalf("resumed: %+v, %v", r, err)
	}
	prompts := m.Prompts()
	if got := prompts[len(prompts)-1][0].Content; !strings.Contains(got, "pirate") {
		t.Errorf("system prompt: %q", got)
	}
	var again []string
	for _, n := range r.Trace.Nodes {
		if n.Again {
			again = append(again, n.Node)
		}
	}
	same(t, "nodes taken from the log", []string{"intake", "context_detect"}, again)
}

func TestCallbackHandlersSeeTheTurn(t *testing.T) {
	t.Parallel()
	w := newWorld()
	g, _ := w.says(t, scripted.Call("list_affairs", "{}"), scripted.Say("One."))
	var mu sync.Mutex
	var heard []string
	seen := map[string][2]graph.Exchange{} // before and after, by name
	see := func(i *callbacks.RunInfo, at int, content any) {
		mu.Lock()
		defer mu.Unlock()
		if e, ok := content.(graph.Exchange); ok {
			if e.Scope != scope() || at == 1 && i.Name == "mneme" && (e.Message == "" || e.Decision != state.NewAffair || e.Affair == "") {
				t.Errorf("%s saw %+v", i.Name, e)
			}
			both := seen[i.Name]
			both[at] = graph.Exchange{Turn: e.Turn, Question: e.Question, Answer: e.Answer}
			seen[i.Name] = both
		}
	}
	handler := callbacks.NewHandlerBuilder().
		OnStartFn(func(ctx context.Context, i *callbacks.RunInfo, in callbacks.CallbackInput) context.Context {
			see(i, 0, in)
			mu.Lock()
			defer mu.Unlock()
			heard = append(heard, i.Name)
			return ctx
		}).
		OnEndFn(func(ctx context.Context, i *callbacks.RunInfo, out callbacks.CallbackOutput) context.Context {
			see(i, 1, out)
			return ctx
		}).Build()
	ctx := callbacks.InitCallbacks(t.Context(), &callbacks.RunInfo{Name: "host"}, handler)
	r, err := g.Invoke(ctx, ask("Which affairs are there? The password: hunter2hunter2", state.NewAffair, "", "Affairs"))
	must(t, err)
	const question = "Which affairs are there? The password: [masked password ce]"
	before, after := graph.Exchange{Turn: r.Turn, Question: question}, graph.Exchange{Turn: r.Turn, Question: question, Answer: "One."}
	for name, want := range map[string][2]graph.Exchange{"mneme": {before, after}, "intake": {before, before}, "respond": {before, after}, "finalize": {after, after}} {
		same(t, name+" saw", want, seen[name])
	}
	want := []string{
		"mneme", "intake", "memory_load", "context_detect", "small/detect", "respond", "recall", "respond/model", "list_affairs", "respond/model", "memory_flush", "finalize",
	}
	same(t, "heard", want, heard)
}

// A prompt never holds a tool's result without the call it answers, however short the history is cut.
func TestHistoryIsCutBetweenTurns(t *testing.T) {
	t.Parallel()
	for limit := 1; limit <= 6; limit++ {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			var steps []scripted.Step
			for range 4 {
				steps = append(steps, scripted.Call("list_affairs", "{}"), scripted.Say("There are none."))
			}
			m := scripted.New(steps, nil)
			g := w.open(t, func(c *graph.Config) {
				c.Model, c.Settings = m, state.DefaultSettings()
				c.Settings.HistoryLimit = limit
			})
			for i := range 4 {
				invoke(t, g, ask(fmt.Sprintf("Which affairs %d?", i), state.Continue, "", ""))
			}
			for n, prompt := range m.Prompts() {
				asked := map[string]int{}
				for _, msg := range prompt {
					for _, c := range msg.ToolCalls {
						asked[c.ID]++
					}
					if msg.Role == schema.Tool {
						if asked[msg.ToolCallID]--; asked[msg.ToolCallID] < 0 {
							t.Errorf("prompt %d: a result without its call: %+v", n, prompt)
						}
					}
				}
				for id, open := range asked {
					if open != 0 {
						t.Errorf("prompt %d: call %s has no result: %+v", n, id, prompt)
					}
				}
			}
		})
	}
}

func TestConcurrentSessions(t *testing.T) {
	t.Parallel()
	w := newWorld()
	g := w.open(t, func(c *graph.Config) {
		c.Model = &actor{asked: map[string]int{}, lines: map[string][]*schema.Message{
			"Hello": {calls("memory_store", `{"subject":"greeting","content":"said hello","category":"fact"}`), schema.AssistantMessage("Hello.", nil)},
		}}
	})
	const sessions, turns = 8, 5
	var wg sync.WaitGroup
	errs := make([]error, sessions)
	for i := range sessions {
		wg.Go(func() {
			s := state.Scope{User: fmt.Sprintf("u%d", i%2), Session: fmt.Sprintf("s%d", i)}
			for n := range turns {
				if _, err := g.Invoke(t.Context(), graph.Request{Scope: s, Text: fmt.Sprintf("Hello, this is message %d", n)}); err != nil {
					errs[i] = err
					return
				}
			}
		})
	}
	wg.Wait()
	must(t, errors.Join(errs...))
	for i := range sessions {
		s := state.Scope{User: fmt.Sprintf("u%d", i%2), Session: fmt.Sprintf("s%d", i)}.Default()
		if got := kept(t, g, s); len(got) != 4*turns {
			t.Errorf("session %d: %d messages, want %d", i, len(got), 4*turns)
		}
	}
	if hits, err := g.Memory().Recall(t.Context(), memory.Query{Scope: state.Scope{User: "u0", Session: "x"}.Default(), Text: "greeting"}); err != nil || len(hits) == 0 {
		t.Errorf("recall: %v, %v", hits, err)
	}
	w.pass(time.Minute)
}

// A host shows beside the answer what was done to memory, in words.
func TestReplyTellsWhatMemoryDid(t *testing.T) {
	t.Parallel()
	g := newWorld().open(t, nil)
	r := invoke(t, g, graph.Request{Text: "I ordered brake pads, order number 07-14244-53150."})
	if d := r.Memory; len(d.Affairs) != 1 || !d.Affairs[0].Opened || d.Affairs[0].Title != r.Active.Title || d.Affairs[0].Status != state.Active {
		t.Errorf("affairs %+v", d.Affairs)
	}
	facts, recs := "", ""
	for _, f := range r.Memory.Facts {
		facts += f.Affair + "/" + f.Value + " "
	}
	title := r.Active.Title
	r = invoke(t, g, graph.Request{Text: "Remember that the locker number is 512."})
	for _, rec := range r.Memory.Records {
		recs += rec.Content + " "
	}
	if !strings.Contains(facts, title+"/07-14244-53150") || !strings.Contains(recs, "512") {
		t.Errorf("facts %q, records %q", facts, recs)
	}
	if r = invoke(t, g, graph.Request{Text: "Thanks!"}); len(r.Memory.Records) > 0 || len(r.Memory.Affairs) > 0 {
		t.Errorf("thanks did %+v", r.Memory)
	}
}
