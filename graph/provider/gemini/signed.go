package gemini

import (
	"maps"
	"slices"
	"strings"

	"github.com/cloudwego/eino/schema"
)

// signatureKey is where eino-ext keeps the signature of a call, and unsigned what Google documents for calls that no model of its own
// has made: those of another model in a chain, and those that were made for the model. Without it Gemini 3 refuses the request.
const (
	signatureKey = "gemini_thought_signature"
	unsigned     = "skip_thought_signature_validator"
)

// sign marks the first call of each answer that has none signed, for the models that want it: all but those before Gemini 3.
func sign(name string, in []*schema.Message) []*schema.Message {
	if strings.HasPrefix(name, "gemini-1") || strings.HasPrefix(name, "gemini-2") {
		return in
	}
	out := in
	for i, m := range in {
		if m == nil || len(m.ToolCalls) == 0 || m.ToolCalls[0].Extra[signatureKey] != nil {
			continue
		}
		if &out[0] == &in[0] {
			out = slices.Clone(in)
		}
		copied := *m
		copied.ToolCalls = slices.Clone(m.ToolCalls)
		extra := maps.Clone(copied.ToolCalls[0].Extra)
		if extra == nil {
			extra = map[string]any{}
		}
		extra[signatureKey] = []byte(unsigned)
		copied.ToolCalls[0].Extra = extra
		out[i] = &copied
	}
	return out
}
