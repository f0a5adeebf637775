package ledger

import (
	"context"
	"sync"
	"time"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Minds is what RAM has of the users. It is safe for concurrent use.
type Minds interface {
	// Held is where a user's documents are read that RAM holds, and where the feed stood that they are of at least. A nil
	// Reader says that it holds none.
	Held(ctx context.Context, user state.Scope) (Reader, Stand, error)
	// Stale tells that what is held of a user is out of date. Met, if there is one, names a document that a Write has met in another
	// state.
	Stale(user state.Scope, met *store.ConflictError)
	// Wrote tells which documents were written in one commit, with the entries of the feed. Each is one revision further now.
	Wrote(docs ...store.Doc)
}

// None holds nothing: each commit reads what it edits.
type None struct{}

// Held returns nil.
func (None) Held(context.Context, state.Scope) (Reader, Stand, error) { return nil, Stand{}, nil }

// Stale does nothing.
func (None) Stale(state.Scope, *store.ConflictError) {}

// Wrote does nothing.
func (None) Wrote(...store.Doc) {}

// Config says what a Ledger works with. All fields but Minds are required.
type Config struct {
	Store store.Store
	Now   func() time.Time
	Minds Minds                                                                 // default None
	Wrote []func(ctx context.Context, effects []state.Effect, docs []store.Doc) // are told of each commit, behind Minds
}

// Ledger is the only writer of memory's documents. It is safe for concurrent use.
type Ledger struct {
	c     Config
	store Reader

	mu     sync.Mutex
	queues map[string]*queue // by name, of those that somebody is in
}

// New makes a Ledger. It does no I/O.
func New(c Config) *Ledger {
	if c.Minds == nil {
		c.Minds = None{}
	}
	return &Ledger{c: c, store: Billed(c.Store), queues: map[string]*queue{}}
}
