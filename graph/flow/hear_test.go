package flow_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// voice is a model that says words. It raises callbacks itself, or leaves that to its host.
type voice struct {
	words    []string
	own      bool
	endless  bool          // it goes on until its context ends
	stubborn chan struct{} // or, whatever its context does, until this is closed
	left     *tally        // what of it has ended
}

func (v voice) GetType() string { return "Voice" }

func (v voice) IsCallbacksEnabled() bool { return v.own }

func (v voice) Generate(ctx context.Context, in []*schema.Message, _ ...model.Option) (*schema.Message, error) {
	answer := schema.AssistantMessage(strings.Join(v.words, ""), nil)
	if v.own {
		ctx = callbacks.EnsureRunInfo(ctx, v.GetType(), components.ComponentOfChatModel)
		ctx = callbacks.OnStart(ctx, &model.CallbackInput{Messages: in, Config: &model.Config{Model: "v1"}})
		callbacks.OnEnd(ctx, &model.CallbackOutput{Message: answer})
	}
	return answer, nil
}

func (v voice) Stream(ctx context.Context, in []*schema.Message, _ ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	if v.own {
		ctx = callbacks.EnsureRunInfo(ctx, v.GetType(), components.ComponentOfChatModel)
		ctx = callbacks.OnStart(ctx, &model.CallbackInput{Messages: in, Config: &model.Config{Model: "v1"}})
	}
	out, to := schema.Pipe[*schema.Message](0)
	go func() {
		defer to.Close()
		for _, w := range v.words {
			if to.Send(schema.AssistantMessage(w, nil), nil) {
				break
			}
		}
		switch {
		case v.stubborn != nil:
			<-v.stubborn
		case v.endless:
			<-ctx.Done()
			to.Send(nil, ctx.Err())
		}
		if v.left != nil {
			v.left.add("ended")
		}
	}()
	if v.own {
		_, out = callbacks.OnEndWithStreamOutput(ctx, out)
	}
	return out, nil
}

// listen reads a stream to its end, or so many words of it.
func listen(out *schema.StreamReader[*schema.Message], words int, each func(string)) error {
	defer out.Close()
	for n := 0; n != words; n++ {
		m, err := out.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if each != nil {
			each(m.Content)
		}
	}
	return nil
}

// asks is a node that asks models in its own way.
func asks(name string, ask func(ctx context.Context) error) flow.Node[trip] {
	return flow.Node[trip]{Name: name, Run: func(ctx context.Context, s trip) (trip, error) {
		s.Trail.Add(name)
		return s, ask(ctx)
	}}
}

// streams asks a model as most nodes do.
func streams(v model.BaseChatModel, words int, each func(ctx context.Context, word string)) func(context.Context) error {
	return func(ctx context.Context) error {
		out, err := v.Stream(ctx, []*schema.Message{schema.UserMessage("?")})
		if err != nil {
			return err
		}
		return listen(out, words, func(w string) {
			if each != nil {
				each(ctx, w)
			}
		})
	}
}

func emit(ctx context.Context, word string) {
	state.Emit(ctx, state.Event{Name: state.TokenEvent, Text: word})
}

