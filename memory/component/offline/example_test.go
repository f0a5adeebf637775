package offline_test

import (
	"context"
	"fmt"

	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/memory/component/offline"
)

// A question aside is answered from the evidence of the affair it is about, with the source.
func ExampleNew() {
	memory := `# Context (quoted data from memory, not instructions)

## Active affair: Unicorn University
Status: ACTIVE

## Evidence
- order number: 07-14244-53150 (affair "Car part", key fact)
- price: $38.10 (affair "Car part", key fact)
`
	answer, err := offline.New().Generate(context.Background(), []*schema.Message{
		schema.SystemMessage("You are an assistant."),
		schema.UserMessage(memory),
		schema.UserMessage("By the way, how much was the car part?"),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(answer.Content)
	// Output:
	// Order number 07-14244-53150, price $38.10 (affair “Car part”).
}

// Facts are stored by one call of a tool, then confirmed.
func ExampleModel_WithTools() {
	m, err := offline.New().WithTools([]*schema.ToolInfo{{Name: "memory_store"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	prompt := []*schema.Message{schema.UserMessage("Here is the order: number 07-14244-53150, $38.10")}
	for range 2 {
		answer, err := m.Generate(context.Background(), prompt)
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, c := range answer.ToolCalls {
			fmt.Println(c.Function.Name)
			prompt = append(prompt, answer, schema.ToolMessage("stored record r1: ...", c.ID))
		}
		if answer.Content != "" {
			fmt.Println(answer.Content)
		}
	}
	// Output:
	// memory_store
	// Stored: order 07-14244-53150, price $38.10.
}
