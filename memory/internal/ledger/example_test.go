package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/ram"
)

func Example() {
	ctx, scope, s := context.Background(), state.Scope{Client: "c", User: "u", Session: "s"}, ram.New()
	now := func() time.Time { return time.Date(2026, 2, 15, 21, 0, 0, 0, time.UTC) }
	l := ledger.New(ledger.Config{Store: s, Now: now})
	for _, edit := range []state.AffairEdit{
		{ID: "a1", Create: &state.Affair{ID: "a1", Title: "Boat", Status: state.Active, Session: "s"}},
		{ID: "a1", Facts: state.Facts{{Label: "length", Value: "7 m"}}, At: now()},
	} {
		batch, err := l.Merge(ctx, []state.Effect{{Scope: scope, Affair: &edit}})
		if err == nil {
			err = errors.Join(s.Write(ctx, batch.Docs()[0]...), batch.Wrote(ctx)) // on a conflict: batch.Again
			batch.Release()
		}
		if err != nil {
			fmt.Println(err)
		}
	}
	entries, err := ledger.After(ctx, s, scope, 0)
	fmt.Println(len(entries), entries[1].Changed, err)
	a, err := ledger.Get[state.Affair](ctx, s, state.Affairs, scope.Key("a1"))
	fmt.Println(a.Title, a.KeyFacts, err)
	// Output:
	// 2 [{affairs a1}] <nil>
	// Boat [{length 7 m 2026-02-15 21:00:00 +0000 UTC }] <nil>
}
