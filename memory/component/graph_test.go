package component_test

import (
	"bytes"
	"context"
	"sync"
	"testing"

	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components/retriever"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"
	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/component"
	"github.com/mneme-graph/mneme/state"
)

// run compiles a chain and runs it once.
func run[I, O any](ctx context.Context, t *testing.T, chain *compose.Chain[I, O], in I, opts ...compose.Option) (O, error) {
	t.Helper()
	graph, err := chain.Compile(ctx)
	must(t, err)
	return graph.Invoke(ctx, in, opts...)
}

func TestNodesOfAChain(t *testing.T) {
	t.Parallel()
	m, tr := setup(t), &tracing{}
	loads := compose.NewChain[[]*schema.Document, []string]().
		AppendIndexer(newIndexer(t, component.IndexerConfig{Memory: m, Scope: alice()}))
	ids, err := run(t.Context(), t, loads, []*schema.Document{about("kettle", "red enamel"), said("roses in June")}, compose.WithCallbacks(tr.handler()))
	if err != nil || len(ids) != 2 {
		t.Fatalf("want two ids, got %v, %v", ids, err)
	}
	asks := compose.NewChain[string, []*schema.Document]().
		AppendRetriever(newRetriever(t, component.RetrieverConfig{Memory: m, Scope: alice(), In: memory.InKB, Kinds: []state.RecordKind{state.FactRecord}}))
	docs, err := run(t.Context(), t, asks, "red kettle", compose.WithCallbacks(tr.handler()), compose.WithRetrieverOption(retriever.WithTopK(4)))
	if err != nil || len(docs) != 1 || docs[0].ID != ids[0] {
		t.Fatalf("want document %s, got %+v, %v", ids[0], docs, err)
	}
	want := []string{
		`MnemeIndexer start ["red enamel" "roses in June"]`,
		`MnemeIndexer end [` + ids[0] + ` ` + ids[1] + `]`,
		`MnemeRetriever start "red kettle" top 4 of kb_only [fact]`,
		`MnemeRetriever end ["kettle: red enamel"]`,
	}
	same(t, "callbacks", want, tr.lines)
}

// An error has the callbacks and the code that it has outside a graph.
func TestErrorsOfAChain(t *testing.T) {
	t.Parallel()
	m, tr := setup(t), &tracing{}
	asks := compose.NewChain[string, []*schema.Document]().
		AppendRetriever(newRetriever(t, component.RetrieverConfig{Memory: m, Scope: alice()}))
	_, err := run(t.Context(), t, asks, "kettle", compose.WithCallbacks(tr.handler()), compose.WithRetrieverOption(retriever.WithEmbedding(stranger{})))
	code(t, err, state.Invalid)
	loads := compose.NewChain[[]*schema.Document, []string]().
		AppendIndexer(newIndexer(t, component.IndexerConfig{Memory: m}))
	_, err = run(t.Context(), t, loads, []*schema.Document{said("x")}, compose.WithCallbacks(tr.handler()))
	code(t, err, state.Invalid)
	want := []string{
		`MnemeRetriever start "kettle" top 5 of all`, `MnemeRetriever error invalid`,
		`MnemeIndexer start ["x"]`, `MnemeIndexer error invalid`,
	}
	same(t, "callbacks", want, tr.lines)
}

// Outside a graph the handlers of the context are told too.
func TestCallbacksOutsideAGraph(t *testing.T) {
	t.Parallel()
	m, tr := setup(t), &tracing{}
	ctx := callbacks.InitCallbacks(t.Context(), nil, tr.handler())
	keep(ctx, t, newIndexer(t, component.IndexerConfig{Memory: m, Scope: alice()}), said("red kettle"))
	retrieve(ctx, t, newRetriever(t, component.RetrieverConfig{Memory: m, Scope: alice(), TopK: 2}), "kettle")
	want := []string{
		`MnemeIndexer start ["red kettle"]`, `MnemeIndexer end [id1]`,
		`MnemeRetriever start "kettle" top 2 of all`, `MnemeRetriever end ["red kettle"]`,
	}
	same(t, "callbacks", want, tr.lines)
}

// checkpoints is where eino keeps an interrupted graph.
type checkpoints struct{ kept sync.Map }

func (c *checkpoints) Get(_ context.Context, id string) ([]byte, bool, error) {
	v, ok := c.kept.Load(id)
	if !ok {
		return nil, false, nil
	}
	return bytes.Clone(v.([]byte)), true, nil
}

func (c *checkpoints) Set(_ context.Context, id string, checkpoint []byte) error {
	c.kept.Store(id, bytes.Clone(checkpoint))
	return nil
}

// Documents that wait in an interrupted graph come back whole.
func TestDocumentsSurviveACheckpoint(t *testing.T) {
	t.Parallel()
	m := kettles(t)
	r := newRetriever(t, component.RetrieverConfig{Memory: m, Scope: alice()})
	chain := compose.NewChain[string, []*schema.Document]().AppendRetriever(r).
		AppendLambda(compose.InvokableLambda(func(_ context.Context, docs []*schema.Document) ([]*schema.Document, error) {
			return docs, nil
		}), compose.WithNodeKey("read"))
	graph, err := chain.Compile(t.Context(), compose.WithCheckPointStore(&checkpoints{}), compose.WithInterruptBeforeNodes([]string{"read"}))
	must(t, err)
	if _, err = graph.Invoke(t.Context(), question, compose.WithCheckPointID("1")); err == nil {
		t.Fatal("the graph was not interrupted")
	} else if _, stopped := compose.ExtractInterruptInfo(err); !stopped {
		t.Fatal(err)
	}
	got, err := graph.Invoke(t.Context(), "", compose.WithCheckPointID("1"))
	must(t, err)
	if diff := cmp.Diff(retrieve(t.Context(), t, r, question), got); diff != "" {
		t.Errorf("documents (-found +resumed):\n%s", diff)
	}
}
