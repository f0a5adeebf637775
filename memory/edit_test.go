package memory_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/history"
	"github.com/mneme-graph/mneme/state"
)

func ptr[T any](v T) *T { return &v }

func TestEditAnAffair(t *testing.T) {
	t.Parallel()
	for _, w := range []*world{newWorld(), newServer()} {
		m := w.memory(t, nil)
		w.turn(t, m, in("s1"), opens("Car part"), "The part has order number 07-14244-53150")
		a, err := m.Affairs().Edit(t.Context(), in("s1"), "car part", memory.AffairChange{
			Title: "Wiper for the Jeep", Summary: ptr("A wiper, ordered on eBay."), Facts: state.Facts{{Label: "colour", Value: "black"}},
			DropFacts: []string{"order number"}, Pending: ptr([]string{"watch the delivery", " "}), Topics: []string{"jeep"},
		})
		must(t, err)
		got := named(t, w.memory(t, nil), in("s1"), "wiper")
		if diff := cmp.Diff(a.KeyFacts, got.KeyFacts); diff != "" || got.ID != a.ID || got.Status != state.Active {
			t.Errorf("answered %+v, kept %+v", a, got)
		}
		if _, there := got.KeyFacts.Get("order number"); there || got.TitleBy != state.AuthorUser || got.Summary != "A wiper, ordered on eBay." ||
			!slices.Equal(got.PendingActions, []string{"watch the delivery"}) || !slices.Equal(got.Topics, []string{"jeep"}) {
			t.Errorf("after the edit: %+v", got)
		}
		if v, _ := got.KeyFacts.Get("colour"); v != "black" {
			t.Errorf("facts: %+v", got.KeyFacts)
		}
		edits, err := m.History().Audit(t.Context(), in("s1"), history.Query{ID: got.ID, Who: state.ByUser})
		if err != nil || len(edits) != 1 || !touches(edits[0], "title") || !touches(edits[0], "key_facts") {
			t.Errorf("the feed says %+v, %v", edits, err)
		}
	}
}

// Neither a rule nor a model takes a person's title away.
func TestAPersonsTitleStays(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), opens("Car part"), "The part has order number 07-14244-53150")
	if _, err := m.Affairs().Edit(t.Context(), in("s1"), "car part", memory.AffairChange{Title: "Jeep"}); err != nil {
		t.Fatal(err)
	}
	w.turn(t, m, in("s1"), nil, "The wiper for the Jeep Cherokee costs 38 dollars")
	if _, err := m.Affairs().Move(t.Context(), in("s1"), "jeep", state.Parked, ""); err != nil {
		t.Fatal(err)
	}
	if a := named(t, m, in("s1"), "jeep"); a.Title != "Jeep" {
		t.Errorf("the title is %q", a.Title)
	}
}

func TestCreateAnAffair(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), opens("Car part"), "The part has order number 07-14244-53150")
	a, err := m.Affairs().Create(t.Context(), in("s1"), "Roof repair", memory.AffairChange{Facts: state.Facts{{Label: "roofer", Value: "Novak"}}})
	if err != nil || a.Status != state.Parked || a.TitleBy != state.AuthorUser {
		t.Errorf("created %+v, %v", a, err)
	}
	if named(t, m, in("s1"), "car part").Status != state.Active {
		t.Error("creating an affair took the conversation elsewhere")
	}
	if got := w.turn(t, m, in("s1"), nil, "Back to the roof repair, please."); got.decision.AffairID != a.ID {
		t.Errorf("it is no target: %+v", got.decision)
	}
	_, err = m.Affairs().Create(t.Context(), in("s1"), "ROOF repair", memory.AffairChange{})
	if code(t, err, state.Conflict); !strings.Contains(err.Error(), a.ID) {
		t.Errorf("a title that is taken: %v", err)
	}
	_, err = m.Affairs().Create(t.Context(), in("s1"), " ", memory.AffairChange{})
	code(t, err, state.Invalid)
	_, err = m.Affairs().Edit(t.Context(), in("s1"), "rof repairs", memory.AffairChange{Title: "x"})
	if text := code(t, err, state.NotFound); strings.Index(text, "Roof repair") > strings.Index(text, "Car part") {
		t.Errorf("the nearest affair is named first: %s", text)
	}
}

func TestParkWithASummary(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), opens("Car part"), "The part has order number 07-14244-53150")
	for _, summary := range []string{"Waits for the courier.", "Waits for Monday."} { // the second time it is parked already
		a, err := m.Affairs().Move(t.Context(), in("s1"), "car part", state.Parked, summary)
		if err != nil || a.Status != state.Parked || a.Summary != summary {
			t.Errorf("parked %+v, %v", a, err)
		}
	}
	if a := named(t, m, in("s1"), "car part"); a.Summary != "Waits for Monday." || len(a.KeyFacts) == 0 {
		t.Errorf("kept %+v", a)
	}
}

