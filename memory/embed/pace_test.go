package embed_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mneme-graph/mneme/memory/embed"
	"github.com/mneme-graph/mneme/state"
)

// slow is a model that takes its time for each text, and ends with the context.
func slow(each time.Duration) func(context.Context, []string) ([][]float64, error) {
	return func(ctx context.Context, texts []string) ([][]float64, error) {
		select {
		case <-time.After(time.Duration(len(texts)) * each):
			return lengths(texts), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func TestSlowModel(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		each  time.Duration
		texts int
		calls []int // texts of each call
		batch int   // the next
		err   error
	}{
		{"in time", 100 * time.Millisecond, 64, []int{64}, 64, nil},
		{"halved until it fits", time.Second, 20, []int{20, 10, 10}, 11, nil},
		{"what is left is asked for in batches as small", 3 * time.Second, 16, []int{16, 8, 4, 2, 2, 2, 2, 2, 2, 2, 2}, 3, nil},
		{"down to one text", 9 * time.Second, 3, []int{3, 1, 1, 1}, 2, nil},
		{"one text takes too long", 11 * time.Second, 5, []int{5, 2, 1}, 1, state.ErrUnavailable},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := &fake{answer: slow(tt.each)}
				e := setup(t, f, func(c *embed.Config) { c.Call = 10 * time.Second })
				texts := make([]string, tt.texts)
				for i := range texts {
					texts[i] = fmt.Sprint("text ", i)
				}
				got, err := e.Embed(t.Context(), texts...)
				if !errors.Is(err, tt.err) || err == nil && len(got) != tt.texts {
					t.Fatalf("got %d vectors, %v", len(got), err)
				}
				var calls []int
				for _, b := range f.batches {
					calls = append(calls, len(b))
				}
				same(t, "calls", tt.calls, calls)
				if p := e.Pace(); p.Batch != tt.batch {
					t.Errorf("the next batch has %d texts, want %d", p.Batch, tt.batch)
				}
			})
		})
	}
}

// A caller that gives up says nothing about the model.
func TestGivenUpIsNotSlow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := setup(t, &fake{answer: slow(time.Second)}, nil)
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		if _, err := e.Embed(ctx, "a", "b", "c"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want the caller's deadline", err)
		}
		if p := e.Pace(); p.Batch != 64 {
			t.Errorf("the next batch has %d texts, want 64", p.Batch)
		}
	})
}

func TestPace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := setup(t, &fake{answer: slow(250 * time.Millisecond)}, nil)
		if s := e.Pace().String(); s != "" {
			t.Errorf("before the first answer: %q", s)
		}
		if _, err := e.Embed(t.Context(), strings.Fields("a b c d e f")...); err != nil {
			t.Fatal(err)
		}
		if got, want := e.Pace().String(), "4 texts/s, at most 64 at a time"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}
