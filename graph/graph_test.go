package graph_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/offline"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
)

func TestDemoProbe(t *testing.T) {
	ctx := context.Background()
	s := &store.Counting{Store: ram.New()}
	now := time.Date(2026, 2, 15, 21, 0, 0, 0, time.UTC)
	n := 0
	g, err := graph.New(ctx, graph.Config{Store: s, Model: offline.New(), Now: func() time.Time { return now }, NewID: func() string { n++; return fmt.Sprintf("id%d", n) }})
	if err != nil {
		t.Fatal(err)
	}
	for _, msg := range []string{
		"Vybral a objednal jsem toto: https://www.ebay.com/itm/167956961209",
		"Tady je objednávka, číslo 07-14244-53150, $38.10",
		"Super, teď moje záležitost. Máš email od univerzity Unicorn.",
		"Hele, kdy to má dorazit, ten díl na auto?",
		"Ok, a co s tou školou, co musím udělat dál?",
	} {
		now = now.Add(5 * time.Minute)
		r, err := g.Invoke(ctx, graph.Request{Text: msg})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("\n> %s\n  %s %q conf %.2f (%s)\n", msg, r.Decision.Kind, r.Decision.Title, r.Decision.Confidence, r.Decision.Reasoning)
		for _, u := range r.Tools {
			fmt.Printf("  tool %s %s -> %s\n", u.Name, u.Arguments, u.Result)
		}
		if r.Active != nil {
			fmt.Printf("  active %q %v\n", r.Active.Title, r.Active.KeyFacts)
		}
		for _, p := range r.Parked {
			fmt.Printf("  parked %q %v | %s\n", p.Title, p.KeyFacts, p.Summary)
		}
		fmt.Printf("  < %s\n  bill %+v nodes %v notes %v\n", r.Text, r.Trace.Bill, r.Trace.Nodes, r.Trace.Notes)
	}
	_ = state.Active
}