// twoAffairs is a user with two affairs about one thing, the second of them active in s1.
func twoAffairs(t *testing.T, w *world, m *memory.Memory) (from, to state.Affair) {
	t.Helper()
	w.turn(t, m, in("s1"), opens("Roof repair"), "The roofer Novak will come on 5 May")
	w.turn(t, m, in("s1"), opens("New tiles"), "The tiles have order number 07-14244-53150")
	from, to = named(t, m, in("s1"), "new tiles"), named(t, m, in("s1"), "roof repair")
	ctx := memory.ContextWithOrigin(t.Context(), memory.Origin{Affair: from.ID})
	if _, err := m.Write(ctx, in("s1"), memory.Change{Subject: "tiles", Content: "Tondach Stodo, 420 pieces"}); err != nil {
		t.Fatal(err)
	}
	return from, to
}

func TestMergeAffairs(t *testing.T) {
	t.Parallel()
	for _, w := range []*world{newWorld(), newServer()} {
		m := w.memory(t, nil)
		from, to := twoAffairs(t, w, m)
		for range 2 { // merged again nothing changes
			if _, err := m.Affairs().Merge(t.Context(), in("s2"), "new tiles", to.ID); err != nil && state.CodeOf(err) != state.NotFound {
				t.Fatal(err)
			}
			if _, err := m.Affairs().Merge(t.Context(), in("s2"), from.ID, to.ID); err != nil {
				t.Fatal(err)
			}
		}
		for _, m := range []*memory.Memory{m, w.memory(t, nil)} { // and for another process
			a := named(t, m, in("s1"), to.ID)
			if _, there := a.KeyFacts.Get("order number"); !there || a.Messages != from.Messages+to.Messages || a.Status != state.Active || a.Session != "s1" {
				t.Errorf("the kept one: %+v", a)
			}
			gone := named(t, m, in("s1"), from.ID)
			if gone.Status != state.Archived || gone.MergedInto != to.ID {
				t.Errorf("the merged one: %+v", gone)
			}
			s, err := m.Sessions().Get(t.Context(), in("s1"))
			if err != nil || s.Active != to.ID {
				t.Errorf("session: %+v, %v", s, err)
			}
			found := texts(t, m, memory.Query{Scope: in("s1"), Text: "tiles order number pieces", In: memory.InCurrent, Affair: to.ID})
			if all := strings.Join(found, "\n"); !strings.Contains(all, "Tondach") || !strings.Contains(all, "07-14244") {
				t.Errorf("what was filed under the merged one is not found: %q", found)
			}
			related, err := m.Affairs().Related(t.Context(), in("s1"), to.ID, 1, 10)
			if err != nil || !slices.ContainsFunc(related, func(r memory.Related) bool { return r.Record != nil && strings.Contains(r.Record.Content, "Tondach") }) {
				t.Errorf("links: %+v, %v", related, err)
			}
		}
		if window := window(t, m, in("s1"), 5); !slices.Contains(window, "The tiles have order number 07-14244-53150") {
			t.Errorf("window: %q", window)
		}
		got := w.turn(t, m, in("s1"), nil, "And when do the new tiles come?")
		if got.decision.AffairID == from.ID || got.view.Target != to.ID {
			t.Errorf("the merged one is a target: %+v", got.decision)
		}
		for what, do := range map[string]func() error{
			"resume": func() error { _, err := m.Affairs().Move(t.Context(), in("s1"), from.ID, state.Active, ""); return err },
			"edit": func() error {
				_, err := m.Affairs().Edit(t.Context(), in("s1"), from.ID, memory.AffairChange{Title: "x"})
				return err
			},
			"merge into it": func() error { _, err := m.Affairs().Merge(t.Context(), in("s1"), to.ID, from.ID); return err },
		} {
			if err := do(); state.CodeOf(err) != state.Conflict || !strings.Contains(err.Error(), to.ID) {
				t.Errorf("%s: %v", what, err)
			}
		}
		if _, err := m.Affairs().Merge(t.Context(), in("s1"), to.ID, to.ID); state.CodeOf(err) != state.Invalid {
			t.Errorf("into itself: %v", err)
		}
	}
}

// Two processes merge the same affairs, and a third edits: every edit is there once.
func TestEditsOfManyProcessesMeet(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	from, to := twoAffairs(t, w, m)
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() {
			own := w.memory(t, nil)
			if _, err := own.Affairs().Merge(t.Context(), in("s1"), from.ID, to.ID); err != nil {
				t.Error(err)
			}
			label := string(rune('a' + i))
			if _, err := own.Affairs().Edit(t.Context(), in("s1"), to.ID, memory.AffairChange{Facts: state.Facts{{Label: label, Value: label}}}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	a := named(t, m, in("s1"), to.ID)
	for _, label := range []string{"a", "b", "c", "order number"} {
		if _, there := a.KeyFacts.Get(label); !there {
			t.Errorf("fact %s is lost: %+v", label, a.KeyFacts)
		}
	}
	if a.Messages != from.Messages+to.Messages {
		t.Errorf("%d messages, want %d", a.Messages, from.Messages+to.Messages)
	}
}
