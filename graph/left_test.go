package graph_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cloudwego/eino/components/tool"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// cutInTheMiddle runs a turn of a message with an id up to the middle of its answer, "It is ", and ends it there.
func cutInTheMiddle(t *testing.T, w *world, end func(g *graph.Graph, cancel func())) (graph.Reply, error) {
	t.Helper()
	p, said := newPausing("far", "It is ..."), make(chan struct{}, 2)
	g := w.open(t, func(c *graph.Config) { c.Model = p })
	ctx, cancel := context.WithCancel(state.ContextWithEvents(t.Context(), func(e state.Event) {
		if e.Name == state.TokenEvent {
			said <- struct{}{}
		}
	}))
	defer cancel()
	var beside sync.WaitGroup
	beside.Go(func() {
		<-said
		<-said
		<-p.paused
		end(g, cancel)
	})
	r, err := g.Invoke(ctx, graph.Request{Text: "How far is it?", MessageID: "q1"})
	beside.Wait()
	return r, err
}

// cuts are the ways in which a turn loses its caller or its process without anybody wanting it to end.
func cuts() map[string]func(g *graph.Graph, cancel func()) {
	return map[string]func(g *graph.Graph, cancel func()){
		"a lost line": func(_ *graph.Graph, cancel func()) { cancel() },
		"Close":       func(g *graph.Graph, _ func()) { _ = g.Close() },
	}
}

// A turn that lost its caller or its process goes on when its message is sent again, in another process, and is answered once.
func TestATurnThatIsLeftGoesOn(t *testing.T) {
	for name, end := range cuts() {
		t.Run(name, func(t *testing.T) {
			onEach(t, func(t *testing.T, w *world) {
				r, err := cutInTheMiddle(t, w, end)
				if text := code(t, err, state.Unavailable); !strings.Contains(text, "send the same again") || strings.Contains(text, "open another") {
					t.Errorf("the caller is told %q", text)
				}
				if r.Text != "It is " || !r.Cut || r.Turn != "q1" {
					t.Errorf("the reply: %+v, want what was said so far", r)
				}
				g := w.open(t, func(c *graph.Config) { c.Model = newPausing("far", "It is 300 km.") })
				for range 2 {
					if r := invoke(t, g, graph.Request{Text: "How far is it?", MessageID: "q1"}); r.Text != "It is 300 km." || r.Cut || r.Turn != "q1" {
						t.Errorf("sent again: %+v", r)
					}
				}
				same(t, "kept", []string{"1 user How far is it?", "2 assistant It is 300 km."}, kept(t, g, scope()))
			})
		})
	}
}

// Another message closes a turn that was left, and no model is paid for it; its own message then finds it cut, which is no error.
func TestAnotherMessageClosesWhatIsLeft(t *testing.T) {
	for name, end := range cuts() {
		t.Run(name, func(t *testing.T) {
			onEach(t, func(t *testing.T, w *world) {
				_, err := cutInTheMiddle(t, w, end)
				code(t, err, state.Unavailable)
				p := newPausing("weather", "It rains.")
				g := w.open(t, func(c *graph.Config) { c.Model = p })
				if r := invoke(t, g, graph.Request{Text: "What is the weather?", MessageID: "q2"}); r.Text != "It rains." || len(p.asked) != 1 {
					t.Errorf("the reply is %q, the model was asked %q", r.Text, p.asked)
				}
				r, err := g.Invoke(t.Context(), graph.Request{Text: "How far is it?", MessageID: "q1"})
				if err != nil || !r.Cut || r.Turn != "q1" || len(p.asked) != 1 {
					t.Errorf("the message that was cut: %+v, %v, asked %q", r, err, p.asked)
				}
				want := []string{"1 user How far is it?", "2 user What is the weather?", "3 assistant It rains."}
				same(t, "kept", want, kept(t, g, scope()))
			})
		})
	}
}

// What was ended on purpose stays so: the message again has the text so far, and no error. What was left in a crash is not closed but finished.
func TestAnEndOnPurposeStays(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		_, err := cutInTheMiddle(t, w, func(g *graph.Graph, _ func()) {
			if _, err := g.Cancel(t.Context(), scope()); err != nil {
				t.Error(err)
			}
		})
		code(t, err, state.Unavailable)
		g := w.open(t, func(c *graph.Config) { c.Model = newPausing() })
		closed(t, g)
		if r := invoke(t, g, graph.Request{Text: "How far is it?", MessageID: "q1"}); r.Text != "It is " || !r.Cut {
			t.Errorf("sent again: %+v", r)
		}
	})
}

// till is a graph whose tool "pay" has to be approved, and runs pay.
func (w *world) till(t *testing.T, m *scripted.Model, change func(*graph.Config), pay func(ctx context.Context) (string, error)) *graph.Graph {
	t.Helper()
	return w.open(t, func(c *graph.Config) {
		c.Model, c.Approve = m, []string{"pay"}
		c.Tools = []tool.InvokableTool{handmade{"pay", func(ctx context.Context, _ string) (string, error) { return pay(ctx) }}}
		if change != nil {
			change(c)
		}
	})
}

