package crash_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/e2e/crash"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/history"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

func suggestionScope() state.Scope { return state.Scope{User: "anna", Session: "s1"}.Default() }

// answers lives one life in which every suggestion that waits is answered. One that another process has answered is passed over.
func (j job) answers(ctx context.Context, w *crash.Walk, s store.Store) (err error) {
	m, err := memory.New(memory.Config{Store: w.Store(s), Now: j.clock(s), NewID: j.newID()})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	list, err := m.Suggestions().List(ctx, suggestionScope(), false)
	if err != nil {
		return err
	}
	for _, x := range list {
		if _, err := m.Suggestions().Answer(ctx, suggestionScope(), x.ID, state.Answer{Choice: state.Choice(j.Choice)}); err != nil && !errors.Is(err, state.ErrConflict) {
			return err
		}
	}
	return nil
}

// suggested is a store in which four things wait: to remember, to forget, to edit an affair, to merge two.
func suggested(t *testing.T, d driver) (at string) {
	t.Helper()
	at = d.fresh(t)
	s, err := d.open(t.Context(), at)
	must(t, err)
	n := 0
	m, err := memory.New(memory.Config{Store: s, Now: storyTime, NewID: func() string { n++; return fmt.Sprintf("id-0-%d", n) }})
	must(t, err)
	ctx, scope := t.Context(), suggestionScope()
	receipts, err := m.Write(ctx, scope, memory.Change{Subject: "cat", Content: "The cat is called Micka"})
	must(t, err)
	var affairs []string
	for _, title := range []string{"Boat", "Ship", "Roof"} {
		a, err := m.Affairs().Create(ctx, scope, title, memory.AffairChange{Facts: state.Facts{{Label: "price of the " + title, Value: "9"}}})
		must(t, err)
		affairs = append(affairs, a.ID)
	}
	ctx = memory.ContextWithOrigin(ctx, memory.Origin{Scope: scope, Suggests: true})
	_, remember := m.Write(ctx, scope, memory.Change{Subject: "seat", Content: "The seat is 14C"})
	_, forget := m.Amend(ctx, scope, memory.Amendment{Action: memory.ForgetRecord, ID: receipts[0].ID})
	_, edit := m.Affairs().Edit(ctx, scope, affairs[2], memory.AffairChange{Facts: state.Facts{{Label: "tiles", Value: "40"}}})
	_, merge := m.Affairs().Merge(ctx, scope, affairs[0], affairs[1])
	for _, err := range []error{remember, forget, edit, merge} {
		if !errors.Is(err, state.ErrDenied) {
			t.Fatal(err)
		}
	}
	must(t, errors.Join(m.Close(), s.Close()))
	return at
}

// outcome is what is remembered in a store, how its suggestions stand, and how often the audit knows of each kind of change. Times and ids are left out.
func outcome(t *testing.T, d driver, at string) (state.SuggestionStatus, map[string]int) {
	t.Helper()
	s, err := d.open(t.Context(), at)
	must(t, err)
	defer s.Close()
	m, err := memory.New(memory.Config{Store: s, Now: storyTime})
	must(t, err)
	defer m.Close()
	ctx, scope := t.Context(), suggestionScope()
	out, status := map[string]int{}, state.SuggestionStatus("")
	records, err1 := m.Records(ctx, scope)
	affairs, err2 := m.Affairs().List(ctx, scope, true)
	list, err3 := m.Suggestions().List(ctx, scope, true)
	changes, err4 := m.History().Audit(ctx, scope, history.Query{})
	must(t, errors.Join(err1, err2, err3, err4))
	for _, r := range records {
		out[fmt.Sprintf("record %s, over %v", r.Content, r.ValidTo != nil)]++
	}
	for _, a := range affairs {
		out[fmt.Sprintf("affair %s %s, %d facts, absorbed %d, into %v", a.Title, a.Status, len(a.KeyFacts), len(a.Absorbed), a.MergedInto != "")]++
	}
	for _, x := range list {
		status = x.Status
		out["suggestion "+x.Asks+" "+string(x.Status)]++
	}
	for _, c := range changes {
		var fields []string
		for _, f := range c.Fields {
			fields = append(fields, f.Name)
		}
		if c.What == "made" {
			fields = nil
		}
		out[fmt.Sprintf("change %s %s %s %s", c.Kind, c.What, c.By.Path, strings.Join(fields, " "))]++
	}
	return status, out
}

