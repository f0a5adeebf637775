package memory

import (
	"context"
	"sync"

	"github.com/mneme-graph/mneme/state"
)

// glances are the users whose feed was looked at under a context.
type glances struct {
	mu    sync.Mutex
	users map[string]bool
	times int // how often what was seen had to be forgotten
}

type glancesKey struct{}

// ContextWithTurn makes everything called with the context part of one turn, which looks once whether other processes
// have changed the user's memory, and not again at each step. It counts only where the store is not Atomic.
func ContextWithTurn(ctx context.Context) context.Context {
	return context.WithValue(ctx, glancesKey{}, &glances{users: map[string]bool{}})
}

// looked reports whether the turn has looked at the user's feed.
func (m *Memory) looked(ctx context.Context, user state.Scope) bool {
	g, ok := ctx.Value(glancesKey{}).(*glances)
	if !ok || !m.loose {
		return false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.users[user.UserPrefix()]
}

// glance begins to look at the user's feed; done notes that the turn has, if nothing told it to forget meanwhile.
func (m *Memory) glance(ctx context.Context, user state.Scope) (done func()) {
	g, ok := ctx.Value(glancesKey{}).(*glances)
	if !ok {
		return func() {}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	began := g.times
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.times == began {
			g.users[user.UserPrefix()] = true
		}
	}
}

// Strange tells the turn of the context that another process had its session: what it has seen may be old.
func (m *Memory) Strange(ctx context.Context) {
	if g, ok := ctx.Value(glancesKey{}).(*glances); ok {
		g.mu.Lock()
		defer g.mu.Unlock()
		clear(g.users)
		g.times++
	}
}
