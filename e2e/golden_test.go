package e2e_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/embedded"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/memory/component/offline"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/field"
)

// golden are the stores that releases have left, each as its process left it when it was killed. They are never
// rewritten: what a release could read, all later ones read. A change of a format adds one, with -golden NAME.
const golden = "testdata/golden"

var addGolden = flag.String("golden", "", "write a new golden store of this name")

// clockAt is an injected clock.
func clockAt(at time.Time) func() time.Time { return func() time.Time { return at } }

// counter is a thread of another graph that lives long.
type counter struct {
	Said field.Append[string]
	Last field.Last[int]
}

// Fields lists the fields.
func (c *counter) Fields() []field.Named {
	return []field.Named{{Name: "said", Field: &c.Said}, {Name: "last", Field: &c.Last}}
}

const goldenTurns = 40

func goldenGraph(t *testing.T, g *embedded.Graph, newID func() string) *flow.Graph[counter, *counter] {
	t.Helper()
	b := flow.NewBuilder[counter]("counter")
	for _, name := range []string{"hear", "count"} {
		b.AddNode(flow.Node[counter]{Name: name, Run: func(_ context.Context, c counter) (counter, error) {
			c.Said.Add(name)
			c.Last.Set(c.Last.Get() + 1)
			return c, nil
		}})
	}
	b.AddEdge(flow.Start, "hear")
	b.AddEdge("hear", "count")
	b.AddEdge("count", flow.End)
	log := checkpoint.New(checkpoint.Config{Store: g.Store(), Now: clockAt(time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)), NewID: newID})
	out, err := b.Compile(t.Context(), flow.Config[counter]{Log: log})
	must(t, err)
	t.Cleanup(func() { must(t, log.Close()) })
	return out
}

// goldenOpen opens a store an hour after its first life, or in it.
func goldenOpen(t *testing.T, dir, life string, steps ...scripted.Step) (*embedded.Graph, func() string) {
	t.Helper()
	var n atomic.Int64
	at := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	if life != "first" {
		at = at.Add(time.Hour) // what the turn that was cut short held is free by then
	}
	newID := func() string { return fmt.Sprintf("%s-%d", life, n.Add(1)) }
	g, err := embedded.OpenConfig(t.Context(), dir, graph.Config{
		Model: scripted.New(steps, offline.New()), Now: clockAt(at), NewID: newID, Approve: []string{"resolve_affair"},
	})
	must(t, err)
	return g, newID
}

func goldenScope(session string) state.Scope { return state.Scope{Session: session}.Default() }

// say runs a turn with the script's next answers.
func say(t *testing.T, g *embedded.Graph, session, text string, steps ...scripted.Step) graph.Reply {
	t.Helper()
	r, err := g.Invoke(t.Context(), graph.Request{Scope: goldenScope(session), Text: text, Model: scripted.New(steps, nil)})
	must(t, err)
	return r
}