// A process that carries out what was approved of is killed at every place, and the next one at another: each suggestion is carried out once, as if
// nobody had died.
func TestKillApproving(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts many processes")
	}
	for _, d := range drivers() {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			from := suggested(t, d)
			begin := func(t *testing.T) job {
				t.Helper()
				return job{Do: "answers", Driver: d.name, At: d.copy(t, from), Notes: t.TempDir(), Life: 1, Choice: string(state.Approve)}
			}
			calm := begin(t)
			a, killed := calm.run(t)
			if killed || len(a.Places) < 8 {
				t.Fatalf("undisturbed: killed %v, %d places", killed, len(a.Places))
			}
			status, want := outcome(t, d, calm.At)
			if status != state.Approved {
				t.Fatalf("undisturbed: %v", want)
			}
			every := 15
			switch long := os.Getenv("MNEME_LONG"); {
			case long == "2":
				every = 1
			case long != "":
				every = 3
			}
			t.Logf("%d places, each %d. is tried", len(a.Places), every)
			for nth := 1; nth <= len(a.Places); nth += every {
				t.Run(fmt.Sprintf("place %d, %s", nth, a.Places[nth-1]), func(t *testing.T) {
					t.Parallel()
					j := begin(t)
					j.DieNth = nth
					if _, killed := j.run(t); !killed {
						t.Fatal("the child lived on")
					}
					j = j.next()
					j.Do, j.DieNth, j.Choice = calm.Do, 1+nth%7, calm.Choice // killed too, where it comes so far
					j.run(t)
					j = j.next()
					j.Do, j.DieNth, j.Choice = calm.Do, 0, calm.Choice
					if _, killed := j.run(t); killed {
						t.Fatal("the child that nobody kills was killed")
					}
					if _, got := outcome(t, d, j.At); !maps.Equal(want, got) {
						t.Errorf("(-undisturbed +killed):\n%s", cmp.Diff(want, got))
					}
				})
			}
		})
	}
}

// Two processes answer the same suggestions at the same time, in one way or in two: each is carried out once, or not at all where the other
// was first.
func TestTwoProcessesAnswer(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts many processes")
	}
	tries := 2
	if os.Getenv("MNEME_LONG") != "" {
		tries = 8
	}
	for _, d := range drivers() {
		for _, choices := range [][]state.Choice{{state.Approve, state.Approve}, {state.Approve, state.Reject}} {
			t.Run(fmt.Sprint(d.name, " ", choices), func(t *testing.T) {
				t.Parallel()
				from := suggested(t, d)
				for range tries {
					at, notes := d.copy(t, from), t.TempDir()
					var both sync.WaitGroup
					errs := make([]error, 2)
					for i, choice := range choices {
						j := job{Do: "answers", Driver: d.name, At: at, Notes: notes, Life: i + 1, Choice: string(choice)}
						both.Go(func() {
							killed, err := crash.Run(t.Context(), []string{os.Args[0], childWord}, j, &answer{})
							if errs[i] = err; killed {
								errs[i] = errors.New("it was killed")
							}
						})
					}
					both.Wait()
					must(t, errors.Join(errs...))
					checkAnswered(t, d, at, choices)
				}
			})
		}
	}
}

// checkAnswered looks whether every suggestion was answered once, and came to what its answer says.
func checkAnswered(t *testing.T, d driver, at string, choices []state.Choice) {
	t.Helper()
	_, got := outcome(t, d, at)
	for asks, done := range map[string]string{
		"remember": "record The seat is 14C, over false", "forget": "record The [forgotten], over true",
		"edit affair": "affair Roof PARKED, 2 facts, absorbed 0, into false", "merge affairs": "affair Ship PARKED, 2 facts, absorbed 1, into false",
	} {
		approved, rejected := got["suggestion "+asks+" APPROVED"], got["suggestion "+asks+" REJECTED"]
		if approved+rejected != 1 || rejected == 1 && !slices.Contains(choices, state.Reject) {
			t.Errorf("%s: approved %d, rejected %d times", asks, approved, rejected)
		}
		if got[done] != approved {
			t.Errorf("%s: approved %d times, and carried out %d times: %v", asks, approved, got[done], got)
		}
	}
}
