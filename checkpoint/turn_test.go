package checkpoint_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
	"github.com/mneme-graph/mneme/state/store/storetest"
)

// Who looks while a turn begins elsewhere must not take its signpost for one that the turn before has left: without it the
// turn could be taken over while it runs.
func TestTheSignpostOfATurnThatBegins(t *testing.T) {
	t.Parallel()
	s, w := ram.NewLoose(), newWatch()
	p := process("p", s, w, true)
	first := begin(t, p, "x", "t1")
	commit(t, first, checkpoint.Commit{Parts: []checkpoint.Part{said("a", "1")}})
	commit(t, first, checkpoint.Commit{Done: true})
	first.Release()
	var second *checkpoint.Turn
	var once sync.Once
	begun := make(chan struct{})
	over := storetest.Wrap(s, func(ctx context.Context, c *storetest.Call, do func(context.Context) error) error {
		if c.Verb == "get" && c.Collection == state.Open {
			<-begun
		}
		err := do(ctx)
		if c.Verb == "scan" && c.Collection == state.Steps {
			once.Do(func() {
				second = begin(t, p, "x", "t2")
				commit(t, second, checkpoint.Commit{Parts: []checkpoint.Part{said("a", "2")}})
				close(begun)
			})
		}
		return err
	})
	q := process("q", over, w, true)
	if _, err := q.Begin(t.Context(), thread("x"), "t3"); !errors.Is(err, state.ErrConflict) {
		t.Errorf("Begin = %v, want a conflict", err)
	}
	commit(t, second, checkpoint.Commit{Parts: []checkpoint.Part{said("b", "3")}})
	if _, _, err := q.Take(t.Context(), thread("x")); !errors.Is(err, checkpoint.ErrBusy) {
		t.Errorf("Take = %v, want busy", err)
	}
	commit(t, second, checkpoint.Commit{Done: true})
	second.Release()
}

func TestLease(t *testing.T) {
	t.Parallel()
	s, w := ram.New(), newWatch()
	a, b := process("a", s, w, true), process("b", s, w, true)
	old := begin(t, a, "x", "t")
	commit(t, old, checkpoint.Commit{Effects: pay("old")})
	w.Pass(59 * time.Second)
	if _, _, err := b.Take(t.Context(), thread("x")); !errors.Is(err, state.ErrConflict) || !strings.Contains(err.Error(), "21:01:00") {
		t.Fatalf("Take under a lease = %v, want a conflict that says until when", err)
	}
	w.Pass(time.Second)
	taken, steps := take(t, b, "x")
	if len(steps) != 1 || taken.ID() != "t" || taken.Attempt() == old.Attempt() {
		t.Errorf("Take = turn %s, attempt %s, %d steps", taken.ID(), taken.Attempt(), len(steps))
	}
	for range 2 {
		if err := old.Commit(t.Context(), checkpoint.Commit{Effects: pay("old"), Done: true}); !errors.Is(err, state.ErrFenced) {
			t.Errorf("the old holder's Commit = %v, want fenced", err)
		}
	}
	old.Release()
	if _, _, err := a.Take(t.Context(), thread("x")); !errors.Is(err, state.ErrConflict) {
		t.Errorf("taking it back at once = %v, want conflict", err)
	}
	commit(t, taken, checkpoint.Commit{Done: true, Effects: pay("new")})
	taken.Release()
	if paid(t, s, "old") != 1 || paid(t, s, "new") != 1 {
		t.Errorf("effects: old %d, new %d, want each once", paid(t, s, "old"), paid(t, s, "new"))
	}
}

// Two processes take over at the same time: one of them wins.
func TestTwoTake(t *testing.T) {
	t.Parallel()
	s, w := ram.New(), newWatch()
	dead := begin(t, process("dead", s, w, true), "x", "t")
	defer dead.Release()
	commit(t, dead, checkpoint.Commit{})
	w.Pass(time.Hour)
	b := process("b", s, w, true)
	var theirs *checkpoint.Turn
	rushed := storetest.Wrap(s, storetest.On("write", func(*storetest.Call) error {
		if theirs == nil {
			theirs, _ = take(t, b, "x")
		}
		return nil
	}))
	_, _, err := process("a", rushed, w, true).Take(t.Context(), thread("x"))
	if !errors.Is(err, state.ErrConflict) || errors.Is(err, state.ErrFenced) {
		t.Errorf("the slower one = %v, want a conflict", err)
	}
	commit(t, theirs, checkpoint.Commit{Done: true})
	theirs.Release()
}

