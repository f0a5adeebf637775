package provider

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/state"
)

// The keys in Message.Extra of an answer with calls: which model it is of, and what that model wants back with the calls.
const (
	answeredBy = "mneme_model"
	sealedKey  = "mneme_sealed"
)

// Seal is what an answer holds that the provider wants back with the answer's calls: signed or encrypted thoughts.
type Seal interface {
	Add(data []byte) // a plain answer, or each event of a stream
	Text() string    // what was found, as JSON; "" = nothing
}

// own is messages as the model may be sent them, the given ones unchanged. Of an answer of another model its thoughts and what that model
// wants back are left out. What this one wants back goes past eino-ext, by the id of the answer's first call. Arguments of calls are
// objects, which not every model writes and some modules insist on.
func (m *chatModel) own(in []*schema.Message, asked *call) []*schema.Message {
	out := slices.Clone(in)
	for i, msg := range in {
		if msg == nil || len(msg.ToolCalls) == 0 {
			continue
		}
		copied := *msg
		copied.ToolCalls = slices.Clone(msg.ToolCalls)
		by, _ := msg.Extra[answeredBy].(string)
		for j := range copied.ToolCalls {
			c := &copied.ToolCalls[j]
			c.Function.Arguments = object(c.Function.Arguments)
			if by != "" && by != m.op {
				c.Extra = nil
			}
		}
		sealed, _ := msg.Extra[sealedKey].(string)
		switch {
		case by != "" && by != m.op:
			copied.Extra, copied.ReasoningContent = nil, ""
		case by != "" && sealed != "":
			copied.Extra, asked.back[msg.ToolCalls[0].ID] = nil, sealed
		}
		out[i] = &copied
	}
	return out
}

// object returns the arguments of a call as a JSON object; what is none is the text of one.
func object(arguments string) string {
	var fields map[string]json.RawMessage
	switch {
	case strings.TrimSpace(arguments) == "":
		return "{}"
	case json.Unmarshal([]byte(arguments), &fields) == nil && fields != nil:
		return arguments
	}
	text, _ := json.Marshal(map[string]string{"arguments": arguments}) // texts always can be
	return string(text)
}

// marks say whose an answer with calls is.
func (m *chatModel) marks(asked *call) map[string]any {
	marks := map[string]any{answeredBy: m.op}
	if text := asked.sealed(); text != "" {
		marks[sealedKey] = text
	}
	return marks
}

// mark returns an answer that says whose it is, if it has calls.
func (m *chatModel) mark(answer *schema.Message, asked *call) *schema.Message {
	if answer == nil || len(answer.ToolCalls) == 0 {
		return answer
	}
	out := *answer
	out.Extra = m.marks(asked)
	for key, value := range answer.Extra {
		if !m.sealedAlready(value) {
			out.Extra[key] = value
		}
	}
	return &out
}

// sealedAlready reports whether a value of an Extra is left out, because the seal holds what of it is wanted back.
func (m *chatModel) sealedAlready(value any) bool {
	_, text := value.(string)
	return text && m.protocol.Seal != nil
}

// streamed is what a stream has shown so far. Its chunks come one after the other.
type streamed struct {
	calls bool
	said  bool
	held  map[string]any
	meta  *schema.ResponseMeta // the last that gives a reason to finish
}

// pass hands a chunk on. Bytes in its Extra, which eino cannot join with those of another chunk, are held back to the end, where the last
// of them are given.
func (m *chatModel) pass(chunk *schema.Message, so *streamed) *schema.Message {
	if chunk != nil {
		so.said = so.said || answers(chunk)
		if chunk.ResponseMeta != nil && chunk.ResponseMeta.FinishReason != "" {
			so.meta = chunk.ResponseMeta
		}
	}
	if chunk == nil || len(chunk.Extra) == 0 && len(chunk.ToolCalls) == 0 {
		return chunk
	}
	so.calls = so.calls || len(chunk.ToolCalls) > 0
	out := *chunk
	out.Extra = map[string]any{}
	for key, value := range chunk.Extra {
		switch _, bytes := value.([]byte); {
		case bytes && so.held == nil:
			so.held = map[string]any{key: value}
		case bytes:
			so.held[key] = value
		case !m.sealedAlready(value):
			out.Extra[key] = value
		}
	}
	return &out
}

// last returns the chunk behind all others, nil when nothing is left to say.
func (m *chatModel) last(so *streamed, asked *call) *schema.Message {
	extra := maps.Clone(so.held)
	if extra == nil {
		extra = map[string]any{}
	}
	if so.calls {
		maps.Copy(extra, m.marks(asked))
	}
	if len(extra) == 0 {
		return nil
	}
	return &schema.Message{Role: schema.Assistant, Extra: extra}
}

// restore puts into a request what the provider wants back with its calls.
func (t *transport) restore(req *http.Request) (*http.Request, error) {
	back := callFrom(req.Context()).back
	if len(back) == 0 || t.unseal == nil || req.GetBody == nil {
		return req, nil
	}
	body, err := req.GetBody()
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(body)
	if err != nil {
		return nil, err
	}
	if text, err = t.unseal(text, back); err != nil {
		return nil, state.Errorf(state.Invalid, t.blame.op, "what the provider wants back cannot be put into the request: %w", err)
	}
	out := req.Clone(req.Context())
	out.ContentLength = int64(len(text))
	out.Header.Del("Content-Length")
	out.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }
	out.Body, err = out.GetBody()
	return out, err
}
