package scenario

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/state"
)

// playTurn, as the first argument, makes the test binary the process that a crash kills.
const playTurn = "play-turn"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == playTurn {
		var c Config
		var err error
		if len(os.Args) == 3 { // with the tools of a host
			c, err = hostAgent(os.Args[2])
		}
		if err = errors.Join(err, c.PlayTurn(context.Background(), os.Stdin, os.Stdout)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func mortal(t *testing.T) Config {
	t.Helper()
	return Config{Dir: t.TempDir(), Child: []string{os.Args[0], playTurn}}
}

// killed is a conversation whose second turn switches and uses each kind of call.
const killed = `
turns:
  - user: "I ordered brake pads, order number 07-14244-53150."
    background: {detect: {type: NEW_AFFAIR, new_affair_title: Brake pads, confidence: 0.9}}
    model: [{say: Noted.}]
  - user: "My university wrote, the deadline is 1 March 2026."
    background:
      detect: {type: NEW_AFFAIR, new_affair_title: University, confidence: 0.9}
      park: {summary: "The brake pads are on their way."}
    model:
      - calls:
          - {call: memory_store, args: {subject: deadline, content: "The deadline is 1 March 2026.", category: deadline}}
          - {call: memory_store, args: {subject: school, content: "The university wrote.", category: fact}}
      - {call: memory_recall, args: {query: brake pads, scope: all}}
      - {say: "The deadline is 1 March."}
    crash: PLACE
    expect:
      decision: NEW_AFFAIR
      active: University
      parked: [Brake pads]
      facts_contain: {Brake pads: ["The brake pads are on their way."]}
      tools: [memory_store, memory_store, memory_recall]
      reply_contains: [The deadline is 1 March.]
      records: {deadline: 1, fact: 1}
      context_contains: ["My university wrote", "memory_recall"]
  - user: "Thanks."
    model: [{say: Welcome.}]
    expect: {active: University, affairs: 2, records: {deadline: 1, fact: 1}, reply_contains: [Welcome.]}
`

// Wherever the process dies, the scenario goes on and ends as it would without a crash.
func TestCrashAtEveryPlace(t *testing.T) {
	t.Parallel()
	places := append(nodeNames(), "context_detect/model", "memory_flush/model", "respond/model", "respond/model#2", "respond/model#3",
		"respond/tool:memory_store", "respond/tool:memory_store#2", "respond/tool:memory_recall#1")
	for _, place := range places {
		for _, when := range []string{"before ", "after "} {
			t.Run(when+place, func(t *testing.T) {
				t.Parallel()
				s := parse(t, strings.Replace(killed, "PLACE", when+place, 1))
				if got := runFresh(t, s, mortal(t)); !got.OK {
					t.Errorf("failures: %v", got.Failures)
				}
			})
		}
	}
}

// The same crash gives the same run, ids included.
func TestCrashIsTheSameEveryTime(t *testing.T) {
	t.Parallel()
	s := parse(t, strings.Replace(killed, "PLACE", "after respond/tool:memory_store#2", 1))
	var seen [2][]Report
	for i := range seen {
		c := mortal(t)
		c.Observe = func(r Report) { seen[i] = append(seen[i], r) }
		runFresh(t, s, c)
	}
	if diff := cmp.Diff(view(seen[0]), view(seen[1])); diff != "" {
		t.Errorf("the second run differs (-first +second):\n%s", diff)
	}
	if n := len(seen[0][1].earlier); n != 1 {
		t.Errorf("the process that died left %d prompts, want 1", n)
	}
}

func TestCrashThatNeverComes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, turn, got string }{
		{"tool", `{user: hi, model: [{say: Hi.}], crash: after respond/tool:memory_store, expect: {reply_contains: [Bye]}}`,
			"never reached; the turn came by intake, memory_load, context_detect, respond, respond/model#1, memory_flush, finalize"},
		{"second answer", `{user: hi, model: [{say: Hi.}], crash: before respond/model#2}`,
			"never reached; the turn came by intake, memory_load, context_detect, respond, respond/model#1, memory_flush, finalize"},
		{"model that fails", `{user: hi, fail: respond, crash: after respond/model#2}`,
			"never reached; the turn came by intake, memory_load, context_detect, respond, respond/model#1, memory_flush, finalize and ended with " +
				"unavailable: turn id-000002-2: chat model: fails by script"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := parse(t, "turns: ["+c.turn+"]")
			got := runFresh(t, s, mortal(t))
			want := []Failure{{1, "crash", s.Turns[0].Crash.Place(), c.got}}
			if diff := cmp.Diff(want, got.Failures); diff != "" || got.OK {
				t.Errorf("failures (-want +got):\n%s", diff)
			}
		})
	}
	if err := error(&NotReachedError{}); !errors.Is(err, state.ErrNotFound) {
		t.Errorf("%v does not match state.ErrNotFound", err)
	}
}

// A model that fails fails after the crash as well, and the turn ends as the file expects.
func TestCrashWhereTheModelFails(t *testing.T) {
	t.Parallel()
	s := parse(t, `turns: [{user: hi, fail: respond, crash: after respond/model, expect: {error: unavailable}}]`)
	if got := runFresh(t, s, mortal(t)); !got.OK {
		t.Errorf("failures: %v", got.Failures)
	}
}

func TestCrashNeedsAProcess(t *testing.T) {
	t.Parallel()
	s := parse(t, "turns: [{user: hi, crash: before intake}]")
	if _, err := Run(t.Context(), s, Config{Dir: t.TempDir()}); !errors.Is(err, state.ErrInvalid) || !strings.Contains(err.Error(), "f.yaml:1") {
		t.Errorf("Run without a Child = %v, want Invalid with file and line", err)
	}
	c := mortal(t)
	c.Child = []string{"/no/such/program"}
	if _, err := Run(t.Context(), s, c); !errors.Is(err, state.ErrUnavailable) {
		t.Errorf("Run with a Child that does not start = %v, want Unavailable", err)
	}
}

func TestPlayTurn(t *testing.T) {
	t.Parallel()
	for _, job := range []string{"", "[]", "{}", `{"Turn":{"User":"hi"}}`} {
		var out strings.Builder
		if err := PlayTurn(t.Context(), strings.NewReader(job), &out); !errors.Is(err, state.ErrInvalid) || out.Len() > 0 {
			t.Errorf("PlayTurn(%q) = %v and %q, want Invalid and nothing", job, err, out.String())
		}
	}
}
