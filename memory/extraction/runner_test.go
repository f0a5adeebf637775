package extraction_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/graph/batch"
	"github.com/mneme-graph/mneme/graph/batch/batchtest"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/extraction"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/jobs"
	"github.com/mneme-graph/mneme/state/statetest"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// world is a store, a service and a clock. Several processes may be in it.
type world struct {
	store    store.Store
	stub     *batchtest.Stub
	url      string
	provider string

	now   func() time.Time
	pass  func(time.Duration)
	newID func() string
}

func setup(t *testing.T, provider string) *world {
	t.Helper()
	c := &statetest.Clock{At: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)}
	w := &world{store: ram.New(), stub: batchtest.New(batchtest.Echo), provider: provider, now: c.Now, pass: c.Pass, newID: c.NewID}
	w.stub.Now = w.now
	server := httptest.NewServer(w.stub)
	t.Cleanup(server.Close)
	w.url = server.URL + batchtest.Path(provider)
	return w
}

// process is a memory with a runner over the world; change, when not nil, edits the runner's Config first.
func (w *world) process(t *testing.T, change func(*extraction.Config)) (*memory.Memory, *extraction.Runner) {
	t.Helper()
	set := state.DefaultSettings()
	set.ExtractionModel, set.ExtractionProvider = "some-model", w.provider
	m, err := memory.New(memory.Config{Store: w.store, Settings: set, Now: w.now, NewID: w.newID})
	must(t, err)
	s, err := batch.Open(batch.Config{
		Provider: w.provider, BaseURL: w.url, Now: w.now, Sleep: func(context.Context, time.Duration) error { return nil },
	})
	must(t, err)
	c := extraction.Config{Memory: m, Store: w.store, Service: s, Now: w.now, NewID: w.newID}
	if change != nil {
		change(&c)
	}
	r, err := extraction.New(c)
	must(t, err)
	return m, r
}

// thing is what part number i of a user says.
func thing(user string, i int) string {
	return fmt.Sprintf("I keep the %s%dq box in the cellar%dz behind the door", user, i, i)
}

// tell has users say things in so many sessions each, which are over.
func (w *world) tell(t *testing.T, sessions int, users ...string) {
	t.Helper()
	for _, user := range users {
		var texts []string
		for i := range sessions {
			texts = append(texts, thing(user, i))
		}
		client, name, _ := strings.Cut(user, "-")
		must(t, batchtest.Tell(t.Context(), w.store, state.Scope{Client: client, User: name}, w.now(), texts...))
	}
}

func run(t *testing.T, r *extraction.Runner, now bool) extraction.Report {
	t.Helper()
	report, err := r.Pass(t.Context(), now)
	if err != nil {
		t.Fatalf("pass: %v, %+v", err, report)
	}
	return report
}

func (w *world) look(t *testing.T) extraction.Standing {
	t.Helper()
	out, err := extraction.Look(t.Context(), w.store, "")
	must(t, err)
	return out
}

// learnt checks that what the users said is remembered, each thing once, but for some numbers that are not, and that nothing waits.
func (w *world) learnt(t *testing.T, m *memory.Memory, sessions int, users ...string) {
	t.Helper()
	for _, user := range users {
		client, name, _ := strings.Cut(user, "-")
		all, err := m.Records(t.Context(), state.Scope{Client: client, User: name})
		must(t, err)
		for i := range sessions {
			n := 0
			for _, r := range all {
				if r.Kind != state.SummaryRecord && strings.Contains(r.Content, fmt.Sprintf("%s%dq", user, i)) && r.ValidTo == nil {
					n += max(r.Times, 1)
				}
			}
			if n != 1 {
				t.Errorf("%s, session %d: learnt %d times, want once", user, i, n)
			}
		}
	}
	if s := w.look(t); s.Waiting != 0 || s.Asked != 0 {
		t.Errorf("%d parts wait, %d are asked about", s.Waiting, s.Asked)
	}
}

func providers() []string { return []string{"openai", "anthropic", "google"} }

// Jobs hold parts of one client's users; each is planned, sent, waited on and taken, and the next one comes after the interval.
func TestBatches(t *testing.T) {
	t.Parallel()
	for _, provider := range providers() {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			w := setup(t, provider)
			w.tell(t, 3, "a-anna", "a-ben", "b-anna")
			m, r := w.process(t, nil)
			w.stub.Set(batchtest.Faults{Runs: true})
			if got := run(t, r, false); got.Sent != 2 || got.Asked != 9 || got.Open != 2 || got.Counts != (jobs.Counts{}) {
				t.Errorf("the first pass: %+v", got)
			}
			if s := w.look(t); s.Waiting != 9 || s.Asked != 9 || len(s.Jobs) != 2 || s.Jobs[0].State != jobs.Submitted || s.Jobs[0].Said == "" {
				t.Errorf("how it stands: %+v", s)
			}
			w.pass(25 * time.Hour)
			if got := run(t, r, false); got.Sent != 0 || got.Open != 2 { // it is due, and what waits is asked about
				t.Errorf("while they run: %+v", got)
			}
			w.stub.Set(batchtest.Faults{})
			if got := run(t, r, false); got.Counts.Learnt != 9 || got.Ended != 2 || len(got.Notes) > 0 {
				t.Errorf("what came: %+v", got)
			}
			w.learnt(t, m, 3, "a-anna", "a-ben", "b-anna")
			if got := run(t, r, false); got.Sent+got.Ended != 0 || got.Due.Sub(w.now()) != 24*time.Hour {
				t.Errorf("afterwards: %+v", got)
			}
		})
	}
}

