package provider_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/graph/provider"
	"github.com/mneme-graph/mneme/state"
)

// The offline model needs no key; a real one says what it misses.
func ExampleOpen() {
	ctx := context.Background()
	m, err := provider.Open(ctx, provider.Config{Model: "offline"})
	if err != nil {
		fmt.Println(err)
		return
	}
	answer, err := m.Generate(ctx, []*schema.Message{schema.UserMessage("Good morning!")})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(answer.Content)

	_, err = provider.Open(ctx, provider.Config{Model: "openai:gpt-4o-mini"})
	fmt.Println(errors.Is(err, state.ErrInvalid), err)
	// Output:
	// Hello!
	// true model openai:gpt-4o-mini: has no key; set MNEME_OPENAI_API_KEY or OPENAI_API_KEY
}
