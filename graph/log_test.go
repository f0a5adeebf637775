package graph_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/cloudwego/eino/components/tool"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// logged is what a graph logs, by JSON keys.
type logged struct{ bytes.Buffer }

// turns are the lines about turns so far; they are forgotten.
func (l *logged) turns(t *testing.T) (lines []map[string]any) {
	t.Helper()
	for text := range strings.Lines(l.String()) {
		var line map[string]any
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if line["msg"] == "turn" {
			lines = append(lines, line)
		}
	}
	l.Reset()
	return lines
}

// one is the only line; it fails the test when that does not say what is wanted.
func (l *logged) one(t *testing.T, level string, want map[string]any) map[string]any {
	t.Helper()
	lines := l.turns(t)
	if len(lines) != 1 || lines[0]["level"] != level {
		t.Fatalf("want one line of level %s, got %v", level, lines)
	}
	for _, key := range []string{"client", "user", "session", "turn", "decision", "affair", "commits", "reads", "took_ms", "message", "trace", "model_calls", "prompt_tokens", "completion_tokens", "tools", "waits"} {
		if _, ok := lines[0][key]; !ok {
			t.Errorf("%s is missing in %v", key, lines[0])
		}
	}
	got := map[string]any{}
	for key := range want {
		got[key] = lines[0][key]
	}
	same(t, "the line", want, got)
	return lines[0]
}

// One line a turn, of a level that fits its end, without what anybody said.
func TestOneLineATurn(t *testing.T) {
	t.Parallel()
	w := newWorld()
	var log logged
	m := scripted.New([]scripted.Step{
		scripted.Say("Kept."), scripted.Fail(errors.New("no route")),
		scripted.Call("memory_store", noteArgs), scripted.Say("Noted."),
	}, nil)
	open := func(c *graph.Config) {
		c.Model, c.Logger, c.Approve = m, slog.New(slog.NewJSONHandler(&log, nil)), []string{"memory_store"}
	}
	g := w.open(t, open)

	r := invoke(t, g, ask("I ordered brake pads for the Jeep.", state.NewAffair, "", "Brake pads"))
	line := log.one(t, "INFO", map[string]any{
		"client": "default", "user": "default", "session": "default", "turn": r.Turn, "decision": "NEW_AFFAIR", "affair": r.Active.ID,
		"commits": float64(r.Trace.Bill.Commits), "reads": float64(r.Trace.Bill.Reads), "error": nil,
	})
	if text, err := json.Marshal(line); err != nil || bytes.Contains(text, []byte("Jeep")) || r.Trace.Bill.Commits != 4 {
		t.Errorf("the line repeats what was said, or the bill is wrong: %s, %v", text, err)
	}
	for _, tt := range []struct {
		req   graph.Request
		level string
		code  state.Code
	}{{ask("And now?", state.Continue, "", ""), "WARN", state.Unavailable}, {graph.Request{}, "WARN", state.Invalid}} {
		_, err := g.Invoke(t.Context(), tt.req)
		log.one(t, tt.level, map[string]any{"code": string(tt.code), "error": err.Error()})
	}
	damaged := w.open(t, func(c *graph.Config) { open(c); c.Store = damaged{c.Store} })
	_, err := damaged.Invoke(t.Context(), graph.Request{Text: "And now?"})
	log.one(t, "ERROR", map[string]any{"code": "internal", "error": err.Error()})

	r = invoke(t, g, ask("Note my seat.", state.Continue, "", ""))
	log.one(t, "INFO", map[string]any{"turn": r.Turn})
	r, err = g.Answer(t.Context(), scope(), map[string]state.Answer{r.Waits[0].ID: {Choice: state.Approve}})
	must(t, err)
	log.one(t, "INFO", map[string]any{"turn": r.Turn, "error": nil})

	leave(t, w, "Transfer 100 to Eve.")
	r, err = g.Cancel(t.Context(), scope())
	must(t, err)
	log.one(t, "WARN", map[string]any{"turn": r.Turn, "code": "unavailable"})
}

