package offline_test

import (
	"context"
	"fmt"

	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/memory/component/offline"
)

// A question is answered with what memory holds, and where it is from.
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
	// “price: $38.10” (“Car part”)
}
