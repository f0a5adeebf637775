package graph_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// pausing is a chat model that answers a question with its words; at the word "..." it tells that it pauses and stands
// still until it is given up.
type pausing struct {
	answers map[string]string // by part of the question
	paused  chan string       // the question at which it pauses

	mu    sync.Mutex
	asked []string
}

func newPausing(pairs ...string) *pausing {
	p := &pausing{answers: map[string]string{}, paused: make(chan string, 100)}
	for i := 0; i < len(pairs); i += 2 {
		p.answers[pairs[i]] = pairs[i+1]
	}
	return p
}

func (p *pausing) WithTools([]*schema.ToolInfo) (model.ToolCallingChatModel, error) { return p, nil }

func (p *pausing) Generate(context.Context, []*schema.Message, ...model.Option) (*schema.Message, error) {
	return nil, errors.New("respond streams")
}

func (p *pausing) Stream(ctx context.Context, prompt []*schema.Message, _ ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	question := prompt[len(prompt)-1].Content
	p.mu.Lock()
	p.asked = append(p.asked, question)
	p.mu.Unlock()
	r, w := schema.Pipe[*schema.Message](1)
	go func() {
		defer w.Close()
		for part, answer := range p.answers {
			if !strings.Contains(question, part) {
				continue
			}
			for _, word := range strings.SplitAfter(answer, " ") {
				if word == "..." {
					p.paused <- question
					<-ctx.Done()
					w.Send(nil, ctx.Err())
					return
				}
				if w.Send(schema.AssistantMessage(word, nil), nil) {
					return
				}
			}
			return
		}
		w.Send(nil, fmt.Errorf("there is no answer to %q", question))
	}()
	return r, nil
}

// closed fails the test when the session has an unfinished turn.
func closed(t *testing.T, g *graph.Graph) {
	t.Helper()
	if _, err := g.Resume(t.Context(), scope()); !errors.Is(err, state.ErrNotFound) {
		t.Errorf("the turn is not closed: %v", err)
	}
}

// A turn whose caller gives up is closed in order, with what was said so far.
func TestTheCallersEndClosesTheTurn(t *testing.T) {
	t.Parallel()
	const question = "How far is it?"
	for name, give := range map[string]func(g *graph.Graph, p *pausing) (graph.Reply, error, error){
		"deadline": func(g *graph.Graph, p *pausing) (graph.Reply, error, error) {
			ctx, cancel := context.WithTimeout(context.Background(), 600*time.Millisecond)
			defer cancel()
			r, err := g.Invoke(ctx, graph.Request{Text: question})
			return r, err, context.DeadlineExceeded
		},
		"cancel": func(g *graph.Graph, p *pausing) (graph.Reply, error, error) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			go func() { <-p.paused; synctest.Wait(); cancel() }()
			r, err := g.Invoke(ctx, graph.Request{Text: question})
			return r, err, context.Canceled
		},
		"a cause of its own": func(g *graph.Graph, p *pausing) (graph.Reply, error, error) {
			own := errors.New("the browser was closed")
			ctx, cancel := context.WithCancelCause(context.Background())
			defer cancel(nil)
			go func() { <-p.paused; synctest.Wait(); cancel(own) }()
			r, err := g.Invoke(ctx, graph.Request{Text: question})
			if !errors.Is(err, context.Canceled) {
				err = errors.New("the context's error is missing")
			}
			return r, err, own
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := newPausing(question, "It is ...", "Hello?", "Hello.")
				g := newWorld().open(t, func(c *graph.Config) { c.Model = p })
				r, err, want := give(g, p)
				if code(t, err, state.Unavailable); !errors.Is(err, want) {
					t.Errorf("the error is %v, want it to wrap %v", err, want)
				}
				if r.Text != "It is " || !r.Cut || !r.Message.Cut || r.Turn == "" {
					t.Errorf("the reply: %+v, want what was said so far", r)
				}
				closed(t, g)
				if r := invoke(t, g, graph.Request{Text: "Hello?"}); r.Text != "Hello." || r.Cut {
					t.Errorf("the next turn: %+v", r)
				}
				want2 := []string{"1 user " + question, "2 assistant It is ", "3 user Hello?", "4 assistant Hello."}
				same(t, "kept", want2, kept(t, g, scope()))
			})
		})
	}
}

