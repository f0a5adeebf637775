package vectors

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/state"
)

// nameBytes is what a name takes on a pile, besides its letters.
const nameBytes = 160

// queue is what waits for vectors, by owner.
type queue struct {
	now   func() time.Time
	sleep func(ctx context.Context, pause time.Duration) error
	first time.Duration // pause after a first failure
	limit int64         // bytes of names

	mu       sync.Mutex
	owners   map[index.Owner]*pile
	bytes    int64                // of all names
	met      map[index.Owner]bool // compared, or going to be
	failure  error
	pause    time.Duration // of the last failure in a row
	resting  bool          // nobody tries before a worker has slept the pause
	sleeping bool
	closed   bool
	wake     chan struct{} // closed and replaced when there may be something to do
	changed  chan struct{} // closed and replaced when something was done, or failed
}

func newQueue(c Config) *queue {
	return &queue{
		now: c.Now, sleep: c.Sleep, first: c.Pause, limit: c.Buffer,
		owners: map[index.Owner]*pile{}, met: map[index.Owner]bool{}, wake: make(chan struct{}), changed: make(chan struct{}),
	}
}

// pileOf returns the owner's pile, made if need be. The caller holds the lock.
func (q *queue) pileOf(o index.Owner) *pile {
	p := q.owners[o]
	if p == nil {
		p = &pile{names: map[string]due{}, since: q.now()}
		q.owners[o] = p
	}
	return p
}

// meet has an owner compared whom this process has not met.
func (q *queue) meet(o index.Owner) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.meetLocked(o)
}

func (q *queue) meetLocked(o index.Owner) {
	if q.met[o] {
		return
	}
	q.met[o] = true
	q.pileOf(o).compare++
	q.signal(&q.wake)
}

// add puts names on the owner's pile; the nearer of two deadlines counts.
func (q *queue) add(o index.Owner, by time.Time, ids []string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.meetLocked(o)
	p := q.pileOf(o)
	for _, id := range ids {
		if p.add(id, by, q.now()) {
			q.bytes += nameBytes + int64(len(id))
		}
	}
	if q.bytes > q.limit { // comparing finds them again
		q.bytes -= p.bytes()
		p.compare++
		p.flooded = true
		p.names, p.order = map[string]due{}, nil
	}
	q.signal(&q.wake)
}

// forgetAll has every owner compared again: the index is gone.
func (q *queue) forgetAll() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for o := range q.met {
		q.pileOf(o).compare++
	}
	q.signal(&q.wake)
}

// job is a piece of work: names of one owner, or, without names, comparing everything of the owner.
type job struct {
	owner   index.Owner
	names   map[string]due // as they were when taken
	compare int            // as it was
}

// take waits for work and takes the most urgent: at most limit names of the owner whose deadline is nearest; comparing
// comes when no name waits. It returns false when the queue is closed.
func (q *queue) take(ctx context.Context, limit int) (job, bool) {
	for {
		q.mu.Lock()
		switch {
		case q.closed:
			q.mu.Unlock()
			return job{}, false
		case q.resting && !q.sleeping:
			q.rest(ctx)
			continue
		case !q.resting:
			if j, ok := q.urgent(limit); ok {
				q.mu.Unlock()
				return j, true
			}
		}
		wake := q.wake
		q.mu.Unlock()
		select {
		case <-wake:
		case <-ctx.Done():
			return job{}, false
		}
	}
}

// rest sleeps the pause on behalf of everybody. It is called with the lock and returns without.
func (q *queue) rest(ctx context.Context) {
	q.sleeping = true
	pause := q.pause
	q.mu.Unlock()
	err := q.sleep(ctx, pause)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.sleeping, q.resting = false, false
	q.closed = q.closed || err != nil
	q.signal(&q.wake)
}

// urgent takes the most urgent work. The caller holds the lock.
func (q *queue) urgent(limit int) (job, bool) {
	var best index.Owner
	var bestBy time.Time
	found := false
	for o, p := range q.owners {
		by, ok := p.next()
		switch {
		case p.taken:
		case !ok && p.compare == 0:
			delete(q.owners, o)
		case !ok && found:
		case !found || ok && (bestBy.IsZero() || by.Before(bestBy)):
			best, bestBy, found = o, by, true
		}
	}
	if !found {
		return job{}, false
	}
	p := q.owners[best]
	p.taken = true
	return job{best, p.take(limit), p.compare}, true
}