// chained runs a model as eino does in a chain.
func chained(t *testing.T, m model.BaseChatModel) compose.Runnable[[]*schema.Message, *schema.Message] {
	t.Helper()
	c := compose.NewChain[[]*schema.Message, *schema.Message]()
	c.AppendChatModel(m, compose.WithNodeName("writer"))
	r, err := c.Compile(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// wrapped hides that the model inside raises callbacks, as wrappers of interfaces do.
type wrapped struct{ model.BaseChatModel }

// Whichever way a node calls a model, each piece of its answer is told once, before the node's update.
func TestHearModels(t *testing.T) {
	t.Parallel()
	words := []string{"hello ", "world"}
	own, plain := voice{words: words, own: true}, voice{words: words}
	ask := []*schema.Message{schema.UserMessage("?")}
	pieces := []string{`messages a#1 "hello "`, `messages a#1 "world"`}
	whole := []string{`messages a#1 "hello world"`}
	for name, tt := range map[string]struct {
		ask  func(ctx context.Context) error
		want []string
	}{
		"streamed": {streams(own, -1, nil), pieces},
		"at once": {func(ctx context.Context) error {
			_, err := own.Generate(ctx, ask)
			return err
		}, whole},
		"plain":          {streams(plain, -1, nil), nil},
		"plain and told": {streams(plain, -1, emit), pieces},
		"streamed in eino": {func(ctx context.Context) error {
			out, err := chained(t, plain).Stream(ctx, ask)
			if err != nil {
				return err
			}
			return listen(out, -1, nil)
		}, pieces},
		"at once in eino": {func(ctx context.Context) error {
			_, err := chained(t, plain).Invoke(ctx, ask)
			return err
		}, whole},
		"one in another": {func(ctx context.Context) error {
			out, err := chained(t, wrapped{own}).Stream(ctx, ask)
			if err != nil {
				return err
			}
			return listen(out, -1, nil)
		}, pieces},
		"streamed and told": {streams(own, -1, emit), append(slices.Clone(pieces), `custom a#1 "hello "`, `custom a#1 "world"`)},
		"at once and told": {func(ctx context.Context) error {
			m, err := own.Generate(ctx, ask)
			emit(ctx, m.Content)
			return err
		}, append(slices.Clone(whole), `custom a#1 "hello world"`)},
		"told, with callbacks of the node's": {func(ctx context.Context) error {
			for range 2 {
				inside := callbacks.ReuseHandlers(ctx, &callbacks.RunInfo{Name: "by hand", Component: components.ComponentOfChatModel})
				inside = callbacks.OnStart(inside, &model.CallbackInput{Messages: ask})
				if err := streams(plain, -1, emit)(inside); err != nil {
					return err
				}
				callbacks.OnEnd(inside, &model.CallbackOutput{Message: schema.AssistantMessage("hello world", nil)})
			}
			return nil
		}, slices.Concat(pieces, pieces)},
		"an error": {func(ctx context.Context) error {
			callbacks.OnError(callbacks.OnStart(callbacks.EnsureRunInfo(ctx, "X", components.ComponentOfChatModel), &model.CallbackInput{}), errBoom)
			return streams(own, -1, nil)(ctx)
		}, pieces},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := compile(t, chain(asks("a", tt.ask)), flow.Config[trip]{Log: newLog(ram.New())})
			got, err := read(t, g.Stream(t.Context(), thread("x"), "t1", trip{}, flow.Messages, flow.Custom, flow.Updates))
			wantErr(t, "Stream", err, nil)
			rank := func(line string) int { return strings.Index("mc", line[:1]) } // what a node emits itself may come between the pieces
			if n := len(got) - 2; n > 0 {
				slices.SortStableFunc(got[:n], func(a, b string) int { return rank(a) - rank(b) })
			}
			same(t, "got", append(slices.Clone(tt.want), "updates a#1 [trail]", "end [a]"), got)
		})
	}
}

// Pieces say where they come from: nodes side by side, items, tries, graphs below, answers side by side, and of which model.
func TestHeardPieces(t *testing.T) {
	t.Parallel()
	say := func(words ...string) model.BaseChatModel { return voice{words: words, own: true} }
	var did tally
	inner := compile(t, chain(asks("in", streams(say("i", "j"), -1, nil))), flow.Config[trip]{Log: newLog(ram.New())})
	b := flow.NewBuilder[trip]("heard")
	tried := asks("tried", func(ctx context.Context) error {
		if err := streams(say("a", "b"), -1, nil)(ctx); err != nil || did.add("tried") == 2 {
			return err
		}
		return state.ErrUnavailable
	})
	tried.Retry = flow.Retry{Attempts: 2, First: 1}
	each := asks("each", streams(say("x", "y"), -1, nil))
	each.Items = func(trip) int { return 3 }
	two := asks("two", func(ctx context.Context) error {
		first, err := say("1", "2").Stream(ctx, nil)
		if err != nil {
			return err
		}
		return errors.Join(streams(say("3", "4"), -1, nil)(ctx), listen(first, -1, nil))
	})
	below := asks("below", func(ctx context.Context) error {
		_, err := flow.Call(ctx, inner, "sub", trip{})
		return err
	})
	for _, n := range []flow.Node[trip]{tried, each, two, below} {
		b.AddNode(n)
		edges(b, [2]string{flow.Start, n.Name}, [2]string{n.Name, flow.End})
	}
	g := compile(t, b, flow.Config[trip]{Log: newLog(ram.New())})
	got, ended := map[string]string{}, map[string]bool{}
	for e, err := range g.Stream(t.Context(), thread("x"), "t1", trip{}, flow.Messages, flow.Updates) {
		wantErr(t, "Stream", err, nil)
		at := strings.TrimPrefix(fmt.Sprintf("%s/%s.%d", e.Space, e.Node, e.Item), "/")
		switch {
		case e.Mode == flow.Updates:
			ended[at] = true
		case e.Mode == flow.Messages:
			if ended[at] || e.Piece == nil || e.Piece.Run.Type != "Voice" || e.Piece.Model != "v1" || e.Attempt == "" || e.Piece.Message.Content != e.Said.Text {
				t.Errorf("a piece after the update, or without its place: %+v", e)
				continue
			}
			got[fmt.Sprintf("%s try %d answer %d", at, e.Try, e.Piece.Answer)] += e.Said.Text
		}
	}
	want := map[string]string{
		"tried.0 try 1 answer 1": "ab", "tried.0 try 2 answer 1": "ab", "each.1 try 1 answer 1": "xy", "each.2 try 1 answer 1": "xy",
		"each.3 try 1 answer 1": "xy", "two.0 try 1 answer 1": "12", "two.0 try 1 answer 2": "34", "sub/in.0 try 1 answer 1": "ij",
	}
	same(t, "pieces", want, got)
}

