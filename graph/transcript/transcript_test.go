package transcript_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/e2e/scenario"
	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/graph/transcript"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// odd is a text that YAML could take for something else.
const odd = "Keep this:\n  - a: 1 # two\n\t\"three\" '%'\n\n---\n: ~ "

// talked is a session with a call of a tool, an odd text, and two matters.
func talked(t *testing.T) *graph.Graph {
	t.Helper()
	now := time.Date(2026, 2, 15, 21, 0, 0, 0, time.UTC)
	m := scripted.New([]scripted.Step{
		scripted.Say("Noted."), scripted.Call("memory_store", `{"subject":"boiler","content":"Boiler service is on October 2.","category":"deadline"}`), scripted.Say(odd), scripted.Say("Fine."),
	}, nil)
	g, err := graph.New(t.Context(), graph.Config{Store: ram.New(), Model: m, Now: func() time.Time { return now }})
	must(t, err)
	t.Cleanup(func() { must(t, g.Close()) })
	for _, text := range []string{"I ordered brake pads, order number 07-14244-53150.", "My boiler is serviced on October 2, please keep that.", odd} {
		if _, err := g.Invoke(t.Context(), graph.Request{Scope: scope(), Text: text}); err != nil {
			t.Fatal(err)
		}
		now = now.Add(90 * time.Minute)
	}
	return g
}

func scope() state.Scope { return state.Scope{Client: "c1", User: "u1", Session: "work"} }

// A transcript has each message once, and of each turn what was decided.
func TestWholeOf(t *testing.T) {
	t.Parallel()
	g := talked(t)
	got, err := transcript.WholeOf(t.Context(), g, scope())
	must(t, err)
	if len(got.Messages) != 6 || len(got.Decisions) != 3 || len(got.Affairs) == 0 || got.Messages[4].Text != strings.TrimSpace(odd) && got.Messages[4].Text != odd {
		t.Errorf("%+v", got)
	}
	for i, d := range got.Decisions {
		if d.Message != got.Messages[2*i].ID || d.Turn == "" || d.Kind == "" || d.Reasoning == "" {
			t.Errorf("decision %d: %+v, of the message %+v", i, d, got.Messages[2*i])
		}
	}
	none := scope()
	none.Session = "nope"
	if _, err := transcript.WholeOf(t.Context(), g, none); !errors.Is(err, state.ErrNotFound) {
		t.Errorf("of no session: %v", err)
	}
	if _, err := transcript.Scenario(t.Context(), g, none); !errors.Is(err, state.ErrNotFound) {
		t.Errorf("a scenario of no session: %v", err)
	}
}

// A scenario is read as it was said, and comes to the same decisions when it is played.
func TestScenario(t *testing.T) {
	t.Parallel()
	g := talked(t)
	text, err := transcript.Scenario(t.Context(), g, scope())
	must(t, err)
	all, err := scenario.Parse("work.yaml", text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	said, err := transcript.Of(t.Context(), g.Memory(), scope())
	must(t, err)
	var want, got []string
	for _, m := range said.Messages {
		want = append(want, m.Text)
	}
	for _, turn := range all[0].Turns {
		got = append(got, *turn.User, turn.Model[len(turn.Model)-1].Say)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("it is read as another (-said +read):\n%s\n%s", diff, text)
	}
	if first := all[0]; first.Name != "work" || first.Turns[1].At != 90*time.Minute || len(first.Turns[1].Model) != 2 || first.Turns[1].Model[0].Calls[0].Name != "memory_store" {
		t.Errorf("%+v\n%s", first, text)
	}
	result, err := scenario.Run(t.Context(), all[0], scenario.Config{})
	if err != nil || !result.OK {
		t.Errorf("%v, %+v\n%s", err, result.Failures, text)
	}
}

var must = statetest.Must
