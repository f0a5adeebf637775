package static

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/mneme-graph/mneme/state/statetest"
)

// testdata/reference.json holds tokens of made-up vocabularies as the tokenizers library cuts them, unknown ones left
// out.
func TestReference(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/reference.json")
	must(t, err)
	var ref struct {
		WordPiece map[string]int `json:"wordpiece"`
		Unigram   [][2]any       `json:"unigram"`
		Texts     []string       `json:"texts"`
		Cases     []struct {
			Name      string         `json:"name"`
			Tokenizer map[string]any `json:"tokenizer"`
			IDs       [][]int32      `json:"ids"`
		} `json:"cases"`
	}
	must(t, json.Unmarshal(raw, &ref))
	if len(ref.Cases) < 15 || len(ref.Texts) < 25 {
		t.Fatalf("%d cases of %d texts", len(ref.Cases), len(ref.Texts))
	}
	for _, c := range ref.Cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			model := c.Tokenizer["model"].(map[string]any)
			switch model["type"] {
			case "WordPiece":
				model["vocab"] = ref.WordPiece
			case "Unigram":
				vocab := slices.Clone(ref.Unigram)
				for b := 0; b < 256 && model["byte_fallback"] == true; b++ {
					vocab = append(vocab, [2]any{fmt.Sprintf("<0x%02X>", b), -9.0})
				}
				model["vocab"] = vocab
			}
			whole, err := json.Marshal(c.Tokenizer)
			must(t, err)
			tok, err := parseTokenizer(whole)
			must(t, err)
			for i, s := range ref.Texts {
				if got := tok.encode(nil, s); !slices.Equal(got, c.IDs[i]) {
					t.Errorf("%q: got %v, want %v", s, got, c.IDs[i])
				}
			}
		})
	}
}

var must = statetest.Must
