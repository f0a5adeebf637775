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

// glanced notes that the turn has looked at the user's feed.
func (m *Memory) glanced(ctx context.Context, user state.Scope) {
	if g, ok := ctx.Value(glancesKey{}).(*glances); ok {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.users[user.UserPrefix()] = true
	}
}