// An answer that is given again after a crash, or after Close, in the tool it has approved goes on with the turn; the tool has the same key.
func TestAnAnswerIsGivenAgain(t *testing.T) {
	for name, settings := range map[string]state.Settings{"crash": leaves(), "lost line": state.DefaultSettings()} {
		t.Run(name, func(t *testing.T) {
			onEach(t, func(t *testing.T, w *world) {
				m := scripted.New([]scripted.Step{scripted.Call("pay", "{}"), scripted.Say("Paid.")}, nil)
				ctx, die := context.WithCancel(t.Context())
				var keys []string
				pay := func(ctx context.Context) (string, error) {
					keys = append(keys, state.IdempotencyKey(ctx))
					die()
					<-ctx.Done()
					return "", ctx.Err()
				}
				g := w.till(t, m, func(c *graph.Config) { c.Settings = settings }, pay)
				asked := invoke(t, g, graph.Request{Text: "Pay.", MessageID: "q1"}).Waits
				answer := func(choice state.Choice) map[string]state.Answer {
					return map[string]state.Answer{asked[0].ID: {Choice: choice}}
				}
				if _, err := g.Answer(ctx, scope(), answer(state.Approve)); !errors.Is(err, context.Canceled) {
					t.Fatalf("the turn is not left: %v", err)
				}
				w.pass(state.LeaseTTL + time.Second)
				g = w.till(t, m, nil, func(ctx context.Context) (string, error) {
					keys = append(keys, state.IdempotencyKey(ctx))
					return "paid", nil
				})
				_, err := g.Answer(t.Context(), scope(), answer(state.Reject))
				code(t, err, state.Conflict)
				for range 2 {
					r, err := g.Answer(t.Context(), scope(), answer(state.Approve))
					if err != nil || r.Text != "Paid." || len(r.Waits) > 0 {
						t.Errorf("the answer again: %q, waits for %v, %v", r.Text, r.Waits, err)
					}
				}
				_, err = g.Answer(t.Context(), scope(), answer(state.Reject))
				if code(t, err, state.Conflict); len(keys) != 2 || keys[0] != keys[1] {
					t.Errorf("the tool ran under %q", keys)
				}
			})
		})
	}
}

// While the approved tool runs, here or in another process, the answer again waits for it, whatever double_texting says.
func TestAnAnswerMeetsItsTurn(t *testing.T) {
	t.Parallel()
	for _, policy := range []state.DoubleTexting{state.RejectTexting, state.EnqueueTexting, state.InterruptTexting} {
		for _, elsewhere := range []bool{false, true} {
			t.Run(string(policy)+map[bool]string{true: " elsewhere"}[elsewhere], func(t *testing.T) {
				t.Parallel()
				w := newWorld()
				w.store = ram.NewLoose()
				m := scripted.New([]scripted.Step{scripted.Call("pay", "{}"), scripted.Say("Paid.")}, nil)
				inside, leave, looked := make(chan struct{}), make(chan struct{}), make(chan struct{}, 1)
				settings := state.DefaultSettings()
				settings.DoubleTexting = string(policy)
				config := func(c *graph.Config) { c.Settings = settings }
				a := w.till(t, m, config, func(context.Context) (string, error) {
					close(inside)
					<-leave
					return "paid", nil
				})
				b := a
				if elsewhere {
					b = w.till(t, m, func(c *graph.Config) {
						config(c)
						c.After = func(d time.Duration) <-chan time.Time {
							if d <= time.Second { // longer is the lease's
								select {
								case looked <- struct{}{}:
								default:
								}
								return time.After(time.Millisecond)
							}
							return nil
						}
					}, func(context.Context) (string, error) { return "", errors.New("ran twice") })
				}
				asked := invoke(t, a, graph.Request{Text: "Pay."}).Waits
				answers := map[string]state.Answer{asked[0].ID: {Choice: state.Approve}}
				var both sync.WaitGroup
				replies, errs := make([]graph.Reply, 2), make([]error, 2)
				both.Go(func() { replies[0], errs[0] = a.Answer(t.Context(), scope(), answers) })
				<-inside
				both.Go(func() { replies[1], errs[1] = b.Answer(t.Context(), scope(), answers) })
				if elsewhere {
					<-looked
				}
				close(leave)
				both.Wait()
				for i, r := range replies {
					if errs[i] != nil || r.Text != "Paid." {
						t.Errorf("answer %d: %q, %v", i, r.Text, errs[i])
					}
				}
				if m.Left() != 0 {
					t.Errorf("%d answers of the model are left", m.Left())
				}
			})
		}
	}
}
