package flow_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/field"
	"github.com/mneme-graph/mneme/state/store/ram"
	"github.com/mneme-graph/mneme/state/store/storetest"
)

// waits is a clock whose timers go off at once, but for the first so many, which never do.
type waits struct {
	mu     sync.Mutex
	asked  []time.Duration
	never  int
	called chan struct{} // one for each timer; nil = nobody counts
}

func (w *waits) after(d time.Duration) <-chan time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = append(w.asked, d)
	if w.called != nil {
		w.called <- struct{}{}
	}
	c := make(chan time.Time, 1)
	if len(w.asked) > w.never {
		c <- time.Time{}
	}
	return c
}

var errServer = state.Errorf(state.Unavailable, "server", "is down")

// A node is tried again as often as its Retry says, for the errors that it says, with waits that double; what it had committed
// from inside is not done again, and edits of memory that came to nothing are dropped.
func TestRetry(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		retry flow.Retry
		err   error
		fails int
		runs  int
		waits []time.Duration // at most; at least half of it
		want  error
	}{
		"once":         {flow.Retry{}, errServer, 1, 1, nil, errServer},
		"until well":   {flow.Retry{Attempts: 5}, errServer, 3, 4, []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second}, nil},
		"too often":    {flow.Retry{Attempts: 2, First: time.Second}, errServer, 9, 2, []time.Duration{time.Second}, errServer},
		"bounded wait": {flow.Retry{Attempts: 4, First: time.Second, Max: time.Second}, errServer, 9, 4, []time.Duration{time.Second, time.Second, time.Second}, errServer},
		"other error":  {flow.Retry{Attempts: 3}, errBoom, 1, 1, nil, errBoom},
		"named error":  {flow.Retry{Attempts: 3, If: func(err error) bool { return errors.Is(err, errBoom) }}, errBoom, 1, 2, []time.Duration{time.Second}, nil},
		"comes later":  {flow.Retry{Attempts: 2}, &state.Error{Code: state.Unavailable, RetryAfter: time.Hour}, 1, 2, []time.Duration{time.Hour}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var did tally
			n := flow.Node[trip]{Name: "a", Retry: tt.retry, Run: func(ctx context.Context, s trip) (trip, error) {
				if s.Trail.Len() == 0 {
					did.add("part")
					s.Trail.Add("part")
					var err error
					if s, err = flow.Commit(ctx, s); err != nil {
						return s, err
					}
				}
				pay(ctx, "x")
				if did.add("a") <= tt.fails {
					s.Trail.Add("lost")
					return s, tt.err
				}
				s.Trail.Add("a")
				return s, nil
			}}
			clock, s := &waits{}, ram.New()
			end, err := compile(t, chain(n), flow.Config[trip]{Log: newLog(s), After: clock.after}).Invoke(t.Context(), thread("x"), "t1", trip{})
			wantErr(t, "Invoke", err, tt.want)
			same(t, "runs", map[string]int{"part": 1, "a": tt.runs}, did.all())
			if tt.want == nil {
				same(t, "trail", []string{"part", "a"}, end.Trail.Items())
				same(t, "effects", map[string]int{"x": 1}, paid(t, s))
			}
			if len(clock.asked) != len(tt.waits) {
				t.Fatalf("waits %v, want %v", clock.asked, tt.waits)
			}
			for i, d := range clock.asked {
				if d > tt.waits[i] || d < tt.waits[i]/4 {
					t.Errorf("wait %d is %s, want up to %s", i+1, d, tt.waits[i])
				}
			}
		})
	}
}

// A question, a failed commit and the end of the context are not tried again; items are, each for itself.
func TestRetryNot(t *testing.T) {
	t.Parallel()
	always := flow.Retry{Attempts: 3, If: func(error) bool { return true }}
	clock := &waits{}
	run := func(ctx context.Context, n flow.Node[trip], s *storetest.Faulty) error {
		n.Name, n.Retry = "a", always
		_, err := compile(t, chain(n), flow.Config[trip]{Log: newLog(s), After: clock.after}).Invoke(ctx, thread("x"), "t1", trip{})
		return err
	}
	calm := func() *storetest.Faulty { return storetest.Wrap(ram.New(), nil) }
	var did tally
	err := run(t.Context(), flow.Node[trip]{Run: func(ctx context.Context, s trip) (trip, error) {
		did.add("asks")
		_, err := state.AskPerson(ctx, state.Question{Text: "?"})
		return s, err
	}}, calm())
	wantErr(t, "asks", err, state.ErrWaits)
	ctx, cancel := context.WithCancel(t.Context())
	err = run(ctx, flow.Node[trip]{Run: func(ctx context.Context, s trip) (trip, error) {
		did.add("cancelled")
		cancel()
		return s, ctx.Err()
	}}, calm())
	wantErr(t, "cancelled", err, context.Canceled)
	broken := storetest.Wrap(ram.New(), storetest.Failing(func(c *storetest.Call) storetest.Fault {
		if c.N > 2 {
			return storetest.Refused
		}
		return ""
	}))
	err = run(t.Context(), flow.Node[trip]{Run: func(ctx context.Context, s trip) (trip, error) {
		did.add("broken")
		s.Trail.Add("x")
		return flow.Commit(ctx, s)
	}}, broken)
	wantErr(t, "broken", err, state.ErrUnavailable)
	err = run(t.Context(), flow.Node[trip]{Items: func(trip) int { return 2 }, Run: func(ctx context.Context, s trip) (trip, error) {
		if did.add(fmt.Sprint("item ", flow.At(ctx).Item)) < 3 {
			return s, errBoom
		}
		return s, nil
	}}, calm())
	wantErr(t, "items", err, nil)
	same(t, "runs", map[string]int{"asks": 1, "cancelled": 1, "broken": 1, "item 1": 3, "item 2": 3}, did.all())
}