func TestAContextThatIsOverWritesNothing(t *testing.T) {
	t.Parallel()
	g, m := newWorld().says(t, scripted.Say("Never."))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := g.Invoke(ctx, graph.Request{Text: "Hello!"})
	if code(t, err, state.Unavailable); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	if got := kept(t, g, scope()); len(got) > 0 || len(m.Prompts()) > 0 {
		t.Errorf("kept %v, asked %v", got, m.Prompts())
	}
	closed(t, g)
}

// leave leaves an unfinished turn, as a process does that dies while the tool "hang" is at work.
func leave(t *testing.T, w *world, text string) {
	t.Helper()
	ctx, die := context.WithCancel(t.Context())
	g := w.open(t, func(c *graph.Config) {
		c.Settings, c.Model = leaves(), scripted.New([]scripted.Step{scripted.Call("hang", "{}")}, nil)
		c.Tools = hang(die)
	})
	if _, err := g.Invoke(ctx, graph.Request{Text: text}); !errors.Is(err, context.Canceled) {
		t.Fatalf("the turn is not left: %v", err)
	}
	w.pass(state.LeaseTTL + time.Second)
}

// hang is a tool that tells when it begins and stands still until it is given up.
func hang(begun func()) []tool.InvokableTool {
	return []tool.InvokableTool{handmade{"hang", func(ctx context.Context, _ string) (string, error) {
		begun()
		<-ctx.Done()
		return "", ctx.Err()
	}}}
}

// A message that gives up the turn before it also gives up one that nobody runs; no model and no tool is asked for it.
func TestAnUnfinishedTurnIsGivenUp(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		policy state.DoubleTexting
		first  string // message that is kept
	}{{state.InterruptTexting, "1 user Transfer 100 to Eve."}, {state.RollbackTexting, ""}} {
		t.Run(string(tt.policy), func(t *testing.T) {
			onEach(t, func(t *testing.T, w *world) {
				leave(t, w, "Transfer 100 to Eve.")
				p := newPausing("weather", "It rains.")
				g := w.open(t, func(c *graph.Config) {
					c.Model, c.Tools = p, hang(func() { t.Error("the tool ran again") })
				})
				r := invoke(t, g, graph.Request{Text: "What is the weather?", DoubleTexting: tt.policy})
				if r.Text != "It rains." || len(p.asked) != 1 {
					t.Errorf("the reply is %q, the model was asked %q", r.Text, p.asked)
				}
				got := kept(t, g, scope())
				if tt.first != "" && (len(got) != 5 || got[0] != tt.first || !strings.HasPrefix(got[2], "3 tool error: ")) || tt.first == "" && len(got) != 2 {
					t.Errorf("kept: %q", got)
				}
				closed(t, g)
			})
		})
	}
}

