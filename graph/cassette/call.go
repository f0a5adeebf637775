package cassette

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/state"
)

// call is a line of a tape.
type call struct {
	Request request           `json:"request"`
	Answer  []json.RawMessage `json:"answer,omitempty"` // messages
	Error   *failure          `json:"error,omitempty"`

	played bool
}

// request is what a call is found by: messages and tools, redacted and in one spelling.
type request struct {
	Messages []json.RawMessage `json:"messages"`
	Tools    []string          `json:"tools,omitempty"` // each its name and a digest of what it says of itself, in order of names

	spelled []json.RawMessage // the messages with their ids numbered and without their times
	ids     []string          // of records, turns and the like, each once, in order of appearance
	times   []string          // every day, with its time if there is one, in order of appearance
}

// failure is a typed error.
type failure struct {
	Code       state.Code    `json:"code"`
	Text       string        `json:"text"`
	RetryAfter time.Duration `json:"retry_after_ns,omitempty"`
}

func (f *failure) typed() error {
	return &state.Error{Code: f.Code, Op: "cassette", Err: errors.New(f.Text), RetryAfter: f.RetryAfter}
}

// answer returns what a call was answered, with the ids and days of who asks in place of those that were recorded.
func (c *call) answer(asked request) ([]*schema.Message, error) {
	swap := c.Request.swaps(asked)
	if swap == nil {
		return parse(c.Answer)
	}
	chunks, err := parse(c.Answer)
	if err != nil || len(chunks) == 0 {
		return nil, err
	}
	whole, err := schema.ConcatMessages(chunks) // an id may be spread over chunks
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(whole)
	if err != nil {
		return nil, err
	}
	swapped := swap(string(raw))
	if swapped == string(raw) {
		return chunks, nil
	}
	return parse([]json.RawMessage{json.RawMessage(swapped)})
}

// parse reads messages.
func parse(raws []json.RawMessage) ([]*schema.Message, error) {
	var out []*schema.Message
	for _, raw := range raws {
		m := &schema.Message{}
		if err := json.Unmarshal(raw, m); err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}

// request returns that of a call of the model.
func (m *Model) request(in []*schema.Message, opts []model.Option) (request, error) {
	var out request
	for _, msg := range in {
		raw, err := m.tape.spell(msg)
		if err != nil {
			return out, state.Errorf(state.Invalid, "cassette "+m.tape.file, "a message cannot be written down: %w", err)
		}
		out.Messages = append(out.Messages, raw)
	}
	for _, info := range model.GetCommonOptions(&model.Options{Tools: m.tools}, opts...).Tools {
		if info == nil {
			continue
		}
		said, err := info.ToJSONSchema()
		if err != nil {
			return out, state.Errorf(state.Invalid, "tool "+info.Name, "%w", err)
		}
		text, err := json.Marshal(said)
		if err != nil {
			return out, state.Errorf(state.Invalid, "tool "+info.Name, "%w", err)
		}
		sum := sha256.Sum256(append([]byte(info.Desc+"\n"), text...))
		out.Tools = append(out.Tools, info.Name+" "+hex.EncodeToString(sum[:6]))
	}
	slices.Sort(out.Tools)
	out.number()
	return out, nil
}

// spell returns a value as JSON with sorted keys, every text in it redacted.
func (t *tape) spell(v any) (json.RawMessage, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var plain any
	if err := json.Unmarshal(raw, &plain); err != nil {
		return nil, err
	}
	return json.Marshal(t.clean(plain))
}

// clean redacts every text of a JSON value.
func (t *tape) clean(v any) any {
	switch v := v.(type) {
	case string:
		return t.redact(v)
	case []any:
		for i := range v {
			v[i] = t.clean(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = t.clean(v[key])
		}
	}
	return v
}

// key returns what equal requests have in common.
func (r request) key() string {
	var b strings.Builder
	for _, m := range r.spelled {
		b.Write(m)
		b.WriteByte('\n')
	}
	b.WriteString(strings.Join(r.Tools, "\n"))
	return b.String()
}

// shared returns how many messages two requests begin with in common.
func (r request) shared(other request) int {
	n := 0
	for n < min(len(r.spelled), len(other.spelled)) && string(r.spelled[n]) == string(other.spelled[n]) {
		n++
	}
	return n
}

// differs says what of a request is not as on the tape, without its text.
func (r request) differs(on request) string {
	n := r.shared(on)
	switch {
	case n < min(len(r.spelled), len(on.spelled)):
		return fmt.Sprintf("message %d of %d (%s) differs from byte %d on", n+1, len(r.spelled), role(r.spelled[n]), firstByte(r.spelled[n], on.spelled[n]))
	case len(r.spelled) != len(on.spelled):
		return fmt.Sprintf("it has %d messages, the tape has %d", len(r.spelled), len(on.spelled))
	}
	var parts []string
	for _, of := range []struct {
		has, lacks []string
		what       string
	}{{r.Tools, on.Tools, "only the request has"}, {on.Tools, r.Tools, "only the tape has"}} {
		var names []string
		for _, tool := range of.has {
			if !slices.Contains(of.lacks, tool) {
				name, _, _ := strings.Cut(tool, " ")
				names = append(names, name)
			}
		}
		if len(names) > 0 {
			parts = append(parts, of.what+" "+strings.Join(names, ", "))
		}
	}
	return "the tools differ, or what they say of themselves: " + strings.Join(parts, "; ")
}

// firstByte returns where two texts differ first, both as the tape spells them.
func firstByte(a, b []byte) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

func role(raw json.RawMessage) string {
	var m struct {
		Role string `json:"role"`
	}
	_ = json.Unmarshal(raw, &m) // what is no message has no role
	return m.Role
}
