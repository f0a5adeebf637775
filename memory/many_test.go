package memory_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

// chores opens the roof repair and, after it, so many other affairs that it is not hot any more.
func chores(t *testing.T, w *world, m *memory.Memory) (roof string) {
	t.Helper()
	roof = w.turn(t, m, in("s1"), opens("Roof repair"), "The roof repair: Kowalski Roofing wants 84,500 for it, offer KR-5512.").decision.AffairID
	w.turn(t, m, in("s1"), judges(state.Continue, "", "", .95), "Mr. Lindqvist of theirs comes to measure the chimney.")
	things := []string{"Dentist", "Bicycle", "Boiler", "Fence", "Piano", "Laptop", "Camera", "Window", "Garage door", "Washing machine", "Heating"}
	jobs := []string{"repair", "insurance", "order", "invoice", "delivery", "sale", "cleaning", "painting", "warranty", "inspection"}
	for i := range 111 {
		title := fmt.Sprintf("%s %s", things[i%len(things)], jobs[i/len(things)%len(jobs)])
		if i == 110 {
			title = "Dentist appointment"
		}
		w.pass(time.Minute)
		w.turn(t, m, in("s1"), opens(title), fmt.Sprintf("%s, number %d of the list.", title, i+100))
	}
	return roof
}

func TestTheColdestOf112Affairs(t *testing.T) {
	t.Parallel()
	for name, world := range map[string]func() *world{"atomic": newWorld, "loose": newServer} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := world()
			m := w.memory(t, nil)
			roof := chores(t, w, m)
			if v, err := m.Turn().Load(t.Context(), state.Input{Scope: in("s1"), Seq: 1}); err != nil || len(v.Affairs) != 112 {
				t.Fatalf("%d affairs are in sight, want 112: %v", len(v.Affairs), err)
			}
			for _, c := range []struct {
				text string
				kind state.Kind
			}{
				{"Back to the roof repair, please.", state.Switch},
				{"Something else now: the roof repair.", state.Switch},
				{"By the way, what was the number of Kowalski's offer?", state.AdHoc},
				{"Let's get back to Mr. Lindqvist and the chimney.", state.Switch},
			} {
				for process, m := range map[string]*memory.Memory{"this": m, "a new": w.memory(t, nil)} {
					if d := judged(t, m, in("s1"), c.text); d.Kind != c.kind || d.AffairID != roof {
						t.Errorf("%s process, %q: %s %q (%s), want %s to the roof repair", process, c.text, d.Kind, d.Title, d.Reasoning, c.kind)
					}
				}
			}
			aside := w.turn(t, m, in("s1"), nil, "By the way, what was the number of Kowalski's offer?")
			input, err := m.Turn().Gather(t.Context(), aside.view, aside.decision, "")
			if err != nil || len(input.Evidence) == 0 || !input.Evidence[0].Must || !strings.Contains(fmt.Sprint(input.Evidence), "KR-5512") {
				t.Errorf("a cold affair asked about gives %+v, %v", input.Evidence, err)
			}
			back := w.turn(t, m, in("s1"), nil, "Back to the roof repair, please.")
			if a := back.view.Active(); a == nil || a.ID != roof || a.Summary == "" || len(a.KeyFacts) == 0 {
				t.Errorf("taken up again: %+v", a)
			}
			if list, err := m.Affairs().List(t.Context(), in("s1"), true); err != nil || len(list) != 112 {
				t.Errorf("%d affairs now, want 112: %v", len(list), err)
			}
		})
	}
}
