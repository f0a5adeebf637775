package flow_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/cloudwego/eino/callbacks"

	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/field"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// hearing is a context with a handler that writes down what it is told.
func hearing(t *testing.T) (context.Context, func() []string) {
	var mu sync.Mutex
	var heard []string
	note := func(ctx context.Context, kind string, info *callbacks.RunInfo, what any) context.Context {
		mu.Lock()
		defer mu.Unlock()
		if err, ok := what.(error); ok {
			line, _, _ := strings.Cut(err.Error(), "\n")
			what = strings.TrimPrefix(line, "[NodeRunError] ")
		}
		at := flow.At(ctx)
		heard = append(heard, fmt.Sprintf("%s %s %s/%s#%d: %v", kind, info.Name, at.Turn, at.Node, at.Visit, what))
		return ctx
	}
	h := callbacks.NewHandlerBuilder().
		OnStartFn(func(ctx context.Context, i *callbacks.RunInfo, in callbacks.CallbackInput) context.Context {
			return note(ctx, "start", i, in)
		}).
		OnEndFn(func(ctx context.Context, i *callbacks.RunInfo, out callbacks.CallbackOutput) context.Context {
			return note(ctx, "end", i, out)
		}).
		OnErrorFn(func(ctx context.Context, i *callbacks.RunInfo, err error) context.Context {
			return note(ctx, "error", i, err)
		}).
		Build()
	return callbacks.InitCallbacks(t.Context(), &callbacks.RunInfo{Name: "caller"}, h), func() []string {
		mu.Lock()
		defer mu.Unlock()
		return heard
	}
}

// Handlers see the question and the answer, for the graph and for each of its nodes, and an end or an error after every
// start.
func TestHandlers(t *testing.T) {
	t.Parallel()
	show := func(s trip) any {
		return "[" + strings.Join(append([]string{s.Note.Get()}, s.Trail.Items()...), " ") + "]"
	}
	work := func(do func(ctx context.Context) error) flow.Node[trip] {
		return flow.Node[trip]{Name: "b", Run: func(ctx context.Context, s trip) (trip, error) {
			s.Trail.Add("b")
			return s, do(ctx)
		}}
	}
	for _, tt := range []struct {
		name string
		node flow.Node[trip]
		want []string
	}{
		{"all is well", work(func(context.Context) error { return nil }), []string{
			"start b t1/b#1: [hi a]", "end b t1/b#1: [hi a b]", "end chain t1/#0: [hi a b]",
		}},
		{"an error", work(func(context.Context) error { return errBoom }), []string{
			"start b t1/b#1: [hi a]", "error b t1/b#1: boom", "error chain t1/#0: boom",
		}},
		{"a panic", work(func(context.Context) error { panic("oops\nand more") }), []string{
			"start b t1/b#1: [hi a]", "error b t1/b#1: node b: panicked: oops", "error chain t1/#0: node b: panicked: oops",
		}},
		{"a question", questioning(&tally{}, "b", state.Question{Text: "pay?"}), []string{
			"start b t1/b#1: [hi a]", "error b t1/b#1: the turn waits for an answer to t1/b#1/1", "error chain t1/#0: the turn waits for an answer to t1/b#1/1",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var did tally
			ctx, heard := hearing(t)
			g := compile(t, chain(mark(&did, "a"), tt.node), flow.Config[trip]{Log: newLog(ram.New()), Show: show})
			_, _ = g.Invoke(ctx, thread("x"), "t1", trip{Note: field.Of("hi")})
			want := append([]string{"start chain t1/#0: [hi]", "start a t1/a#1: [hi]", "end a t1/a#1: [hi a]"}, tt.want...)
			same(t, "heard", want, heard())
		})
	}
}

// A node whose turn is cut is told of as any other; what the log has ends at once.
func TestHandlersOfACutTurn(t *testing.T) {
	t.Parallel()
	var did tally
	ctx, heard := hearing(t)
	cut, stop := context.WithCancel(ctx)
	slow := flow.Node[trip]{Name: "b", Run: func(ctx context.Context, s trip) (trip, error) {
		if did.add("b") == 1 {
			stop()
			<-ctx.Done()
		}
		return s, ctx.Err()
	}}
	g := compile(t, chain(mark(&did, "a"), slow), flow.Config[trip]{Log: newLog(ram.New())})
	_, err := g.Invoke(cut, thread("x"), "t1", trip{})
	wantErr(t, "Invoke", err, context.Canceled)
	_, err = g.Resume(ctx, thread("x"), nil)
	wantErr(t, "Resume", err, nil)
	var kinds []string
	for _, h := range heard() {
		kind, _, _ := strings.Cut(h, ":")
		kinds = append(kinds, kind)
	}
	same(t, "heard", []string{
		"start chain t1/#0", "start a t1/a#1", "end a t1/a#1", "start b t1/b#1", "error b t1/b#1", "error chain t1/#0",
		"start chain t1/#0", "start a t1/a#1", "end a t1/a#1", "start b t1/b#1", "end b t1/b#1", "end chain t1/#0",
	}, kinds)
	if first := heard()[0]; !strings.HasSuffix(first, fmt.Sprint(flow.Place{Thread: thread("x"), Turn: "t1"})) {
		t.Errorf("without Show handlers see %q, want the place", first)
	}
}

// A panic is an error of one line; its stack is in the log, once.
func TestPanicIsLogged(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	bad := flow.Node[trip]{Name: "bad", Run: func(context.Context, trip) (trip, error) { panic(errors.New("oops\nmore")) }}
	g := compile(t, chain(bad), flow.Config[trip]{Log: newLog(ram.New()), Logger: slog.New(slog.NewTextHandler(&out, nil))})
	_, err := g.Invoke(t.Context(), thread("x"), "t1", trip{})
	wantErr(t, "Invoke", err, state.ErrInternal)
	same(t, "text", "node bad: panicked: oops", err.Error())
	for _, want := range []string{"level=ERROR", "node=bad", "turn=t1", "thread=c/x", "TestPanicIsLogged"} {
		if strings.Count(out.String(), want) == 0 || strings.Count(out.String(), "\n") != 1 {
			t.Errorf("the log has no %s, or is not one line: %s", want, out.String())
		}
	}
	branch := chain(mark(&tally{}, "a"))
	branch.AddBranch("a", func(context.Context, trip) (string, error) { panic("oops") }, flow.End)
	_, err = compile(t, branch, flow.Config[trip]{Log: newLog(ram.New())}).Invoke(t.Context(), thread("x"), "t1", trip{})
	if err == nil || err.Error() != "node a: panicked: oops" {
		t.Errorf("a branch: %v", err)
	}
}
