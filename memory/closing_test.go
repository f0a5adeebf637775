package memory_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

// What was due for a matter is done with it: its tasks and deadlines that are about just that end, and are history. What else it keeps, and what belongs to
// another matter, stays; recall says that the matter is settled.
func TestWhatIsSettledIsDueNoMore(t *testing.T) {
	t.Parallel()
	const due, refund, number, other = "The tax return is due on 31 July", "The refund comes by 30 September", "The tax office has number 4471", "The boat trip is due on 31 July"
	for name, settle := range map[string]func(t *testing.T, w *world, m *memory.Memory) error{
		"the user says so": func(t *testing.T, w *world, m *memory.Memory) error {
			if got := w.turn(t, m, in("s1"), nil, "The tax return is filed, that is settled."); got.decision.Closes == "" {
				t.Errorf("nothing is settled by %+v", got.decision)
			}
			return nil
		},
		"a call": func(t *testing.T, _ *world, m *memory.Memory) error {
			_, err := m.Affairs().Move(t.Context(), in("s1"), "Tax return", state.Resolved, "")
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, m := setup(t)
			w.turn(t, m, in("s1"), opens("Boat trip"), "The boat trip.")
			trip := named(t, m, in("s1"), "Boat trip").ID
			w.turn(t, m, in("s1"), opens("Tax return"), "The tax return.")
			tax, day := named(t, m, in("s1"), "Tax return").ID, w.clock().AddDate(0, 2, 0)
			task, later := memory.Task("Tax return", "", day), memory.Task("Look for the refund", "", day)
			task.Affair, later.Affair = tax, tax
			write(t, m, in("s1"), task)
			write(t, m, in("s1"), later)
			write(t, m, in("s1"), memory.Change{Kind: state.DeadlineRecord, Subject: "tax return", Content: due, Affair: tax})
			write(t, m, in("s1"), memory.Change{Kind: state.DeadlineRecord, Subject: "refund", Content: refund, Affair: tax})
			write(t, m, in("s1"), memory.Change{Kind: state.FactRecord, Subject: "tax return", Content: number, Affair: tax})
			write(t, m, in("s1"), memory.Change{Kind: state.DeadlineRecord, Subject: "boat trip", Content: other, Affair: trip})
			if !slices.Contains(valid(t, w, m), due) {
				t.Fatalf("%q is not there", due)
			}
			before := w.clock()
			w.pass(time.Minute)
			must(t, settle(t, w, m))

			holds := valid(t, w, m)
			for _, is := range []string{refund, number, other} {
				if !slices.Contains(holds, is) {
					t.Errorf("%q is gone", is)
				}
			}
			if slices.Contains(holds, due) {
				t.Errorf("%q is open still", due)
			}
			tasks, err := m.Tasks().List(t.Context(), in("s1"))
			must(t, err)
			if len(tasks) != 1 || tasks[0].Subject != "Look for the refund" {
				t.Errorf("open tasks %v", tasks)
			}
			then := texts(t, m, memory.Query{Scope: in("s1"), Text: "when is the tax return due?", AsOf: before, In: memory.InKB})
			if !strings.Contains(strings.Join(then, "\n"), due) {
				t.Errorf("it was due then, recall has %q", then)
			}

			hits, err := m.Recall(t.Context(), memory.Query{Scope: in("s1"), Text: "tax refund boat trip due", In: memory.InKB})
			must(t, err)
			for _, h := range hits {
				if said := strings.HasSuffix(h.Source, ", of a settled affair"); said != (h.Affair == tax) {
					t.Errorf("%q is from %q", h.Text, h.Source)
				}
			}
			if len(hits) < 3 {
				t.Errorf("only %d hits", len(hits))
			}
		})
	}
}

// A task that is done ends the deadline that its matter keeps of it, and no other one.
func TestATaskThatIsDoneEndsItsDeadline(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), opens("Taxes"), "The taxes.")
	taxes := named(t, m, in("s1"), "Taxes").ID
	const due, next, other = "The tax return is due on 31 July", "The tax return of next year is due on 31 August", "The dentist is on 31 July"
	for _, content := range []string{due, next, other} {
		write(t, m, in("s1"), memory.Change{Kind: state.DeadlineRecord, Content: content, Affair: taxes})
	}
	task := memory.Task("Tax return", "", time.Date(2026, 7, 31, 9, 0, 0, 0, time.UTC))
	task.Affair = taxes
	write(t, m, in("s1"), task)
	if was, err := m.Tasks().End(t.Context(), in("s1"), "", "tax return"); err != nil || was != "Tax return" {
		t.Fatalf("%q, %v", was, err)
	}
	same(t, "what holds", []string{next, other}, slices.DeleteFunc(valid(t, w, m), func(s string) bool { return s != due && s != next && s != other }))
}
