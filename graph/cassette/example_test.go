package cassette_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/graph/cassette"
	"github.com/mneme-graph/mneme/memory/component/offline"
)

// A model is recorded once; then the tape answers, and says what it does not know.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "cassette")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	ctx, file := context.Background(), filepath.Join(dir, "tape.jsonl")
	recording, err := cassette.Open(cassette.Config{File: file, Model: offline.New()})
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := recording.Generate(ctx, []*schema.Message{schema.UserMessage("Good morning!")}); err != nil {
		fmt.Println(err)
		return
	}

	m, err := cassette.Open(cassette.Config{File: file})
	if err != nil {
		fmt.Println(err)
		return
	}
	answer, err := m.Generate(ctx, []*schema.Message{schema.UserMessage("Good morning!")})
	fmt.Println(answer.Content, err)
	_, err = m.Generate(ctx, []*schema.Message{schema.UserMessage("Good night!")})
	fmt.Println(err != nil)
	// Output:
	// Hello! <nil>
	// true
}