// writeGolden is the conversation of a golden store: an affair with a record, another one, a turn that waits for a
// person, one that was cut short, and a long thread of another graph.
func writeGolden(t *testing.T, dir string) {
	t.Helper()
	g, newID := goldenOpen(t, dir, "first")
	say(t, g, "talk", "I ordered brake pads, order number 07-14244-53150.",
		scripted.Call("memory_store", `{"subject":"seat","content":"The seat is 14C.","category":"fact"}`), scripted.Say("Noted."))
	say(t, g, "talk", "I need to enrol at the university by March 3.", scripted.Say("Until March 3, yes."))
	if r := say(t, g, "asks", "Please settle the enrolment.", scripted.Call("resolve_affair", `{}`), scripted.Say("Settled.")); len(r.Waits) != 1 {
		t.Fatalf("want a question, got %+v", r)
	}
	long := goldenGraph(t, g, newID)
	for range goldenTurns {
		if _, err := long.Invoke(t.Context(), state.Thread{Client: "host", ID: "long"}, newID(), counter{}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := g.Store().Compact(t.Context()); err != nil { // part of it in each of the two files
		t.Fatal(err)
	}
	composed := state.ContextWithEvents(t.Context(), func(e state.Event) {
		if e.Name == state.ContextComposed {
			keepGolden(t, dir)
		}
	})
	if _, err := g.Invoke(composed, graph.Request{Scope: goldenScope("cut"), Text: "What is the order number of the brake pads?"}); err != nil {
		t.Fatal(err)
	}
	must(t, g.Close())
}

// keepGolden keeps the files as a process leaves them that is killed now.
func keepGolden(t *testing.T, dir string) {
	t.Helper()
	name := filepath.Join(golden, *addGolden)
	if err := os.MkdirAll(name, 0o755); err != nil {
		t.Error(err)
	}
	for _, file := range []string{"store.db", "store.db-wal", "store.mark"} {
		data, err := os.ReadFile(filepath.Join(dir, file))
		if err == nil {
			err = os.WriteFile(filepath.Join(name, file), data, 0o644)
		}
		if err != nil {
			t.Error(err)
		}
	}
}

// TestGolden reads what every release has left and goes on with it.
func TestGolden(t *testing.T) {
	t.Parallel()
	if *addGolden != "" {
		writeGolden(t, t.TempDir())
	}
	names, err := filepath.Glob(filepath.Join(golden, "*"))
	if err != nil || len(names) == 0 {
		t.Fatalf("golden stores: %v, %v", names, err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			must(t, os.CopyFS(dir, os.DirFS(name)))
			readGolden(t, dir)
		})
	}
}

func readGolden(t *testing.T, dir string) {
	t.Helper()
	g, newID := goldenOpen(t, dir, "later", scripted.Call("resolve_affair", `{}`), scripted.Say("Settled."))
	defer func() { must(t, g.Close()) }()
	ctx, talk := t.Context(), goldenScope("talk")
	said, err := g.Memory().Messages(ctx, talk)
	if err != nil || len(said) != 6 || said[0].Text != "I ordered brake pads, order number 07-14244-53150." || said[5].Text != "Until March 3, yes." {
		t.Errorf("messages: %+v, %v", said, err)
	}
	affairs, err := g.Memory().Affairs().List(ctx, talk, false)
	if err != nil || len(affairs) < 2 {
		t.Errorf("affairs: %+v, %v", affairs, err)
	}
	records, err := g.Memory().Records(ctx, talk)
	if err != nil || len(records) != 1 || records[0].Content != "The seat is 14C." {
		t.Errorf("records: %+v, %v", records, err)
	}
	steps, err := g.History(ctx, talk, checkpoint.Which{})
	if err != nil || len(steps) != 8 || len(steps[1].Next) == 0 {
		t.Errorf("history: %d steps, %v", len(steps), err)
	}
	waits, err := g.Waits(ctx, goldenScope("asks"))
	if err != nil || len(waits) != 1 || waits[0].Question.Tool != "resolve_affair" {
		t.Fatalf("questions: %+v, %v", waits, err)
	}
	if r, err := g.Answer(ctx, goldenScope("asks"), map[string]state.Answer{waits[0].ID: {Choice: state.Approve}}); err != nil || r.Text != "Settled." {
		t.Errorf("answered: %q, %v", r.Text, err)
	}
	if r, err := g.Resume(ctx, goldenScope("cut")); err != nil || !strings.Contains(r.Text, "07-14244-53150") {
		t.Errorf("resumed: %q, %v", r.Text, err)
	}
	say(t, g, "cut", "Thanks.", scripted.Say("You are welcome."))

	long, thread := goldenGraph(t, g, newID), state.Thread{Client: "host", ID: "long"}
	for _, at := range []int64{1, 40, 79, 80, 0} {
		s, err := long.State(ctx, thread, at)
		turns := int(s.Seq+1) / 2
		if err != nil || s.State.Said.Len() != int(s.Seq) || s.State.Last.Get() != int(s.Seq) {
			t.Errorf("step %d: %d said, %d counted in %d turns, %v", at, s.State.Said.Len(), s.State.Last.Get(), turns, err)
		}
	}
	end, err := long.Invoke(ctx, thread, newID(), counter{})
	if err != nil || end.Said.Len() != 2*goldenTurns+2 {
		t.Errorf("one more turn: %d said, %v", end.Said.Len(), err)
	}
}

// TestNewerStepIsRefused: what a newer release has written is not read as if it were known.
func TestNewerStepIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	g, _ := goldenOpen(t, dir, "first")
	defer g.Close()
	say(t, g, "s", "Hello.", scripted.Say("Hello."))
	thread := goldenScope("s").Thread()
	doc, err := g.Store().Get(t.Context(), state.Steps, thread.StepKey(3))
	must(t, err)
	version := doc.Body.Lookup("v")
	version.Value[0] = 99 // shares the body's memory
	must(t, g.Store().Write(t.Context(), doc))
	_, err = g.Invoke(t.Context(), graph.Request{Scope: goldenScope("s"), Text: "Again."})
	if err == nil || !strings.Contains(err.Error(), "newer release") {
		t.Errorf("want a refusal that names the way out, got %v", err)
	}
}
