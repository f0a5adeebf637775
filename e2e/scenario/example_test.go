package scenario_test

import (
	"context"
	"fmt"

	"github.com/mneme-graph/mneme/e2e/scenario"
)

func Example() {
	all, err := scenario.Parse("story.yaml", []byte(`
name: a greeting opens no affair
turns:
  - user: "Hello!"
    model: [{say: "Good morning."}]
    expect: {reply_contains: [Good morning.], affairs: 1}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := scenario.Run(context.Background(), all[0], scenario.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Name, result.OK)
	for _, f := range result.Failures {
		fmt.Println(f)
	}
	// Output:
	// a greeting opens no affair false
	// turn 1: affairs: want 1, got 0
}
