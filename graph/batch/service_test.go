package batch_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/graph/batch"
	"github.com/mneme-graph/mneme/graph/batch/batchtest"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/memory/extraction"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
)

const secret = "sk-never-shown"

// setup is a service over a stub. Pauses are noted and not made.
func setup(t *testing.T, provider string) (*batchtest.Stub, extraction.Service, *[]time.Duration) {
	t.Helper()
	stub := batchtest.New(func(prompt string) string { return "answer to " + prompt })
	server := httptest.NewServer(stub)
	server.Config.ErrorLog = nil
	t.Cleanup(server.Close)
	var pauses []time.Duration
	s, err := batch.Open(batch.Config{
		Provider: provider, APIKey: secret, BaseURL: server.URL + batchtest.Path(provider),
		Sleep: func(_ context.Context, d time.Duration) error { pauses = append(pauses, d); return nil },
	})
	must(t, err)
	return stub, s, &pauses
}

func remote(t *testing.T) []string {
	t.Helper()
	return []string{"openai", "anthropic", "google"}
}

// asked is a batch of four items.
func asked(id string) extraction.Batch {
	b := extraction.Batch{ID: id, Model: "some-model", At: time.Now(), Count: 4}
	for i := range b.Count {
		b.Items = append(b.Items, extraction.Item{ID: fmt.Sprintf("item%d", i), Prompt: fmt.Sprintf("question %d", i)})
	}
	return b
}

func submit(t *testing.T, s extraction.Service, b extraction.Batch) string {
	t.Helper()
	id, err := s.Submit(t.Context(), b)
	if err != nil || id == "" {
		t.Fatalf("submit: %q, %v", id, err)
	}
	return id
}

// results are those of a batch, as "ID text" or "ID !problem".
func results(t *testing.T, s extraction.Service, id string) (out []string) {
	t.Helper()
	err := s.Results(t.Context(), id, func(r extraction.Result) error {
		line := r.ID + " " + r.Text
		if r.Problem != "" {
			line = r.ID + " !"
		}
		out = append(out, line)
		return nil
	})
	if err != nil {
		t.Fatalf("results: %v", err)
	}
	return out
}

// Every service hands over what there is, whatever goes wrong on the way, and says how it stands.
func TestServices(t *testing.T) {
	t.Parallel()
	line := func(i int) string { return fmt.Sprintf("item%d answer to question %d", i, i) }
	all := []string{line(0), line(1), line(2), line(3)}
	for _, c := range []struct {
		name   string
		faults batchtest.Faults
		phase  extraction.Phase
		want   []string
		order  bool // it matters
	}{
		{"it works", batchtest.Faults{}, extraction.Ended, all, false},
		{"twice", batchtest.Faults{Twice: true}, extraction.Ended, append(slices.Clone(all), all...), false},
		{"the first is missing", batchtest.Faults{Miss: true}, extraction.Ended, all[1:], false},
		{"another order", batchtest.Faults{Turned: true}, extraction.Ended, []string{line(3), line(2), line(1), line(0)}, true},
		{"the first failed", batchtest.Faults{Errs: true}, extraction.Ended, []string{"item0 !", line(1), line(2), line(3)}, false},
		{"half a line", batchtest.Faults{Half: true}, extraction.Ended, []string{line(0), line(1), line(2), " "}, true},
		{"busy and broken", batchtest.Faults{Busy: 1, Broken: 1}, extraction.Ended, all, false},
	} {
		for _, provider := range remote(t) {
			t.Run(provider+", "+c.name, func(t *testing.T) {
				t.Parallel()
				stub, s, _ := setup(t, provider)
				id := submit(t, s, asked("job-1"))
				stub.Set(c.faults)
				status, err := s.Status(t.Context(), id)
				if err != nil || status.Phase != c.phase || status.Unknown {
					t.Errorf("status %+v, %v; want %s", status, err, c.phase)
				}
				got, want := results(t, s, id), slices.Clone(c.want)
				if !c.order {
					slices.Sort(got)
					slices.Sort(want)
				}
				same(t, "results", want, got)
			})
		}
	}
}

