package claude

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/mneme-graph/mneme/graph/provider"
)

// thoughts are the blocks of thinking in an answer. Anthropic signs them, or encrypts them, and wants them back with the answer's calls as
// they were, each for itself; eino-ext makes one of several and leaves out those that are encrypted.
type thoughts struct {
	blocks []thought
	at     map[int]int // of an open block of the stream, by the stream's number
}

// thought is one block, as it is sent back.
type thought struct {
	Type      string  `json:"type"`
	Thinking  *string `json:"thinking,omitempty"`
	Signature string  `json:"signature,omitempty"`
	Data      string  `json:"data,omitempty"`
}

func (t thought) isThought() bool { return t.Type == "thinking" || t.Type == "redacted_thinking" }

func newThoughts() provider.Seal { return &thoughts{at: map[int]int{}} }

// Add takes what a message or an event brings.
func (t *thoughts) Add(data []byte) {
	var a struct {
		Type    string    `json:"type"`
		Index   int       `json:"index"`
		Content []thought `json:"content"`
		Block   thought   `json:"content_block"`
		Delta   thought   `json:"delta"`
	}
	if !bytes.Contains(data, []byte("thinking")) && !bytes.Contains(data, []byte("signature")) || json.Unmarshal(data, &a) != nil {
		return
	}
	at, open := t.at[a.Index]
	switch {
	case a.Type == "message":
		t.blocks = slices.DeleteFunc(a.Content, func(b thought) bool { return !b.isThought() })
	case a.Type == "content_block_start" && a.Block.isThought():
		t.at[a.Index] = len(t.blocks)
		t.blocks = append(t.blocks, a.Block)
	case a.Type == "content_block_delta" && open:
		b := &t.blocks[at]
		if more := a.Delta.Thinking; more != nil {
			whole := *more
			if b.Thinking != nil {
				whole = *b.Thinking + whole
			}
			b.Thinking = &whole
		}
		b.Signature += a.Delta.Signature
	}
}

// Text returns the blocks as JSON. One without a signature cannot be sent back, nor can the others without it.
func (t *thoughts) Text() string {
	if len(t.blocks) == 0 || slices.ContainsFunc(t.blocks, func(b thought) bool { return b.Signature == "" && b.Data == "" }) {
		return ""
	}
	text, _ := json.Marshal(t.blocks) // texts always can be
	return string(text)
}

// unseal puts the blocks before what else a message with calls holds.
func unseal(request []byte, back map[string]string) ([]byte, error) {
	return provider.EditMessages(request, func(message map[string]json.RawMessage) error {
		var content []json.RawMessage
		_ = json.Unmarshal(message["content"], &content) // a text alone is no list, and holds no call
		for _, raw := range content {
			var block struct {
				Type string `json:"type"`
				ID   string `json:"id"`
			}
			if json.Unmarshal(raw, &block) != nil || block.Type != "tool_use" {
				continue
			}
			if sealed := back[block.ID]; sealed != "" {
				var blocks []json.RawMessage
				if err := json.Unmarshal([]byte(sealed), &blocks); err != nil {
					return err
				}
				text, err := json.Marshal(append(blocks, content...))
				message["content"] = text
				return err
			}
			break
		}
		return nil
	})
}