func TestBusy(t *testing.T) {
	t.Parallel()
	l := process("p", ram.New(), newWatch(), false)
	turn := begin(t, l, "x", "t1")
	if _, err := l.Begin(t.Context(), thread("x"), "t2"); !errors.Is(err, state.ErrConflict) {
		t.Errorf("Begin = %v, want busy", err)
	}
	commit(t, turn, checkpoint.Commit{})
	if _, _, err := l.Take(t.Context(), thread("x")); !errors.Is(err, state.ErrConflict) {
		t.Errorf("Take = %v, want busy", err)
	}
	turn.Release()
	taken, _ := take(t, l, "x")
	turn.Release() // again: must not let go of what another holds now
	if _, err := l.Begin(t.Context(), thread("x"), "t2"); !errors.Is(err, state.ErrConflict) || errors.Is(err, checkpoint.ErrUnfinished) {
		t.Errorf("Begin = %v, want busy", err)
	}
	if err := turn.Commit(t.Context(), checkpoint.Commit{}); !errors.Is(err, state.ErrConflict) {
		t.Errorf("Commit of a released turn = %v, want conflict", err)
	}
	commit(t, taken, checkpoint.Commit{Done: true})
	if err := taken.Commit(t.Context(), checkpoint.Commit{}); !errors.Is(err, state.ErrConflict) {
		t.Errorf("Commit of a finished turn = %v, want conflict", err)
	}
	taken.Release()
}

// The store has written, but its reply is lost: reading back settles it, and effects are not applied twice.
func TestLostReply(t *testing.T) {
	t.Parallel()
	s, told := ram.New(), new(atomic.Int64)
	l := checkpoint.New(checkpoint.Config{
		Store: storetest.Wrap(s, storetest.Writes(storetest.Lost)),
		Now:   newWatch().Now, NewID: func() string { return "only" }, Memory: ledger{Store: s, told: told},
	})
	turn := begin(t, l, "x", "t")
	commit(t, turn, checkpoint.Commit{Effects: pay("a")})
	commit(t, turn, checkpoint.Commit{Effects: pay("a"), Parts: []checkpoint.Part{said("n", "1")}})
	commit(t, turn, checkpoint.Commit{Effects: pay("a"), Done: true})
	turn.Release()
	if got := paid(t, s, "a"); got != 3 {
		t.Errorf("effects applied: %d, want 3", got)
	}
	if told.Load() != 3 {
		t.Errorf("told of %d documents, want 3", told.Load())
	}
	if got := lines(t, l, "x"); len(got) != 3 {
		t.Errorf("steps = %q", got)
	}
}

// After a failure whose outcome is not known the turn goes no further: a second commit could not be told
// from the first.
func TestNothingAfterAnError(t *testing.T) {
	t.Parallel()
	s := ram.New()
	broken := storetest.Wrap(s, nil)
	l := process("p", broken, newWatch(), false)
	turn := begin(t, l, "x", "t")
	commit(t, turn, checkpoint.Commit{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	broken.Set(storetest.On("write", func(c *storetest.Call) error {
		c.Docs[0].ID = "" // refused: nothing is written
		return nil
	}))
	if err := turn.Commit(ctx, checkpoint.Commit{Parts: []checkpoint.Part{said("a", "1")}}); !errors.Is(err, state.ErrInvalid) {
		t.Fatalf("Commit = %v", err)
	}
	broken.Set(nil)
	if err := turn.Commit(ctx, checkpoint.Commit{Parts: []checkpoint.Part{said("b", "2")}}); !errors.Is(err, state.ErrInvalid) {
		t.Errorf("the next Commit = %v, want the same error", err)
	}
	turn.Release()
	taken, steps := take(t, l, "x")
	if len(steps) != 1 {
		t.Errorf("%d steps, want the one acknowledged", len(steps))
	}
	taken.Release()
}

// Another writer touches the effect's document between load and write: it is merged again.
func TestEffectsMergedAgain(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		races int
		want  error
	}{{"three times", 3, nil}, {"for ever", 1000, state.ErrConflict}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := ram.New()
			races := 0
			l := process("p", storetest.Wrap(s, storetest.On("write", func(*storetest.Call) error {
				if races < tt.races {
					races++
					put(t, s, state.Records, state.Scope{}.Default().Key("a"), balance(paid(t, s, "a")+100))
				}
				return nil
			})), newWatch(), false)
			turn := begin(t, l, "x", "t")
			if err := turn.Commit(t.Context(), checkpoint.Commit{Effects: pay("a"), Done: true}); !errors.Is(err, tt.want) {
				t.Fatalf("Commit = %v, want %v", err, tt.want)
			}
			turn.Release()
			want := int64(races * 100)
			if tt.want == nil {
				want++
			}
			if got := paid(t, s, "a"); got != want {
				t.Errorf("sum = %d, want %d", got, want)
			}
		})
	}
}

