package crash_test

import (
	"slices"
	"testing"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/embedded"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/sqlite"
)

// A turn waits for the disk once a commit, and makes no more commits than its steps.
func TestCommitsOfATurn(t *testing.T) {
	t.Parallel()
	g, err := embedded.Open(t.Context(), t.TempDir())
	must(t, err)
	defer func() { must(t, g.Close()) }()
	stats := func() sqlite.Stats {
		s, err := g.Store().Stats(t.Context())
		must(t, err)
		return s
	}
	before := stats()
	if before.Commits != 0 {
		t.Errorf("opening made %d commits, want none", before.Commits)
	}
	if _, err := g.Invoke(t.Context(), graph.Request{Text: "Hello!"}); err != nil {
		t.Fatal(err)
	}
	before = stats()
	for _, c := range []struct {
		name    string
		model   []scripted.Step
		commits int64 // intake, each step of respond, the end
	}{
		{"plain answer", []scripted.Step{scripted.Say("Yes.")}, 3},
		{"one tool", []scripted.Step{scripted.Call("list_affairs", "{}"), scripted.Say("None.")}, 5},
		{"two tools at once", []scripted.Step{
			scripted.Calls(state.ToolCall{Name: "list_affairs", Arguments: "{}"},
				state.ToolCall{Name: "memory_store", Arguments: `{"subject":"tea","content":"green tea","category":"preference"}`}),
			scripted.Say("Kept."),
		}, 5},
		{"three rounds", slices.Concat(slices.Repeat([]scripted.Step{scripted.Call("list_affairs", "{}")}, 3), []scripted.Step{scripted.Say("Well.")}), 9},
	} {
		reply, err := g.Invoke(t.Context(), graph.Request{Text: "Hello, " + c.name + "?", Model: scripted.New(c.model, nil)})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		after := stats()
		commits := after.Commits - before.Commits
		if commits != c.commits || int64(reply.Trace.Bill.Commits) != commits {
			t.Errorf("%s: %d commits (the turn says %d), want %d", c.name, commits, reply.Trace.Bill.Commits, c.commits)
		}
		before = after
	}
}
