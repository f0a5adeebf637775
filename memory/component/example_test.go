package component_test

import (
	"context"
	"fmt"
	"log"

	"github.com/cloudwego/eino/components/retriever"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/memory/component"
	"github.com/mneme-graph/mneme/state"
)

// A memory as the retriever of a graph. The scope is the caller's: without one in the Config, it is that of the turn.
func ExampleNewRetriever() {
	m, err := open(nil)
	if err != nil {
		log.Fatal(err)
	}
	found, err := component.NewRetriever(component.RetrieverConfig{Memory: m})
	if err != nil {
		log.Fatal(err)
	}
	kept, err := component.NewIndexer(component.IndexerConfig{Memory: m})
	if err != nil {
		log.Fatal(err)
	}
	ctx := state.ContextWithScope(context.Background(), state.Scope{Client: "acme", User: "eva", Session: "s1"})
	if _, err := kept.Store(ctx, []*schema.Document{
		{Content: "The boiler is serviced in October."},
		{Content: "Eva takes her coffee black."},
	}); err != nil {
		log.Fatal(err)
	}

	graph, err := compose.NewChain[string, []*schema.Document]().AppendRetriever(found).Compile(ctx)
	if err != nil {
		log.Fatal(err)
	}
	docs, err := graph.Invoke(ctx, "when is the boiler serviced?", compose.WithRetrieverOption(retriever.WithTopK(1)))
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range docs {
		fmt.Println(d.Content)
		fmt.Println(d.MetaData[component.MetaSource], d.MetaData[component.MetaShare])
	}
	// Output:
	// The boiler is serviced in October.
	// record fact, 2026-02-15 1
}

// Documents become records of one kind. What memory has already is not kept twice.
func ExampleNewIndexer() {
	m, err := open(nil)
	if err != nil {
		log.Fatal(err)
	}
	x, err := component.NewIndexer(component.IndexerConfig{
		Memory: m, Scope: state.Scope{Client: "acme", User: "handbook", Session: "import"}, Kind: state.ProcedureRecord,
	})
	if err != nil {
		log.Fatal(err)
	}
	graph, err := compose.NewChain[[]*schema.Document, []string]().AppendIndexer(x).Compile(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	page := &schema.Document{Content: "Close the valve, then cut the power.", MetaData: map[string]any{component.MetaSubject: "boiler"}}
	for range 2 {
		ids, err := graph.Invoke(context.Background(), []*schema.Document{page})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(ids)
	}
	// Output:
	// [id1]
	// [id1]
}
