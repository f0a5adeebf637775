package faults_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/storetest"
)

// cutter counts the moments of a turn: each store call, each chunk of the model, each tool. At the n-th it strikes once.
type cutter struct {
	*storetest.Faulty
	mu     sync.Mutex
	struck chan struct{} // closed by then
}

// arm makes the at-th moment from now that at which the turn is cut.
func (c *cutter) arm(at int, strike func()) {
	struck := make(chan struct{})
	c.mu.Lock()
	c.struck = struck
	c.mu.Unlock()
	c.Set(storetest.Before(at, func() { close(struck); strike() }))
}

// moment is one of the model's or of a tool's. The one that strikes lasts until the work is given up.
func (c *cutter) moment(ctx context.Context) error {
	c.mu.Lock()
	struck := c.struck
	c.mu.Unlock()
	before := isClosed(struck)
	err := c.Moment(ctx)
	if !before && isClosed(struck) {
		<-ctx.Done()
	}
	return errors.Join(err, ctx.Err())
}

func isClosed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// WithTools returns the model itself.
func (c *cutter) WithTools([]*schema.ToolInfo) (model.ToolCallingChatModel, error) { return c, nil }

// Generate is not used.
func (c *cutter) Generate(context.Context, []*schema.Message, ...model.Option) (*schema.Message, error) {
	return nil, errors.New("respond streams")
}

// Stream calls the tool for a message first, and then repeats it, word by word. It depends on the prompt alone.
func (c *cutter) Stream(ctx context.Context, prompt []*schema.Message, _ ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	question, chunks := "", []*schema.Message(nil)
	for _, m := range prompt {
		switch m.Role {
		case schema.User:
			question, chunks = m.Content, []*schema.Message{calls("ring", "{}")}
		case schema.Tool:
			chunks = nil
			for _, word := range strings.SplitAfter("answer to "+question, " ") {
				chunks = append(chunks, says(word))
			}
		}
	}
	r, w := schema.Pipe[*schema.Message](1)
	go func() {
		defer w.Close()
		for _, chunk := range chunks {
			if err := c.moment(ctx); err != nil {
				w.Send(nil, err)
				return
			}
			if w.Send(chunk, nil) {
				return
			}
		}
	}()
	return r, nil
}

// config is a graph whose turns are cut.
func (c *cutter) config() graph.Config {
	ring := handmade{"ring", func(ctx context.Context, _ string) (string, error) { return "rung", c.moment(ctx) }}
	return graph.Config{Store: c, Model: c, Tools: []tool.InvokableTool{ring}, Settings: state.DefaultSettings(), After: soon}
}

// cutSession is a session in which every second turn is cut.
type cutSession struct {
	by     *rand.Rand
	cutter *cutter
	graph  *graph.Graph
}

// ended is a context whose deadline is over when it is told so.
type ended struct {
	context.Context
	over chan struct{}
}

func (e ended) Done() <-chan struct{} { return e.over }

func (e ended) Err() error {
	if isClosed(e.over) {
		return context.DeadlineExceeded
	}
	return nil
}

// cut begins a turn and ends it at a random moment, in one of three ways. It returns the answer if there was one.
func (s *cutSession) cut(t *testing.T, text string) (how, answer string) {
	t.Helper()
	const most = 30 // moments of a turn, about
	n := 1 + s.by.IntN(most)
	switch s.by.IntN(3) {
	case 0:
		ctx := ended{t.Context(), make(chan struct{})}
		s.cutter.arm(n, func() { close(ctx.over) })
		r, err := s.graph.Invoke(ctx, graph.Request{Text: text})
		return s.judge(t, fmt.Sprintf("deadline at %d", n), r, err, context.DeadlineExceeded)
	case 1:
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		s.cutter.arm(n, cancel)
		r, err := s.graph.Invoke(ctx, graph.Request{Text: text})
		return s.judge(t, fmt.Sprintf("cancel at %d", n), r, err, context.Canceled)
	default:
		for e, err := range s.graph.Stream(t.Context(), graph.Request{Text: text}) {
			if e.Reply != nil {
				return s.judge(t, fmt.Sprintf("stream broken at %d", n), *e.Reply, err, nil)
			}
			if n--; n == 0 {
				break
			}
		}
	}
	return "stream broken", ""
}

