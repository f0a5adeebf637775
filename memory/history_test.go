package memory_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// scans counts how often all messages of a user are read.
type scans struct {
	store.Store
	messages atomic.Int64
}

func (s *scans) Scan(ctx context.Context, q store.Query) ([]store.Doc, error) {
	if q.Collection == state.Messages && strings.Count(q.Prefix, "/") == 2 {
		s.messages.Add(1)
	}
	return s.Store.Scan(ctx, q)
}

func TestNewSessionsReadNoMessagesOfOthers(t *testing.T) {
	t.Parallel()
	for name, world := range map[string]func() *world{"atomic": newWorld, "loose": newServer} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := world()
			count := &scans{Store: w.store}
			w.store = count
			m := w.memory(t, nil)
			w.turn(t, m, in("s0"), opens("Garden"), "The garden needs a new hedge.")
			before := count.messages.Load()
			for i := range 30 {
				w.turn(t, m, in(fmt.Sprint("s", i)), nil, "How high may the hedge be?")
			}
			if n := count.messages.Load() - before; n > 0 {
				t.Errorf("30 turns read all messages %d times", n)
			}
		})
	}
}

// TestColdAndWarmProcessesDecideTheSame lets one memory live through turns of many sessions, and asks a fresh one each time.
func TestColdAndWarmProcessesDecideTheSame(t *testing.T) {
	t.Parallel()
	said := []string{
		"I ordered brake pads from eBay, order 07-14244-53150.", "When do they arrive?", "Now something else: my tax return is due in March.",
		"The accountant wants the receipts.", "By the way, what was the number of the brake pads order?", "Back to the brake pads.",
		"They arrived today, thanks.", "Hi", "Which receipts does the accountant want?", "Let us plan the trip to Brno.",
	}
	for name, world := range map[string]func() *world{"atomic": newWorld, "loose": newServer} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := world()
			warm := w.memory(t, nil)
			for i := range 40 {
				scope, text := in(fmt.Sprint("s", i*i%5)), said[i*7%len(said)]
				w.pass(time.Minute)
				cold, hot := judged(t, w.memory(t, nil), scope, text), judged(t, warm, scope, text)
				if cold.Kind != hot.Kind || cold.AffairID != hot.AffairID || math.Abs(cold.Confidence-hot.Confidence) > .01 {
					t.Fatalf("turn %d, %q in %s: %+v cold, %+v warm", i, text, scope.Session, cold, hot)
				}
				w.turn(t, warm, scope, nil, text)
				if i%9 == 8 {
					last := w.turn(t, warm, scope, nil, "A mistake.")
					undo(t, warm, scope, last)
				}
			}
		})
	}
}

// TestARestartChangesNoDecision moves affairs at random from state to state, more than may be hot, and asks a process that saw
// it all and a fresh one. An archived affair is a target of neither, unless the message says its title.
func TestARestartChangesNoDecision(t *testing.T) {
	t.Parallel()
	names := []string{"Roof repair", "Dentist bill", "Trip to Brno", "Piano lessons", "Tax return", "Garden fence", "Car insurance", "Kitchen tiles"}
	details := []string{"Kowalski", "Lindqvist", "Marek", "Svoboda", "Petrova", "Jansen", "Okafor", "Tanaka"}
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 8))
			w := []func() *world{newWorld, newServer}[seed%2]()
			bound := func(c *memory.Config) { c.Settings.HotAffairsMax = 3 }
			warm := w.memory(t, bound)
			ids := make([]string, len(names))
			for i, name := range names {
				w.pass(time.Minute)
				ids[i] = w.turn(t, warm, in("s1"), opens(name), fmt.Sprintf("%s: %s wrote about number %d.", name, details[i], 5100+i)).decision.AffairID
			}
			moves := append(statuses(), state.Archived)
			archived := map[string]bool{}
			for range 25 {
				w.pass(time.Minute)
				id, scope := ids[r.IntN(len(ids))], in(fmt.Sprint("s", 1+r.IntN(2)))
				if a, err := warm.Affairs().Move(t.Context(), scope, id, moves[r.IntN(len(moves))], ""); err == nil {
					archived[id] = a.Status == state.Archived
				}
				at := r.IntN(len(names))
				for _, text := range []string{
					"Back to the " + strings.ToLower(names[at]) + ".", "Did " + details[at] + " call?", fmt.Sprintf("By the way, what about %d?", 5100+at), "And the price?",
				} {
					cold, hot := judged(t, w.memory(t, bound), scope, text), judged(t, warm, scope, text)
					if cold.Kind != hot.Kind || cold.AffairID != hot.AffairID || math.Abs(cold.Confidence-hot.Confidence) > 1e-9 {
						t.Fatalf("%q in %s: %+v before the restart, %+v after it", text, scope.Session, hot, cold)
					}
					if said := strings.HasPrefix(text, "Back"); archived[hot.AffairID] && !(said && hot.AffairID == ids[at]) {
						t.Fatalf("%q aims at %q, which is archived", text, hot.Title)
					}
				}
			}
		})
	}
}

// judged is what a message would be decided to be.
func judged(t *testing.T, m *memory.Memory, scope state.Scope, text string) state.Decision {
	t.Helper()
	s, err := m.Sessions().Get(t.Context(), scope)
	must(t, err)
	v, err := m.Turn().Load(t.Context(), state.Input{Scope: scope, Seq: s.Messages + 1})
	must(t, err)
	d, err := m.Turn().Detect(t.Context(), v, state.Message{Seq: s.Messages + 1, Role: state.RoleUser, Text: text}, false)
	must(t, err)
	return d
}

// undo takes a turn back.
func undo(t *testing.T, m *memory.Memory, scope state.Scope, last turn) {
	t.Helper()
	must(t, m.History().UndoTurn(t.Context(), scope, last.view.Turn[0].Turn))
}