// What cannot be applied cannot be committed either.
func TestApplyFails(t *testing.T) {
	t.Parallel()
	s := ram.New()
	wrong := state.Errorf(state.Denied, "write record", "is read-only")
	l := checkpoint.New(checkpoint.Config{
		Store: s, Now: newWatch().Now, NewID: func() string { return "only" },
		Memory: ledger{Store: s, wrong: wrong},
	})
	turn := begin(t, l, "x", "t")
	if err := turn.Commit(t.Context(), checkpoint.Commit{Effects: pay("a")}); !errors.Is(err, state.ErrDenied) {
		t.Errorf("Commit = %v, want what Apply said", err)
	}
	turn.Release()
	if got := lines(t, l, "x"); len(got) != 0 {
		t.Errorf("steps = %q, want none", got)
	}
}

// A process that dies between the last step of a turn and its effects leaves them owing. Who asks for the turn is told
// that it is done, and then finds in memory what it did.
func TestTakeCarriesOutWhatIsOwed(t *testing.T) {
	t.Parallel()
	s, w := ram.NewLoose(), newWatch()
	dies := checkpoint.New(checkpoint.Config{
		Store: s, Now: w.Now, NewID: func() string { return "only" },
		Memory: ledger{Store: s, wrong: state.Errorf(state.Denied, "effects", "are not carried out here")},
	})
	turn := begin(t, dies, "x", "t")
	commit(t, turn, checkpoint.Commit{Effects: pay("a"), Done: true})
	turn.Release()
	if got := paid(t, s, "a"); got != 0 {
		t.Fatalf("sum = %d before anybody came, want 0", got)
	}
	l := process("p", s, w, true)
	for range 2 { // the second finds nothing to do but to take the signpost down, which is nobody's by then
		if _, _, err := l.Take(t.Context(), thread("x")); !errors.Is(err, state.ErrNotFound) {
			t.Errorf("Take = %v, want not found", err)
		}
		if got := paid(t, s, "a"); got != 1 {
			t.Errorf("sum = %d, want 1", got)
		}
		w.Pass(time.Hour)
	}
	if open, err := l.Unfinished(t.Context(), state.Thread{}); err != nil || len(open) > 0 {
		t.Errorf("unfinished: %v, %v, want none", open, err)
	}
}

func TestCancelledCommit(t *testing.T) {
	t.Parallel()
	s := ram.New()
	l := process("p", s, newWatch(), false)
	turn := begin(t, l, "x", "t")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := turn.Commit(ctx, checkpoint.Commit{Done: true, Parts: []checkpoint.Part{said("a", "paid for")}}); err != nil {
		t.Errorf("Commit = %v, want it kept", err)
	}
	turn.Release()
	same(t, "got", []string{"1 from 1: t input by p-2 [a] done"}, lines(t, l, "x"))
}

// Effects that no turn decided leave one step behind, however many there were.
func TestAppendKeepsTheLastStep(t *testing.T) {
	t.Parallel()
	s := ram.NewLoose()
	l := process("p", s, newWatch(), true)
	for range 4 {
		must(t, l.Append(t.Context(), thread("x"), pay("a")))
	}
	must(t, l.Close())
	if got := paid(t, s, "a"); got != 4 {
		t.Errorf("sum = %d, want 4", got)
	}
	docs, err := s.Scan(t.Context(), store.Query{Collection: state.Steps})
	if err != nil || len(docs) != 4 || docs[3].ID != thread("x").StepKey(4) {
		t.Errorf("%d documents stay, %v, want the last step and three numbers", len(docs), err)
	}
	if steps, err := l.Steps(t.Context(), thread("x"), 1); err != nil || len(steps) != 1 {
		t.Errorf("%d steps stay, %v, want the last", len(steps), err)
	}
	if open, err := l.Unfinished(t.Context(), state.Thread{}); err != nil || len(open) > 0 {
		t.Errorf("unfinished: %v, %v", open, err)
	}
}

