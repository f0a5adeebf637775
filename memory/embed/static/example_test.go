package static_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/mneme-graph/mneme/memory/embed/static"
)

// A model of three tokens and two dimensions: what is near lies in one direction.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "model")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	for name, content := range map[string][]byte{
		"tokenizer.json":    []byte(wordPiece("[UNK]", "invoice", "bill", "horse")),
		"config.json":       []byte(`{"normalize": true}`),
		"model.safetensors": safetensors(matrix("embeddings", "F32", []float32{0, 0}, []float32{4, 3}, []float32{8, 6}, []float32{0, -2})),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			fmt.Println(err)
			return
		}
	}
	m, err := static.Open(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := m.EmbedStrings(context.Background(), []string{"An INVOICE", "the bill", "horse"})
	fmt.Println(v, err)
	// Output: [[0.8 0.6] [0.8 0.6] [0 -1]] <nil>
}