// A turn whose caller pressed stop and typed again is undone only when it is closed.
func TestRollbackOfACancelledTurn(t *testing.T) {
	t.Parallel()
	for range 10 {
		for _, policy := range []state.OnCancel{state.CloseOnCancel, state.ResumeOnCancel} {
			t.Run(string(policy), func(t *testing.T) {
				onEach(t, func(t *testing.T, w *world) {
					p := newPausing("First", "One.", "arrive", "Soon ...", "tyres", "Tyres.", "hello?", "Hello.")
					g := w.open(t, func(c *graph.Config) {
						c.Model, c.Settings = p, state.DefaultSettings()
						c.Settings.OnCancel = string(policy)
					})
					invoke(t, g, graph.Request{Text: "First."})
					ctx, cancel := context.WithCancel(t.Context())
					stopped := make(chan error)
					go func() {
						_, err := g.Invoke(ctx, graph.Request{Text: "When do the brake pads arrive?"})
						stopped <- err
					}()
					<-p.paused
					cancel()
					for _, text := range []string{"No, tyres!", "hello?"} {
						r, err := g.Invoke(t.Context(), graph.Request{Text: text, DoubleTexting: state.RollbackTexting})
						if err != nil || r.Text == "" {
							t.Fatalf("%s: %q, %v", text, r.Text, err)
						}
					}
					if err := <-stopped; !errors.Is(err, context.Canceled) && !errors.Is(err, state.ErrConflict) { // who was first
						t.Errorf("the one that was stopped: %v", err)
					}
					closed(t, g)
				})
			})
		}
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	t.Run("a turn that runs here", func(t *testing.T) {
		onEach(t, func(t *testing.T, w *world) {
			p := newPausing("far", "It is ...")
			g := w.open(t, func(c *graph.Config) { c.Model = p })
			stopped, said := make(chan error), make(chan struct{}, 2)
			ctx := state.ContextWithEvents(t.Context(), func(e state.Event) {
				if e.Name == state.TokenEvent {
					said <- struct{}{}
				}
			})
			go func() {
				_, err := g.Invoke(ctx, graph.Request{Text: "How far is it?"})
				stopped <- err
			}()
			<-said
			<-said
			r, err := g.Cancel(t.Context(), scope())
			if err != nil || r.Text != "It is " || !r.Cut {
				t.Errorf("Cancel = %+v, %v", r, err)
			}
			if err := <-stopped; !errors.Is(err, context.Canceled) || !errors.Is(err, state.ErrUnavailable) {
				t.Errorf("its caller: %v", err)
			}
			closed(t, g)
		})
	})
	t.Run("a turn that nobody runs", func(t *testing.T) {
		onEach(t, func(t *testing.T, w *world) {
			leave(t, w, "Transfer 100 to Eve.")
			g := w.open(t, func(c *graph.Config) {
				c.Model, c.Tools = newPausing(), hang(func() { t.Error("the tool ran again") })
			})
			r, err := g.Cancel(t.Context(), scope())
			if err != nil || r.Turn == "" || len(r.Tools) != 1 || !strings.HasPrefix(r.Tools[0].Result, "error: ") {
				t.Errorf("Cancel = %+v, %v", r, err)
			}
			closed(t, g)
			if _, err := g.Cancel(t.Context(), scope()); !errors.Is(err, state.ErrNotFound) {
				t.Errorf("there is none any more: %v", err)
			}
		})
	})
	t.Run("a turn that waits for a person", func(t *testing.T) {
		onEach(t, func(t *testing.T, w *world) {
			g := w.open(t, func(c *graph.Config) {
				c.Approve, c.Model = []string{"memory_store"}, scripted.New([]scripted.Step{scripted.Call("memory_store", noteArgs), scripted.Say("Hello.")}, nil)
			})
			if r := invoke(t, g, graph.Request{Text: "Note my seat."}); len(r.Waits) != 1 {
				t.Fatalf("want a question, got %+v", r)
			}
			if _, err := g.Cancel(t.Context(), scope()); err != nil {
				t.Errorf("Cancel: %v", err)
			}
			closed(t, g)
			if got := records(t, g); len(got) > 0 {
				t.Errorf("what nobody approved was done: %q", got)
			}
			if r := invoke(t, g, graph.Request{Text: "Hello!"}); r.Text != "Hello." {
				t.Errorf("the next turn: %q", r.Text)
			}
		})
	})
	t.Run("a turn that runs in another process", func(t *testing.T) {
		t.Parallel()
		w := newWorld()
		w.store = ram.NewLoose()
		p := newPausing("far", "It is ...")
		running := w.open(t, func(c *graph.Config) { c.Model = p })
		var wg sync.WaitGroup
		wg.Go(func() { _, _ = running.Invoke(t.Context(), graph.Request{Text: "How far is it?"}) })
		<-p.paused
		_, err := w.open(t, nil).Cancel(t.Context(), scope())
		if !errors.Is(err, checkpoint.ErrBusy) || state.RetryAfter(err) <= 0 {
			t.Errorf("Cancel: %v, again in %s", err, state.RetryAfter(err))
		}
		if _, err := running.Cancel(t.Context(), scope()); err != nil {
			t.Error(err)
		}
		wg.Wait()
	})
	t.Run("none", func(t *testing.T) {
		t.Parallel()
		if _, err := newWorld().open(t, nil).Cancel(t.Context(), scope()); !errors.Is(err, state.ErrNotFound) {
			t.Errorf("Cancel: %v", err)
		}
	})
}

// However short the time, each message is looked at: the old turn gets half of it at most.
func TestEachMessageIsLookedAt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		leave(t, w, "Transfer 100 to Eve.")
		p := newPausing("", "Well ...")
		g := w.open(t, func(c *graph.Config) { c.Model, c.Tools = p, hang(func() {}) })
		for i := range 5 {
			text := fmt.Sprintf("Are you there, %d?", i)
			ctx, cancel := context.WithTimeout(t.Context(), 600*time.Millisecond)
			r, err := g.Invoke(ctx, graph.Request{Text: text})
			cancel()
			if !errors.Is(err, context.DeadlineExceeded) || r.Text != "Well " {
				t.Errorf("message %d: %q, %v", i, r.Text, err)
			}
			if <-p.paused; p.asked[len(p.asked)-1] != text {
				t.Errorf("message %d: the model was last asked %q", i, p.asked)
			}
			closed(t, g)
		}
	})
}

