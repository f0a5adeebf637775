package memory_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// mute is a store whose process dies behind a Write: it is made, and what the process would have done next is not.
type mute struct{ store.Store }

var errDied = errors.New("the process died, for a test")

func (s mute) Write(ctx context.Context, docs ...store.Doc) error {
	return errors.Join(s.Store.Write(ctx, docs...), errDied)
}

// A task that was committed by a process that died before it told anybody is told by the next one at its start, of all users
// or of one client's; one that is done is not.
func TestTasksAreToldAgainAtTheStart(t *testing.T) {
	t.Parallel()
	w, _ := setup(t)
	due := w.clock().Add(time.Hour)
	var told []string
	tells := func(_ context.Context, scope state.Scope, task state.Record) {
		told = append(told, scope.Client+" "+scope.User+" "+scope.Session+" "+task.Subject)
	}
	dies := w.memory(t, func(c *memory.Config) { c.Store, c.Scheduled = mute{c.Store}, tells })
	if _, err := dies.Write(t.Context(), in("s1"), memory.Task("pay the rent", "", due)); !errors.Is(err, errDied) {
		t.Fatalf("the process lived on: %v", err)
	}
	if len(told) > 0 {
		t.Fatalf("told: %q", told)
	}
	m := w.memory(t, func(c *memory.Config) { c.Scheduled = tells })
	other := state.Scope{Client: "c2", User: "u2", Session: "s1"}
	for _, scope := range []state.Scope{in("s1"), other} {
		if _, err := m.Write(t.Context(), scope, memory.Task("water the flowers", "", due)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := m.Amend(t.Context(), in("s1"), memory.Amendment{Action: memory.ForgetRecord, Match: "flowers"}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		client string
		want   []string
	}{{"", []string{"c1 u1 s1 pay the rent", "c2 u2 s1 water the flowers"}}, {"c2", []string{"c2 u2 s1 water the flowers"}}, {"c3", nil}} {
		told = nil
		must(t, w.memory(t, func(c *memory.Config) { c.Scheduled = tells }).Tasks().Tell(t.Context(), c.client))
		if slices.Sort(told); !slices.Equal(told, c.want) {
			t.Errorf("client %q: told %q, want %q", c.client, told, c.want)
		}
	}
}

// What one process schedules another one shows when it is due, and what one has done the other shows no more.
func TestTasksOfTwoProcesses(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]func() *world{"embedded": newWorld, "server": newServer} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := begin()
			here, there := w.memory(t, nil), w.memory(t, nil)
			asked := 0
			shown := func(m *memory.Memory, want int) {
				t.Helper()
				asked++
				tasks, err := m.Tasks().List(t.Context(), in("s2"))
				if err != nil || len(tasks) != want {
					t.Errorf("want %d tasks, got %+v, %v", want, tasks, err)
				}
				if got := w.gathers(t, m, in(fmt.Sprintf("ask%d", asked)), "Good evening"); len(got.User) != want {
					t.Errorf("want %d lines, got %+v", want, got.User)
				}
			}
			shown(there, 0) // it has read the user's memory before
			if _, err := here.Write(t.Context(), in("s1"), memory.Task("pay the rent", "", w.clock().Add(time.Minute))); err != nil {
				t.Fatal(err)
			}
			w.pass(time.Hour)
			shown(there, 1)
			if _, err := there.Amend(t.Context(), in("s2"), memory.Amendment{Action: memory.ForgetRecord, Match: "rent"}); err != nil {
				t.Fatal(err)
			}
			shown(here, 0)
		})
	}
}

