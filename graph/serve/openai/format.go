package openai

import (
	"encoding/json"
	"fmt"

	"github.com/cloudwego/eino/components/model"

	"github.com/mneme-graph/mneme/state"
)

// addFormat takes the form of the answer in that the client wants. Chat completions have a schema in an object of its own, responses beside the type.
func (t *talk) addFormat(field string, raw json.RawMessage) error {
	if !given(raw) {
		return nil
	}
	var f struct {
		Type   string                     `json:"type"`
		Nested map[string]json.RawMessage `json:"json_schema"`
	}
	var flat map[string]json.RawMessage
	if json.Unmarshal(raw, &f) != nil || json.Unmarshal(raw, &flat) != nil {
		return refuse(field, "is no object with a type")
	}
	switch f.Type {
	case "text":
		return nil
	case "json_object":
	case "json_schema":
		if f.Nested == nil {
			delete(flat, "type")
			f.Nested = flat
		}
		if !given(f.Nested["name"]) || !given(f.Nested["schema"]) {
			return refuse(field, "is of type json_schema and has no name or no schema")
		}
	default:
		return refuse(field, "is of type %.40q; there are text, json_object and json_schema", f.Type)
	}
	whole := map[string]any{"type": f.Type}
	if f.Type == "json_schema" {
		whole[f.Type] = f.Nested
	}
	var err error
	t.formatField = field
	t.format, err = json.Marshal(whole)
	return err
}

// hold gives a talk the option that holds its model to the form, nil for the graph's own model. One that cannot be held to it is refused.
func (f *Face) hold(t *talk, scope state.Scope, chat model.ToolCallingChatModel) error {
	if t.format == nil {
		return nil
	}
	if f.c.AnswerFormat == nil {
		return unsupported(t.formatField)
	}
	name := f.c.Graph.ModelName(scope.Agent)
	if chat != nil {
		name = ""
		if named, ok := chat.(fmt.Stringer); ok {
			name = named.String()
		}
	}
	option, err := f.c.AnswerFormat(name, t.format)
	if err != nil {
		return &fieldError{t.formatField, "unsupported_parameter", err}
	}
	t.options = append(t.options, option)
	return nil
}
