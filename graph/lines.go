package graph

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/mneme-graph/mneme/state"
)

// lines lets the turns of one session in one by one, and tells the one that runs when another wants its place. Once it is
// closed no call begins any more.
type lines struct {
	mu     sync.Mutex
	by     map[string]*line
	closed bool           // no call begins
	over   chan struct{}  // closed with it: the calls at work end
	work   sync.WaitGroup // calls that have begun
}

// line is a session with a turn.
type line struct {
	run  *running
	wait []waiting // who comes next, in order
}

// waiting is a call that waits for a session; it is handed its place.
type waiting struct {
	turn  string
	place chan *running
}

// running is the call that has the session.
type running struct {
	turn string        // its turn, where the caller chose the id
	stop *state.Stop   // used when it is to end
	done chan struct{} // closed when it has left the session; reply is set by then

	told  told  // its events, for who follows it
	reply Reply // with err, what it came to
	err   error
	why   state.DoubleTexting // what the one that wants its place asked for; under lines.mu
}

// retrySoon is when a session that is busy here may be asked again: most turns take a few seconds.
const retrySoon = time.Second

// enter waits for the session as the policy says. A second turn is state.ErrConflict with reject, else it waits its
// turn; interrupt and rollback tell the one that runs to end. One and the same turn, sent again, always waits.
func (l *lines) enter(ctx context.Context, key, turn string, policy state.DoubleTexting) (*running, error) {
	l.mu.Lock()
	if l.by == nil {
		l.by = map[string]*line{}
	}
	at := l.by[key]
	if at == nil {
		mine := l.newRunning(turn)
		l.by[key] = &line{run: mine}
		l.mu.Unlock()
		return mine, nil
	}

	// Another call has the session: refuse, or tell it to end, and wait.
	same := turn != "" && turn == at.run.turn
	if policy == state.RejectTexting && !same {
		l.mu.Unlock()
		return nil, busyError(key)
	}
	if policy != state.EnqueueTexting && !same && at.run.why == "" {
		at.run.why = policy
		at.run.stop.Now(errNewer)
	}
	mine := waiting{turn, make(chan *running, 1)}
	at.wait = append(at.wait, mine)
	l.mu.Unlock()
	select {
	case run := <-mine.place:
		return run, nil
	case <-ctx.Done():
		l.quit(key, mine)
		return nil, state.Errorf(state.Unavailable, "session "+key, "given up waiting for another turn: %w", ctx.Err())
	}
}

func busyError(key string) error {
	err := state.Errorf(state.Conflict, "session "+key, "is busy with another turn; wait for its reply and send again, or set double_texting to enqueue")
	err.RetryAfter = retrySoon
	return err
}

// newRunning makes the next call that has a session. The caller holds the lock.
func (l *lines) newRunning(turn string) *running {
	return &running{turn: turn, stop: state.NewStop(), done: make(chan struct{})}
}

// quit leaves the queue; who was let in meanwhile lets the next one in.
func (l *lines) quit(key string, mine waiting) {
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
	close(at.run.done)
	if len(at.wait) == 0 {
		delete(l.by, key)
		return
	}
	next := at.wait[0]
	at.wait = at.wait[1:]
	at.run = l.newRunning(next.turn)
	next.place <- at.run
}

// stopRunning tells the call that has the session to end, and returns it; nil = none has.
func (l *lines) stopRunning(key string, reason error) *running {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.by[key]
	if at == nil {
		return nil
	}
	at.run.stop.Now(reason)
	return at.run
}

// find returns the call that has the session, nil = none; next is true if the turn's waits for its place.
func (l *lines) find(key, turn string) (run *running, next bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.by[key]
	if at == nil {
		return nil, false
	}
	return at.run, slices.ContainsFunc(at.wait, func(w waiting) bool { return w.turn == turn })
}

// isClosed reports whether the calls at work are to end.
func (l *lines) isClosed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closed
}

// begin counts a call, which calls done at its end; a closed graph is state.ErrUnavailable.
func (l *lines) begin() (done func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, errClosed
	}
	l.work.Add(1)
	return l.work.Done, nil
}

// close ends all calls, those that still wait too, and names the sessions that had one; false = it was closed before.
func (l *lines) close() (keys []string, first bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if first = !l.closed; first {
		l.closed = true
		close(l.over)
	}
	for key := range l.by {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys, first
}

// wait waits for the calls at work, but no longer than the bound; true = all are done.
func (l *lines) wait(bound <-chan time.Time) bool {
	idle := make(chan struct{})
	go func() {
		defer close(idle)
		l.work.Wait()
	}()
	select {
	case <-idle:
		return true
	case <-bound:
		return false
	}
}

// askedPolicy returns what the message that wants the call's place asked for, "" when there is none.
func (l *lines) askedPolicy(r *running) state.DoubleTexting {
	l.mu.Lock()
	defer l.mu.Unlock()
	return r.why
}
