package crash_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/e2e/crash"
	"github.com/mneme-graph/mneme/graph/batch"
	"github.com/mneme-graph/mneme/graph/batch/batchtest"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/extraction"
	"github.com/mneme-graph/mneme/memory/history"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// batchUsers are whose sessions are read in batches, of two clients, and batchParts how many of each.
func batchUsers() []state.Scope {
	return []state.Scope{{Client: "c1", User: "anna"}, {Client: "c1", User: "ben"}, {Client: "c2", User: "anna"}}
}

const batchParts = 3

// kept is what a user says in a session: a word that nobody else says, with some others.
func kept(user state.Scope, i int) (word, text string) {
	word = fmt.Sprintf("%s%s%dq", user.Client, user.User, i)
	return word, fmt.Sprintf("I keep the %s box in the cellar%s%d behind the door", word, user.Client, i)
}

// batches lives one life in which jobs are sent and taken, two passes.
func (j job) batches(ctx context.Context, w *crash.Walk, s store.Store) (err error) {
	now := func() time.Time { return storyTime().Add(time.Duration(j.Life) * time.Hour) } // behind the lease of the life before
	set := state.DefaultSettings()
	set.ExtractionModel, set.ExtractionProvider = "some-model", j.Provider
	walked := w.Store(s)
	m, err := memory.New(memory.Config{Store: walked, Settings: set, Now: now, NewID: j.newID()})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	service, err := batch.Open(batch.Config{
		Provider: j.Provider, BaseURL: j.URL, HTTPClient: &http.Client{Transport: &stations{walk: w}},
		Sleep: func(context.Context, time.Duration) error { return nil },
	})
	if err != nil {
		return err
	}
	x, err := extraction.New(extraction.Config{Memory: m, Store: walked, Service: service, Now: now, NewID: j.newID()})
	if err != nil {
		return err
	}
	for range 2 {
		if _, err := x.Pass(ctx, true); err != nil && !errors.Is(err, state.ErrUnavailable) {
			return err
		}
	}
	return nil
}

// stations makes places of the calls of a service.
type stations struct {
	walk *crash.Walk
	n    int
}

// RoundTrip calls between two places.
func (s *stations) RoundTrip(r *http.Request) (*http.Response, error) {
	s.n++
	s.walk.Pass(fmt.Sprintf("before http#%d", s.n))
	answer, err := http.DefaultTransport.RoundTrip(r)
	s.walk.Pass(fmt.Sprintf("after http#%d", s.n))
	return answer, err
}

// Processes that send and take jobs are killed at any place, one after the other, and the service errs besides: each thing is learnt exactly
// once, nothing waits in the end, and where the service does not err nothing is asked twice.
func TestKillBatches(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts many processes")
	}
	d, loose := drivers()[0], drivers()[1]
	kills, first := uint64(12), seed(t)
	switch os.Getenv("MNEME_LONG") {
	case "":
	case "2":
		kills = 200
	default:
		kills = 60
	}
	for _, provider := range []string{"openai", "anthropic", "google"} {
		calm := newBatchRun(t, d, provider)
		a, killed := calm.job.run(t)
		if killed {
			t.Fatal("the child that nobody kills was killed")
		}
		calm.check(t, true)
		t.Logf("%s: %d places", provider, len(a.Places))
		for n := first; n < first+kills; n++ {
			if []string{"openai", "anthropic", "google"}[n%3] != provider {
				continue
			}
			by := rand.New(rand.NewPCG(n, 7))
			place, nth, on := a.Places[by.IntN(len(a.Places))], 1+by.IntN(len(a.Places)), d
			if kills > 100 && n%10 == 0 {
				on = loose
			}
			t.Run(fmt.Sprintf("seed %d, %s on %s: %s, then at place %d", n, provider, on.name, place, nth), func(t *testing.T) {
				t.Parallel()
				r := newBatchRun(t, on, provider)
				errs := n%4 == 3
				if errs {
					list := []batchtest.Faults{{Twice: true, Turned: true}, {Half: true}, {Expire: true}, {Errs: true}, {Miss: true}, {Lost: 1}, {Broken: 2}, {Cut: 2}}
					r.stub.Set(list[by.IntN(len(list))])
				}
				j := r.job
				if j.Die = place; on.name != d.name {
					j.Die, j.DieNth = "", nth
				}
				_, killed := j.run(t)
				if !killed && !errs && on.name == d.name {
					t.Fatalf("the child lived on; it should have died %s", place)
				}
				r.stub.Set(batchtest.Faults{})
				j = j.next()
				j.Do, j.DieNth = r.job.Do, nth
				j.run(t)
				for range 2 {
					j = j.next()
					j.Do = r.job.Do
					if _, killed := j.run(t); killed {
						t.Fatal("a child that nobody kills was killed")
					}
				}
				r.check(t, !errs)
			})
		}
	}
}

// batchRun is a store with parts that wait, and a service.
type batchRun struct {
	driver driver
	stub   *batchtest.Stub
	job    job
}

func newBatchRun(t *testing.T, d driver, provider string) batchRun {
	t.Helper()
	r := batchRun{driver: d, stub: batchtest.New(batchtest.Echo)}
	server := httptest.NewServer(r.stub)
	t.Cleanup(server.Close)
	at := d.fresh(t)
	s, err := d.open(t.Context(), at)
	must(t, err)
	for _, user := range batchUsers() {
		var texts []string
		for i := range batchParts {
			_, text := kept(user, i)
			texts = append(texts, text)
		}
		must(t, batchtest.Tell(t.Context(), s, user, storyTime(), texts...))
	}
	must(t, s.Close())
	r.job = job{Do: "batches", Driver: d.name, At: at, Notes: t.TempDir(), Life: 1, Provider: provider, URL: server.URL + batchtest.Path(provider)}
	return r
}

// check looks at what is remembered. Once says that nothing was to be asked twice.
func (r batchRun) check(t *testing.T, once bool) {
	t.Helper()
	s, err := r.driver.open(t.Context(), r.job.At)
	must(t, err)
	defer s.Close()
	m, err := memory.New(memory.Config{Store: s, Now: storyTime})
	must(t, err)
	for _, user := range batchUsers() {
		records, err := m.Records(t.Context(), user)
		must(t, err)
		changes, err := m.History().Audit(t.Context(), user, history.Query{Path: "batch"})
		must(t, err)
		for i := range batchParts {
			word, _ := kept(user, i)
			said, made := 0, 0
			for _, rec := range records {
				if rec.Kind == state.SummaryRecord || !strings.Contains(rec.Content, word) {
					continue
				}
				said += max(rec.Times, 1)
				made += len(slices.DeleteFunc(slices.Clone(changes), func(c history.Change) bool { return c.ID != rec.ID }))
			}
			if said != 1 || made != 1 {
				t.Errorf("%s: learnt %d times, in %d changes; want once", word, said, made)
			}
			if n := r.stub.Asked(word); n < 1 || once && n != 1 {
				t.Errorf("%s: asked about %d times", word, n)
			}
		}
	}
	look, err := extraction.Look(t.Context(), s, "")
	if err != nil || look.Waiting != 0 || look.Asked != 0 {
		t.Errorf("how it stands: %+v, %v", look, err)
	}
}