// A node that takes too long ends with an error that says so; what it brings all the same counts; it may be tried again.
func TestTimeout(t *testing.T) {
	t.Parallel()
	hang := func(ctx context.Context, s trip) (trip, error) {
		<-ctx.Done()
		s.Trail.Add("late")
		return s, ctx.Err()
	}
	clock := &waits{}
	_, err := compile(t, chain(flow.Node[trip]{Name: "a", Timeout: time.Minute, Run: hang}), flow.Config[trip]{Log: newLog(ram.New()), After: clock.after}).
		Invoke(t.Context(), thread("x"), "t1", trip{})
	wantErr(t, "Invoke", err, state.ErrUnavailable)
	if errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "node a: did not end within 1m0s") {
		t.Errorf("error: %v", err)
	}
	stubborn := func(ctx context.Context, s trip) (trip, error) {
		s, _ = hang(ctx, s)
		return s, nil
	}
	end, err := compile(t, chain(flow.Node[trip]{Name: "a", Timeout: time.Minute, Run: stubborn}), flow.Config[trip]{Log: newLog(ram.New()), After: clock.after}).
		Invoke(t.Context(), thread("x"), "t1", trip{})
	wantErr(t, "stubborn", err, nil)
	same(t, "trail", []string{"late"}, end.Trail.Items())
}

// A node that commits, emits or calls a graph whose nodes end is alive; then it is not.
func TestIdle(t *testing.T) {
	t.Parallel()
	clock := &waits{never: 4, called: make(chan struct{})}
	log := newLog(ram.New())
	var did tally
	inner := compile(t, chain(mark(&did, "in")), flow.Config[trip]{Log: log})
	n := flow.Node[trip]{Name: "a", Idle: time.Second, Run: func(ctx context.Context, s trip) (trip, error) {
		<-clock.called
		s.Trail.Add("a")
		s, err := flow.Commit(ctx, s)
		<-clock.called
		state.Emit(ctx, state.Event{Name: state.TokenEvent, Text: "word"})
		<-clock.called
		if _, err := flow.Call(ctx, inner, "in", trip{}); err != nil {
			return s, err
		}
		<-clock.called
		state.Emit(ctx, state.Event{Name: state.TokenEvent, Text: "last"})
		<-clock.called
		<-ctx.Done()
		return s, errors.Join(err, ctx.Err())
	}}
	var heard []string
	ctx := state.ContextWithEvents(t.Context(), func(e state.Event) { heard = append(heard, e.Text) })
	_, err := compile(t, chain(n), flow.Config[trip]{Log: log, After: clock.after}).Invoke(ctx, thread("x"), "t1", trip{})
	wantErr(t, "Invoke", err, state.ErrUnavailable)
	if !strings.Contains(err.Error(), "node a: showed no sign of life for 1s") {
		t.Errorf("error: %v", err)
	}
	same(t, "events", []string{"word", "last"}, heard)
}

// A result is used again under its key, in other turns and threads of the client, with the state that is there then; not for
// another client, and not when the node had an effect besides.
func TestKey(t *testing.T) {
	t.Parallel()
	var did tally
	s := ram.New()
	b := flow.NewBuilder[trip]("kept")
	b.AddNode(flow.Node[trip]{Name: "a", Key: func(s trip) string { return s.Note.Get() }, Goto: []string{"z", flow.End}, Run: func(ctx context.Context, s trip) (trip, error) {
		did.add(s.Note.Get())
		if s.Note.Get() == "paid" {
			pay(ctx, "x")
		}
		s.Trail.Add("for " + s.Note.Get())
		s.Sum.Add(2)
		return flow.Goto(ctx, s, "z")
	}})
	b.AddNode(mark(&did, "z"))
	edges(b, [2]string{flow.Start, "a"}, [2]string{"z", flow.End})
	g := compile(t, b, flow.Config[trip]{Log: newLog(s), Results: 2})
	for i, tt := range []struct {
		client, thread, note string
		runs                 int
		trail                string
	}{
		{"c", "x", "one", 1, "for one z"},
		{"c", "x", "one", 1, "for one z for one z"},
		{"c", "y", "one", 1, "for one z"},
		{"d", "y", "one", 2, "for one z"},
		{"c", "y", "paid", 1, "for one z for paid z"},
		{"c", "y", "paid", 2, "for one z for paid z for paid z"},
		{"c", "y", "", 1, "for one z for paid z for paid z for  z"},
		{"c", "y", "", 2, "for one z for paid z for paid z for  z for  z"},
		{"c", "z", "two", 1, "for two z"},
		{"c", "z", "one", 3, "for two z for one z"}, // it was the oldest of three
	} {
		end, err := g.Invoke(t.Context(), state.Thread{Client: tt.client, ID: tt.thread}, turnID(i), trip{Note: field.Of(tt.note)})
		wantErr(t, "Invoke", err, nil)
		if n := did.all()[tt.note]; n != tt.runs {
			t.Errorf("turn %d: %q ran %d times, want %d", i, tt.note, n, tt.runs)
		}
		same(t, fmt.Sprint("trail ", i), tt.trail, strings.Join(end.Trail.Items(), " "))
		stored, err := g.State(t.Context(), state.Thread{Client: tt.client, ID: tt.thread}, 0)
		wantErr(t, "State", err, nil)
		same(t, fmt.Sprint("stored ", i), view(end), view(stored.State))
	}
}