// judge checks how a turn ended that was cut: with its answer, or with what was said so far and the reason.
func (s *cutSession) judge(t *testing.T, how string, r graph.Reply, err, reason error) (string, string) {
	t.Helper()
	switch {
	case err == nil && !r.Cut:
		return how, r.Text
	case reason == nil || !errors.Is(err, reason) || !errors.Is(err, state.ErrUnavailable):
		t.Errorf("%s: %q, %v", how, r.Text, err)
	}
	return how, ""
}

// A session in which every second turn is cut at a random moment, by a deadline, a cancel or a broken stream: each next message is
// answered, nothing is lost, and the history is one line.
func TestEverySecondTurnIsCut(t *testing.T) {
	t.Parallel()
	for _, d := range []driver{folderDriver(), mongoDriver()} {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			const turns = 100
			first := seed(t)
			t.Logf("seed %d, MNEME_SEED sets it", first)
			w, s := newWorld(), &cutSession{by: rand.New(rand.NewPCG(first, 0)), cutter: &cutter{Faulty: storetest.Wrap(d.fresh(t), nil)}}
			s.cutter.arm(0, func() {})
			s.graph = w.open(t, s.cutter, func(c *graph.Config) {
				now, id, tokens := c.Now, c.NewID, c.Tokens
				*c = s.cutter.config()
				c.Now, c.NewID, c.Tokens = now, id, tokens
			})
			hows, answers := make([]string, turns), make([]string, turns)
			for i := range turns {
				w.pass(time.Minute)
				if i%2 == 0 {
					hows[i], answers[i] = s.cut(t, message(i))
					continue
				}
				s.cutter.arm(0, func() {})
				r, err := s.graph.Invoke(t.Context(), graph.Request{Text: message(i)})
				if answers[i] = "answer to " + message(i); err != nil || r.Text != answers[i] || r.Cut {
					t.Fatalf("message %d, after %s: %q, %v", i, hows[i-1], r.Text, err)
				}
			}
			s.whole(t, hows, answers)
			kept := slices.DeleteFunc(slices.Clone(answers), func(answer string) bool { return answer == "" })
			t.Logf("%d of %d turns that were to be cut had come to their end before", len(kept)-turns/2, turns/2)
			must(t, s.graph.Close())
		})
	}
}

// whole checks what is kept of the session: numbers without gaps, each message at most once and, if it was answered, once
// with its answer, each call with one result.
func (s *cutSession) whole(t *testing.T, hows, answers []string) {
	t.Helper()
	list, err := s.graph.Memory().Messages(t.Context(), scope())
	must(t, err)
	asked, said, turns := map[string]int{}, map[string]int{}, map[string]bool{}
	open := map[string]bool{}
	for i, msg := range list {
		turns[msg.Turn] = true
		if msg.Seq != int64(i+1) {
			t.Errorf("message %d has number %d", i+1, msg.Seq)
		}
		switch {
		case msg.Role == state.RoleUser:
			asked[msg.Text]++
		case msg.Role == state.RoleTool && open[msg.Turn+msg.ToolCallID]:
			delete(open, msg.Turn+msg.ToolCallID)
		case msg.Role == state.RoleTool:
			t.Errorf("message %d is a result without its call", msg.Seq)
		case !msg.Cut:
			said[msg.Text]++
		}
		for _, call := range msg.ToolCalls {
			open[msg.Turn+call.ID] = true
		}
	}
	for i, answer := range answers {
		if n := asked[message(i)]; n > 1 || answer != "" && n != 1 {
			t.Errorf("message %d (%s) is kept %d times", i, hows[i], n)
		}
		if answer != "" && said[answer] != 1 {
			t.Errorf("the answer to message %d (%s) is kept %d times", i, hows[i], said[answer])
		}
	}
	if n := line(t, s.graph, scope()); n != len(turns) || len(open) > 0 {
		t.Errorf("the log has %d turns, the messages are of %d; calls without a result: %v", n, len(turns), open)
	}
	session, err := s.graph.Memory().Sessions().Get(t.Context(), scope())
	must(t, err)
	same(t, "the session counts otherwise", int64(len(list)), session.Messages)
}