// damaged is a store in which nothing can be written.
type damaged struct{ store.Store }

func (damaged) Write(context.Context, ...store.Doc) error {
	return state.Errorf(state.Internal, "store", "is damaged")
}

// The turn that is finished first has a line of its own.
func TestTheFinishedTurnHasALine(t *testing.T) {
	t.Parallel()
	w := newWorld()
	leave(t, w, "Transfer 100 to Eve.")
	var log logged
	g := w.open(t, func(c *graph.Config) {
		c.Model, c.Logger = scripted.New([]scripted.Step{scripted.Call("hang", "{}"), scripted.Say("Transferred."), scripted.Say("It rains.")}, nil), slog.New(slog.NewJSONHandler(&log, nil))
		c.Tools = []tool.InvokableTool{handmade{"hang", func(context.Context, string) (string, error) { return "done", nil }}}
	})
	r := invoke(t, g, graph.Request{Text: "What is the weather?"})
	lines := log.turns(t)
	if len(lines) != 2 || lines[0]["turn"] == r.Turn || lines[1]["turn"] != r.Turn || lines[0]["level"] != "INFO" {
		t.Errorf("the lines: %v", lines)
	}
}

// The stack of a panic is in the log, and not in the error's text.
func TestAPanicIsLogged(t *testing.T) {
	t.Parallel()
	var log logged
	g := newWorld().open(t, func(c *graph.Config) {
		c.Model, c.Logger = scripted.New([]scripted.Step{scripted.Call("boom", "{}"), scripted.Say("Sorry.")}, nil), slog.New(slog.NewJSONHandler(&log, nil))
		c.Tools = []tool.InvokableTool{handmade{"boom", func(context.Context, string) (string, error) { panic("boom of the host's tool") }}}
	})
	r := invoke(t, g, graph.Request{Text: "Hello!"})
	if text := log.String(); !strings.Contains(text, "log_test.go") {
		t.Errorf("the stack is missing:\n%s", text)
	}
	if len(r.Tools) != 1 || strings.Contains(r.Tools[0].Result, "goroutine") || !strings.Contains(r.Tools[0].Result, "boom") {
		t.Errorf("the result: %+v", r.Tools)
	}
}

// What fails open is refused before anything is written, and names what was meant.
func TestWhatIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld()
	pay := handmade{"pay", func(context.Context, string) (string, error) { return "paid", nil }}
	partial := state.Settings{MaxToolRounds: 3}
	for name, tt := range map[string]struct {
		config graph.Config
		says   string
	}{
		"a name in Approve that no tool has": {graph.Config{Approve: []string{"Pay"}, Tools: []tool.InvokableTool{pay}}, `"pay"`},
		"two tools of one name":              {graph.Config{Tools: []tool.InvokableTool{pay, pay}}, "pay"},
		"the name of a memory tool":          {graph.Config{Tools: []tool.InvokableTool{handmade{name: "memory_store"}}}, "memory_store"},
		"partial settings":                   {graph.Config{Settings: partial}, "start from state.DefaultSettings()"},
	} {
		c := tt.config
		c.Store, c.Model = w.store, scripted.New(nil, nil)
		_, err := graph.New(t.Context(), c)
		if text := code(t, err, state.Invalid); !strings.Contains(text, tt.says) {
			t.Errorf("%s: %v, want it to name %s", name, err, tt.says)
		}
	}
	g := w.open(t, func(c *graph.Config) { c.Tools = []tool.InvokableTool{pay} })
	for name, req := range map[string]graph.Request{
		"a tool that the graph has": {Text: "Hello!", Tools: []tool.InvokableTool{pay}},
		"a policy that is none":     {Text: "Hello!", DoubleTexting: "interupt"},
	} {
		if _, err := g.Invoke(t.Context(), req); state.CodeOf(err) != state.Invalid || len(kept(t, g, scope())) > 0 {
			t.Errorf("%s: %v, kept %q", name, err, kept(t, g, scope()))
		}
	}
}
