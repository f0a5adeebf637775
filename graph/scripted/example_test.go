package scripted_test

import (
	"context"
	"fmt"

	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/memory/component/offline"
)

// A chat model that asks for a tool, then speaks.
func ExampleNew() {
	m := scripted.New([]scripted.Step{
		scripted.Call("memory_recall", `{"query":"car part","scope":"all"}`),
		scripted.Say("It arrives on 20 February."),
	}, offline.New())

	prompt := []*schema.Message{schema.UserMessage("When does the car part arrive?")}
	for range 2 {
		answer, err := m.Generate(context.Background(), prompt)
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, c := range answer.ToolCalls {
			fmt.Println(c.ID, c.Function.Name, c.Function.Arguments)
			prompt = append(prompt, answer, schema.ToolMessage("...", c.ID))
		}
		if answer.Content != "" {
			fmt.Println(answer.Content)
		}
	}
	// Output:
	// call-1 memory_recall {"query":"car part","scope":"all"}
	// It arrives on 20 February.
}

// A small model that decides by script and fails at summaries.
func ExampleBackground() {
	small := scripted.Background(map[string]any{
		"detect": map[string]any{"type": "AD_HOC", "confidence": 0.9},
	}, []string{"summary"})

	for _, task := range []string{"detect", "summary", "title"} {
		answer, err := small.Generate(context.Background(), []*schema.Message{schema.UserMessage("Task: " + task)})
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(answer.Content)
	}
	// Output:
	// {"confidence":0.9,"type":"AD_HOC"}
	// small model, task summary: fails by script
	// small model, task title: no scripted answer
}
