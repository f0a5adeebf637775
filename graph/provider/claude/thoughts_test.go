package claude

import (
	"bytes"
	"encoding/json"
	"testing"
)

// Whatever comes, what is kept of it is JSON that can be put into a request, before the call.
func FuzzThoughts(f *testing.F) {
	for _, s := range []string{
		"", "{}", `{"type":"message","content":[{"type":"thinking","thinking":"x","signature":"s"},{"type":"tool_use"}]}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"thinking"}}` + "\n" + `{"type":"content_block_delta","index":1,"delta":{"type":"signature_delta","signature":"s"}}`,
		`{"type":"content_block_delta","index":7,"delta":{"thinking":"x"}}`, `{"type":"content_block_start","content_block":{"type":"redacted_thinking","data":"d"}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		seal := newThoughts()
		for line := range bytes.SplitSeq(data, []byte("\n")) {
			seal.Add(line)
		}
		text := seal.Text()
		if text == "" {
			return
		}
		out, err := unseal([]byte(`{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a"}]},{"role":"user","content":"x"}]}`), map[string]string{"a": text})
		var got struct {
			Messages []struct{ Content json.RawMessage }
		}
		if err != nil || json.Unmarshal(out, &got) != nil {
			t.Fatalf("%q: %v, %s", text, err, out)
		}
		var blocks []struct{ Type string }
		if err := json.Unmarshal(got.Messages[0].Content, &blocks); err != nil || len(blocks) < 2 || blocks[len(blocks)-1].Type != "tool_use" {
			t.Errorf("got %s, want the thoughts before the call", out)
		}
	})
}
