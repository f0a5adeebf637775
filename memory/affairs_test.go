package memory_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/sessions"
	"github.com/mneme-graph/mneme/state"
)

func TestAffairIsFound(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	for _, title := range []string{"Objednávka dílu z eBay", "Objednávka pneumatik", "Unicorn University", "University of Oslo", "Daně"} {
		w.turn(t, m, in("s1"), opens(title), "about "+title)
		w.pass(time.Minute)
	}
	if _, err := m.Affairs().Move(t.Context(), in("s1"), "University of Oslo", state.Archived, ""); err != nil {
		t.Fatal(err)
	}
	id := named(t, m, in("s1"), "Daně").ID
	for _, c := range []struct {
		name, asked, want, says string
	}{
		{"by title", "Unicorn University", "Unicorn University", ""},
		{"by title without diacritics and case", " objednavka DILU z ebay ", "Objednávka dílu z eBay", ""},
		{"by id", id, "Daně", ""},
		{"by a part", "pneumatik", "Objednávka pneumatik", ""},
		{"an archived one", "oslo", "University of Oslo", ""},
		{"a whole title wins over parts", "dane", "Daně", ""},
		{"a part of several", "objednávka", "", "may be any of: Objednávka pneumatik (id4), Objednávka dílu z eBay (id2)"},
		{"none", "spaceship", "", "affair spaceship: there is no such affair; there are: Daně ("},
		{"nothing asked", "", "", "there is no such affair"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a, err := m.Affairs().Get(t.Context(), in("s1"), c.asked)
			if c.want != "" {
				if err != nil || a.Title != c.want {
					t.Errorf("want %q, got %q, %v", c.want, a.Title, err)
				}
				return
			}
			refused := state.NotFound
			if strings.HasPrefix(c.says, "may be") {
				refused = state.Conflict
			}
			if text := code(t, err, refused); !strings.Contains(text, c.says) {
				t.Errorf("want an error with %q and the candidates, got %q", c.says, text)
			}
		})
	}
}

func TestAffairsAreListedLastTouchedFirst(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	for _, title := range []string{"Garden", "Taxes", "Boat"} {
		w.turn(t, m, in("s1"), opens(title), "about "+title)
		w.pass(time.Minute)
	}
	w.turn(t, m, in("s1"), judges(state.AdHoc, "Garden", "", 0.9), "and the garden?")
	if _, err := m.Affairs().Move(t.Context(), in("s1"), "Taxes", state.Archived, ""); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name     string
		archived bool
		want     []string
	}{
		{"those in sight", false, []string{"Garden PARKED", "Boat ACTIVE"}},
		{"all", true, []string{"Garden PARKED", "Boat ACTIVE", "Taxes ARCHIVED"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			list, err := m.Affairs().List(t.Context(), in("s1"), c.archived)
			must(t, err)
			same(t, "affairs", c.want, titles(list))
		})
	}
}

// statuses are those that an affair can be taken to.
func statuses() []state.Status {
	return []state.Status{state.Parked, state.Active, state.Resolved, state.Archived}
}

func TestMoves(t *testing.T) {
	t.Parallel()
	legal := map[state.Status][]state.Status{
		state.Active:   {state.Active, state.Parked, state.Resolved},
		state.Parked:   {state.Parked, state.Active, state.Resolved, state.Archived},
		state.Resolved: {state.Resolved, state.Active, state.Archived},
		state.Archived: {state.Archived, state.Active},
	}
	route := map[state.Status][]state.Status{
		state.Active: nil, state.Parked: {state.Parked}, state.Resolved: {state.Resolved}, state.Archived: {state.Parked, state.Archived},
	}
	for from, ok := range legal {
		for to := range legal {
			t.Run(string(from)+" to "+string(to), func(t *testing.T) {
				t.Parallel()
				w, m := setup(t)
				w.turn(t, m, in("s1"), opens("Garden"), "The garden has number 07-14244-53150")
				for _, via := range route[from] {
					if _, err := m.Affairs().Move(t.Context(), in("s1"), "Garden", via, ""); err != nil {
						t.Fatal(err)
					}
				}
				w.pass(time.Minute)
				got, err := m.Affairs().Move(t.Context(), in("s1"), "garden", to, "")
				want := to
				if !slices.Contains(ok, to) {
					text := code(t, err, state.Invalid)
					for _, s := range ok {
						if s != from && !strings.Contains(text, string(s)) {
							t.Errorf("the error does not name %s: %q", s, text)
						}
					}
					want = from
				} else if err != nil || got.Status != to {
					t.Errorf("want %s, got %s, %v", to, got.Status, err)
				}
				stored := named(t, w.memory(t, nil), in("s1"), "Garden")
				s, err := m.Sessions().Get(t.Context(), in("s1"))
				if err != nil || stored.Status != want || (s.Active != "") != (want == state.Active) || (stored.Session != "") != (want == state.Active) {
					t.Errorf("stored: %s in %q, session points at %q, %v", stored.Status, stored.Session, s.Active, err)
				}
				if to == state.Parked && !strings.Contains(stored.Summary, "07-14244-53150") && from == state.Active {
					t.Errorf("parked without a summary: %+v", stored)
				}
			})
		}
	}
}

