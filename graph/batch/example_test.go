package batch_test

import (
	"context"
	"fmt"
	"time"

	"github.com/mneme-graph/mneme/graph/batch"
	"github.com/mneme-graph/mneme/graph/batch/batchtest"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/extraction"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// A session that is over waits, and a pass has it read. In production the provider is openai, anthropic or google, and Run makes the passes.
func Example() {
	ctx, s := context.Background(), ram.New()
	anna := state.Scope{Client: "default", User: "anna"}
	if err := batchtest.Tell(ctx, s, anna, time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), "I play the cello in a quartet."); err != nil {
		fmt.Println(err)
		return
	}
	settings := state.DefaultSettings()
	settings.ExtractionProvider = "local"
	m, err := memory.New(memory.Config{Store: s, Settings: settings})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer m.Close()
	small := scripted.Background(map[string]any{"extract": `{"facts":[{"category":"CORE","text":"plays the cello in a quartet"}]}`}, nil)
	service, err := batch.Open(batch.Config{Provider: "local", Small: small})
	if err != nil {
		fmt.Println(err)
		return
	}
	x, err := extraction.New(extraction.Config{Memory: m, Store: s, Service: service})
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := x.Pass(ctx, true)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Asked, "asked,", report.Counts.Learnt, "learnt")
	brain, err := m.Brain(ctx, anna)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range brain.User {
		fmt.Println(r.Content)
	}
	// Output:
	// 1 asked, 1 learnt
	// plays the cello in a quartet
}
