package flow_test

import (
	"context"
	"testing"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/state/store/ram"
	"github.com/mneme-graph/mneme/state/store/storetest"
)

// tutorials are LangGraph's tutorial programs. Each goes on where it stood when it is called again.
func tutorials() map[string]func(context.Context, *checkpoint.Log) (string, error) {
	return map[string]func(context.Context, *checkpoint.Log) (string, error){
		"chatbot": chatbot, "human in the loop": approved, "time travel": travelled,
		"map-reduce": mapReduced, "sub-graph": nested, "hand-over": handedOver,
	}
}

// Each tutorial is cut short at every call of the store, before and after it is done, and played again by another process: it ends as
// if nothing had happened.
func TestTutorialsCutShort(t *testing.T) {
	t.Parallel()
	for name, play := range tutorials() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			calm := storetest.Wrap(ram.New(), nil)
			want, err := play(t.Context(), newLog(calm))
			wantErr(t, "undisturbed", err, nil)
			for n := 1; n <= calm.Calls(); n++ {
				for _, kind := range []storetest.Fault{storetest.Refused, storetest.Lost} {
					dead := storetest.Wrap(ram.New(), storetest.From(n, kind))
					_, _ = play(t.Context(), newLog(dead))
					if got, err := play(t.Context(), newLog(dead.Store)); err != nil || got != want {
						t.Errorf("dead at call %d, %s: %q, %v, want %q", n, kind, got, err, want)
					}
				}
			}
		})
	}
}