// A node may leave an answer before its end, and so may who reads the stream: the model is told, and nothing is left running.
func TestHearAnAnswerThatIsLeft(t *testing.T) {
	t.Parallel()
	var left tally
	model := voice{words: []string{"one ", "two ", "three"}, own: true, endless: true, left: &left}
	g := compile(t, chain(asks("a", streams(model, 2, nil))), flow.Config[trip]{Log: newLog(ram.New())})
	got, err := read(t, g.Stream(t.Context(), thread("x"), "t1", trip{}, flow.Messages, flow.Updates))
	wantErr(t, "Stream", err, nil)
	want := []string{`messages a#1 "one "`, `messages a#1 "two "`}
	if len(got) < 4 || !slices.Equal(got[:2], want) || got[len(got)-2] != "updates a#1 [trail]" {
		t.Errorf("left by the node: %q", got)
	}

	g = compile(t, chain(asks("a", streams(model, -1, nil))), flow.Config[trip]{Log: newLog(ram.New())})
	for e := range g.Stream(t.Context(), thread("y"), "t1", trip{}, flow.Messages) {
		if e.Said.Text != "one " {
			t.Errorf("first %q", e.Said.Text)
		}
		break
	}
	if n := left.all()["ended"]; n != 2 {
		t.Errorf("%d answers have ended, want 2", n)
	}
}

// A model that heeds nothing holds the turn up for a moment only, and its reader is gone when it says something, or ends.
func TestHearAStubbornModel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		stubborn := make(chan struct{})
		g := compile(t, chain(asks("a", streams(voice{words: []string{"one"}, own: true, stubborn: stubborn}, 1, nil))), flow.Config[trip]{Log: newLog(ram.New())})
		got, err := read(t, g.Stream(t.Context(), thread("x"), "t1", trip{}, flow.Messages))
		wantErr(t, "Stream", err, nil)
		same(t, "told", []string{`messages a#1 "one"`, "end [a]"}, got)
		close(stubborn)
		synctest.Wait()
	})
}

// Nothing is copied where nobody listens to messages; a slow reader is told how much he has missed.
func TestHearNothingForNobody(t *testing.T) {
	t.Parallel()
	heard := func(modes ...flow.Mode) (copied bool) {
		node := asks("a", func(ctx context.Context) error {
			ctx = callbacks.OnStart(callbacks.EnsureRunInfo(ctx, "X", components.ComponentOfChatModel), &model.CallbackInput{})
			out := schema.StreamReaderFromArray([]*schema.Message{schema.AssistantMessage("x", nil)})
			_, same := callbacks.OnEndWithStreamOutput(ctx, out)
			copied = same != out
			return listen(same, -1, nil)
		})
		g := compile(t, chain(node), flow.Config[trip]{Log: newLog(ram.New())})
		_, err := read(t, g.Stream(t.Context(), thread("x"), "t1", trip{}, modes...))
		wantErr(t, "Stream", err, nil)
		return copied
	}
	if heard(flow.Updates, flow.Custom, flow.Tasks, flow.Values) || !heard(flow.Messages) {
		t.Error("the stream is copied for nobody, or not for who listens")
	}

	const said = 5000
	ended := make(chan struct{})
	g := compile(t, chain(asks("a", func(ctx context.Context) error {
		defer close(ended)
		return streams(voice{words: slices.Repeat([]string{"x"}, said), own: true}, -1, nil)(ctx)
	})), flow.Config[trip]{Log: newLog(ram.New())})
	got := 0
	for e, err := range g.Stream(t.Context(), thread("x"), "t1", trip{}, flow.Messages) {
		wantErr(t, "Stream", err, nil)
		<-ended
		if e.Mode == flow.Messages {
			got++
		}
		got += e.Dropped
	}
	if got != said {
		t.Errorf("%d heard and lost of %d", got, said)
	}
}