// A task that is moved is due once, at its new time, and neither the turn's affair nor its own waits for it as it was.
func TestATaskIsMoved(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), opens("Kolo"), "Emma slaví v sobotu.")
	a := named(t, m, in("s1"), "Kolo")
	pending := []string{"koupit balonky, připomenout ve středu v 18:00", "zavolat tetě"}
	summary := "Emma slaví v sobotu. Na středu 4. 3. 2026 v 18:00 je připomínka koupit balonky. Dort je 4. března hotový."
	facts := state.Facts{{Label: "připomínka balonků", Value: "středa 4. 3. 2026 v 18:00"}, {Label: "dort", Value: "4. března"}}
	if _, err := m.Affairs().Edit(t.Context(), in("s1"), a.ID, memory.AffairChange{Pending: &pending, Summary: &summary, Facts: facts}); err != nil {
		t.Fatal(err)
	}
	at := func(day int) time.Time { return time.Date(2026, 3, day, 18, 0, 0, 0, time.UTC) }
	ctx := memory.ContextWithOrigin(t.Context(), memory.Origin{Scope: in("s1"), Affair: a.ID})
	first, err := m.Tasks().Schedule(ctx, in("s1"), memory.Task("koupit balonky", "na oslavu", at(4)), "")
	must(t, err)
	if _, err := m.Tasks().Schedule(ctx, in("s1"), memory.Task("koupit balonky", "", at(5)), "nafouknout pouťový balon"); !errors.Is(err, state.ErrNotFound) {
		t.Errorf("a task that is none: %v", err)
	}
	if _, err := m.Tasks().Schedule(ctx, in("s1"), memory.Task("koupit balonky", "", at(5)), first.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Tasks().Schedule(ctx, in("s1"), memory.Task("koupit balonky", "", at(6)), "balonky"); err != nil {
		t.Fatal(err)
	}
	tasks, err := m.Tasks().List(t.Context(), in("s1"))
	if err != nil || len(tasks) != 1 || !tasks[0].Due.Equal(at(6)) {
		t.Errorf("tasks %+v, %v; want one, due on the 6th", tasks, err)
	}
	a = named(t, m, in("s1"), "Kolo")
	if got := a.PendingActions; len(got) != 1 || got[0] != "zavolat tetě" {
		t.Errorf("pending %q", got)
	}
	if a.Summary != "Emma slaví v sobotu. Dort je 4. března hotový." || len(a.KeyFacts) != 1 || a.KeyFacts[0].Label != "dort" {
		t.Errorf("summary %q, facts %v: the old day stands there, or another thing's is gone", a.Summary, a.KeyFacts)
	}
}

// Of a task and of what an affair waits for that goes which the words name.
func TestWhatIsNamedIsDone(t *testing.T) {
	t.Parallel()
	for about, want := range map[string]string{
		"get the photo from Nadeem":                     "get the photo from Nadeem",
		"the photo":                                     "get the photo from Nadeem",
		"Nadeem's photo has come":                       "get the photo from Nadeem",
		"File Nadeem's work permit extension":           "File Nadeem's work permit extension",
		"file the work permit extension":                "File Nadeem's work permit extension",
		"called Nadeem's landlord about the water bill": "",
	} {
		w, m := setup(t)
		w.turn(t, m, in("s1"), opens("Work permit"), "Nadeem needs his work permit, the photo is missing.")
		a := named(t, m, in("s1"), "Work permit")
		pending := []string{"get the photo from Nadeem"}
		if _, err := m.Affairs().Edit(t.Context(), in("s1"), a.ID, memory.AffairChange{Pending: &pending}); err != nil {
			t.Fatal(err)
		}
		if _, err := m.Write(t.Context(), in("s1"), memory.Task("File Nadeem's work permit extension", "", w.clock().Add(17*24*time.Hour))); err != nil {
			t.Fatal(err)
		}
		was, err := m.Tasks().End(t.Context(), in("s1"), "", about)
		if was != want || (want == "") != errors.Is(err, state.ErrNotFound) {
			t.Errorf("%q ended %q, %v", about, was, err)
		}
	}
}

// What an affair waits for is done as a task is, by its words.
func TestWhatIsWaitedForIsDone(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), opens("Pračka"), "Alza pračku nemá.")
	a := named(t, m, in("s1"), "Pračka")
	pending := []string{"vrácení 12 490 Kč od Alzy", "vybrat jinou pračku"}
	if _, err := m.Affairs().Edit(t.Context(), in("s1"), a.ID, memory.AffairChange{Pending: &pending}); err != nil {
		t.Fatal(err)
	}
	if was, err := m.Tasks().End(t.Context(), in("s1"), "", "vrácení peněz od Alzy"); err != nil || was != pending[0] {
		t.Errorf("done: %q, %v", was, err)
	}
	if _, err := m.Tasks().End(t.Context(), in("s1"), "", "zalít kytky"); !errors.Is(err, state.ErrNotFound) {
		t.Errorf("what nobody waits for: %v", err)
	}
	if got := named(t, m, in("s1"), "Pračka").PendingActions; len(got) != 1 || got[0] != pending[1] {
		t.Errorf("pending %q", got)
	}
}
