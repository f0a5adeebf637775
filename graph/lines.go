package graph

import (
	"context"
	"slices"
	"sync"

	"github.com/mneme-graph/mneme/state"
)

// lines lets the turns of one session in one by one, and tells the one that runs when another wants its place.
type lines struct {
	mu sync.Mutex
	by map[string]*line
}

// line is a session with a turn.
type line struct {
	run  *running
	wait []chan *running // who comes next, in order; each is handed its turn
}

// running is the turn that has the session.
type running struct {
	stop chan struct{}       // closed when it is to end
	why  state.DoubleTexting // what the one that wants its place asked for; set before stop is closed
}

// enter waits for the session as the policy says. A second turn is state.ErrConflict with reject, else it waits its
// turn; interrupt and rollback tell the one that runs to end.
func (l *lines) enter(ctx context.Context, key string, policy state.DoubleTexting) (*running, error) {
	l.mu.Lock()
	if l.by == nil {
		l.by = map[string]*line{}
	}
	at := l.by[key]
	if at == nil {
		mine := &running{stop: make(chan struct{})}
		l.by[key] = &line{run: mine}
		l.mu.Unlock()
		return mine, nil
	}
	if policy == state.RejectTexting {
		l.mu.Unlock()
		return nil, state.Errorf(state.Conflict, "session "+key, "is busy with another turn; wait for its reply and send again, or set double_texting to enqueue")
	}
	if policy != state.EnqueueTexting && at.run.why == "" {
		at.run.why = policy
		close(at.run.stop)
	}
	mine := make(chan *running, 1)
	at.wait = append(at.wait, mine)
	l.mu.Unlock()
	select {
	case run := <-mine:
		return run, nil
	case <-ctx.Done():
		l.quit(key, mine)
		return nil, state.Errorf(state.Unavailable, "session "+key, "given up waiting for another turn: %w", ctx.Err())
	}
}

// quit leaves the queue; who was let in meanwhile lets the next one in.
func (l *lines) quit(key string, mine chan *running) {
	l.mu.Lock()
	at := l.by[key]
	i := slices.Index(at.wait, mine)
	if i >= 0 {
		at.wait = slices.Delete(at.wait, i, i+1)
	}
	l.mu.Unlock()
	if i < 0 {
		l.leave(key)
	}
}

// leave hands the session to whoever waits longest.
func (l *lines) leave(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.by[key]
	if len(at.wait) == 0 {
		delete(l.by, key)
		return
	}
	next := at.wait[0]
	at.wait = at.wait[1:]
	at.run = &running{stop: make(chan struct{})}
	next <- at.run
}

// stopped is why the turn was told to end, "" when it was not.
func (r *running) stopped() state.DoubleTexting {
	select {
	case <-r.stop:
		return r.why
	default:
		return ""
	}
}
