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

	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/schema"
	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/storetest"
)

// The story that is interrupted: an order is placed, a university comes in between with two tools called at
// once, and the order is settled.
const (
	first  = "I ordered brake pads, order number 07-14244-53150."
	second = "My university wrote, the deadline is 1 March 2026."
	third  = "Back to the brake pads, one more thing."
)

// stage is a world with the story's model, judge and a tool that counts its runs.
type stage struct {
	*world
	rules  bool // decide without the small model: the decision then rides with the first answer
	actor  *actor
	judge  judge
	faults *storetest.Faulty

	mu  sync.Mutex
	ran int
}

func newStage(rules bool) *stage {
	s := &stage{world: newWorld(), rules: rules}
	s.faults = storetest.Wrap(s.store, nil)
	s.store = s.faults
	s.actor = &actor{asked: map[string]int{}, lines: map[string][]*schema.Message{
		first: {calls("memory_store", `{"subject":"order","content":"brake pads, 07-14244-53150","category":"order"}`), schema.AssistantMessage("Kept.", nil)},
		second: {calls("ring", "{}", "memory_store", `{"subject":"deadline","content":"1 March 2026","category":"deadline"}`),
			calls("resolve_affair", `{"affair_id":"Brake pads"}`), schema.AssistantMessage("Rung.", nil)},
		third: {schema.AssistantMessage("Go on.", nil)},
	}}
	s.judge = judge{
		first:  `{"type":"NEW_AFFAIR","new_affair_title":"Brake pads","confidence":0.95}`,
		second: `{"type":"NEW_AFFAIR","new_affair_title":"University","confidence":0.95}`,
		third:  `{"type":"SWITCH","target_affair":"Brake pads","confidence":0.95}`,
	}
	return s
}

func (s *stage) rung() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ran
}

// reopen is the next life of the process.
func (s *stage) reopen(t *testing.T) *graph.Graph {
	t.Helper()
	return s.open(t, func(c *graph.Config) {
		c.Model, c.SmallModel = s.actor, s.judge
		c.Settings = state.DefaultSettings()
		c.Settings.Detect = "model"
		c.After = func(time.Duration) <-chan time.Time { return nil } // results of one answer share a commit, however long they take
		if s.rules {
			c.SmallModel = nil
		}
		c.Tools = []tool.InvokableTool{handmade{"ring", func(context.Context, string) (string, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.ran++
			return "rung it", nil
		}}}
	})
}

// asked is how often the model was asked for the second turn's answers.
func (s *stage) asked() []int {
	s.actor.mu.Lock()
	defer s.actor.mu.Unlock()
	return []int{s.actor.asked[second+"/1"], s.actor.asked[second+"/2"], s.actor.asked[second+"/3"]}
}

// done counts the messages of the second turn that are kept: the user's first.
func (s *stage) done(t *testing.T, g *graph.Graph) int {
	t.Helper()
	return max(0, len(kept(t, g, scope()))-4)
}

// undisturbed is how the story ends when nothing happens, and how many store calls its second turn takes.
func undisturbed(t *testing.T, rules bool) (end []string, storeCalls int) {
	t.Helper()
	s := newStage(rules)
	g := s.reopen(t)
	invoke(t, g, graph.Request{Text: first})
	s.pass(time.Minute)
	s.faults.Set(nil)
	invoke(t, g, graph.Request{Text: second})
	storeCalls = s.faults.Calls()
	s.pass(time.Minute)
	invoke(t, g, graph.Request{Text: third})
	return picture(t, g, scope()), storeCalls
}