// slowly is a store whose next insert of a step waits for others to write.
type slowly struct {
	*ram.Store
	others func()
}

func (s *slowly) Write(ctx context.Context, docs ...store.Doc) error {
	if others := s.others; others != nil && len(docs) > 0 && docs[0].Collection == state.Steps && docs[0].Rev == 0 {
		s.others = nil
		others()
	}
	return s.Store.Write(ctx, docs...)
}

// atOnce waits for nothing.
func atOnce(time.Duration) <-chan time.Time {
	c := make(chan time.Time)
	close(c)
	return c
}

// Append deletes the step before, so its number is free again: a process that looked before it was deleted must not take
// it, since effects of a number that others have used count as carried out.
func TestAppendTakesNoNumberAgain(t *testing.T) {
	t.Parallel()
	for before := range int64(2) {
		slow, w := &slowly{Store: ram.NewLoose()}, newWatch()
		there := process("there", slow.Store, w, true)
		here := checkpoint.New(checkpoint.Config{
			Store: slow, Now: w.Now, NewID: numbered("here"), Memory: ledger{Store: slow},
			After: atOnce,
		})
		for range before {
			must(t, there.Append(t.Context(), thread("x"), pay("a")))
		}
		slow.others = func() {
			for range 2 {
				if err := there.Append(t.Context(), thread("x"), pay("a")); err != nil {
					t.Error(err)
				}
			}
		}
		must(t, here.Append(t.Context(), thread("x"), pay("a")))
		head, err := here.Head(t.Context(), thread("x"))
		if err != nil || head.Seq != before+3 || !strings.HasPrefix(head.Turn, "here") {
			t.Errorf("the last step is number %d by %s, %v, want %d by here", head.Seq, head.Turn, err, before+3)
		}
	}
}

// dying is a store of a process that dies when of a step and its signpost the latter alone is written.
type dying struct {
	*ram.Store
	dead bool
}

func (s *dying) Write(ctx context.Context, docs ...store.Doc) error {
	if !s.dead && len(docs) == 2 {
		s.dead = s.Store.Write(ctx, docs[1]) == nil
	}
	return state.Errorf(state.Unavailable, "store", "is gone")
}

func (s *dying) Get(ctx context.Context, in state.Collection, id string) (store.Doc, error) {
	if s.dead {
		return store.Doc{}, state.Errorf(state.Unavailable, "store", "is gone")
	}
	return s.Store.Get(ctx, in, id)
}

// Append waits for another writer as long as that may have the thread, also one that died.
func TestAppendWaitsForTheDead(t *testing.T) {
	t.Parallel()
	s, w := ram.NewLoose(), newWatch()
	began := w.Now()
	log := func(name string, s store.Store) *checkpoint.Log {
		return checkpoint.New(checkpoint.Config{Store: as{s, store.Features{Shared: true}}, Now: w.Now, NewID: numbered(name), Memory: ledger{Store: s}, After: func(d time.Duration) <-chan time.Time {
			if d > time.Second {
				return nil // nobody renews a lease
			}
			w.Pass(d)
			return atOnce(d)
		}})
	}
	first := log("first", s)
	must(t, first.Append(t.Context(), thread("x"), pay("a")))
	must(t, first.Close()) // it waits until its signpost is gone
	if err := log("there", &dying{Store: s}).Append(t.Context(), thread("x"), pay("a")); state.CodeOf(err) != state.Unavailable {
		t.Fatalf("the dead one: %v", err)
	}
	must(t, log("here", s).Append(t.Context(), thread("x"), pay("a")))
	if took := w.Now().Sub(began); took < 20*time.Second || took > time.Minute || paid(t, s, "a") != 2 {
		t.Errorf("took %v, sum %d", took, paid(t, s, "a"))
	}
}

// The numbers that Append leaves behind do not pile up.
func TestAppendFreesNumbers(t *testing.T) {
	t.Parallel()
	s := ram.NewLoose()
	l := process("p", s, newWatch(), true)
	for range 205 {
		must(t, l.Append(t.Context(), thread("x"), pay("a")))
	}
	must(t, l.Close())
	docs, err := s.Scan(t.Context(), store.Query{Collection: state.Steps})
	if err != nil || len(docs) < 60 || len(docs) > 75 {
		t.Errorf("%d documents stay behind 205 writes, %v, want the last 60 to 70 numbers", len(docs), err)
	}
}
