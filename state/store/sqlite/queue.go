package sqlite

import (
	"context"
	"slices"
	"sync"

	"zombiezen.com/go/sqlite"

	"github.com/mneme-graph/mneme/state/store"
)

// queue lets concurrent requests share a transaction without a goroutine of its own. Whoever finds nobody at work
// leads: it waits for the database, commits everything that has come by then, answers the others and hands the
// lead to the first of those who came meanwhile. A lone request waits for nobody.
type queue struct {
	mu      sync.Mutex
	waiting []*request
	leading bool
}

// request is one Write or Delete in the queue.
type request struct {
	run  func(*sqlite.Conn) error // makes the changes; a conflict undoes them
	err  error                    // the outcome
	turn chan bool                // true: lead now; false: done, see err
}

// enter queues the request and reports whether it is to lead at once.
func (q *queue) enter(r *request) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, r)
	lead := !q.leading
	q.leading = true
	return lead
}

// await waits for the request's turn and reports whether it is to lead. A context that ends while the request
// still waits takes it back; once it is being committed, await waits for the outcome.
func (q *queue) await(ctx context.Context, r *request) bool {
	select {
	case lead := <-r.turn:
		return lead
	case <-ctx.Done():
		if q.withdraw(r) {
			r.err = store.Cancelled(ctx)
			return false
		}
		return <-r.turn
	}
}

// withdraw takes back a request that no leader has taken and that was not told to lead.
func (q *queue) withdraw(r *request) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.waiting, r)
	if i < 0 || len(r.turn) > 0 {
		return false
	}
	q.waiting = slices.Delete(q.waiting, i, i+1)
	return true
}

// take returns all that wait, the leader's own request included.
func (q *queue) take() []*request {
	q.mu.Lock()
	defer q.mu.Unlock()
	group := q.waiting
	q.waiting = nil
	return group
}

// pass hands the lead to the first who waits besides the leader, or notes that nobody leads.
func (q *queue) pass(leader *request) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = slices.DeleteFunc(q.waiting, func(r *request) bool { return r == leader })
	if len(q.waiting) == 0 {
		q.leading = false
		return
	}
	q.waiting[0].turn <- true
}
