package ledger

import (
	"context"
	"slices"

	"github.com/mneme-graph/mneme/state"
)

// queue lets those who edit one user's memory in one by one.
type queue struct {
	busy    chan struct{} // holds a token while somebody is in
	waiting int           // who is in or wants in; guarded by Ledger.mu
}

// Alone waits until nobody else of this process is in the queues of the names, and returns how to leave them again.
// Every commit to a user takes the next number of the user's feed, so without it many sessions of one user conflict on that
// number until their tries are used up. Processes do not wait for each other.
func (l *Ledger) Alone(ctx context.Context, names ...string) (leave func(), err error) {
	slices.Sort(names) // one order for all, so that no two wait for each other
	names = slices.Compact(names)
	for i, name := range names {
		if err := l.enter(ctx, name); err != nil {
			l.leave(names[:i])
			return nil, err
		}
	}
	return func() { l.leave(names) }, nil
}

func (l *Ledger) enter(ctx context.Context, user string) error {
	l.mu.Lock()
	q := l.queues[user]
	if q == nil {
		q = &queue{busy: make(chan struct{}, 1)}
		l.queues[user] = q
	}
	q.waiting++
	l.mu.Unlock()

	select {
	case q.busy <- struct{}{}:
		return nil
	case <-ctx.Done():
		l.quit(user, q)
		return state.Errorf(state.Unavailable, "memory of "+user, "given up waiting for another commit: %w", ctx.Err())
	}
}

func (l *Ledger) leave(users []string) {
	for _, u := range users {
		l.mu.Lock()
		q := l.queues[u]
		l.mu.Unlock()
		<-q.busy
		l.quit(u, q)
	}
}

// quit forgets a queue that nobody needs any more.
func (l *Ledger) quit(user string, q *queue) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if q.waiting--; q.waiting == 0 {
		delete(l.queues, user)
	}
}
