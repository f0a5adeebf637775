package memory

import (
	"context"
	"slices"

	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// reads is where the user's documents are read from: the mind, and what it does not hold the store.
func (m *Memory) reads(ctx context.Context, scope state.Scope) (ledger.Reader, error) {
	d, err := m.mind(ctx, scope)
	if err != nil {
		return nil, err
	}
	defer d.Unlock()
	return d.Docs, nil
}

// Messages returns the session's messages, oldest first.
func (m *Memory) Messages(ctx context.Context, scope state.Scope) ([]state.Message, error) {
	scope = scope.Default()
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	if err := settled(ctx); err != nil {
		return nil, err
	}
	return messagesAfter(ctx, m.base, scope, 0)
}

// messagesAfter returns the session's messages behind number seq, oldest first.
func messagesAfter(ctx context.Context, from ledger.Reader, scope state.Scope, seq int64) ([]state.Message, error) {
	q := store.Query{Collection: state.Messages, Prefix: scope.SessionKey() + "/"}
	if seq > 0 {
		q.After = scope.MessageKey(seq)
	}
	found, err := ledger.Scan[state.Message](ctx, from, q)
	return slices.DeleteFunc(found, func(msg state.Message) bool { return msg.Undone }), err
}

// page is how many messages lastMessages reads at a time.
const page = 32

// lastMessages returns up to limit messages of the session before number seq that keep accepts, oldest
// first. It looks through at most lookBack messages, newest first.
func (m *Memory) lastMessages(
	ctx context.Context, scope state.Scope, seq int64, limit int, keep func(state.Message) bool,
) ([]state.Message, error) {
	var kept []state.Message
	if limit <= 0 {
		return nil, nil
	}
	err := m.goBack(ctx, scope, seq, func(msg state.Message) bool {
		if keep(msg) {
			kept = append(kept, msg)
		}
		return len(kept) < limit
	})
	slices.Reverse(kept)
	return kept, err
}

// goBack goes from the message before number seq of a session back to its first one, but not over more than lookBack, while more wants more. What was
// taken back is passed over, and a mark stands where it says what was forgotten.
func (m *Memory) goBack(ctx context.Context, scope state.Scope, seq int64, more func(state.Message) bool) error {
	from, err := m.reads(ctx, scope)
	if err != nil {
		return err
	}
	known, err := m.mind(ctx, scope)
	if err != nil {
		return err
	}
	known.Unlock()
	for look := lookBack; look > 0 && seq > 1; look -= page {
		read, err := from.Scan(ctx, store.Query{
			Collection: state.Messages, Prefix: scope.SessionKey() + "/", After: scope.MessageKey(seq), Limit: min(page, look), Reverse: true,
		})
		if err != nil {
			return err
		}
		for _, doc := range read {
			msg, err := ledger.Decode[state.Message](doc)
			if err != nil {
				ledger.NoteDamage(ctx, state.Messages, err)
				continue
			}
			seq = msg.Seq
			if !msg.Undone && !more(known.Unsay(scope.Session, msg)) {
				return nil
			}
		}
		if len(read) < page {
			break
		}
	}
	return nil
}

// Records returns the user's records, in the order of their ids.
func (m *Memory) Records(ctx context.Context, scope state.Scope) ([]state.Record, error) {
	scope = scope.Default()
	if err := checkScope(ctx, scope); err != nil {
		return nil, err
	}
	if err := settled(ctx); err != nil {
		return nil, err
	}
	return ledger.Scan[state.Record](ctx, m.base, store.Query{Collection: state.Records, Prefix: scope.UserPrefix()})
}
