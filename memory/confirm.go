package memory

import (
	"context"
	"errors"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/memory/ledger"
	"github.com/mneme-graph/mneme/memory/mind"
	"github.com/mneme-graph/mneme/state"
)

// Receipts tells how far records have got by now: durable, seen by every recall, their vectors made. IDs are those of
// earlier receipts; one that is not there comes back neither durable nor visible.
func (m *Memory) Receipts(ctx context.Context, scope state.Scope, ids ...string) ([]state.Receipt, error) {
	scope = scope.Default()
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	d, err := m.attend(ctx, scope, true)
	if err != nil {
		return nil, err
	}
	from, seq := d.Docs, d.Seq
	d.Unlock()
	out := make([]state.Receipt, len(ids))
	for i, id := range ids {
		r, err := ledger.Get[state.Record](ctx, from, state.Records, scope.Key(id))
		switch {
		case errors.Is(err, state.ErrNotFound):
			out[i] = state.Receipt{ID: id}
		case err != nil:
			return nil, err
		default:
			out[i] = state.Receipt{
				ID: id, Kind: string(r.Kind), Of: r.Replaces, Durable: true, Visible: true, Indexed: m.indexed(scope, id), Seq: seq,
			}
		}
	}
	return out, nil
}

// indexed reports whether a record's vector is made, for all that this process knows.
func (m *Memory) indexed(scope state.Scope, id string) bool {
	name := mind.DocID(state.Records, id)
	return m.vectors == nil || !m.vectors.Waiting(index.Of(scope), name)[name]
}