// A message that gives up the turn before it also gives up the one that is being finished for that.
func TestAnInterruptWhileATurnIsFinished(t *testing.T) {
	t.Parallel()
	w := newWorld()
	leave(t, w, "Transfer 100 to Eve.")
	again := make(chan struct{})
	g := w.open(t, func(c *graph.Config) {
		c.Model, c.Tools = newPausing("weather", "It rains."), hang(func() { close(again) })
	})
	stopped := make(chan error)
	go func() {
		_, err := g.Invoke(t.Context(), graph.Request{Text: "Are you there?"})
		stopped <- err
	}()
	<-again
	r := invoke(t, g, graph.Request{Text: "What is the weather?", DoubleTexting: state.InterruptTexting})
	if code(t, <-stopped, state.Conflict); r.Text != "It rains." {
		t.Errorf("the newest message: %q", r.Text)
	}
	want := []string{"1 user Transfer 100 to Eve.", "2 assistant ->hang", "3 tool ", "4 user Are you there?", "5 user What is the weather?", "6 assistant It rains."}
	got := kept(t, g, scope())
	for i := range got {
		if i >= len(want) || !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("kept: %q, want %q", got, want)
		}
	}
}

// A tool that does not heed its context holds neither the turn nor, for long, Close, which says that it is left.
func TestCloseWithAToolThatHangs(t *testing.T) {
	t.Parallel()
	begun, leave := make(chan struct{}), make(chan struct{})
	after := func(d time.Duration) <-chan time.Time {
		if d >= 10*time.Second {
			return nil
		}
		return time.After(0) // so long a tool may take to heed its context, and Close to wait for it
	}
	g, err := graph.New(t.Context(), graph.Config{
		Store: ram.New(), Model: scripted.New([]scripted.Step{scripted.Call("hang", "{}")}, nil), After: after,
		Tools: []tool.InvokableTool{handmade{"hang", func(context.Context, string) (string, error) {
			close(begun)
			<-leave
			return "", nil
		}}},
	})
	must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-begun; cancel() }()
	_, err = g.Invoke(ctx, graph.Request{Text: "Hello!"})
	code(t, err, state.Unavailable)
	err = g.Close()
	if code(t, err, state.Unavailable); !strings.Contains(err.Error(), "1 ") {
		t.Errorf("Close: %v, want it to say what is left", err)
	}
	close(leave)
}

// After Close nothing is begun, and what ran has been closed in order.
func TestClose(t *testing.T) {
	t.Parallel()
	w := newWorld()
	p := newPausing("far", "It is ...")
	g := w.open(t, func(c *graph.Config) { c.Model = p })
	stopped := make(chan error)
	go func() {
		_, err := g.Invoke(t.Context(), graph.Request{Text: "How far is it?"})
		stopped <- err
	}()
	<-p.paused
	must(t, errors.Join(g.Close(), g.Close()))
	code(t, <-stopped, state.Unavailable)
	_, invoked := g.Invoke(t.Context(), graph.Request{Text: "Hello!"})
	_, swept := g.Sweep(t.Context(), "", true)
	_, waits := g.Waits(t.Context(), scope())
	for name, err := range map[string]error{"Invoke": invoked, "Sweep": swept, "Waits": waits, "DeleteThread": g.DeleteThread(t.Context(), scope())} {
		if code(t, err, state.Unavailable); !strings.Contains(err.Error(), "closed") {
			t.Errorf("%s: %v", name, err)
		}
	}
	closed(t, w.open(t, nil))
}

// DeleteThread refuses a turn that is not finished, and the session goes on.
func TestDeletingAnUnfinishedTurn(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		leave(t, w, "Transfer 100 to Eve.")
		g := w.open(t, func(c *graph.Config) { c.Model, c.Tools = newPausing("weather", "It rains."), hang(func() {}) })
		for range 2 {
			if err := g.DeleteThread(t.Context(), scope()); !errors.Is(err, checkpoint.ErrUnfinished) || !strings.Contains(err.Error(), "cancel") {
				t.Errorf("DeleteThread: %v", err)
			}
		}
		_, err := g.Cancel(t.Context(), scope())
		must(t, errors.Join(err, g.DeleteThread(t.Context(), scope())))
		if r := invoke(t, g, graph.Request{Text: "What is the weather?"}); r.Text != "It rains." {
			t.Errorf("the next turn: %q", r.Text)
		}
	})
}