// hold waits until no worker has the owner, and keeps them away until release.
func (q *queue) hold(ctx context.Context, o index.Owner) error {
	for {
		q.mu.Lock()
		p := q.pileOf(o)
		if !p.taken {
			p.taken = true
			q.mu.Unlock()
			return nil
		}
		changed := q.changed
		q.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return state.Errorf(state.Unavailable, "vectors of "+o.User, "given up waiting for a worker: %w", ctx.Err())
		}
	}
}

func (q *queue) release(o index.Owner) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.pileOf(o).taken = false
	q.signal(&q.wake)
	q.signal(&q.changed)
}

// finish gives a job back: what it did is off the pile unless it was given again meanwhile; after a failure
// everything stays, and everybody pauses.
func (q *queue) finish(j job, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	p := q.owners[j.owner]
	p.taken = false
	q.bytes -= p.back(j, err == nil)
	q.note(err)
	q.signal(&q.wake)
	q.signal(&q.changed)
}

// went notes how an attempt of a reader went.
func (q *queue) went(err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.note(err)
	if err != nil {
		q.signal(&q.wake) // somebody has to sleep
	}
}

func (q *queue) note(err error) {
	q.failure = err
	if err == nil {
		q.pause = 0
		return
	}
	if !q.resting {
		q.pause = min(max(2*q.pause, q.first), 64*q.first)
		q.resting = true
	}
}

// rests returns what went wrong if it is too soon to try again.
func (q *queue) rests() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.resting {
		return q.failure
	}
	return nil
}

// watch returns nil for changed if none of the names waits; else what went wrong last and a channel that is closed at the
// next change.
func (q *queue) watch(o index.Owner, ids []string) (changed <-chan struct{}, failure error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	p := q.owners[o]
	if p == nil || !slices.ContainsFunc(ids, p.late) {
		return nil, nil
	}
	return q.changed, q.obstacle()
}

// late returns the owner's names that wait, nil if none does.
func (q *queue) late(o index.Owner) map[string]bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	p := q.owners[o]
	if p == nil || len(p.names) == 0 {
		return nil
	}
	out := make(map[string]bool, len(p.names))
	for id := range p.names {
		out[id] = true
	}
	return out
}

// settled returns nil for changed if nothing of the owner waits or is worked on; else as watch.
func (q *queue) settled(o index.Owner) (changed <-chan struct{}, failure error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	p := q.owners[o]
	if p == nil || len(p.names) == 0 && p.compare == 0 && !p.taken {
		return nil, nil
	}
	return q.changed, q.obstacle()
}

// obstacle returns why what waits may wait for long. The caller holds the lock.
func (q *queue) obstacle() error {
	if q.closed {
		return state.Errorf(state.Unavailable, "vectors", "are closed: what waits gets its vectors at the next opening")
	}
	return q.failure
}

// waiting lists those of the names that wait.
func (q *queue) waiting(o index.Owner, ids []string) map[string]bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.meetLocked(o)
	out := map[string]bool{}
	for _, id := range ids {
		if p := q.owners[o]; p != nil && p.late(id) {
			out[id] = true
		}
	}
	return out
}

func (q *queue) status() Status {
	q.mu.Lock()
	defer q.mu.Unlock()
	s := Status{Failure: q.failure, Bytes: q.bytes}
	first := func(t time.Time) {
		if s.Since.IsZero() || t.Before(s.Since) {
			s.Since = t
		}
	}
	for _, p := range q.owners {
		s.Waiting += len(p.names)
		for _, d := range p.names {
			first(d.since)
		}
		if p.compare > 0 {
			s.Waiting++
			first(p.since)
		}
	}
	return s
}

func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.signal(&q.wake)
	q.signal(&q.changed)
}

// signal wakes everybody who waits on the channel. The caller holds the lock.
func (q *queue) signal(c *chan struct{}) {
	close(*c)
	*c = make(chan struct{})
}
