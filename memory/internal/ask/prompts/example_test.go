package prompts_test

import (
	"fmt"

	"github.com/mneme-graph/mneme/memory/internal/ask/prompts"
)

func ExampleJSON() {
	type verdict struct {
		Type   prompts.Text   `json:"type"`
		Target prompts.Text   `json:"target_affair" also:"target"`
		Sure   prompts.Number `json:"confidence"`
		Facts  prompts.Facts  `json:"key_facts"`
	}
	got, err := prompts.JSON[verdict]("Here you are:\n```json\n{type: 'SWITCH', target: “a2”, // back to it\n confidence: 90%, key_facts: {order: 07-14244-53150,}")
	fmt.Println(got.Type, got.Target, got.Sure.Value, got.Facts[0].Label, got.Facts[0].Value, err)

	_, err = prompts.JSON[verdict]("I would say it goes on.")
	fmt.Println(err)
	// Output:
	// SWITCH a2 0.9 order 07-14244-53150 <nil>
	// answer: holds no JSON object with type, target_affair, confidence, key_facts: "I would say it goes on."
}