// Whatever goes wrong at the service, each part is learnt once in the end, and nothing is lost.
func TestFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		faults batchtest.Faults
		passes int // until all is learnt, the switches being off after the first
	}{
		{"twice", batchtest.Faults{Twice: true}, 0},
		{"another order", batchtest.Faults{Turned: true}, 0},
		{"missing", batchtest.Faults{Miss: true}, 1},
		{"failed", batchtest.Faults{Errs: true}, 1},
		{"half a line", batchtest.Faults{Half: true}, 1},
		{"expired with half of the answers", batchtest.Faults{Expire: true}, 1},
		{"all of it failed", batchtest.Faults{Fails: true}, 1},
		{"no batch is known any more", batchtest.Faults{Gone: true}, 2},
		{"an unknown state", batchtest.Faults{State: "levitating"}, 1},
		{"busy", batchtest.Faults{Busy: 9}, 1},
		{"broken", batchtest.Faults{Broken: 9}, 1},
		{"made without an answer", batchtest.Faults{Lost: 1}, 1},
		{"always cut", batchtest.Faults{Cut: 99}, 1},
		{"the key is refused", batchtest.Faults{Refuse: 401}, 1},
	} {
		for _, provider := range providers() {
			t.Run(provider+", "+c.name, func(t *testing.T) {
				t.Parallel()
				w := setup(t, provider)
				w.tell(t, 4, "a-anna")
				m, r := w.process(t, nil)
				w.stub.Set(c.faults)
				first, err := r.Pass(t.Context(), false)
				if err != nil && !errors.Is(err, state.ErrUnavailable) && !errors.Is(err, state.ErrDenied) {
					t.Errorf("the first pass: %v", err)
				}
				if c.passes > 0 && err == nil && len(first.Notes) == 0 {
					t.Errorf("nothing is said of it: %+v", first)
				}
				w.stub.Set(batchtest.Faults{})
				for range c.passes {
					run(t, r, true)
				}
				w.learnt(t, m, 4, "a-anna")
			})
		}
	}
}

// A batch that is made and whose answer is lost is found, and no part is asked about twice.
func TestFoundAgain(t *testing.T) {
	t.Parallel()
	for _, provider := range providers() {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			w := setup(t, provider)
			w.tell(t, 2, "a-anna")
			_, r := w.process(t, nil)
			w.stub.Set(batchtest.Faults{Lost: 1, Runs: true})
			if _, err := r.Pass(t.Context(), true); !errors.Is(err, state.ErrUnavailable) {
				t.Errorf("a lost answer: %v", err)
			}
			if s := w.look(t); len(s.Jobs) != 1 || s.Jobs[0].State != jobs.Planned || s.Jobs[0].Error == "" {
				t.Errorf("how it stands: %+v", s.Jobs)
			}
			m, other := w.process(t, nil)
			_, err := other.Pass(t.Context(), true) // Anthropic's cannot be told while it runs
			if err != nil && provider != "anthropic" {
				t.Error(err)
			}
			w.stub.Set(batchtest.Faults{})
			run(t, other, false)
			w.learnt(t, m, 2, "a-anna")
			if n := len(w.stub.Jobs()); n != 1 {
				t.Errorf("%d batches were made, want 1", n)
			}
		})
	}
}

// After three failures the rules read a part, and that is said.
func TestThreeFailures(t *testing.T) {
	t.Parallel()
	w := setup(t, "openai")
	w.tell(t, 1, "a-anna")
	_, r := w.process(t, nil)
	w.stub.Set(batchtest.Faults{Errs: true})
	for try := range 3 {
		got := run(t, r, true)
		want := jobs.Counts{Back: 1}
		if try == 2 {
			want = jobs.Counts{ByRules: 1}
		}
		if got.Counts != want || len(got.Notes) == 0 {
			t.Errorf("try %d: %+v", try+1, got)
		}
	}
	if s := w.look(t); s.Waiting != 0 || len(s.Jobs) != 3 {
		t.Errorf("how it stands: %+v", s)
	}
}

