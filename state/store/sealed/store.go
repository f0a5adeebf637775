package sealed

import (
	"context"
	"crypto/rand"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Store seals what is written to the store below and opens what is read from it. It has that store's
// Features, keeps a key for each client in it and is safe for concurrent use; made by New.
type Store struct {
	below  store.Store
	keys   Keyring
	plain  []string
	random io.Reader
	now    func() time.Time
	after  func(time.Duration) <-chan time.Time

	mu      sync.Mutex
	clients map[string]clientKeys // as they were read
}

// Config says what to wrap. Store and Keys are required.
type Config struct {
	Store store.Store // stays the caller's to close
	Keys  Keyring     // made by ParseKeys
	// Plain names the top-level fields whose values stay readable, though nobody can change them unseen; nil
	// means expires_at, an empty slice none. Documents written under another list stay readable.
	Plain []string
	// Random is where nonces come from; nil means crypto/rand. It must be safe for concurrent use and must
	// never repeat itself: two messages under one nonce give both away. Only tests have a reason to set it.
	Random io.Reader

	Now   func() time.Time                     // how long it is since clients' keys were read; default time.Now
	After func(time.Duration) <-chan time.Time // how DestroyKeys waits; default time.After
}

var _ store.Store = (*Store)(nil)

// New returns a sealed store. It calls neither the store below nor Random. A Config without Store or Keys,
// or one that would leave "_sealed" readable, is state.ErrInvalid.
func New(c Config) (*Store, error) {
	const op = "sealed store"
	switch {
	case c.Store == nil:
		return nil, state.Errorf(state.Invalid, op, "has no store to wrap; set Config.Store")
	case len(c.Keys.keys) == 0:
		return nil, state.Errorf(state.Invalid, op, "has no key; set Config.Keys to what ParseKeys returns")
	case slices.Contains(c.Plain, manifestName):
		return nil, state.Errorf(state.Invalid, op, "the field %s is its own; take it off Config.Plain", manifestName)
	}

	s := &Store{below: c.Store, keys: c.Keys, plain: slices.Clone(c.Plain), random: c.Random, now: c.Now, after: c.After, clients: map[string]clientKeys{}}
	if c.Plain == nil {
		s.plain = []string{"expires_at"}
	}
	if s.random == nil {
		s.random = rand.Reader
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.after == nil {
		s.after = time.After
	}
	return s, nil
}

var _ store.Purger = (*Store)(nil)

// Purge has the store below empty what deleted documents have left.
func (s *Store) Purge(ctx context.Context) (bool, error) { return store.Purge(ctx, s.below) }

// Features are those of the store below.
func (s *Store) Features() store.Features { return s.below.Features() }

// Get returns one document, opened. One that is not as this store wrote it is a *RefusedError, one whose key
// is missing an *UnknownKeyError.
func (s *Store) Get(ctx context.Context, c state.Collection, id string) (store.Doc, error) {
	d, err := s.below.Get(ctx, c, id)
	if err != nil {
		return store.Doc{}, err
	}
	if d.Collection != c || d.ID != id {
		return store.Doc{}, refuse(store.Doc{Collection: c, ID: id}, "another document was given for it")
	}
	if d.Body, err = s.open(ctx, d); err != nil {
		return store.Doc{}, err
	}
	if isClientKey(c, id) {
		return store.Doc{}, store.NotFound(c, id)
	}
	return d, nil
}

// Scan returns what the query selects, opened. The first document that cannot be opened ends it with an
// error as Get would give; there is no result beside an error.
func (s *Store) Scan(ctx context.Context, q store.Query) ([]store.Doc, error) {
	if q.Collection == state.Meta && q.Reverse && (q.After == "" || q.After > clientKeyPrefix) {
		q.After = clientKeyPrefix // they are the last
	}
	docs, err := s.below.Scan(ctx, q)
	if err != nil {
		return nil, err
	}

	if i := slices.IndexFunc(docs, func(d store.Doc) bool { return isClientKey(d.Collection, d.ID) }); i >= 0 && !q.Reverse {
		docs = docs[:i]
	}
	low, high := q.Range()
	for i, d := range docs {
		if ctx.Err() != nil {
			return nil, store.Cancelled(ctx)
		}
		if d.Collection != q.Collection || d.ID < low || high != "" && d.ID >= high {
			return nil, refuse(d, "the query did not ask for it")
		}
		if docs[i].Body, err = s.open(ctx, d); err != nil {
			return nil, err
		}
	}
	return docs, nil
}

// Write seals every body with the current key of its client and passes all changes on as one Write. A body with a
// top-level field "_sealed" is state.ErrInvalid. If Random fails, the error is state.ErrUnavailable and
// nothing was written.
func (s *Store) Write(ctx context.Context, docs ...store.Doc) error {
	if ctx.Err() != nil {
		return store.Cancelled(ctx)
	}
	if err := store.ValidateWrite(docs); err != nil {
		return err
	}

	sealed, used := slices.Clone(docs), map[string]key{}
	for i, d := range docs {
		if isClientKey(d.Collection, d.ID) {
			return state.Errorf(state.Invalid, "write "+title(d), "is the place of a client's key")
		}
		if d.Body == nil {
			continue
		}
		k, version, err := s.keyOf(ctx, d)
		if err != nil {
			return err
		}
		if version == clientVersion {
			used[clientOf(d)] = k
		}
		if sealed[i].Body, err = s.sealWith(k, version, d); err != nil {
			return err
		}
	}
	if err := s.below.Write(ctx, sealed...); err != nil {
		return err
	}
	return s.stillCurrent(ctx, sealed, used)
}

// isClientKey reports whether a place is that of a client's key, which nobody sees through the Store.
func isClientKey(c state.Collection, id string) bool {
	return c == state.Meta && strings.HasPrefix(id, clientKeyPrefix)
}

// Delete passes on: ids are readable below, so a prefix means the same there.
func (s *Store) Delete(ctx context.Context, c state.Collection, prefix string) (int, error) {
	if c == state.Meta && (isClientKey(c, prefix) || strings.HasPrefix(clientKeyPrefix, prefix)) {
		return 0, state.Errorf(state.Invalid, "delete "+string(c), "these are the keys of clients; DestroyKeys ends them")
	}
	return s.below.Delete(ctx, c, prefix)
}
