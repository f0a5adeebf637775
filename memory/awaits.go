package memory

import (
	"context"

	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Awaits is what of a user's memory waits for somebody.
type Awaits struct {
	User        state.Scope // client and user
	Seq         int64       // number of the last commit that changed this memory
	Tasks       []state.Record
	Suggestions []state.Suggestion
}

// EachAwaits visits all users of a store who have memory, with their tasks that are not done and the suggestions that nobody has answered. Of a user whose memory has
// not changed since the commit that known names, only User and Seq are told. It asks where each feed stands and reads what has changed; nothing is written or kept
// in RAM. What is damaged is left out.
func EachAwaits(ctx context.Context, s store.Store, known func(user state.Scope) (seq int64, ok bool), visit func(Awaits) error) error {
	owners, err := desk.Owners(ctx, s)
	if err != nil {
		return err
	}
	for _, o := range owners {
		if o.User == state.ClientUser {
			continue
		}
		a := Awaits{User: state.Scope{Client: o.Client, User: o.User}}
		stand, err := ledger.Head(ctx, s, a.User)
		if err != nil {
			return err
		}
		a.Seq = stand.Seq
		if seq, ok := known(a.User); !ok || seq != a.Seq {
			if err := a.read(ctx, s); err != nil {
				return err
			}
		}
		if err := visit(a); err != nil {
			return err
		}
	}
	return nil
}

// read reads what waits, some documents at a time.
func (a *Awaits) read(ctx context.Context, s store.Store) error {
	q := store.Query{Collection: state.Records, Prefix: a.User.UserPrefix(), Limit: desk.TextsAtOnce}
	for docs, err := range store.Pages(ctx, s.Scan, q) {
		if err != nil {
			return err
		}
		for _, doc := range docs {
			if r, err := ledger.Decode[state.Record](doc); err == nil && r.Due != nil && r.ValidTo == nil {
				a.Tasks = append(a.Tasks, r)
			}
		}
	}
	all, err := ledger.Scan[state.Suggestion](ctx, s, store.Query{Collection: state.Suggestions, Prefix: a.User.UserPrefix()})
	for _, x := range all {
		if x.Status == state.Waiting {
			a.Suggestions = append(a.Suggestions, x)
		}
	}
	return err
}
