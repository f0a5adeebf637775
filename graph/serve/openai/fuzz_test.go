package openai

import (
	"testing"

	"github.com/mneme-graph/mneme/state"
)

// FuzzRead feeds bodies to the parsers: what is refused is invalid, and what is taken ends with something to be answered.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		`{"model":"mneme","messages":[{"role":"system","content":"s"},{"role":"user","content":[{"type":"text","text":"hi"},{"type":"image_url","image_url":{"url":"data:,x"}}]}]}`,
		`{"model":"m","messages":[{"role":"user","content":"a"},{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","content":"r"}],"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}],"tool_choice":{"type":"function","function":{"name":"f"}},"stop":["x"],"temperature":0.5}`,
		`{"model":"m","messages":[{"role":"user","content":"a"},{"role":"assistant","content":"Waiting for your approval: x"},{"role":"user","content":"Approve."}]}`,
		`{"model":"m","input":"hi","previous_response_id":"resp_YQpiCg","tools":[{"type":"function","name":"f"}],"conversation":{"id":"c"},"stream":true}`,
		`{"model":"m","input":[{"role":"user","content":[{"type":"input_text","text":"x"}]},{"type":"function_call","call_id":"c","name":"f"},{"type":"function_call_output","call_id":"c","output":"r"}],"text":{"format":{"type":"text"}}}`,
		`{"input":["a"],"model":"m","encoding_format":"base64"}`, `{}`, `[]`, `{"messages":3}`, `{"messages":[{"role":"assistant","content":"x"}],"model":"m"}`, `{"tools":[{}],"messages":null}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		check := func(talk talk, err error) {
			if err != nil {
				if state.CodeOf(err) != state.Invalid && state.CodeOf(err) != state.NotFound {
					t.Errorf("%q: %v", raw, err)
				}
				return
			}
			if talk.last().over {
				t.Errorf("%q: there is nothing to be answered", raw)
			}
			first, again := ids("", talk.exchanges), ids("", talk.exchanges)
			seen := map[string]bool{}
			for i, id := range first {
				if id != again[i] || seen[id] || state.ValidateID("message", id) != nil {
					t.Errorf("%q: ids %q", raw, first)
				}
				seen[id] = true
			}
		}
		_, chat, err := readChat(raw)
		check(chat, err)
		_, response, err := readResponse(raw)
		check(response, err)
		if _, texts, err := readEmbedding(raw, 8); err == nil && len(texts) == 0 {
			t.Errorf("%q: no texts", raw)
		}
	})
}
