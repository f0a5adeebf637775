package nodes_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/state"
)

// A model that says nothing for model_timeout is given up, before its answer and within it; a slow one that goes on is waited for.
func TestASilentModelIsGivenUp(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		pauses []time.Duration // before each chunk
		takes  time.Duration
		fails  bool
	}{
		"never a word":      {[]time.Duration{time.Hour}, 2 * time.Second, true},
		"silent within":     {[]time.Duration{time.Second, time.Hour}, 3 * time.Second, true},
		"slow, but goes on": {[]time.Duration{time.Second, 1900 * time.Millisecond, time.Second}, 3900 * time.Millisecond, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := setup(t, func(s *state.Settings) { s.ModelTimeout = 2 * time.Second })
				m := newChat(func(ctx context.Context, _ int) (*schema.StreamReader[*schema.Message], error) {
					r, w := schema.Pipe[*schema.Message](1)
					go func() {
						defer w.Close()
						for _, pause := range c.pauses {
							select {
							case <-time.After(pause):
								w.Send(schema.AssistantMessage("word ", nil), nil)
							case <-ctx.Done():
								w.Send(nil, ctx.Err())
								return
							}
						}
					}()
					return r, nil
				})
				began := time.Now()
				turn, err := b.respond(t.Context(), t, m)
				must(t, err)
				failure := turn.Failure.Get()
				if c.fails != (failure.Code == state.Unavailable) || c.fails && !strings.Contains(failure.Text, "model_timeout") {
					t.Errorf("failure %+v", failure)
				}
				if took := time.Since(began); took != c.takes {
					t.Errorf("it took %s, want %s", took, c.takes)
				}
				synctest.Wait()
			})
		})
	}
}
