package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mneme-graph/mneme/state"
)

// common are the fields of both APIs that say whose talk it is and who answers.
type common struct {
	Model        string            `json:"model"`
	Stream       bool              `json:"stream"`
	User         string            `json:"user"`
	Safety       string            `json:"safety_identifier"`
	Metadata     map[string]string `json:"metadata"`
	Conversation json.RawMessage   `json:"conversation"`
	Store        *bool             `json:"store"`
}

// take gives a talk what they say.
func (c common) take(t *talk) error {
	t.model, t.user, t.session = c.Model, c.User, c.Metadata["session_id"]
	if t.user == "" {
		t.user = c.Safety
	}
	t.unstored, t.streams = c.Store != nil && !*c.Store, c.Stream
	if c.Model == "" {
		return refuse("model", "is missing; GET /v1/models lists what there is")
	}
	if !given(c.Conversation) {
		return nil
	}
	var id string
	var named struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(c.Conversation, &id) != nil && json.Unmarshal(c.Conversation, &named) != nil {
		return refuse("conversation", "is neither an id nor an object with one")
	}
	if id += named.ID; t.session != "" && t.session != id {
		return refuse("conversation", "is not what metadata.session_id says; name one of them")
	}
	t.session = id
	return nil
}

// chatRequest is the body of POST /v1/chat/completions.
type chatRequest struct {
	common
	sampling
	Messages      []chatMessage `json:"messages"`
	Tools         []chatTool    `json:"tools"`
	N             *int          `json:"n"`
	StreamOptions struct {
		Usage bool `json:"include_usage"`
	} `json:"stream_options"`
	Format     json.RawMessage `json:"response_format"`
	Modalities []string        `json:"modalities"`
}

type chatTool struct {
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type chatMessage struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
	Call    string          `json:"tool_call_id"`
	Calls   []struct {
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	} `json:"tool_calls"`
	Refusal string `json:"refusal"`
}

// readChat reads the body of a chat completion. Whatever is wrong with it is state.ErrInvalid and names the field.
func readChat(raw []byte) (chatRequest, talk, error) {
	var req chatRequest
	var t talk
	fields, err := decode(raw, &req)
	if err != nil {
		return req, t, err
	}
	if err := refuseGiven(fields, "audio", "functions", "function_call", "logprobs", "top_logprobs", "logit_bias", "web_search_options", "previous_response_id"); err != nil {
		return req, t, err
	}
	switch {
	case req.N != nil && *req.N != 1:
		return req, t, unsupported("n")
	case len(req.Modalities) > 0 && (len(req.Modalities) > 1 || req.Modalities[0] != "text"):
		return req, t, unsupported("modalities")
	}
	if err := t.addFormat("response_format", req.Format); err != nil {
		return req, t, err
	}
	for i, m := range req.Messages {
		if err := t.addChat(fmt.Sprintf("messages[%d]", i), m); err != nil {
			return req, t, err
		}
	}
	for _, one := range req.Tools {
		if one.Type != "function" {
			return req, t, refuse("tools", "has one of type %.40q; there is function", one.Type)
		}
		if err := t.addTool(one.Function); err != nil {
			return req, t, err
		}
	}
	if err := req.common.take(&t); err != nil {
		return req, t, err
	}
	if err := req.sampling.take(&t); err != nil {
		return req, t, err
	}
	return req, t, t.check("messages")
}

// decode reads a body into a request, and its fields by their names.
func decode(raw []byte, into any) (fields map[string]json.RawMessage, err error) {
	if err = json.Unmarshal(raw, &fields); err == nil {
		err = json.Unmarshal(raw, into)
	}
	if err == nil {
		return fields, nil
	}
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) && wrong.Field != "" {
		field := strings.TrimPrefix(strings.TrimPrefix(wrong.Field, "common."), "sampling.") // what Go calls them
		return nil, refuse(field, "is of another type: %s", wrong.Value)
	}
	return nil, refuse("", "the body is no JSON object")
}

// addChat takes a message in, as its role says. What it says is text, whatever stands in it.
func (t *talk) addChat(field string, m chatMessage) error {
	text, parts, err := ReadContent(field+".content", m.Content)
	if err != nil {
		return err
	}
	switch m.Role {
	case "system", "developer":
		t.systems = append(t.systems, text)
	case string(state.RoleUser):
		said, before := unwrap(text)
		t.addUser(said, parts)
		t.notes = NotesOf(before) // of the last message
	case string(state.RoleAssistant):
		var calls []string
		for _, c := range m.Calls {
			calls = append(calls, c.Function.Name)
		}
		t.addAssistant(joined(text, m.Refusal), calls)
	case string(state.RoleTool):
		t.addResult(m.Call, text)
	default:
		return refuse(field+".role", "is %.40q; there are system, developer, user, assistant and tool", m.Role)
	}
	return nil
}
