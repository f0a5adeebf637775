package embed_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/memory/embed"
	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
)

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]embed.Config{
		"no model": {Name: "x"},
		"no name":  {Model: &fake{}},
	} {
		if _, err := embed.New(c); !errors.Is(err, state.ErrInvalid) {
			t.Errorf("%s: got %v, want Invalid", name, err)
		}
	}
}

func TestEmbed(t *testing.T) {
	t.Parallel()
	f := &fake{}
	e := setup(t, f, func(c *embed.Config) { c.Batch = 2 })
	got, err := e.Embed(t.Context(), "a", "bb", "ccc", "bb")
	must(t, err)
	want := [][]float32{unit(1, 'a', 1), unit(2, 'b', 1), unit(3, 'c', 1), unit(2, 'b', 1)}
	for i := range want {
		if !near(got[i], want[i]) {
			t.Errorf("text %d: got %v, want %v", i, got[i], want[i])
		}
	}
	same(t, "batches", [][]string{{"a", "bb"}, {"ccc"}}, f.batches)
	if none, err := e.Embed(t.Context()); err != nil || len(none) != 0 {
		t.Errorf("no text: got %v, %v", none, err)
	}
	if got := e.String(); got != "test:fake, windows of 512 tokens" {
		t.Errorf("String is %q", got)
	}
}

func TestWrongAnswers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		answer func(context.Context, []string) ([][]float64, error)
		want   error
		says   string
	}{
		{"too few", func(_ context.Context, s []string) ([][]float64, error) { return lengths(s[1:]), nil }, state.ErrUnavailable, "1 vectors for 2 texts"},
		{"too many", func(_ context.Context, s []string) ([][]float64, error) { return lengths(append(s, "x")), nil }, state.ErrUnavailable, "3 vectors for 2 texts"},
		{"none", func(context.Context, []string) ([][]float64, error) { return nil, nil }, state.ErrUnavailable, "0 vectors for 2 texts"},
		{"empty vectors", constant(), state.ErrUnavailable, "0 dimensions"},
		{"two dimensions", func(context.Context, []string) ([][]float64, error) { return [][]float64{{1}, {1, 2}}, nil }, state.ErrUnavailable, "beside one of 1"},
		{"zero", constant(0, 0, 0), state.ErrUnavailable, "zero"},
		{"NaN", constant(1, math.NaN(), 0), state.ErrUnavailable, "NaN"},
		{"infinity", constant(1, math.Inf(-1), 0), state.ErrUnavailable, "NaN"},
		{"another dimension", constant(1, 2), state.ErrConflict, "2 dimensions instead of 3"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := &fake{answer: tt.answer}
			e := setup(t, f, func(c *embed.Config) { c.Dim = 3 })
			_, err := e.Embed(t.Context(), "a", "b")
			if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.says) {
				t.Fatalf("got %v, want %v that says %q", err, tt.want, tt.says)
			}
			f.answer = nil
			if v, err := e.Embed(t.Context(), "a", "b"); err != nil || !near(v[1], unit(1, 'b', 1)) {
				t.Errorf("a sound answer afterwards: %v, %v", v, err)
			}
		})
	}
}

// Very small and very great numbers have a direction too.
func TestScale(t *testing.T) {
	t.Parallel()
	for _, scale := range []float64{1e-200, 1e-30, 1, 1e30, 1e200} {
		e := setup(t, &fake{answer: constant(3*scale, -4*scale)}, nil)
		got, err := e.Embed(t.Context(), "a")
		if err != nil || !near(got[0], []float32{0.6, -0.8}) {
			t.Errorf("%g: got %v, %v", scale, got, err)
		}
	}
}

func TestEmptyText(t *testing.T) {
	t.Parallel()
	f := &fake{}
	for _, s := range []string{"", " \n\t", "\u00a0"} {
		if _, err := setup(t, f, nil).Embed(t.Context(), "a", s); !errors.Is(err, state.ErrInvalid) {
			t.Errorf("%q: got %v, want Invalid", s, err)
		}
	}
	if len(f.batches) != 0 {
		t.Errorf("the model was asked %v", f.batches)
	}
}