func TestResumeParksWhatWasActive(t *testing.T) {
	t.Parallel()
	w, m := desk(t)
	a, err := m.Affairs().Move(t.Context(), in("s1"), "Car part", state.Active, "")
	if err != nil || a.Status != state.Active || a.Session != "s1" {
		t.Fatalf("got %+v, %v", a, err)
	}
	old := named(t, w.memory(t, nil), in("s1"), "University")
	if old.Status != state.Parked || !strings.Contains(old.Summary, "email") {
		t.Errorf("want it parked with a summary, got %s %q", old.Status, old.Summary)
	}
	v, err := m.Turn().Load(t.Context(), state.Input{Scope: in("s1"), Seq: 5})
	if err != nil || v.Active() == nil || v.Active().ID != a.ID {
		t.Errorf("the next turn starts with %+v, %v", v.Session, err)
	}
	if hits := texts(t, m, memory.Query{Scope: in("s9"), Text: "university email"}); len(hits) == 0 || !strings.Contains(strings.Join(hits, ""), "University; ") {
		t.Errorf("the summary cannot be recalled at once: %q", hits)
	}
}

func TestMovesOfAnAffairThatIsActiveElsewhere(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		to     state.Status
		code   state.Code
		stored state.Status
		in     string
	}{
		{state.Active, "", state.Active, "s2"},
		{state.Parked, "", state.Active, "s1"}, // it is parked as seen from here
		{state.Resolved, "", state.Resolved, ""},
		{state.Archived, state.Conflict, state.Active, "s1"},
	} {
		t.Run(string(c.to), func(t *testing.T) {
			t.Parallel()
			w, m := setup(t)
			w.turn(t, m, in("s1"), opens("Garden"), "about the garden")
			beginSession(t, m, in("s2"))
			got, err := m.Affairs().Move(t.Context(), in("s2"), "Garden", c.to, "")
			code(t, err, c.code)
			if err == nil && got.Status != c.to {
				t.Errorf("want %s, got %s", c.to, got.Status)
			}
			stored := named(t, m, in("s1"), "Garden")
			if c.in == "s2" {
				stored = named(t, m, in("s2"), "Garden")
			}
			if stored.Status != c.stored || stored.Session != c.in {
				t.Errorf("stored: want %s in %q, got %s in %q", c.stored, c.in, stored.Status, stored.Session)
			}
			v, err := m.Turn().Load(t.Context(), state.Input{Scope: in("s1"), Seq: 3})
			if err != nil || (v.Active() != nil) != (c.in == "s1") || (v.Session.Active != "") != (c.in == "s1") {
				t.Errorf("s1 starts its next turn with %+v, %v", v.Session, err)
			}
		})
	}
}

func TestMovesOfNothing(t *testing.T) {
	t.Parallel()
	_, m := desk(t)
	for _, to := range statuses() {
		t.Run(string(to), func(t *testing.T) {
			t.Parallel()
			_, err := m.Affairs().Move(t.Context(), in("s1"), "spaceship", to, "")
			code(t, err, state.NotFound)
			_, err = m.Affairs().Move(t.Context(), state.Scope{Client: "c2", User: "u1", Session: "s1"}, "Car part", to, "")
			code(t, err, state.NotFound)
		})
	}
}

// A session whose name was mistyped takes no affair away from where it is; one that was begun on purpose does.
func TestResumeInASessionThatWasNeverUsed(t *testing.T) {
	t.Parallel()
	w, m := desk(t)
	_, err := m.Affairs().Move(t.Context(), in("new"), "Car part", state.Active, "")
	code(t, err, state.NotFound)
	if s, err := m.Sessions().List(t.Context(), in("new")); err != nil || slices.ContainsFunc(s, func(s state.Session) bool { return s.ID == "new" }) {
		t.Errorf("the refused move made a session: %+v, %v", s, err)
	}
	beginSession(t, m, in("new"))
	if _, err := m.Affairs().Move(t.Context(), in("new"), "Car part", state.Active, ""); err != nil {
		t.Fatal(err)
	}
	got := w.turn(t, m, in("new"), judges(state.Continue, "", "", 0.9), "and now?")
	if got.decision.Title != "Car part" || got.view.Turn[0].Seq != 1 {
		t.Errorf("got %+v, message %+v", got.decision, got.view.Turn[0])
	}
}

// beginSession begins a session in which nothing is said yet.
func beginSession(t *testing.T, m *memory.Memory, scope state.Scope) {
	t.Helper()
	if _, err := m.Sessions().Edit(t.Context(), scope, sessions.Change{New: true}); err != nil {
		t.Fatal(err)
	}
}

// An affair that another session has not parked yet is taken up with what was said there, and keeps it when it is set aside.
func TestTakenUpFromAnotherSession(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), opens("Holidays"), "Krones wants the plan of my holidays by Monday.")
	a := named(t, m, in("s1"), "Holidays")
	w.pass(time.Minute)
	small := scripted.Background(map[string]any{
		"detect": map[string]any{"type": state.Switch, "target_affair": a.ID, "confidence": 0.95},
		"park":   map[string]any{"summary": "Krones wants the plan by Monday; approved from 22 February.", "key_facts": map[string]string{}, "pending_actions": []string{}},
	}, nil)
	got := w.turn(t, m, in("s2"), small, "The holidays are approved, but only from 22 February.")
	if held, _ := got.view.Affair(a.ID); !strings.Contains(held.Summary, "Krones wants the plan") {
		t.Errorf("taken up with %q", held.Summary)
	}
	w.turn(t, m, in("s2"), opens("Birthday"), "Klara has her birthday on Sunday.")
	if held := named(t, m, in("s2"), "Holidays"); held.Status != state.Parked || !strings.Contains(held.Summary, "approved from 22 February") {
		t.Errorf("%s, %q", held.Status, held.Summary)
	}
}
