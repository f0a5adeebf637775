package bolt

import (
	"context"
	"slices"
	"sync"

	"github.com/mneme-graph/mneme/state/store"
)

// queue commits concurrent requests in groups without a goroutine of its own. Whoever finds nobody at
// work leads: it commits everything that waits, its own included, answers the others and hands the lead
// to the first of those who came meanwhile. A lone request waits for nobody.
type queue struct {
	commit func(group []*request) // sets err of each; runs once at a time
	after  func()                 // what the leader tidies up when the group has its answers

	mu      sync.Mutex
	waiting []*request
	leading bool
}

// request is one Write or Delete in the queue.
type request struct {
	plan func(*stage) error // checks the request and, if it can be done, puts its changes on the stage
	err  error              // the outcome
	turn chan bool          // true: lead now; false: done, see err
}

// do returns the outcome of the request. A context that ends while the request still waits takes it
// back; once it is being committed, do waits for the outcome.
func (q *queue) do(ctx context.Context, plan func(*stage) error) error {
	r := &request{plan: plan, turn: make(chan bool, 1)}
	if !q.enter(r) && !q.await(ctx, r) {
		return r.err
	}
	group := q.take()
	q.commit(group)
	for _, other := range group {
		if other != r {
			other.turn <- false
		}
	}
	q.after()
	q.pass()
	return r.err
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

// await waits for the request's turn and reports whether it is to lead.
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

func (q *queue) take() []*request {
	q.mu.Lock()
	defer q.mu.Unlock()
	group := q.waiting
	q.waiting = nil
	return group
}

// pass hands the lead to the first who waits, or notes that nobody leads.
func (q *queue) pass() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		q.leading = false
		return
	}
	q.waiting[0].turn <- true
}
