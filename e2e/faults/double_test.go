package faults_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cloudwego/eino/schema"
	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

const crowd = 8

// message is the text of the n-th message of the crowd.
func message(n int) string { return fmt.Sprintf("message number %d of the crowd", n) }

// gated is a chat model that repeats the message, and stands still at each that somebody holds until it is let go or
// given up.
type gated struct {
	mu   sync.Mutex
	held map[string]*gate
}

type gate struct{ inside, leave chan struct{} }

// hold makes the model stand still at a message.
func (h *gated) hold(text string) *gate {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.held == nil {
		h.held = map[string]*gate{}
	}
	g := &gate{make(chan struct{}), make(chan struct{})}
	h.held[text] = g
	return g
}

func (h *gated) answer(ctx context.Context, question string, _ int) (*schema.Message, error) {
	h.mu.Lock()
	g := h.held[question]
	delete(h.held, question)
	h.mu.Unlock()
	if g != nil {
		close(g.inside)
		select {
		case <-g.leave:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return says("answer to " + question), nil
}

// waiting is a context that tells when somebody first waits for its end: then the message stands in the queue.
type waiting struct {
	context.Context
	once  sync.Once
	heard chan struct{}
}

func newWaiting(ctx context.Context) *waiting {
	return &waiting{Context: ctx, heard: make(chan struct{})}
}

func (w *waiting) Done() <-chan struct{} {
	w.once.Do(func() { close(w.heard) })
	return w.Context.Done()
}

// told is what became of a message.
type told struct {
	reply graph.Reply
	err   error
}

// send invokes a turn in the background.
func send(ctx context.Context, wg *sync.WaitGroup, g *graph.Graph, text string, policy state.DoubleTexting) *told {
	var out told
	wg.Go(func() { out.reply, out.err = g.Invoke(ctx, graph.Request{Text: text, DoubleTexting: policy}) })
	return &out
}

// place is a crowd's session over a store.
type place struct {
	store store.Store
	model gated
	graph *graph.Graph
	world *world
}

func newPlace(t *testing.T, d driver) *place {
	t.Helper()
	p := &place{store: d.fresh(t), world: newWorld()}
	p.graph = p.process(t, p.store)
	return p
}

func (p *place) process(t *testing.T, s store.Store) *graph.Graph {
	t.Helper()
	return p.world.open(t, s, func(c *graph.Config) { c.Model = chat(p.model.answer) })
}

func crowdDrivers() []driver {
	return []driver{ramDriver(), looseDriver(), folderDriver(), mongoDriver()}
}

func TestEnqueue(t *testing.T) {
	t.Parallel()
	for _, d := range crowdDrivers() {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, d)
			var wg sync.WaitGroup
			first := p.model.hold(message(1))
			all := []*told{send(t.Context(), &wg, p.graph, message(1), state.EnqueueTexting)}
			<-first.inside
			for n := 2; n <= crowd; n++ { // each comes when the one before it stands in the queue
				ctx := newWaiting(t.Context())
				all = append(all, send(ctx, &wg, p.graph, message(n), state.EnqueueTexting))
				<-ctx.heard
			}
			close(first.leave)
			wg.Wait()
			var want []string
			for i, one := range all {
				if one.err != nil || one.reply.Text != "answer to "+message(i+1) {
					t.Errorf("message %d: %q, %v", i+1, one.reply.Text, one.err)
				}
				want = append(want, fmt.Sprintf("%d user %s", 2*i+1, message(i+1)), fmt.Sprintf("%d assistant answer to %s", 2*i+2, message(i+1)))
			}
			same(t, "messages", want, said(t, p.graph, scope()))
			if n := line(t, p.graph, scope()); n != crowd {
				t.Errorf("the log has %d turns, want %d", n, crowd)
			}
		})
	}
}

// Two processes serve the session: who waits for the other looks again and again.
func TestEnqueueAcrossProcesses(t *testing.T) {
	t.Parallel()
	for _, d := range []driver{looseDriver(), mongoDriver()} {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, d)
			graphs := []*graph.Graph{p.graph, p.process(t, d.more(t, p.store))}
			var wg sync.WaitGroup
			all := make([]*told, crowd)
			for n := range crowd {
				all[n] = send(t.Context(), &wg, graphs[n%2], message(n+1), state.EnqueueTexting)
			}
			wg.Wait()
			for i, one := range all {
				if one.err != nil || one.reply.Text != "answer to "+message(i+1) {
					t.Errorf("message %d: %q, %v", i+1, one.reply.Text, one.err)
				}
			}
			for i, g := range graphs {
				list := said(t, g, scope())
				for n := 0; n+1 < len(list); n += 2 {
					_, question, _ := strings.Cut(list[n], " user ")
					if list[n+1] != fmt.Sprintf("%d assistant answer to %s", n+2, question) {
						t.Errorf("process %d: message %d is %q, after %q", i, n+2, list[n+1], list[n])
					}
				}
				if len(list) != 2*crowd {
					t.Errorf("process %d sees %d messages, want %d:\n%s", i, len(list), 2*crowd, strings.Join(list, "\n"))
				}
				if n := line(t, g, scope()); n != crowd {
					t.Errorf("process %d sees %d turns, want %d", i, n, crowd)
				}
			}
		})
	}
}