// Whatever store call of a turn fails, and however: the turn is finished afterwards as if nothing had been, no
// answered model call is asked again, no finished tool runs again, nothing is there twice.
func TestEveryStoreCallFails(t *testing.T) {
	t.Parallel()
	step := 1
	if testing.Short() {
		step = 3
	}
	for _, rules := range []bool{false, true} {
		want, storeCalls := undisturbed(t, rules)
		if storeCalls < 10 || !rules && len(want) != 18 {
			t.Fatalf("the story is another one: %d store calls, ends with\n%s", storeCalls, strings.Join(want, "\n"))
		}
		judge := "a model judges"
		if rules {
			judge = "rules judge"
		}
		for _, kind := range []storetest.Fault{storetest.Refused, storetest.Lost} {
			for _, dies := range []bool{false, true} {
				for _, how := range []string{"resumed", "going on"} {
					t.Run(fmt.Sprintf("%s, %s, dead %v, then %s", judge, kind, dies, how), func(t *testing.T) {
						t.Parallel()
						for n := 1; n <= storeCalls; n += step {
							interrupted(t, newStage(rules), want, n, kind, dies, how == "resumed")
						}
					})
				}
			}
		}
	}
}

// checkAccount checks that the second turn's account has each prompt and each edit once, whatever became of the turn.
func checkAccount(t *testing.T, g *graph.Graph, rules bool, n int) {
	t.Helper()
	list, err := g.Memory().Messages(t.Context(), scope())
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(list, func(m state.Message) bool { return m.Text == second })
	a := explain(t, g, scope(), list[at].Turn)
	wrote := map[string]int{}
	for _, w := range a.Writes {
		for what := range strings.SplitSeq(w.What, ", ") {
			wrote[what]++
		}
	}
	if a.End != graph.Answered || len(a.Prompts) != 3 || wrote["stored deadline"] != 1 || !rules && wrote["opened"] != 1 {
		t.Errorf("call %d: the account: %s, %d prompts, wrote %v", n, a.End, len(a.Prompts), wrote)
	}
}

// interrupted plays the story with a fault at the n-th store call of the second turn.
func interrupted(t *testing.T, s *stage, want []string, n int, kind storetest.Fault, dies, resume bool) {
	t.Helper()
	g := s.reopen(t)
	invoke(t, g, graph.Request{Text: first})
	s.pass(time.Minute)
	s.faults.Set(storetest.At(n, kind))
	if dies {
		s.faults.Set(storetest.From(n, kind))
	}
	_, err := g.Invoke(t.Context(), graph.Request{Text: second})
	if s.faults.Calls() < n {
		t.Errorf("call %d: it never came", n)
	}
	if err != nil && !errors.Is(err, state.ErrUnavailable) {
		t.Errorf("call %d: want unavailable, got %v", n, err)
	}
	s.faults.Set(nil)
	if dies {
		g = s.reopen(t)
	}
	committed, rungThen, askedThen := s.done(t, g), s.rung(), s.asked()
	if resume {
		if _, err := g.Resume(t.Context(), scope()); err != nil && !errors.Is(err, state.ErrNotFound) {
			t.Errorf("call %d: resume: %v", n, err)
		}
	}
	if committed == 0 { // the host was told so, and sends it again
		if err == nil {
			t.Errorf("call %d: the turn was answered and is gone", n)
		}
		invoke(t, g, graph.Request{Text: second})
	}
	s.pass(time.Minute)
	if _, err := g.Invoke(t.Context(), graph.Request{Text: third}); err != nil {
		t.Errorf("call %d: the next turn: %v", n, err)
	}
	last := s.reopen(t)
	checkAccount(t, last, s.rules, n)
	end := picture(t, last, scope())
	for i := range end { // a tool that met the fault says so to the model, and the turn goes on
		if err == nil {
			end[i] = strings.Replace(end[i], "tool error: ", "tool resolved: ", 1)
		}
	}
	if diff := cmp.Diff(want, end); diff != "" {
		t.Errorf("call %d, %d messages committed: the story ends otherwise (-want +got):\n%s", n, committed, diff)
	}
	// The messages of the turn in order: user, answer 1, two results, answer 2, result, answer 3.
	for i, at := range []int{2, 5, 7} {
		if asked := s.asked(); committed >= at && asked[i] != askedThen[i] {
			t.Errorf("call %d: answer %d was committed and asked for again", n, i+1)
		} else if asked[i] > 2 {
			t.Errorf("call %d: answer %d was asked for %d times", n, i+1, asked[i])
		}
	}
	if committed >= 4 && s.rung() != rungThen {
		t.Errorf("call %d: the tool had finished and ran again", n)
	}
}