func TestSpace(t *testing.T) {
	t.Parallel()
	f := &fake{}
	e := setup(t, f, nil)
	want := index.Space{Model: "test:fake", Dim: 3, Version: embed.Version}
	for range 2 {
		if got, err := e.Space(t.Context()); err != nil || got != want {
			t.Fatalf("got %v, %v, want %v", got, err, want)
		}
	}
	if n := len(f.asked()); n != 1 {
		t.Errorf("the model was asked %d texts, want 1", n)
	}
	known := setup(t, &fake{answer: constant()}, func(c *embed.Config) { c.Dim = 7 })
	if got, err := known.Space(t.Context()); err != nil || got.Dim != 7 || got.Model != "test:fake" {
		t.Errorf("given dimension: %v, %v", got, err)
	}
	broken := setup(t, &fake{answer: constant()}, nil)
	if _, err := broken.Space(t.Context()); !errors.Is(err, state.ErrUnavailable) {
		t.Errorf("got %v, want Unavailable", err)
	}
}

// A model that is changed under the same name is refused, and says the way out; a first answer that is broken settles
// nothing.
func TestDimensionSettles(t *testing.T) {
	t.Parallel()
	f := &fake{answer: func(context.Context, []string) ([][]float64, error) { return [][]float64{{1, 2}, {0, 0}}, nil }}
	e := setup(t, f, nil)
	if _, err := e.Embed(t.Context(), "a", "b"); !errors.Is(err, state.ErrUnavailable) {
		t.Fatalf("got %v, want Unavailable", err)
	}
	f.answer = nil
	if _, err := e.Embed(t.Context(), "a", "b"); err != nil {
		t.Fatal(err)
	}
	f.answer = constant(1, 2)
	if _, err := e.Embed(t.Context(), "c"); !errors.Is(err, state.ErrConflict) || !strings.Contains(err.Error(), "mneme reindex") {
		t.Errorf("got %v, want Invalid with the way out", err)
	}
}

func TestErrorsKeepTheirCode(t *testing.T) {
	t.Parallel()
	limited := state.Errorf(state.Unavailable, "model", "429")
	limited.RetryAfter = time.Minute
	tests := []struct {
		name string
		give error
		want state.Code
	}{
		{"foreign", errors.New("boom"), state.Unavailable},
		{"internal", state.Errorf(state.Internal, "x", "bug"), state.Unavailable},
		{"invalid", fmt.Errorf("wrapped: %w", state.Errorf(state.Invalid, "x", "no such model")), state.Invalid},
		{"denied", state.Errorf(state.Denied, "x", "no key"), state.Denied},
		{"limited", limited, state.Unavailable},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := setup(t, &fake{answer: func(context.Context, []string) ([][]float64, error) { return nil, tt.give }}, nil)
			_, err := e.Embed(t.Context(), "a")
			var typed *state.Error
			if !errors.As(err, &typed) || typed.Code != tt.want || !errors.Is(err, tt.give) {
				t.Fatalf("got %v, want %s around the cause", err, tt.want)
			}
			if errors.Is(tt.give, limited) && typed.RetryAfter != time.Minute {
				t.Errorf("the pause the server asked for is lost: %v", typed.RetryAfter)
			}
		})
	}
}

func TestCache(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		bytes int64
		want  int // texts asked for in two rounds of 100
	}{
		{"default keeps all", 0, 100},
		{"negative keeps none", -1, 200},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := &fake{}
			e := setup(t, f, func(c *embed.Config) { c.CacheBytes = tt.bytes })
			var first [][]float32
			for range 2 {
				var texts []string
				for i := range 100 {
					texts = append(texts, fmt.Sprint("text ", i))
				}
				got, err := e.Embed(t.Context(), texts...)
				must(t, err)
				if diff := cmp.Diff(first, got); first != nil && diff != "" {
					t.Errorf("the second answer differs: %s", diff)
				}
				first = got
			}
			if n := len(f.asked()); n != tt.want {
				t.Errorf("the model was asked %d texts, want %d", n, tt.want)
			}
		})
	}
}

// A small cache forgets: far fewer than all texts are known afterwards, and what is forgotten is asked again.
func TestCacheIsBounded(t *testing.T) {
	t.Parallel()
	f := &fake{}
	const each = 4*3 + 128
	e := setup(t, f, func(c *embed.Config) { c.CacheBytes = 10 * each })
	for i := range 1000 {
		if _, err := e.Embed(t.Context(), fmt.Sprint("text ", i)); err != nil {
			t.Fatal(err)
		}
	}
	before := len(f.asked())
	for i := range 1000 {
		if _, err := e.Embed(t.Context(), fmt.Sprint("text ", i)); err != nil {
			t.Fatal(err)
		}
	}
	if again := len(f.asked()) - before; again < 980 {
		t.Errorf("%d texts were known in a cache for 10", 1000-again)
	}
}

func TestParallelIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		f.answer = func(_ context.Context, texts []string) ([][]float64, error) {
			time.Sleep(time.Second)
			return lengths(texts), nil
		}
		e := setup(t, f, func(c *embed.Config) { c.Parallel, c.Batch = 3, 1 })
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() {
				if _, err := e.Embed(t.Context(), fmt.Sprint("a", i), fmt.Sprint("b", i)); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if most := f.most.Load(); most != 3 {
			t.Errorf("%d calls at a time, want 3", most)
		}
	})
}

// The caller's deadline ends both the wait for a seat and the model's call.
func TestDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fake{answer: func(ctx context.Context, _ []string) ([][]float64, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}}
		e := setup(t, f, func(c *embed.Config) { c.Parallel = 1 })
		begin := time.Now()
		var wg sync.WaitGroup
		for _, d := range []time.Duration{3 * time.Second, time.Second} {
			wg.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), d)
				defer cancel()
				_, err := e.Embed(ctx, "a")
				if !errors.Is(err, state.ErrUnavailable) || !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("got %v, want Unavailable because of the deadline", err)
				}
				if took := time.Since(begin); took != d {
					t.Errorf("returned after %v, want %v", took, d)
				}
			})
			synctest.Wait()
		}
		wg.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := e.Embed(ctx, "a"); !errors.Is(err, context.Canceled) || len(f.batches) != 1 {
			t.Errorf("cancelled before: %v after %d calls", err, len(f.batches))
		}
	})
}

// Many callers with the same and with other texts all get what is theirs.
func TestConcurrency(t *testing.T) {
	t.Parallel()
	e := setup(t, &fake{}, func(c *embed.Config) { c.CacheBytes = 4096 })
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 200 {
				s := strings.Repeat("x", 1+(g*i)%50)
				got, err := e.Embed(t.Context(), s, "y")
				if err != nil || !near(got[0], unit(float64(len(s)), 'x', 1)) || !near(got[1], unit(1, 'y', 1)) {
					t.Errorf("%q: got %v, %v", s, got, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// A long text is the mean of its windows, weighted by their length.
func TestLongTextIsPooled(t *testing.T) {
	t.Parallel()
	f := &fake{}
	e := setup(t, f, func(c *embed.Config) { c.Window = 40 })
	long := strings.Repeat("slovo ", 100)
	got, err := e.Embed(t.Context(), long)
	must(t, err)
	windows := f.asked()
	if len(windows) < 3 {
		t.Fatalf("only %d windows", len(windows))
	}
	sum := make([]float64, 3)
	for _, w := range windows {
		for i, x := range unit(float64(len(w)), float64(w[0]), 1) {
			sum[i] += float64(len(w)) * float64(x)
		}
	}
	if !near(got[0], unit(sum...)) {
		t.Errorf("got %v, want %v", got[0], unit(sum...))
	}
}

// A model that takes fewer words than the window says is asked in halves; one that refuses everything is not asked
// for ever.
func TestTooLong(t *testing.T) {
	t.Parallel()
	refuse := func(most int) func(context.Context, []string) ([][]float64, error) {
		return func(_ context.Context, texts []string) ([][]float64, error) {
			for _, s := range texts {
				if len(s) > most {
					return nil, state.Errorf(state.Invalid, "model", "%d bytes: %w", len(s), embed.ErrTooLong)
				}
			}
			return lengths(texts), nil
		}
	}
	long := strings.TrimSpace(strings.Repeat("word ", 60))
	t.Run("halves", func(t *testing.T) {
		t.Parallel()
		f := &fake{answer: refuse(100)}
		got, err := setup(t, f, nil).Embed(t.Context(), "a", long, "bb")
		if err != nil || !near(got[0], unit(1, 'a', 1)) || !near(got[2], unit(2, 'b', 1)) || len(got[1]) != 3 {
			t.Fatalf("got %v, %v", got, err)
		}
		alone, err := setup(t, &fake{answer: refuse(100)}, nil).Embed(t.Context(), long)
		if err != nil || !near(got[1], alone[0]) {
			t.Errorf("the vector depends on the neighbours: %v and %v, %v", got[1], alone, err)
		}
	})
	t.Run("never short enough", func(t *testing.T) {
		t.Parallel()
		f := &fake{answer: refuse(0)}
		_, err := setup(t, f, nil).Embed(t.Context(), "a", long)
		if !errors.Is(err, state.ErrInvalid) || !errors.Is(err, embed.ErrTooLong) {
			t.Errorf("got %v, want Invalid for length", err)
		}
		if n := len(f.batches); n > 12 {
			t.Errorf("asked %d times", n)
		}
	})
}

var must, same = statetest.Must, statetest.Same
