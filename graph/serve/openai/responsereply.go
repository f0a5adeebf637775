package openai

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// response is one, as it is told.
type response struct {
	ID           string            `json:"id"`
	Object       string            `json:"object"`
	Created      int64             `json:"created_at"`
	Status       string            `json:"status"`
	Error        *responseError    `json:"error"`
	Incomplete   *incomplete       `json:"incomplete_details"`
	Instructions *string           `json:"instructions"`
	Model        string            `json:"model"`
	Output       []outputItem      `json:"output"`
	Parallel     bool              `json:"parallel_tool_calls"`
	Previous     *string           `json:"previous_response_id"`
	Conversation map[string]string `json:"conversation"`
	Metadata     map[string]string `json:"metadata"`
	Temperature  *float32          `json:"temperature"`
	TopP         *float32          `json:"top_p"`
	ToolChoice   json.RawMessage   `json:"tool_choice"`
	Tools        []json.RawMessage `json:"tools"`
	Text         any               `json:"text"`
	Usage        *responseUsage    `json:"usage"`
}

type responseError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

type incomplete struct {
	Reason string `json:"reason"`
}

type responseUsage struct {
	Input   int `json:"input_tokens"`
	Details struct {
		Cached int `json:"cached_tokens"`
	} `json:"input_tokens_details"`
	Output        int `json:"output_tokens"`
	OutputDetails struct {
		Reasoning int `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
	Total int `json:"total_tokens"`
}

// outputItem is a message or a call; also of a conversation, where users speak and results stand.
type outputItem struct {
	ID        string       `json:"id"`
	Type      string       `json:"type"`
	Status    string       `json:"status,omitempty"`
	Role      string       `json:"role,omitempty"`
	Content   []outputPart `json:"content,omitempty"`
	Call      string       `json:"call_id,omitempty"`
	Name      string       `json:"name,omitempty"`
	Arguments *string      `json:"arguments,omitempty"`
	Output    *string      `json:"output,omitempty"`
}

type outputPart struct {
	Type        string `json:"type"`
	Text        string `json:"text"`
	Annotations []any  `json:"annotations"`
	Logprobs    []any  `json:"logprobs,omitempty"`
	ImageURL    string `json:"image_url,omitempty"`
}

func textPart(text string) outputPart {
	return outputPart{Type: "output_text", Text: text, Annotations: []any{}}
}

// newResponse is the response of a turn that is at work.
func newResponse(b *begun, at time.Time, req responseRequest) response {
	out := response{
		ID: responseID(b.scope.Session, b.id, b.part), Object: "response", Created: at.Unix(), Status: "in_progress", Instructions: req.Instructions, Model: req.Model,
		Output: []outputItem{}, Parallel: !b.one, Previous: req.Previous, Conversation: map[string]string{"id": b.scope.Session}, Metadata: req.Metadata,
		Temperature: req.Temperature, TopP: req.TopP, ToolChoice: req.ToolChoice, Tools: req.Tools, Text: map[string]any{"format": map[string]string{"type": "text"}},
	}
	if given(req.Text.Format) {
		out.Text = req.Text
	}
	if len(out.ToolChoice) == 0 {
		out.ToolChoice = json.RawMessage(`"auto"`)
	}
	if out.Tools == nil {
		out.Tools = []json.RawMessage{}
	}
	if out.Metadata == nil {
		out.Metadata = map[string]string{}
	}
	return out
}

// itemID is the id of the nth item of a response, by which that is found again.
func (r *response) itemID(kind string, nth int) string {
	return kind + strings.TrimPrefix(r.ID, "resp") + "_" + strconv.Itoa(nth)
}

// message is the item of a text.
func (r *response) message(text, status string) outputItem {
	return outputItem{ID: r.itemID("msg", 0), Type: "message", Status: status, Role: "assistant", Content: []outputPart{textPart(text)}}
}

// finish says what the turn came to.
func (r *response) finish(s said, text string) {
	r.Status = "completed"
	if s.finish == "length" {
		r.Status, r.Incomplete = "incomplete", &incomplete{"max_output_tokens"}
	}
	if text != "" || len(s.calls) == 0 {
		r.Output = append(r.Output, r.message(text, "completed"))
	}
	for _, a := range s.calls {
		arguments := a.Question.Arguments
		r.Output = append(r.Output, outputItem{
			ID: r.itemID("fc", len(r.Output)), Type: "function_call", Status: "completed", Call: callID(a), Name: a.Question.Tool, Arguments: &arguments,
		})
	}
	u := s.reply.Usage
	r.Usage = &responseUsage{Input: u.PromptTokens, Output: u.CompletionTokens, Total: u.PromptTokens + u.CompletionTokens}
	r.Usage.Details.Cached = u.CachedTokens
}

// responseStream tells a turn by the events of a response.
type responseStream struct {
	head response
	seq  int
	text string
	open bool // the message has begun
}

var _ teller = (*responseStream)(nil)

// event is one of the stream, with its number.
func (s *responseStream) event(name string, fields map[string]any) sse {
	fields["type"], fields["sequence_number"] = name, s.seq
	s.seq++
	return sse{name, fields}
}

func (s *responseStream) begin() []sse {
	return []sse{s.event("response.created", map[string]any{"response": s.head}), s.event("response.in_progress", map[string]any{"response": s.head})}
}

// part is an event about the text.
func (s *responseStream) part(name string, fields map[string]any) sse {
	fields["item_id"], fields["output_index"], fields["content_index"] = s.head.itemID("msg", 0), 0, 0
	return s.event(name, fields)
}

func (s *responseStream) token(text string) (out []sse) {
	if !s.open {
		s.open = true
		item := s.head.message("", "in_progress")
		item.Content = nil
		out = append(out, s.event("response.output_item.added", map[string]any{"output_index": 0, "item": withContent{item, []outputPart{}}}),
			s.part("response.content_part.added", map[string]any{"part": textPart("")}))
	}
	s.text += text
	return append(out, s.part("response.output_text.delta", map[string]any{"delta": text, "logprobs": []any{}}))
}

// withContent is an item whose content is there, and empty.
type withContent struct {
	outputItem
	Content []outputPart `json:"content"`
}

func (s *responseStream) end(said said) (out []sse) {
	if !s.open && len(said.calls) == 0 {
		out = s.token("")
	}
	s.head.finish(said, s.text)
	for i, item := range s.head.Output {
		at := func(fields map[string]any) map[string]any {
			fields["output_index"] = i
			return fields
		}
		if item.Type == "message" {
			out = append(out, s.part("response.output_text.done", map[string]any{"text": s.text, "logprobs": []any{}}),
				s.part("response.content_part.done", map[string]any{"part": textPart(s.text)}))
		} else {
			begun, none := item, ""
			begun.Status, begun.Arguments = "in_progress", &none
			out = append(out, s.event("response.output_item.added", at(map[string]any{"item": begun})),
				s.event("response.function_call_arguments.delta", at(map[string]any{"item_id": item.ID, "delta": *item.Arguments})),
				s.event("response.function_call_arguments.done", at(map[string]any{"item_id": item.ID, "name": item.Name, "arguments": *item.Arguments})))
		}
		out = append(out, s.event("response.output_item.done", at(map[string]any{"item": item})))
	}
	return append(out, s.event("response."+s.head.Status, map[string]any{"response": s.head}))
}

func (s *responseStream) fail(p problem) []sse {
	s.head.Status, s.head.Error = "failed", &responseError{"server_error", p.Message}
	return []sse{s.event("response.failed", map[string]any{"response": s.head})}
}
