package graph_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cloudwego/eino/components/tool"
	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// answered is what a reply says, without how it came to be.
func answered(r graph.Reply) graph.Reply {
	r.Memory = state.Did{} // of the call that did it
	r.Trace = graph.Trace{}
	return r
}

// A message that is delivered again is answered again, and nothing is done twice: in this process, in another one, and
// when other messages came between.
func TestAMessageIsDeliveredAgain(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		m := scripted.New([]scripted.Step{scripted.Call("memory_store", noteArgs), scripted.Say("Noted."), scripted.Say("Hello.")}, nil)
		model := func(c *graph.Config) { c.Model = m }
		req := ask("My seat is by the gate, the password: hunter2hunter2.", state.NewAffair, "", "Flight")
		req.MessageID, req.Parts = "queue-17", []state.Part{{Type: "text", Text: "And the gate."}}
		req.Attachments = []state.Attachment{{Name: "a.txt", Text: "text"}, {Name: "a.bin", Data: []byte{1}}}
		g := w.open(t, model)
		first := invoke(t, g, req)
		if first.Text != "Noted." || first.Turn != "queue-17" || len(first.Tools) != 1 || len(first.Receipts) != 1 {
			t.Fatalf("the first reply: %+v", first)
		}
		again := invoke(t, g, req)
		if diff := cmp.Diff(answered(first), answered(again)); diff != "" {
			t.Errorf("the reply (-first +again):\n%s", diff)
		}
		if again.Trace.Bill.Commits != 0 || len(again.Trace.Nodes) != 0 {
			t.Errorf("something was done again: %+v", again.Trace)
		}
		invoke(t, g, graph.Request{Text: "Hello!", SmallModel: judges(state.Continue, "", "")})
		other := invoke(t, w.open(t, model), req) // another process
		if other.Text != first.Text || other.Turn != first.Turn || other.Decision.AffairID != first.Decision.AffairID || !cmp.Equal(other.Tools, first.Tools) {
			t.Errorf("in another process: %+v", other)
		}
		if got := records(t, g); len(got) != 1 || m.Left() != 0 {
			t.Errorf("records %q, %d answers left", got, m.Left())
		}
		if got := kept(t, g, scope()); len(got) != 6 {
			t.Errorf("kept: %q", got)
		}
	})
}

func TestAnotherMessageUnderTheId(t *testing.T) {
	t.Parallel()
	g, m := newWorld().says(t, scripted.Say("One."))
	req := graph.Request{Text: "Hello!", MessageID: "q1", Parts: []state.Part{{Type: "text", Text: "there"}}}
	invoke(t, g, req)
	for name, change := range map[string]func(*graph.Request){
		"text":       func(r *graph.Request) { r.Text = "Good bye!" },
		"part":       func(r *graph.Request) { r.Parts = nil },
		"attachment": func(r *graph.Request) { r.Attachments = []state.Attachment{{Name: "a.txt", Text: "text"}} },
	} {
		other := req
		change(&other)
		_, err := g.Invoke(t.Context(), other)
		if code(t, err, state.Conflict); len(kept(t, g, scope())) != 2 || len(m.Prompts()) != 1 {
			t.Errorf("another %s: kept %q", name, kept(t, g, scope()))
		}
	}
	for _, id := range []string{"m1", "m20", "a/b", "a$b", "a\nb", string(make([]byte, 129))} {
		_, err := g.Invoke(t.Context(), graph.Request{Text: "Hello!", MessageID: id})
		if told := code(t, err, state.Invalid); id == "m20" && !strings.Contains(told, `such as "msg-20"`) {
			t.Errorf("it is told %q", told)
		}
	}
	if got := kept(t, g, scope()); len(got) != 2 {
		t.Errorf("kept: %q", got)
	}
}

// A turn whose model failed has used its id up: the delivery that comes again is told so, and not to try again. A new id asks again.
func TestAFailureIsDeliveredAgain(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		g, _ := w.says(t, scripted.Fail(errors.New("no route to host")), scripted.Say("Hello."))
		_, first := g.Invoke(t.Context(), graph.Request{Text: "Hello!", MessageID: "q1"})
		code(t, first, state.Unavailable)
		for range 2 {
			_, again := g.Invoke(t.Context(), graph.Request{Text: "Hello!", MessageID: "q1"})
			if text := code(t, again, state.Conflict); !strings.Contains(text, "another id") || !strings.Contains(text, "no route to host") {
				t.Errorf("again: %v, want the way out and the reason", again)
			}
		}
		if r := invoke(t, g, graph.Request{Text: "Hello!", MessageID: "q2"}); r.Text != "Hello." {
			t.Errorf("a new id: %q", r.Text)
		}
	})
}