// How a batch ends, and that an unknown state is none of the ends.
func TestPhases(t *testing.T) {
	t.Parallel()
	for _, provider := range remote(t) {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			stub, s, _ := setup(t, provider)
			id := submit(t, s, asked("job-1"))
			want := func(f batchtest.Faults, phase extraction.Phase, unknown bool) {
				t.Helper()
				stub.Set(f)
				got, err := s.Status(t.Context(), id)
				if err != nil || got.Phase != phase || got.Unknown != unknown || got.Said == "" {
					t.Errorf("%+v: %+v, %v; want %s", f, got, err, phase)
				}
			}
			want(batchtest.Faults{Runs: true}, extraction.Running, false)
			want(batchtest.Faults{State: "levitating"}, extraction.Running, true)
			want(batchtest.Faults{Expire: true}, extraction.Expired, false)
			if got := results(t, s, id); len(got) < 2 || strings.Contains(got[0]+got[1], "!") {
				t.Errorf("what an expired batch has answered: %q", got)
			}
			if provider != "anthropic" { // its batches end, and items fail
				want(batchtest.Faults{Fails: true}, extraction.Failed, false)
			}
			if err := s.Cancel(t.Context(), id); err != nil {
				t.Errorf("to cancel what is over: %v", err)
			}
			stub.Set(batchtest.Faults{Runs: true})
			if err := s.Cancel(t.Context(), id); err != nil {
				t.Errorf("cancel: %v", err)
			}
			want(batchtest.Faults{}, extraction.Cancelled, false)
			stub.Set(batchtest.Faults{Gone: true})
			_, err := s.Status(t.Context(), id)
			if again := s.Cancel(t.Context(), id); !errors.Is(err, state.ErrNotFound) || !errors.Is(again, state.ErrNotFound) {
				t.Errorf("a batch that is gone: %v, %v", err, again)
			}
		})
	}
}

// A batch whose making was not answered is found by the job's id, and not made twice; another one's is not taken for it.
func TestFind(t *testing.T) {
	t.Parallel()
	for _, provider := range remote(t) {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			stub, s, _ := setup(t, provider)
			for i := range 5 { // the list has pages
				submit(t, s, asked(fmt.Sprintf("other-%d", i)))
			}
			b := asked("job-1")
			if id, err := s.Find(t.Context(), b); !errors.Is(err, state.ErrNotFound) {
				t.Errorf("a job that was not sent: %q, %v", id, err)
			}
			stub.Set(batchtest.Faults{Lost: 1})
			if _, err := s.Submit(t.Context(), b); !errors.Is(err, state.ErrUnavailable) {
				t.Errorf("a lost answer: %v", err)
			}
			if n := len(stub.Jobs()); n != 6 {
				t.Errorf("%d batches were made, want 6", n)
			}
			submit(t, s, asked("other-9"))
			id, err := s.Find(t.Context(), b)
			must(t, err)
			if got := results(t, s, id); len(got) != 4 {
				t.Errorf("results of %s: %q", id, got)
			}
			if provider != "anthropic" {
				return
			}
			stub.Set(batchtest.Faults{Runs: true})
			if _, err := s.Find(t.Context(), b); !errors.Is(err, state.ErrUnavailable) {
				t.Errorf("while it runs it cannot be told: %v", err)
			}
		})
	}
}

// What makes something is not repeated when the outcome is open; all else is, with the pauses that the service asks for.
func TestRepeats(t *testing.T) {
	t.Parallel()
	for _, provider := range remote(t) {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			stub, s, pauses := setup(t, provider)
			stub.Set(batchtest.Faults{Busy: 2})
			id := submit(t, s, asked("job-1"))
			if want := []time.Duration{time.Second, time.Second}; !slices.Equal(*pauses, want) {
				t.Errorf("pauses %v, want %v", *pauses, want)
			}
			stub.Set(batchtest.Faults{Broken: 1})
			if _, err := s.Submit(t.Context(), asked("job-2")); !errors.Is(err, state.ErrUnavailable) || len(stub.Jobs()) != 1 {
				t.Errorf("after 500: %v, %v", err, stub.Jobs())
			}
			stub.Set(batchtest.Faults{Cut: 1})
			if got := results(t, s, id); len(got) < 4 || !slices.Contains(got, "item3 answer to question 3") {
				t.Errorf("results that were cut once: %q", got)
			}
			stub.Set(batchtest.Faults{Cut: 9})
			err := s.Results(t.Context(), id, func(extraction.Result) error { return nil })
			if !errors.Is(err, state.ErrUnavailable) {
				t.Errorf("results that are always cut: %v", err)
			}
			stop := errors.New("stop")
			stub.Set(batchtest.Faults{})
			if err := s.Results(t.Context(), id, func(extraction.Result) error { return stop }); !errors.Is(err, stop) {
				t.Errorf("who takes results stops: %v", err)
			}
		})
	}
}

