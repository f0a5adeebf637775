package mind

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/memory/internal/quick"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Config says what Minds work with. All fields are required.
type Config struct {
	Store    store.Store
	NewID    func() string  // of snapshots
	Settings state.Settings // what RAM may take, and how many affairs of a user are held whole
	Logger   *slog.Logger
}

// Minds are the minds of all users, as many as fit into RAM. They are safe for concurrent use.
type Minds struct {
	c     Config
	store ledger.Reader
	quick *quick.Account

	mu    sync.Mutex
	minds map[string]*Mind // by client/user/
	saver saver            // of snapshots
}

var _ ledger.Minds = (*Minds)(nil)

// New makes Minds. It does no I/O.
func New(c Config) *Minds {
	return &Minds{
		c: c, store: ledger.Billed(c.Store), minds: map[string]*Mind{}, saver: saver{worth: snapshotWorth, piece: snapshotPiece},
		quick: quick.New(quick.Budgets{
			quick.Hot: int64(c.Settings.HotBudgetMB) << 20, quick.Buffer: int64(c.Settings.BufferBudgetMB) << 20,
			quick.Warm: int64(c.Settings.WarmBudgetMB) << 20, quick.Cold: int64(c.Settings.ColdBudgetMB) << 20,
		}),
	}
}

// Usage tells how much RAM the minds take.
func (m *Minds) Usage() []quick.Usage { return m.quick.Usage() }

// SaveFrom makes snapshots worth while from n new documents on, in pieces of some bytes, which the defaults do for large indexes.
func (m *Minds) SaveFrom(n int64, piece int) { m.saver.worth, m.saver.piece = n, piece }

// Close saves the word indexes that took long to make, which may take some seconds.
func (m *Minds) Close() { m.saveAll() }

// Attend returns the user's mind, locked: the caller unlocks it. It is up to date with all commits of this process, and brought
// up to the head of the feed when fresh is asked for.
func (m *Minds) Attend(ctx context.Context, scope state.Scope, fresh bool) (*Mind, error) {
	d := m.lockMind(scope)
	if d.loaded && !fresh && !d.behind {
		return d, nil
	}
	if err := m.updateMind(ctx, d); err != nil {
		d.mu.Unlock()
		return nil, err
	}
	return d, nil
}

// Has reports whether the user's mind is in RAM, or about to be.
func (m *Minds) Has(user state.Scope) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.minds[user.UserPrefix()] != nil
}

// Users returns those whose mind is in RAM and has what is asked for, in the order of their keys.
func (m *Minds) Users(has func(*Mind) bool) (users []state.Scope) {
	m.mu.Lock()
	minds := maps.Clone(m.minds)
	m.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(minds)) {
		d := minds[key]
		d.Lock()
		if d.loaded && has(d) {
			users = append(users, d.scope)
		}
		d.Unlock()
	}
	return users
}

// updateMind brings a mind up to the head of the feed. The caller holds it.
func (m *Minds) updateMind(ctx context.Context, d *Mind) error {
	if err := m.refreshMind(ctx, d); err != nil {
		d.loaded = false
		return err
	}
	d.behind = false
	m.accountFor(d)
	return nil
}

// lockMind returns the user's mind, locked, as it is.
func (m *Minds) lockMind(scope state.Scope) *Mind {
	key := scope.UserPrefix()
	for {
		m.mu.Lock()
		d := m.minds[key]
		if d == nil {
			d = &Mind{scope: state.Scope{Client: scope.Client, User: scope.User}}
			m.minds[key] = d
		}
		m.mu.Unlock()

		d.mu.Lock()
		m.mu.Lock()
		stands := m.minds[key] == d
		m.mu.Unlock()
		if stands {
			return d
		}
		d.mu.Unlock() // it was dropped while we waited
	}
}

// Held returns the documents that the user's mind holds, if it is loaded.
func (m *Minds) Held(ctx context.Context, user state.Scope) (ledger.Reader, ledger.Stand, error) {
	d := m.lockMind(user)
	defer d.mu.Unlock()
	if !d.loaded {
		return nil, ledger.Stand{}, nil
	}
	if d.behind {
		if err := m.updateMind(ctx, d); err != nil {
			return nil, ledger.Stand{}, err
		}
	}
	return d.Docs, d.Stand(), nil
}

// Stale has the user's mind read what it has missed before its next use, and the document that a Write has met.
func (m *Minds) Stale(user state.Scope, met *store.ConflictError) {
	d := m.lockMind(user)
	defer d.mu.Unlock()
	d.behind = true
	if met == nil || !slices.Contains(kept(), met.Collection) || !strings.HasPrefix(met.ID, user.UserPrefix()) {
		return
	}
	if d.doubted == nil {
		d.doubted = map[ledger.Ref]bool{}
	}
	d.doubted[ledger.Ref{Collection: met.Collection, ID: met.ID}] = true
}

// Wrote takes documents that were just written into the minds, so that no one reads them
// back. A mind that has missed an entry of the feed reads what it missed at its next use.
func (m *Minds) Wrote(docs ...store.Doc) {
	for _, doc := range docs {
		if doc.Collection != state.Feed {
			continue
		}
		entry, err := ledger.Decode[ledger.Entry](doc)
		user := doc.ID[:len(doc.ID)-len(state.SeqKey(entry.Seq))]
		m.mu.Lock()
		d := m.minds[user]
		m.mu.Unlock()
		if err == nil && d != nil {
			d.takeCommit(entry, user, docs)
			m.accountAgain(d)
		}
	}
}