// A message that comes again while its turn runs waits for it, whatever it says about other turns.
func TestADeliveryMeetsItsTurn(t *testing.T) {
	t.Parallel()
	for _, policy := range []state.DoubleTexting{state.RejectTexting, state.EnqueueTexting, state.InterruptTexting, state.RollbackTexting} {
		t.Run(string(policy), func(t *testing.T) {
			t.Parallel()
			inside, leave := make(chan struct{}), make(chan struct{})
			g := newWorld().open(t, func(c *graph.Config) {
				c.Model = scripted.New([]scripted.Step{scripted.Call("hold", "{}"), scripted.Say("Held.")}, nil)
				c.Tools = []tool.InvokableTool{handmade{"hold", func(context.Context, string) (string, error) {
					close(inside)
					<-leave
					return "held", nil
				}}}
			})
			req := graph.Request{Text: "Hold on", MessageID: "q1", DoubleTexting: policy}
			var wg sync.WaitGroup
			replies, errs := make([]graph.Reply, 3), make([]error, 3)
			for i := range replies {
				wg.Go(func() { replies[i], errs[i] = g.Invoke(t.Context(), req) })
			}
			<-inside
			close(leave)
			wg.Wait()
			for i, r := range replies {
				if errs[i] != nil || r.Text != "Held." {
					t.Errorf("delivery %d: %q, %v", i, r.Text, errs[i])
				}
			}
			if got := kept(t, g, scope()); len(got) != 4 {
				t.Errorf("kept: %q", got)
			}
		})
	}
}

// A delivery after a crash goes on with the turn: a tool that runs again finds the key it had.
func TestADeliveryAfterACrash(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		req := graph.Request{Text: "Pay.", MessageID: "q1"}
		m := scripted.New([]scripted.Step{scripted.Call("pay", "{}"), scripted.Say("Paid.")}, nil)
		var keys []string
		process := func(die func()) *graph.Graph {
			return w.open(t, func(c *graph.Config) {
				c.Settings, c.Model = leaves(), m
				c.Tools = []tool.InvokableTool{handmade{"pay", func(ctx context.Context, _ string) (string, error) {
					keys = append(keys, state.IdempotencyKey(ctx))
					die()
					return "paid", ctx.Err()
				}}}
			})
		}
		ctx, die := context.WithCancel(t.Context())
		if _, err := process(die).Invoke(ctx, req); !errors.Is(err, context.Canceled) {
			t.Fatalf("the turn is not left: %v", err)
		}
		w.pass(state.LeaseTTL + time.Second)
		g := process(func() {})
		other := req
		other.Text = "Pay twice."
		if _, err := g.Invoke(t.Context(), other); !errors.Is(err, state.ErrConflict) {
			t.Errorf("another text: %v", err)
		}
		for range 2 {
			if r := invoke(t, g, req); r.Text != "Paid." || r.Turn != "q1" {
				t.Errorf("delivered again: %q of turn %s", r.Text, r.Turn)
			}
		}
		if len(keys) == 0 || len(keys) > 2 || keys[0] == "" || keys[len(keys)-1] != keys[0] {
			t.Errorf("the keys: %q", keys)
		}
	})
}

// While another process has the turn, a delivery looks again and again, and is answered when that one is done.
func TestADeliveryToAnotherProcess(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.store = ram.NewLoose()
	inside, leave, waits := make(chan struct{}), make(chan struct{}), make(chan time.Time)
	model := scripted.New([]scripted.Step{scripted.Call("hold", "{}"), scripted.Say("Held.")}, nil)
	a := w.open(t, func(c *graph.Config) {
		c.Model = model
		c.Tools = []tool.InvokableTool{handmade{"hold", func(context.Context, string) (string, error) {
			close(inside)
			<-leave
			return "held", nil
		}}}
	})
	b := w.open(t, func(c *graph.Config) { c.Model, c.After = model, func(time.Duration) <-chan time.Time { return waits } })
	req := graph.Request{Text: "Hold on", MessageID: "q1"}
	var wg sync.WaitGroup
	wg.Go(func() {
		if _, err := a.Invoke(t.Context(), req); err != nil {
			t.Error(err)
		}
	})
	<-inside
	_, err := b.Invoke(t.Context(), graph.Request{Text: "Another", MessageID: "q2"})
	if code(t, err, state.Conflict); state.RetryAfter(err) <= 0 {
		t.Errorf("another message is told no time: %v", err)
	}
	var r graph.Reply
	wg.Go(func() { r, err = b.Invoke(t.Context(), req) })
	waits <- w.clock() // it has found the session busy
	close(leave)
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	for open := true; open; {
		select {
		case waits <- w.clock():
		case <-done:
			open = false
		}
	}
	if err != nil || r.Text != "Held." || model.Left() != 0 {
		t.Errorf("the reply is %q, %v", r.Text, err)
	}
}

// What was undone or pruned is not done again.
func TestADeliveryOfWhatIsGone(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		g, m := w.says(t, scripted.Say("One."), scripted.Say("Two."))
		req := graph.Request{Text: "First.", MessageID: "q1"}
		first := invoke(t, g, req)
		must(t, g.Memory().History().UndoTurn(t.Context(), scope(), first.Turn))
		_, err := g.Invoke(t.Context(), req)
		if code(t, err, state.Conflict); !errors.Is(err, graph.ErrUsedUp) {
			t.Errorf("%v, want it to say that the id is used up", err)
		}
		invoke(t, g, graph.Request{Text: "Second."})
		if _, err := g.Prune(t.Context(), scope(), flow.Keep{Turns: 1}); err != nil {
			t.Fatal(err)
		}
		if _, err = g.Invoke(t.Context(), req); !errors.Is(err, checkpoint.ErrDone) || m.Left() != 0 || len(m.Prompts()) != 2 {
			t.Errorf("after Prune: %v", err)
		}
	})
}
