package faults_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/schema"
	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// The story: an order is placed; a university comes in between, whose deadline is kept by a tool while another rings a
// bell; the order is gone back to. It is the second turn that meets a fault.
const (
	ordered   = "I ordered brake pads, order number 07-14244-53150."
	inscribed = "My university wrote, the deadline is 1 March 2026."
	wanted    = "Back to the brake pads, they cost 38.10 EUR."
)

func decisions() judge {
	return judge{
		ordered:   `{"type":"NEW_AFFAIR","new_affair_title":"Brake pads","confidence":0.95}`,
		inscribed: `{"type":"NEW_AFFAIR","new_affair_title":"University","confidence":0.95}`,
		wanted:    `{"type":"SWITCH","target_affair":"Brake pads","confidence":0.95}`,
	}
}

func answers(_ context.Context, question string, n int) (*schema.Message, error) {
	lines := map[string][]*schema.Message{
		ordered: {says("Noted.")},
		inscribed: {
			calls("memory_store", `{"subject":"deadline","content":"1 March 2026","category":"deadline"}`, "ring", "{}"),
			says("Kept, and rung."),
		},
		wanted: {says("Go on.")},
	}
	if n >= len(lines[question]) {
		return nil, fmt.Errorf("there is no answer %d to %q", n+1, question)
	}
	return lines[question][n], nil
}

// story is a world in which it is told.
type story struct {
	*world
	elsewhere bool // the second turn is told in another process

	mu  sync.Mutex
	ran int // how often the tool
}

func newStory() *story { return &story{world: newWorld()} }

// open is a process that can tell the story.
func (s *story) open(t *testing.T, over store.Store) *graph.Graph {
	t.Helper()
	return s.world.open(t, over, func(c *graph.Config) {
		c.Model, c.SmallModel, c.Settings.Detect = chat(answers), decisions(), "model"
		c.Tools = ringing(func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.ran++
		})
	})
}

// ringing is the host's tool.
func ringing(heard func()) []tool.InvokableTool {
	return []tool.InvokableTool{handmade{"ring", func(context.Context, string) (string, error) {
		heard()
		return "rung", nil
	}}}
}

// begin tells the first turn and returns a process of its own for the second.
func (s *story) begin(t *testing.T, healthy store.Store) {
	t.Helper()
	g := s.open(t, healthy)
	_, err := g.Invoke(t.Context(), graph.Request{Text: ordered})
	must(t, errors.Join(err, g.Close()))
	s.pass(time.Minute)
}

// typed fails the test when an error is none that a host could tell from others.
func typed(t *testing.T, at string, err error) {
	t.Helper()
	var coded *state.Error
	if err != nil && (!errors.As(err, &coded) || state.CodeOf(err) != state.Unavailable) {
		t.Errorf("%s: the error is %q (%s), want unavailable", at, err, state.CodeOf(err))
	}
}

// goOn does what a client does that saw the second turn end with err: it goes on with what is there, or sends the
// message again if nothing is. Sweeps = another process does it.
func (s *story) goOn(t *testing.T, at string, g *graph.Graph, err error, sweeps bool) {
	t.Helper()
	if err != nil {
		var resumed error
		if sweeps {
			_, resumed = g.Sweep(t.Context(), "", true)
		} else {
			_, resumed = g.Resume(t.Context(), scope())
		}
		if errors.Is(resumed, state.ErrConflict) { // a write that was on its way for long has come in between: it says to come again
			s.pass(state.LeaseTTL + 1)
			_, resumed = g.Resume(t.Context(), scope())
		}
		if errors.Is(resumed, state.ErrNotFound) {
			resumed = nil
		}
		if resumed != nil {
			t.Errorf("%s: going on: %v", at, resumed)
		}
	}
	if turns, historyErr := turnsOf(t.Context(), g); historyErr != nil {
		t.Errorf("%s: %v", at, historyErr)
	} else if turns == 1 {
		if err == nil {
			t.Errorf("%s: the turn was answered and is gone", at)
		}
		if _, err := g.Invoke(t.Context(), graph.Request{Text: inscribed}); err != nil {
			t.Errorf("%s: sending again: %v", at, err)
		}
	}
	s.pass(time.Minute)
	if _, err := g.Invoke(t.Context(), graph.Request{Text: wanted}); err != nil {
		t.Errorf("%s: the next turn: %v", at, err)
	}
}

func turnsOf(ctx context.Context, g *graph.Graph) (int, error) {
	steps, err := g.History(ctx, scope(), checkpoint.Which{})
	turns := map[string]bool{}
	for _, s := range steps {
		turns[s.Turn] = true
	}
	return len(turns), err
}

// ends compares the story's end with that of a run that nobody disturbed. A memory tool that met the fault told the
// model so, and the turn went on: that is an answer, not a loss.
func (s *story) ends(t *testing.T, at string, want []string, over store.Store, answered bool) {
	t.Helper()
	g := s.open(t, over)
	defer g.Close()
	got := picture(t, g, over, scope())
	met := answered && strings.Contains(strings.Join(got, "\n"), "tool error:")
	if diff := cmp.Diff(want, got); diff != "" && !met {
		t.Errorf("%s: the story ends otherwise (-undisturbed +got):\n%s", at, diff)
	}
	if !met {
		checkAccount(t, at, g)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ran > 2 || s.ran == 0 && !s.elsewhere {
		t.Errorf("%s: the tool ran %d times", at, s.ran)
	}
	if n := line(t, g, scope()); n != 3 {
		t.Errorf("%s: the log has %d turns, want 3", at, n)
	}
}

// checkAccount checks that the second turn's account has each prompt and each edit once, whatever became of the turn.
func checkAccount(t *testing.T, at string, g *graph.Graph) {
	t.Helper()
	list, err := g.Memory().Messages(t.Context(), scope())
	must(t, err)
	i := slices.IndexFunc(list, func(m state.Message) bool { return m.Text == inscribed })
	a, err := g.Explain(t.Context(), scope(), list[i].Turn)
	must(t, err)
	wrote := map[string]int{}
	for _, w := range a.Writes {
		for what := range strings.SplitSeq(w.What, ", ") {
			wrote[what]++
		}
	}
	if a.End != graph.Answered || len(a.Prompts) != 2 || wrote["stored deadline"] != 1 || wrote["opened"] != 1 {
		t.Errorf("%s: the account: %s, %d prompts, wrote %v", at, a.End, len(a.Prompts), wrote)
	}
}

// undisturbed is how the story ends when nothing happens.
func undisturbed(t *testing.T, d driver) []string {
	t.Helper()
	s, over := newStory(), d.fresh(t)
	s.begin(t, over)
	g := s.open(t, over)
	for _, text := range []string{inscribed, wanted} {
		_, err := g.Invoke(t.Context(), graph.Request{Text: text})
		must(t, err)
		s.pass(time.Minute)
	}
	must(t, g.Close())
	end := picture(t, g, over, scope())
	all := strings.Join(end, "\n")
	for _, part := range []string{"affair Brake pads ACTIVE, 4 messages", "affair University PARKED, 2 messages", "record deadline deadline: 1 March 2026 in University",
		"message 6 tool rung", "default: active Brake pads, 9 messages, part 1"} {
		if !strings.Contains(all, part) {
			t.Fatalf("the story is another one, it lacks %q:\n%s", part, all)
		}
	}
	return end
}