func TestReject(t *testing.T) {
	t.Parallel()
	for _, d := range crowdDrivers() {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, d)
			graphs := []*graph.Graph{p.graph}
			if d.more != nil {
				graphs = append(graphs, p.process(t, d.more(t, p.store)))
			}
			var wg, losers sync.WaitGroup
			first := p.model.hold(message(1))
			winner := send(t.Context(), &wg, p.graph, message(1), state.RejectTexting)
			<-first.inside
			before := dump(t, p.store)
			var refused atomic.Int64
			for n := 2; n <= crowd; n++ {
				losers.Go(func() {
					_, err := graphs[n%len(graphs)].Invoke(t.Context(), graph.Request{Text: message(n), DoubleTexting: state.RejectTexting})
					if errors.Is(err, state.ErrConflict) {
						refused.Add(1)
					} else {
						t.Errorf("message %d: %v, want a conflict", n, err)
					}
				})
			}
			losers.Wait()
			if diff := cmp.Diff(before, dump(t, p.store)); diff != "" || refused.Load() != crowd-1 {
				t.Errorf("%d were refused, and the store changed:\n%s", refused.Load(), diff)
			}
			close(first.leave)
			wg.Wait()
			want := []string{"1 user " + message(1), "2 assistant answer to " + message(1)}
			if diff := cmp.Diff(want, said(t, p.graph, scope())); diff != "" || winner.err != nil {
				t.Errorf("the winner: %v, messages (-want +got):\n%s", winner.err, diff)
			}
			if n := line(t, p.graph, scope()); n != 1 {
				t.Errorf("the log has %d turns, want 1", n)
			}
		})
	}
}

// crowdIn sends each message when the one before it is with the model, and returns what became of all.
func (p *place) crowdIn(t *testing.T, policy state.DoubleTexting) []*told {
	t.Helper()
	var wg sync.WaitGroup
	var all []*told
	for n := 1; n <= crowd; n++ {
		at := p.model.hold(message(n))
		all = append(all, send(t.Context(), &wg, p.graph, message(n), policy))
		<-at.inside
		if n == crowd {
			close(at.leave)
		}
	}
	wg.Wait()
	return all
}

func TestInterrupt(t *testing.T) {
	t.Parallel()
	for _, d := range crowdDrivers() {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, d)
			all := p.crowdIn(t, state.InterruptTexting)
			var want []string
			for i, one := range all {
				want = append(want, fmt.Sprintf("%d user %s", i+1, message(i+1)))
				if i < crowd-1 && (one.reply.Text != "" || !errors.Is(one.err, state.ErrConflict)) {
					t.Errorf("message %d: %q, %v, want no answer and a conflict", i+1, one.reply.Text, one.err)
				}
			}
			want = append(want, fmt.Sprintf("%d assistant answer to %s", crowd+1, message(crowd)))
			if last := all[crowd-1]; last.err != nil || last.reply.Text != "answer to "+message(crowd) {
				t.Errorf("the newest message: %q, %v", last.reply.Text, last.err)
			}
			same(t, "messages", want, said(t, p.graph, scope()))
			if n := line(t, p.graph, scope()); n != crowd {
				t.Errorf("the log has %d turns, want %d", n, crowd)
			}
		})
	}
}

// All but the first come while the first is being stopped: they stand in the queue, and each is answered in order.
func TestInterruptInABurst(t *testing.T) {
	t.Parallel()
	p := newPlace(t, ramDriver())
	var wg sync.WaitGroup
	first := p.model.hold(message(1))
	all := []*told{send(t.Context(), &wg, p.graph, message(1), state.InterruptTexting)}
	<-first.inside
	for n := 2; n <= crowd; n++ {
		all = append(all, send(t.Context(), &wg, p.graph, message(n), state.InterruptTexting))
	}
	wg.Wait()
	if !errors.Is(all[0].err, state.ErrConflict) || all[0].reply.Text != "" {
		t.Errorf("the first: %q, %v", all[0].reply.Text, all[0].err)
	}
	list := said(t, p.graph, scope())
	for i, one := range all[1:] {
		answered := one.err == nil && one.reply.Text == "answer to "+message(i+2)
		stopped := errors.Is(one.err, state.ErrConflict) && one.reply.Text == ""
		if !answered && !stopped {
			t.Errorf("message %d: %q, %v", i+2, one.reply.Text, one.err)
		}
	}
	kept := 0
	for _, m := range list {
		if strings.Contains(m, " user ") {
			kept++
		}
	}
	if n := line(t, p.graph, scope()); n != crowd || kept != crowd || !strings.Contains(list[len(list)-1], "assistant") {
		t.Errorf("%d turns, %d messages of the user, want %d of each, and an answer at the end:\n%s", n, kept, crowd, strings.Join(list, "\n"))
	}
}

func TestRollback(t *testing.T) {
	t.Parallel()
	for _, d := range crowdDrivers() {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, d)
			all := p.crowdIn(t, state.RollbackTexting)
			for i, one := range all[:crowd-1] {
				if one.reply.Text != "" || !errors.Is(one.err, state.ErrConflict) {
					t.Errorf("message %d: %q, %v, want no answer and a conflict", i+1, one.reply.Text, one.err)
				}
			}
			if last := all[crowd-1]; last.err != nil || last.reply.Text != "answer to "+message(crowd) {
				t.Errorf("the newest message: %q, %v", last.reply.Text, last.err)
			}
			_, question, _ := strings.Cut(said(t, p.graph, scope())[0], " user ")
			if list := said(t, p.graph, scope()); len(list) != 2 || question != message(crowd) {
				t.Errorf("messages: %q", list)
			}
			affairs, err := p.graph.Memory().Affairs().List(t.Context(), scope(), true)
			must(t, err)
			for _, a := range affairs { // those that a turn which was taken back has opened are in the archive
				if (a.Status != state.Archived || a.Messages != 0) && (a.Status != state.Active || a.Messages != 2) {
					t.Errorf("affair %s is %s with %d messages", a.Title, a.Status, a.Messages)
				}
			}
		})
	}
}
