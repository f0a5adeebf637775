package crash

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components"
	"github.com/cloudwego/eino/compose"
)

// Walk follows one turn through its places. A place is "before" or "after" and what begins or ends there, or amid a write:
//
//	before intake                        a node; from its second visit on with its number: intake#2
//	after respond/model#1                the first call of the chat model
//	after context_detect/model#1         the first call of the small model in a node other than respond
//	before respond/small#1               the first call of the small model in respond
//	after respond/tool:memory_store#2    the second call of that tool, under the name the model used
//	before store/write#7                 the seventh Write; get, scan and delete likewise
//	amid store/write#7, only 1 steps     where a Write is no transaction: the first of its documents is written
//	amid store/write#7, all but 2 feed   all are but the second
//
// Numbers count within the walk. The zero value follows a turn that lives on. Safe for concurrent use; the order of
// places that are passed at the same time is not defined.
type Walk struct {
	// Dies says whether the process dies at the n-th place passed (from 1). Nil = it lives.
	Dies func(n int, place string) bool
	// Saw is told each place before Dies is asked, one at a time. Nil = nobody is.
	Saw func(place string)

	mu     sync.Mutex
	counts map[string]int
	passed []string
}

// Pass is called where a place of the caller's own is; the process may not survive it.
func (w *Walk) Pass(place string) { w.pass(place, func() {}) }

// pass passes a place; last is what the process still does if it dies there.
func (w *Walk) pass(place string, last func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.passed = append(w.passed, place)
	if w.Saw != nil {
		w.Saw(place)
	}
	if w.Dies != nil && w.Dies(len(w.passed), place) {
		last()
		Die()
	}
}

// Passed lists the places passed so far, in order.
func (w *Walk) Passed() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.passed)
}

// begin passes the place before the next call of what, and returns the call's name.
func (w *Walk) begin(what string) (call string) {
	w.mu.Lock()
	if w.counts == nil {
		w.counts = map[string]int{}
	}
	w.counts[what]++
	call = fmt.Sprintf("%s#%d", what, w.counts[what])
	w.mu.Unlock()
	w.Pass("before " + call)
	return call
}

func (w *Walk) end(call string) { w.Pass("after " + call) }

// Context makes the nodes and tools of a turn that runs under it places of the walk.
func (w *Walk) Context(ctx context.Context) context.Context {
	h := callbacks.NewHandlerBuilder().
		OnStartFn(func(ctx context.Context, info *callbacks.RunInfo, _ callbacks.CallbackInput) context.Context {
			return w.started(ctx, info)
		}).
		OnEndFn(func(ctx context.Context, info *callbacks.RunInfo, _ callbacks.CallbackOutput) context.Context {
			return w.ended(ctx, info)
		}).
		OnErrorFn(func(ctx context.Context, info *callbacks.RunInfo, _ error) context.Context {
			if info.Component == components.ComponentOfTool { // the turn goes on with the error as the result
				return w.ended(ctx, info)
			}
			return ctx
		}).
		Build()
	return callbacks.InitCallbacks(ctx, &callbacks.RunInfo{Name: "walk"}, h)
}

type nodeKey struct{}

type callKey struct{}

// started passes the place before a node or tool. What is named here is found again by ended.
func (w *Walk) started(ctx context.Context, info *callbacks.RunInfo) context.Context {
	switch info.Component {
	case compose.ComponentOfLambda:
		ctx = context.WithValue(ctx, nodeKey{}, info.Name)
		return context.WithValue(ctx, callKey{}, w.enter(info.Name))
	case components.ComponentOfTool:
		return context.WithValue(ctx, callKey{}, w.begin(nodeOf(ctx)+"/tool:"+info.Name))
	}
	return ctx
}

// enter is begin for a node: its first visit bears its bare name.
func (w *Walk) enter(node string) string {
	w.mu.Lock()
	if w.counts == nil {
		w.counts = map[string]int{}
	}
	w.counts[node]++
	visit := node
	if n := w.counts[node]; n > 1 {
		visit = fmt.Sprintf("%s#%d", node, n)
	}
	w.mu.Unlock()
	w.Pass("before " + visit)
	return visit
}

func (w *Walk) ended(ctx context.Context, info *callbacks.RunInfo) context.Context {
	call, ok := ctx.Value(callKey{}).(string)
	if ok && (info.Component == compose.ComponentOfLambda || info.Component == components.ComponentOfTool) {
		w.end(call)
	}
	return ctx
}

// nodeOf returns the node that the context belongs to, "" outside one.
func nodeOf(ctx context.Context) string {
	node, _ := ctx.Value(nodeKey{}).(string)
	return node
}
