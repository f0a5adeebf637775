package scenario

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/embedded"
	"github.com/mneme-graph/mneme/state"
)

// parse reads a file of one scenario.
func parse(t *testing.T, text string) Scenario {
	t.Helper()
	all, err := Parse("f.yaml", []byte(text))
	if err != nil || len(all) != 1 {
		t.Fatalf("Parse = %d scenarios, %v, want one", len(all), err)
	}
	return all[0]
}

// runFresh plays it in a fresh store.
func runFresh(t *testing.T, s Scenario, c Config) Result {
	t.Helper()
	got, err := Run(t.Context(), s, c)
	if err != nil {
		t.Fatalf("Run = %v, want no error", err)
	}
	return got
}

func TestRunReportsWhatDiffers(t *testing.T) {
	t.Parallel()
	s := parse(t, `
name: two wrong, one right
turns:
  - user: "Hello!"
    model: [{say: "Good morning."}]
    expect: {reply_contains: [Good evening.], affairs: 0}
  - user: "Thanks."
    model: [{say: "Welcome."}]
    expect: {reply_contains: [Welcome.], tools: [memory_store]}
`)
	got := runFresh(t, s, Config{Dir: t.TempDir()})
	want := Result{File: "f.yaml", Name: "two wrong, one right", Turns: 2, Failures: []Failure{
		{1, "reply_contains", "Good evening.", "Good morning."},
		{2, "tools", []string{"memory_store"}, []string{}},
	}}
	same(t, "Run", want, got)
}

func TestRunIsTheSameEveryTime(t *testing.T) {
	t.Parallel()
	s := parse(t, `
now: 2026-02-15T21:00:00Z
turns:
  - user: "I ordered a bookshelf for the study, order number BS-100."
  - user: "When does the bookshelf arrive?"
    at: +5m
`)
	var seen [2][]Report
	for i := range seen {
		runFresh(t, s, Config{Observe: func(r Report) { seen[i] = append(seen[i], r) }})
	}
	if diff := cmp.Diff(view(seen[0]), view(seen[1])); diff != "" {
		t.Errorf("the second run differs (-first +second):\n%s", diff)
	}
	at := time.Date(2026, 2, 15, 21, 5, 0, 0, time.UTC)
	if got := seen[0][1].Affairs[0].UpdatedAt; !got.Equal(at) {
		t.Errorf("the affair was updated at %v, want the scenario's clock %v", got, at)
	}
}

// view is what may not vary between runs.
func view(reports []Report) []map[string]any {
	var out []map[string]any
	for _, r := range reports {
		out = append(out, map[string]any{
			"turn": r.Reply.Turn, "decision": r.Reply.Decision, "reply": r.Output, "affairs": r.Affairs,
			"prompts": promptTexts(r.Reply.Trace.Prompts),
		})
	}
	return out
}

func TestRunApproveNothing(t *testing.T) {
	t.Parallel()
	s := parse(t, `
turns:
  - {approve: yes, expect: {error: not_found}}
`)
	if got := runFresh(t, s, Config{Dir: t.TempDir()}); !got.OK {
		t.Errorf("failures: %v", got.Failures)
	}
}

func TestRunSetsSettingsAndKeepsItsStore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := parse(t, `
settings: {max_tokens: 900}
turns: [{user: "Please plan the staff training in October.", model: [{say: "October."}], expect: {max_context_tokens: 900, affairs: 1}}]
`)
	if got := runFresh(t, s, Config{Dir: dir}); !got.OK {
		t.Errorf("failures: %v", got.Failures)
	}
	again := parse(t, "turns: [{at: 1m, expect: {affairs: 1}}]")
	if got := runFresh(t, again, Config{Dir: dir}); !got.OK {
		t.Errorf("the store in Dir was not kept: %v", got.Failures)
	}
}

func TestRunErrors(t *testing.T) {
	t.Parallel()
	s := parse(t, "settings: {context_window: 2000}\nturns: [{user: hi}]")
	if _, err := Run(t.Context(), s, Config{Dir: t.TempDir()}); !errors.Is(err, state.ErrInvalid) {
		t.Errorf("Run with settings that do not fit = %v, want Invalid", err)
	}
}

func TestCommand(t *testing.T) {
	t.Parallel()
	g, err := embedded.Open(t.Context(), t.TempDir())
	must(t, err)
	defer func() { _ = g.Close() }()
	if got, err := Why(t.Context(), g.Graph, state.Scope{}, graph.Reply{}, time.UTC); got != "" || err != nil {
		t.Errorf("Why of nothing = %q, %v", got, err)
	}
	r, err := g.Invoke(t.Context(), graph.Request{Text: "The roof leaks, the roofer comes on Friday."})
	must(t, err)
	for _, last := range []graph.Reply{r, {}} { // of this conversation, and of one in the past
		got, err := Why(t.Context(), g.Graph, state.Scope{}, last, time.UTC)
		if err != nil || !strings.Contains(got, "The roof leaks") || !strings.Contains(got, string(r.Decision.Kind)) || strings.Count(got, "\n") != 7 {
			t.Errorf("Why = %q, %v, want the turn in eight lines", got, err)
		}
	}
	affairs := []*state.Affair{
		{Title: "Roof", Status: state.Parked, PendingActions: []string{"call"}}, {Title: "Old", Status: state.Archived},
	}
	if got, want := wordsOf("en").affairLines(affairs), "PARKED   Roof (next: call)"; got != want {
		t.Errorf("AffairLines = %q, want %q", got, want)
	}
	if got := wordsOf("en").affairLines(nil); got != "No affairs yet." {
		t.Errorf("AffairLines of none = %q", got)
	}
	if _, err := Command(t.Context(), nil, &state.Scope{}, "/what", graph.Reply{}, time.UTC); !errors.Is(err, state.ErrInvalid) {
		t.Errorf("Command(/what) = %v, want Invalid", err)
	}
}

// A hidden spelling mistake would make a story of damage green without any.
func TestDamageNeedsADocument(t *testing.T) {
	t.Parallel()
	s := parse(t, `
turns:
  - user: "My name is Ann."
  - user: "Hello!"
    damage: {records: "Bob"}
`)
	_, err := Run(t.Context(), s, Config{Dir: t.TempDir()})
	if !errors.Is(err, state.ErrNotFound) || !strings.Contains(err.Error(), `no document of records holds "Bob"`) {
		t.Errorf("Run = %v, want a not_found that names the text", err)
	}
}
