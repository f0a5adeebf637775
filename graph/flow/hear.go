package flow

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"
)

// Piece is a piece of a chat model's answer, or the whole of one that was not streamed.
type Piece struct {
	Run     callbacks.RunInfo // of the model: its name, where its host gave it one, and its type: "OpenAI"
	Model   string            // which it is, where its callbacks tell: "gpt-5"
	Answer  int               // which answer of the node's try, from 1 in the order in which they began; some may come side by side
	Message *schema.Message   // it must not be changed
}

// earGrace is how long an answer that the node has not read to its end may go on behind it.
const earGrace = time.Second

// ear hears the chat models that one try of a node calls: it is in the context of the try, where the handler finds it. Of models
// inside models the outermost is heard.
type ear struct {
	tell func(Piece)

	mu      sync.Mutex
	answers int                  // begun so far
	heard   bool                 // one with text was told
	emitted strings.Builder      // the tokens that the node has emitted before
	reading []chan struct{}      // closed when a stream was read
	stop    []context.CancelFunc // of the models that stream
	over    bool                 // the try has ended
	deaf    bool                 // nothing is told any more
}

type earKey struct{}

// answer is one that a model gives, from its start on.
type answer struct {
	ear     *ear
	n       int
	inner   bool // a model around this one is heard
	over    bool // it has ended, or streams
	model   string
	emitted int // how much the node had emitted when it began
	cancel  context.CancelFunc
}

type answerKey struct{}

// hearer is the handler of all that is heard: callbacks of chat models, where somebody listens.
type hearer struct{ callbacks.Handler }

func newHearer() callbacks.Handler {
	return hearer{callbacks.NewHandlerBuilder().OnStartFn(hearStart).OnEndFn(hearWhole).OnEndWithStreamOutputFn(hearStream).Build()}
}

// Needed reports whether a callback is heard. Streams of others are not copied for it.
func (h hearer) Needed(ctx context.Context, info *callbacks.RunInfo, at callbacks.CallbackTiming) bool {
	return info != nil && info.Component == components.ComponentOfChatModel && ctx.Value(earKey{}) != nil &&
		h.Handler.(callbacks.TimingChecker).Needed(ctx, info, at)
}

// hearStart begins an answer. Its context can be ended: what is left of a stream when the node has ended is not paid for.
func hearStart(ctx context.Context, _ *callbacks.RunInfo, in callbacks.CallbackInput) context.Context {
	e := ctx.Value(earKey{}).(*ear)
	outer := findAnswer(ctx, e)
	e.mu.Lock()
	defer e.mu.Unlock()
	a := &answer{ear: e, inner: outer != nil && !outer.over, emitted: e.emitted.Len()}
	if !a.inner {
		e.answers++
		a.n = e.answers
		ctx, a.cancel = context.WithCancel(ctx)
	}
	if asked := model.ConvCallbackInput(in); asked != nil && asked.Config != nil {
		a.model = asked.Config.Model
	}
	return context.WithValue(ctx, answerKey{}, a)
}

// findAnswer returns the answer that a context belongs to.
func findAnswer(ctx context.Context, e *ear) *answer {
	a, _ := ctx.Value(answerKey{}).(*answer)
	if a == nil || a.ear != e {
		return nil
	}
	return a
}

// hearWhole tells an answer in one piece, unless the node has emitted it meanwhile, token by token.
func hearWhole(ctx context.Context, info *callbacks.RunInfo, out callbacks.CallbackOutput) context.Context {
	e := ctx.Value(earKey{}).(*ear)
	a, said := findAnswer(ctx, e), model.ConvCallbackOutput(out)
	if a == nil || said == nil || said.Message == nil {
		return ctx
	}
	e.mu.Lock()
	known := a.inner || a.over || said.Message.Content != "" && e.emitted.String()[a.emitted:] == said.Message.Content
	a.over = true
	e.heard = e.heard || !known && said.Message.Content != ""
	e.mu.Unlock()
	if !known {
		e.hear(a, info, said)
	}
	return ctx
}

// hearStream tells an answer piece by piece, beside the node that reads it.
func hearStream(ctx context.Context, info *callbacks.RunInfo, out *schema.StreamReader[callbacks.CallbackOutput]) context.Context {
	e := ctx.Value(earKey{}).(*ear)
	a := findAnswer(ctx, e)
	e.mu.Lock()
	defer e.mu.Unlock()
	if a == nil || a.inner || a.over || e.over {
		out.Close()
		return ctx
	}
	read := make(chan struct{})
	a.over, e.heard, e.reading, e.stop = true, true, append(e.reading, read), append(e.stop, a.cancel)
	go func() { // close waits for it
		defer close(read)
		defer out.Close()
		for {
			chunk, err := out.Recv()
			if err != nil || !e.hear(a, info, model.ConvCallbackOutput(chunk)) {
				return
			}
		}
	}()
	return ctx
}

// hear tells a piece; false = nobody hears it any more.
func (e *ear) hear(a *answer, info *callbacks.RunInfo, said *model.CallbackOutput) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.deaf || said == nil || said.Message == nil {
		return !e.deaf
	}
	if said.Config != nil && said.Config.Model != "" {
		a.model = said.Config.Model
	}
	message := *said.Message
	e.tell(Piece{Run: *info, Model: a.model, Answer: a.n, Message: &message})
	return true
}

// emits takes note of a token that the node emits. It reports whether answers were heard before, of which it may be one again.
func (e *ear) emits(text string) (heard bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.heard {
		e.emitted.WriteString(text)
	}
	return e.heard
}

// close ends the try: streams that go on are cancelled, and what the node has read of them is told before it returns. Only a
// model that does not heed its context keeps its reader until its next piece.
func (e *ear) close(after func(time.Duration) <-chan time.Time) {
	if e == nil {
		return
	}
	e.mu.Lock()
	e.over = true
	reading, stop := e.reading, e.stop
	e.mu.Unlock()
	for _, cancel := range stop {
		cancel()
	}
	if len(reading) > 0 {
		waitRead(reading, after(earGrace))
	}
	e.mu.Lock()
	e.deaf = true
	e.mu.Unlock()
}

// waitRead waits until all streams are read, or it is time.
func waitRead(reading []chan struct{}, late <-chan time.Time) {
	for _, read := range reading {
		select {
		case <-read:
		case <-late:
			return
		}
	}
}
