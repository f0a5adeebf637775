package serve

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/state"
)

// runs are the turns at work here, and for a while those that have ended, each with its events.
type runs struct {
	now  func() time.Time
	busy sync.WaitGroup

	mu   sync.Mutex
	of   map[string]*run
	over []*run // in the order in which they ended
}

// What is kept of runs that have ended, for clients that take a stream up.
const (
	keptFor  = 2 * time.Minute
	keptMost = 512
)

func newRuns(now func() time.Time) *runs { return &runs{now: now, of: map[string]*run{}} }

// run is one turn at work with its events, which are numbered from 1. Any number of readers follow it.
type run struct {
	key     string // session and message
	session string
	id      string // the turn's
	sum     string // of what was asked
	first   int64  // number before its first event: where a client that takes up another process's stream stands

	mu     sync.Mutex
	events []runEvent
	reply  *graph.Reply
	err    error
	ended  time.Time
	heard  bool          // somebody has had its end
	wake   chan struct{} // closed when there is more
}

// runEvent is an event as it came, and as it is sent.
type runEvent struct {
	name  string
	data  []byte // JSON, one line
	event graph.Event
	err   error
}

// start runs a turn under a key, unless one is at work under it: then it returns that. Leave is called when there is no more to do.
func (r *runs) start(key string, n *run, events iter.Seq2[graph.Event, error], leave func()) *run {
	r.mu.Lock()
	r.sweep()
	if known := r.of[key]; known != nil && known.atWork() {
		r.mu.Unlock()
		leave()
		return known
	}
	n.key = key
	r.of[key] = n
	r.busy.Add(1)
	r.mu.Unlock()

	go func() {
		defer r.busy.Done()
		defer leave()
		for e, err := range events {
			n.add(e, err)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		n.mu.Lock()
		n.ended = r.now()
		n.mu.Unlock()
		r.over = append(r.over, n)
		r.sweep()
	}()
	return n
}

func runKey(scope state.Scope, id string) string { return scope.SessionKey() + "/" + id }

// find returns the run of a message, nil when it is not known here any more.
func (r *runs) find(scope state.Scope, id string) *run {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sweep()
	return r.of[runKey(scope, id)]
}

// sweep drops runs that ended long ago, and the first of too many.
func (r *runs) sweep() {
	n := max(0, len(r.over)-keptMost)
	for n < len(r.over) && r.now().Sub(r.over[n].ended) > keptFor {
		n++
	}
	for _, old := range r.over[:n] {
		if r.of[old.key] == old {
			delete(r.of, old.key)
		}
	}
	r.over = slices.Delete(r.over, 0, n)
}

// wait waits until no turn is at work.
func (r *runs) wait(ctx context.Context) error {
	done := make(chan struct{})
	go func() { r.busy.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// hear notes that a client has had the end of a run.
func (n *run) hear() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.heard = true
}

func (n *run) wasHeard() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.heard
}

func (n *run) atWork() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.ended.IsZero()
}

// add takes an event in. The last one has the reply, or the error.
func (n *run) add(e graph.Event, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	seq := n.first + int64(len(n.events)) + 1
	out := TurnEvent{Event: string(e.Name), Run: n.id, Seq: seq, Attempt: e.Attempt, Node: e.Node, Text: e.Text, Tool: e.Tool, Call: e.Call, Ms: e.Took.Milliseconds()}
	if e.Decision != nil {
		d := decisionOf(*e.Decision)
		out.Decision = &d
	}
	if e.Question != nil {
		q := questionOf(*e.Question)
		out.Question = &q
	}
	if e.Reply != nil && e.Reply.Turn != "" {
		out.Reply = replyOf(n.session, *e.Reply)
	}
	if err != nil && !wasCut(e.Reply, err) {
		out.Problem = problemOf(err)
	}
	if n.first > 0 && out.Attempt == "" { // what was said under another process's numbers is said again
		out.Attempt = "again"
	}
	if e.Name == state.RunEnd {
		n.reply, n.err = e.Reply, err
	}
	data, broken := json.Marshal(out)
	if broken != nil {
		data = []byte(`{}`) // its parts are texts and numbers
	}
	n.events = append(n.events, runEvent{string(e.Name), data, e, err})
	close(n.wake)
	n.wake = make(chan struct{})
}

// wasCut reports whether a turn was stopped in order: what was said so far is its reply, and nothing is wrong.
func wasCut(reply *graph.Reply, err error) bool {
	return reply != nil && reply.Cut && state.CodeOf(err) == state.Unavailable
}

// from returns the events behind a number, whether they are all, and what is closed when there are more.
func (n *run) from(seq int64) (events []runEvent, first int64, over bool, more <-chan struct{}) {
	n.mu.Lock()
	defer n.mu.Unlock()
	at := min(max(seq-n.first, 0), int64(len(n.events)))
	over = len(n.events) > 0 && n.events[len(n.events)-1].name == string(state.RunEnd)
	return n.events[at:len(n.events):len(n.events)], n.first + at + 1, over, n.wake
}

// came returns what the run came to.
func (n *run) came() (graph.Reply, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.reply == nil {
		return graph.Reply{}, n.err
	}
	return *n.reply, n.err
}

// end waits for the last event.
func (n *run) end(ctx context.Context) (graph.Reply, error) {
	for {
		_, _, over, more := n.from(0)
		if over {
			return n.came()
		}
		select {
		case <-more:
		case <-ctx.Done():
			return graph.Reply{}, state.Errorf(state.Unavailable, "turn "+n.id, "goes on without its client; send the message again for its reply: %w", ctx.Err())
		}
	}
}
