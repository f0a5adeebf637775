package nodes

import (
	"encoding/json"
	"strings"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

// hideSecrets masks what a message says, before it is kept and before the model sees it again. The arguments of calls, which a tool needs
// as they were written, stay with this run only.
func (r *responder) hideSecrets(msg state.Message) state.Message {
	mask := func(text string) string { return r.Memory.Mask(text, r.said) }
	thought := msg.Reasoning
	msg.Text, msg.Reasoning = mask(msg.Text), mask(msg.Reasoning)
	if msg.Reasoning != thought {
		msg.Sealed = "" // it holds the thought, and nobody but the provider can change it
	}
	if a := msg.Answered; a != nil {
		hidden := *a
		hidden.Ran, hidden.Reason = maskArguments(mask, a.Ran), mask(a.Reason)
		msg.Answered = &hidden
	}
	calls := msg.ToolCalls
	msg.ToolCalls = nil
	for _, c := range calls {
		if hidden := maskArguments(mask, c.Arguments); hidden != c.Arguments {
			if r.written == nil {
				r.written = map[string]string{}
			}
			r.written[c.ID], c.Arguments = c.Arguments, hidden
		}
		msg.ToolCalls = append(msg.ToolCalls, c)
	}
	return msg
}

// written are the arguments of a call as the model wrote them. An attempt in another run has only what was kept: where that lacks a
// secret the call is state.ErrUnavailable, so that the model writes it again. A spoken command never had it.
func (r *responder) writtenArguments(c *call) (string, error) {
	if plain, ok := r.written[c.ID]; ok && !c.edited {
		return plain, nil
	}
	if r.resumed && !memory.IsSpoken(c.ID) && strings.Contains(c.Arguments, state.MaskOpening) {
		return "", state.Errorf(state.Unavailable, "tool "+c.Name, "the secret in its arguments was not kept when the turn was interrupted; call it again")
	}
	return c.Arguments, nil
}

// maskArguments masks the strings of a JSON text, each with its name, which may announce a secret ("password"). What is no JSON is masked
// as a text.
func maskArguments(mask func(string) string, raw string) string {
	// Numbers stay as they are written: decoding must not change what is not masked.
	var v any
	d := json.NewDecoder(strings.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&v); err != nil || d.More() {
		return mask(raw)
	}

	// A text that holds no secret by itself may be one by its name.
	changed := false
	v = maskValue(func(name, s string) string {
		hidden := mask(s)
		if hidden == s && name != "" {
			if named, ok := strings.CutPrefix(mask(name+": "+s), name+": "); ok {
				hidden = named
			}
		}
		changed = changed || hidden != s
		return hidden
	}, "", v)

	// What has no secret stays byte for byte what the model wrote.
	if !changed {
		return raw
	}
	hidden, err := json.Marshal(v)
	if err != nil {
		return mask(raw)
	}
	return string(hidden)
}

// maskValue masks every string in a value of JSON.
func maskValue(mask func(name, s string) string, name string, v any) any {
	switch v := v.(type) {
	case string:
		return mask(name, v)
	case []any:
		for i := range v {
			v[i] = maskValue(mask, name, v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = maskValue(mask, key, v[key])
		}
	}
	return v
}
