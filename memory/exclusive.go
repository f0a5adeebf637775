package memory

import (
	"context"
	"slices"

	"github.com/mneme-graph/mneme/state"
)

// queue lets those who edit one user's memory in one by one.
type queue struct {
	busy    chan struct{} // holds a token while somebody is in
	waiting int           // who is in or wants in; guarded by Memory.mu
}

// exclusive waits until nobody else of this process is in the queues of the names, and returns how to leave them again.
// Every commit to a user takes the next number of the user's feed, so without it many sessions of one user conflict on that
// number until their tries are used up. Processes do not wait for each other.
func (m *Memory) exclusive(ctx context.Context, names ...string) (leave func(), err error) {
	slices.Sort(names) // one order for all, so that no two wait for each other
	names = slices.Compact(names)
	for i, name := range names {
		if err := m.enter(ctx, name); err != nil {
			m.leave(names[:i])
			return nil, err
		}
	}
	return func() { m.leave(names) }, nil
}

func (m *Memory) enter(ctx context.Context, user string) error {
	m.mu.Lock()
	q := m.queues[user]
	if q == nil {
		q = &queue{busy: make(chan struct{}, 1)}
		m.queues[user] = q
	}
	q.waiting++
	m.mu.Unlock()
	select {
	case q.busy <- struct{}{}:
		return nil
	case <-ctx.Done():
		m.quit(user, q)
		return state.Errorf(state.Unavailable, "memory of "+user, "given up waiting for another commit: %w", ctx.Err())
	}
}

func (m *Memory) leave(users []string) {
	for _, u := range users {
		m.mu.Lock()
		q := m.queues[u]
		m.mu.Unlock()
		<-q.busy
		m.quit(u, q)
	}
}

// quit forgets a queue that nobody needs any more.
func (m *Memory) quit(user string, q *queue) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if q.waiting--; q.waiting == 0 {
		delete(m.queues, user)
	}
}
