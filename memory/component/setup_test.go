package component_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components/embedding"
	"github.com/cloudwego/eino/components/indexer"
	"github.com/cloudwego/eino/components/retriever"
	"github.com/cloudwego/eino/schema"
	ucallbacks "github.com/cloudwego/eino/utils/callbacks"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/component"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// open makes a memory in RAM with a clock that stands still and ids id1, id2, ...
func open(change func(*memory.Config)) (*memory.Memory, error) {
	var mu sync.Mutex
	ids := 0
	c := memory.Config{
		Store: ram.New(), Settings: state.DefaultSettings(),
		Now: func() time.Time { return time.Date(2026, 2, 15, 21, 0, 0, 0, time.UTC) },
		NewID: func() string {
			mu.Lock()
			defer mu.Unlock()
			ids++
			return fmt.Sprintf("id%d", ids)
		},
	}
	if change != nil {
		change(&c)
	}
	return memory.New(c)
}

func setup(t *testing.T) *memory.Memory {
	t.Helper()
	m, err := open(nil)
	must(t, err)
	return m
}

// alice is the usual scope.
func alice() state.Scope {
	return state.Scope{Client: "c1", User: "alice", Agent: "main", Session: "s1"}
}

// write keeps things in a scope or fails the test.
func write(t *testing.T, m *memory.Memory, scope state.Scope, changes ...memory.Change) {
	t.Helper()
	if _, err := m.Write(t.Context(), scope, changes...); err != nil {
		t.Fatal(err)
	}
}

func newRetriever(t *testing.T, c component.RetrieverConfig) *component.Retriever {
	t.Helper()
	r, err := component.NewRetriever(c)
	must(t, err)
	return r
}

func newIndexer(t *testing.T, c component.IndexerConfig) *component.Indexer {
	t.Helper()
	x, err := component.NewIndexer(c)
	must(t, err)
	return x
}

// retrieve returns what was found or fails the test.
func retrieve(ctx context.Context, t *testing.T, r *component.Retriever, query string, opts ...retriever.Option) []*schema.Document {
	t.Helper()
	docs, err := r.Retrieve(ctx, query, opts...)
	must(t, err)
	return docs
}

// keep stores documents or fails the test.
func keep(ctx context.Context, t *testing.T, x *component.Indexer, docs ...*schema.Document) []string {
	t.Helper()
	ids, err := x.Store(ctx, docs)
	must(t, err)
	return ids
}

// contents are the documents' contents, in their order.
func contents(docs []*schema.Document) []string {
	out := []string{}
	for _, d := range docs {
		out = append(out, d.Content)
	}
	return out
}

// said is a document with a content alone.
func said(content string) *schema.Document { return &schema.Document{Content: content} }

// about is a document with a subject.
func about(subject, content string) *schema.Document {
	return &schema.Document{Content: content, MetaData: map[string]any{component.MetaSubject: subject}}
}

// stranger is an embedder of the caller's own, which memory must not use.
type stranger struct{}

var _ embedding.Embedder = stranger{}

func (stranger) EmbedStrings(context.Context, []string, ...embedding.Option) ([][]float64, error) {
	return nil, state.Errorf(state.Internal, "stranger", "was asked")
}

// tracing collects what eino's callbacks tell, a line each.
type tracing struct{ lines []string }

func (tr *tracing) note(format string, args ...any) {
	tr.lines = append(tr.lines, fmt.Sprintf(format, args...))
}

// handler is a callback handler as a tracer registers it.
func (tr *tracing) handler() callbacks.Handler {
	who := func(i *callbacks.RunInfo) string { return fmt.Sprintf("%s%s", i.Type, i.Component) }
	return ucallbacks.NewHandlerHelper().Retriever(&ucallbacks.RetrieverCallbackHandler{
		OnStart: func(ctx context.Context, i *callbacks.RunInfo, in *retriever.CallbackInput) context.Context {
			tr.note("%s start %q top %d of %s", who(i), in.Query, in.TopK, in.Filter)
			return ctx
		},
		OnEnd: func(ctx context.Context, i *callbacks.RunInfo, out *retriever.CallbackOutput) context.Context {
			tr.note("%s end %q", who(i), contents(out.Docs))
			return ctx
		},
		OnError: func(ctx context.Context, i *callbacks.RunInfo, err error) context.Context {
			tr.note("%s error %s", who(i), state.CodeOf(err))
			return ctx
		},
	}).Indexer(&ucallbacks.IndexerCallbackHandler{
		OnStart: func(ctx context.Context, i *callbacks.RunInfo, in *indexer.CallbackInput) context.Context {
			tr.note("%s start %q", who(i), contents(in.Docs))
			return ctx
		},
		OnEnd: func(ctx context.Context, i *callbacks.RunInfo, out *indexer.CallbackOutput) context.Context {
			tr.note("%s end %v", who(i), out.IDs)
			return ctx
		},
		OnError: func(ctx context.Context, i *callbacks.RunInfo, err error) context.Context {
			tr.note("%s error %s", who(i), state.CodeOf(err))
			return ctx
		},
	}).Handler()
}

// code fails the test when err has another code.
func code(t *testing.T, err error, want state.Code) {
	t.Helper()
	if got := state.CodeOf(err); got != want {
		t.Errorf("error code: want %q, got %q (%v)", want, got, err)
	}
}

var must, same = statetest.Must, statetest.Same
