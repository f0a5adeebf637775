package openai

import (
	"errors"
	"strconv"
	"strings"
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

// What a body can hold costs no more than its length: many messages in a row, many words of approval, many tools.
func TestABodyOfManyParts(t *testing.T) {
	t.Parallel()
	many := func(n int, one string) string { return strings.TrimSuffix(strings.Repeat(one+",", n), ",") }
	user, system := `{"role":"user","content":"approve"}`, `{"role":"system","content":"approve"}`
	for name, tt := range map[string]struct {
		body, param string
	}{
		"messages in a row": {`{"model":"m","messages":[` + many(60_000, user) + `]}`, ""},
		"system prompts":    {`{"model":"m","messages":[` + many(60_000, system) + `,` + user + `]}`, ""},
		"answers in a row":  {`{"model":"m","messages":[` + user + `,` + many(60_000, `{"role":"assistant","content":"a"}`) + `,` + user + `]}`, ""},
		"exchanges":         {`{"model":"m","messages":[` + many(20_000, user+`,{"role":"assistant","content":"a"}`) + `,` + user + `]}`, "messages"},
		"tools":             {`{"model":"m","messages":[` + user + `],"tools":[` + many(30_000, `{"type":"function","function":{"name":"f"}}`) + `]}`, "tools"},
		"tools of response": {`{"model":"m","input":"x","tools":[` + many(30_000, `{"type":"function","name":"f"}`) + `]}`, "tools"},
	} {
		var err error
		if strings.Contains(tt.body, `"input"`) {
			_, _, err = readResponse([]byte(tt.body))
		} else {
			_, _, err = readChat([]byte(tt.body))
		}
		var field *fieldError
		if errors.As(err, &field); (err == nil) != (tt.param == "") || err != nil && (field == nil || field.param != tt.param) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A history of words of approval is compared with a long session in one pass.
func TestManyApprovalsAreReadOnce(t *testing.T) {
	t.Parallel()
	var sent talk
	var have []kept
	masked := 0
	for i := range 2000 {
		sent.addUser("approve", nil)
		sent.addAssistant(needApproval+strconv.Itoa(i), nil)
		have = append(have, kept{said: "something else", over: true, calls: []string{"c"}, answers: []string{"x"}})
	}
	sent.addUser("approve", nil)
	if err := sent.check("messages"); err != nil {
		t.Fatal(err)
	}
	if got := sent.decide(have, func(s string) string { masked++; return s }); len(got.exchanges) != 2001 || masked > 4*2001 {
		t.Errorf("%d exchanges, masked %d times", len(got.exchanges), masked)
	}
}
