package memory_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cloudwego/eino/components/embedding"

	"github.com/mneme-graph/mneme/memory/embed/hashed"
	"github.com/mneme-graph/mneme/state"
)

// queueing is an embedder that keeps in mind in which order texts came. A text with "hold" in it waits until it is let go.
type queueing struct {
	*hashed.Model
	held, let chan struct{}

	mu    sync.Mutex
	texts []string
}

func newQueueing(t *testing.T) *queueing {
	t.Helper()
	model, err := hashed.New(hashed.Config{Dim: 64})
	must(t, err)
	return &queueing{Model: model, held: make(chan struct{}), let: make(chan struct{})}
}

func (q *queueing) EmbedStrings(ctx context.Context, texts []string, opts ...embedding.Option) ([][]float64, error) {
	q.mu.Lock()
	q.texts = append(q.texts, texts...)
	q.mu.Unlock()
	if slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(s, "hold") }) {
		for _, c := range []chan struct{}{q.held, q.let} {
			select {
			case c <- struct{}{}:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
	}
	return q.Model.EmbedStrings(ctx, texts, opts...)
}

// first is the place of the first text that begins so, -1 for none.
func (q *queueing) first(begin string) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.IndexFunc(q.texts, func(s string) bool { return strings.HasPrefix(s, begin) })
}

// count is how many texts begin so.
func (q *queueing) count(begin string) (n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, s := range q.texts {
		if strings.HasPrefix(s, begin) {
			n++
		}
	}
	return n
}

// An affair that was set aside gets its vector before what is only HIGH, also when that came first.
func TestParkingIsCritical(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		to   state.Status
	}{
		{"parked", state.Parked},
		{"resolved", state.Resolved},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w, q := newWorld(), newQueueing(t)
			m := w.embeddingBy(t, q, "queueing")
			of := func(user string) state.Scope {
				s := in("s1")
				s.User = user
				return s
			}
			garden := w.turn(t, m, of("ann"), opens("Garden fence"), "The garden fence costs 990.").decision.AffairID
			must(t, m.Vectors().Settle(t.Context(), of("ann")))
			for _, user := range []string{"x", "y"} { // both workers have something to wait for
				s := w.begin(t.Context(), m, nil)
				if _, err := m.Turn().Admit(s.ctx, of(user), state.Message{Text: "hold, " + user, Turn: w.newID()}); err != nil {
					t.Fatal(err)
				}
				must(t, s.commit())
				<-q.held
			}
			w.turn(t, m, of("bob"), opens("Boat engine"), "About the boat.")
			w.pass(2 * time.Second)
			s := w.begin(t.Context(), m, nil)
			if _, err := m.Affairs().Move(s.ctx, of("ann"), garden, c.to, ""); err != nil {
				t.Fatal(err)
			}
			must(t, s.commit())
			<-q.let // one worker goes on
			for _, user := range []string{"ann", "bob"} {
				must(t, m.Vectors().Settle(t.Context(), of(user)))
			}
			<-q.let
			if set, open := q.first("Garden fence\nThe garden"), q.first("Boat engine"); set < 0 || open < 0 || set > open {
				t.Errorf("the affair set aside is number %d, the one opened before it number %d: %q", set, open, q.texts)
			}
		})
	}
}

func TestParkAffairWaitsForItsVector(t *testing.T) {
	t.Parallel()
	bothStores(t, func(t *testing.T, w *world) {
		q := newQueueing(t)
		m := w.embeddingBy(t, q, "queueing")
		w.turn(t, m, in("s1"), opens("Garden fence"), "The garden fence costs 990.")
		if _, err := m.Affairs().Move(t.Context(), in("s1"), "Garden fence", state.Parked, ""); err != nil {
			t.Fatal(err)
		}
		if q.first("Garden fence\nThe garden") < 0 {
			t.Errorf("not among %q", q.texts)
		}
	})
}
