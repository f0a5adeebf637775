package checkpoint_test

import (
	"context"
	"testing"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
	"github.com/mneme-graph/mneme/state/store/storetest"
)

// Who tidies up late behind a turn does not take down what another process has set up since, though it has the same number.
func TestTidyingUpLate(t *testing.T) {
	t.Parallel()
	base, watch := ram.New(), newWatch()
	tidies, goOn := make(chan struct{}), make(chan struct{})
	written := 0
	slow := storetest.Wrap(base, func(ctx context.Context, c *storetest.Call, do func(context.Context) error) error {
		err := do(ctx)
		if c.Verb == "write" && c.Collection == state.Steps {
			if written++; written == 4 { // two commits, and both steps without their effects: the signpost is next
				close(tidies)
				<-goOn
			}
		}
		return err
	})
	loose := func(name string, s store.Store) *checkpoint.Log {
		return process(name, as{s, store.Features{}}, watch, true)
	}
	first, second := loose("first", slow), loose("second", base)
	ends := begin(t, first, "x", "t1")
	commit(t, ends, checkpoint.Commit{Source: checkpoint.SourceInput})
	commit(t, ends, checkpoint.Commit{Source: checkpoint.SourceLoop, Done: true})
	ends.Release()
	<-tidies

	// Another process ends a turn, which takes the signpost down, and begins one.
	over := begin(t, second, "x", "t2")
	commit(t, over, checkpoint.Commit{Source: checkpoint.SourceInput, Done: true})
	over.Release()
	open := begin(t, second, "x", "t3")
	commit(t, open, checkpoint.Commit{Source: checkpoint.SourceInput})
	close(goOn)
	must(t, first.Close())
	if doc, err := base.Get(t.Context(), state.Open, thread("x").Key()); err != nil {
		t.Errorf("the signpost of turn t3 is gone: %v, %v", doc, err)
	}
	open.Release()
	must(t, second.Close())
}