// A refusal is typed, says the way out, and never the key.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, provider := range remote(t) {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			stub, s, _ := setup(t, provider)
			for status, want := range map[int]state.Code{
				http.StatusUnauthorized: state.Denied, http.StatusForbidden: state.Denied, http.StatusBadRequest: state.Invalid,
				http.StatusTooManyRequests: state.Unavailable, http.StatusBadGateway: state.Unavailable,
			} {
				stub.Set(batchtest.Faults{Refuse: status})
				_, err := s.Submit(t.Context(), asked("job-1"))
				if state.CodeOf(err) != want || strings.Contains(err.Error(), secret) {
					t.Errorf("%d: %v, want %s", status, err, want)
				}
			}
			for _, bad := range []string{"../files/x", "a/b", "", "..", "a?b"} {
				if _, err := s.Status(t.Context(), bad); !errors.Is(err, state.ErrNotFound) {
					t.Errorf("an id that leads elsewhere, %q: %v", bad, err)
				}
			}
		})
	}
	for _, c := range []batch.Config{
		{Provider: "nobody", APIKey: "k"}, {Provider: "openai"}, {Provider: "local"}, {Provider: "openai", BaseURL: "ftp://x"},
		{Provider: "openai", BaseURL: "http://user:" + secret + "@x"},
	} {
		if _, err := batch.Open(c); !errors.Is(err, state.ErrInvalid) || strings.Contains(err.Error(), secret) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// A redirect does not take the key elsewhere.
func TestRedirect(t *testing.T) {
	t.Parallel()
	var got []string
	thief := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		got = append(got, r.Header.Get("x-api-key"), r.Header.Get("Authorization"), r.Header.Get("x-goog-api-key"))
	}))
	t.Cleanup(thief.Close)
	for _, provider := range remote(t) {
		server := httptest.NewServer(http.RedirectHandler(thief.URL, http.StatusTemporaryRedirect))
		t.Cleanup(server.Close)
		s, err := batch.Open(batch.Config{Provider: provider, APIKey: secret, BaseURL: server.URL, Retries: -1})
		must(t, err)
		if _, err := s.Status(t.Context(), "b1"); err == nil {
			t.Errorf("%s follows a redirect", provider)
		}
	}
	if len(got) > 0 {
		t.Errorf("the other host got %q", got)
	}
}

// The local service asks the model when results are asked for. While it answers nothing, nothing is lost.
func TestLocal(t *testing.T) {
	t.Parallel()
	say := scripted.New([]scripted.Step{
		scripted.Fail(errors.New("down")), scripted.Say("one"), scripted.Fail(errors.New("down")), scripted.Say("three"), scripted.Say("zero"),
	}, nil)
	s, err := batch.Open(batch.Config{Provider: "local", Small: say})
	must(t, err)
	b := asked("job-1")
	if _, err := s.Find(t.Context(), b); !errors.Is(err, state.ErrNotFound) {
		t.Errorf("a job of another process: %v", err)
	}
	id := submit(t, s, b)
	if err := s.Results(t.Context(), id, func(extraction.Result) error { return nil }); !errors.Is(err, state.ErrUnavailable) {
		t.Errorf("a model that is down: %v", err)
	}
	if found, err := s.Find(t.Context(), b); err != nil || found != id {
		t.Errorf("find: %q, %v", found, err)
	}
	same(t, "results", []string{"item1 one", "item2 !", "item3 three", "item0 zero"}, results(t, s, id))
	if _, err := s.Status(t.Context(), id); !errors.Is(err, state.ErrNotFound) {
		t.Errorf("what is over is dropped: %v", err)
	}
	id = submit(t, s, b)
	if err := errors.Join(s.Cancel(t.Context(), id)); err != nil {
		t.Error(err)
	}
}

var must, same = statetest.Must, statetest.Same
