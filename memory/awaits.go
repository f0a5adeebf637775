package memory

import (
	"cmp"
	"context"
	"slices"

	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Awaits is some of what waits for somebody in a user's memory.
type Awaits struct {
	Tasks       []state.Record
	Suggestions []state.Suggestion
}

// Owners lists the users of a store who have memory or an unfinished turn, as scopes of client and user, by client and user.
func Owners(ctx context.Context, s store.Store) (out []state.Scope, err error) {
	for _, c := range []state.Collection{state.Feed, state.Open} {
		owners, err := desk.OwnersIn(ctx, s, c)
		if err != nil {
			return nil, err
		}
		for _, o := range owners {
			if user := (state.Scope{Client: o.Client, User: o.User}); o.User != state.ClientUser && user.Default().Validate() == nil {
				out = append(out, user)
			}
		}
	}
	slices.SortFunc(out, func(a, b state.Scope) int {
		return cmp.Or(cmp.Compare(a.Client, b.Client), cmp.Compare(a.User, b.User))
	})
	return slices.Compact(out), nil
}

// EachAwaits visits the tasks of a user that are not done and the suggestions that nobody has answered, some at a time, and returns the number of the last commit that
// changed his memory before they were read; 0 = none did. Where that is the commit unless nothing is visited. Nothing is written or kept in RAM. What is damaged is
// left out.
func EachAwaits(ctx context.Context, s store.Store, user state.Scope, unless int64, visit func(Awaits)) (seq int64, err error) {
	stand, err := ledger.Head(ctx, s, user)
	if err != nil || stand.Seq == unless {
		return stand.Seq, err
	}
	for _, c := range []state.Collection{state.Records, state.Suggestions} {
		q := store.Query{Collection: c, Prefix: user.UserPrefix(), Limit: desk.TextsAtOnce}
		for docs, err := range store.Pages(ctx, s.Scan, q) {
			if err != nil {
				return 0, err
			}
			visit(awaitsIn(c, docs))
		}
	}
	return stand.Seq, nil
}

// awaitsIn picks what waits out of documents.
func awaitsIn(c state.Collection, docs []store.Doc) (a Awaits) {
	for _, doc := range docs {
		if c == state.Suggestions {
			if x, err := ledger.Decode[state.Suggestion](doc); err == nil && x.Status == state.Waiting {
				a.Suggestions = append(a.Suggestions, x)
			}
			continue
		}
		if r, err := ledger.Decode[state.Record](doc); err == nil && r.Due != nil && r.ValidTo == nil {
			a.Tasks = append(a.Tasks, r)
		}
	}
	return a
}