// Two processes at once: one works, the other is told so, and each part is asked about once. One that died blocks the other for a lease.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	w := setup(t, "openai")
	w.tell(t, 5, "a-anna", "a-ben")
	m, one := w.process(t, nil)
	var between error
	_, two := w.process(t, func(c *extraction.Config) {
		c.Progress = func(extraction.Report) {
			if _, err := one.Pass(context.Background(), true); err != nil && between == nil {
				between = err
			}
		}
	})
	run(t, two, true)
	if !errors.Is(between, state.ErrConflict) {
		t.Errorf("who comes meanwhile: %v", between)
	}
	run(t, one, true)
	w.learnt(t, m, 5, "a-anna", "a-ben")
	if n := w.stub.Asked("a-anna1q"); n != 1 {
		t.Errorf("a part was asked about %d times", n)
	}

	// One that died amid a pass.
	var dead atomic.Bool
	_, dies := w.process(t, func(c *extraction.Config) { c.Service, c.Store = dying{c.Service, &dead}, stuck{c.Store, &dead} })
	w.tell(t, 6, "a-eva")
	func() {
		defer func() {
			if recover() == nil {
				t.Error("this test proves nothing: nobody died")
			}
		}()
		_, _ = dies.Pass(t.Context(), true)
	}()
	if _, err := one.Pass(t.Context(), true); !errors.Is(err, state.ErrConflict) {
		t.Errorf("within the lease: %v", err)
	}
	w.pass(5*time.Minute + time.Second)
	run(t, one, true)
	w.learnt(t, m, 6, "a-eva")
}

// dying is a service whose process dies when it submits.
type dying struct {
	extraction.Service
	dead *atomic.Bool
}

func (d dying) Submit(context.Context, extraction.Batch) (string, error) {
	d.dead.Store(true)
	panic("dead")
}

// stuck is a store in which a process that is dead writes nothing any more.
type stuck struct {
	store.Store
	dead *atomic.Bool
}

func (s stuck) Write(ctx context.Context, docs ...store.Doc) error {
	if s.dead.Load() {
		return errors.New("dead")
	}
	return s.Store.Write(ctx, docs...)
}

// Cancel gives all parts back, at the service too; where that does not answer, only when told so.
func TestCancel(t *testing.T) {
	t.Parallel()
	for _, provider := range providers() {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			w := setup(t, provider)
			w.tell(t, 3, "a-anna")
			m, r := w.process(t, nil)
			w.stub.Set(batchtest.Faults{Runs: true})
			run(t, r, true)
			w.stub.Set(batchtest.Faults{Refuse: 401})
			if _, err := r.Cancel(t.Context(), false); !errors.Is(err, state.ErrDenied) || w.look(t).Asked != 3 {
				t.Errorf("a service that refuses: %v", err)
			}
			w.stub.Set(batchtest.Faults{Runs: true})
			if n, err := r.Cancel(t.Context(), false); n != 1 || err != nil {
				t.Errorf("cancel: %d, %v", n, err)
			}
			if s := w.look(t); s.Waiting != 3 || s.Asked != 0 || s.Jobs[0].State != jobs.Cancelled || s.Jobs[0].Counts.Back != 3 {
				t.Errorf("how it stands: %+v", s)
			}
			run(t, r, true)
			w.stub.Set(batchtest.Faults{Refuse: 500})
			if n, err := r.Cancel(t.Context(), true); n != 1 || err != nil {
				t.Errorf("cancel anyway: %d, %v", n, err)
			}
			w.stub.Set(batchtest.Faults{})
			run(t, r, true)
			w.learnt(t, m, 3, "a-anna")
		})
	}
}

// A thousand parts of a user go in jobs of two hundred, and each is learnt once.
func TestThousandParts(t *testing.T) {
	t.Parallel()
	n := 250
	if os.Getenv("MNEME_LONG") != "" {
		n = 1000
	}
	w := setup(t, "openai")
	w.tell(t, n, "a-anna")
	m, r := w.process(t, nil)
	got := run(t, r, false)
	if got.Sent != (n+199)/200 || got.Counts.Learnt != n {
		t.Errorf("%+v", got)
	}
	w.learnt(t, m, n, "a-anna")
}

// Run makes passes until it is ended, each when its time has come.
func TestRun(t *testing.T) {
	t.Parallel()
	w := setup(t, "openai")
	w.tell(t, 2, "a-anna")
	ctx, end := context.WithCancel(t.Context())
	var waits []time.Duration
	m, r := w.process(t, func(c *extraction.Config) {
		c.After = func(d time.Duration) <-chan time.Time {
			waits = append(waits, d)
			w.pass(d)
			switch len(waits) {
			case 1:
				w.stub.Set(batchtest.Faults{})
			case 3:
				end()
			}
			tick := make(chan time.Time, 1)
			if len(waits) < 3 {
				tick <- w.now()
			}
			return tick
		}
	})
	w.stub.Set(batchtest.Faults{Runs: true})
	if err := r.Run(ctx); err != nil {
		t.Error(err)
	}
	if len(waits) != 3 || waits[0] != 5*time.Minute || waits[1] != time.Hour {
		t.Errorf("it waited %v", waits)
	}
	w.learnt(t, m, 2, "a-anna")
}

var must = statetest.Must
