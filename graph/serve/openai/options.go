package openai

import (
	"encoding/json"
	"slices"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"
)

// sampling is how the model is to answer, in both APIs' spelling.
type sampling struct {
	Temperature         *float32        `json:"temperature"`
	TopP                *float32        `json:"top_p"`
	MaxTokens           *int            `json:"max_tokens"`
	MaxCompletionTokens *int            `json:"max_completion_tokens"`
	MaxOutputTokens     *int            `json:"max_output_tokens"`
	Stop                json.RawMessage `json:"stop"`
	ToolChoice          json.RawMessage `json:"tool_choice"`
	Parallel            *bool           `json:"parallel_tool_calls"`
}

// take gives a talk the options of a request, and leaves out the tools that the client does not want called.
func (s sampling) take(t *talk) error {
	if s.Temperature != nil {
		t.options = append(t.options, model.WithTemperature(*s.Temperature))
	}
	if s.TopP != nil {
		t.options = append(t.options, model.WithTopP(*s.TopP))
	}
	for name, most := range map[string]*int{"max_tokens": s.MaxTokens, "max_completion_tokens": s.MaxCompletionTokens, "max_output_tokens": s.MaxOutputTokens} {
		switch {
		case most == nil:
		case *most < 1:
			return refuse(name, "is %d; give 1 or more", *most)
		default:
			t.options = append(t.options, model.WithMaxTokens(*most))
		}
	}
	if len(s.Stop) > 0 && string(s.Stop) != "null" {
		words := []string{""}
		if json.Unmarshal(s.Stop, &words[0]) != nil && json.Unmarshal(s.Stop, &words) != nil {
			return refuse("stop", "is neither a text nor a list of texts")
		}
		t.options = append(t.options, model.WithStop(words))
	}
	t.one = s.Parallel != nil && !*s.Parallel
	return s.choose(t)
}

// choose heeds tool_choice. What is forced is one of the client's tools: those of memory are the model's own affair.
func (s sampling) choose(t *talk) error {
	if len(s.ToolChoice) == 0 || string(s.ToolChoice) == "null" {
		return nil
	}
	names := t.toolNames()
	var word string
	var named struct {
		Type     string `json:"type"`
		Name     string `json:"name"`
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	}
	if json.Unmarshal(s.ToolChoice, &word) != nil && json.Unmarshal(s.ToolChoice, &named) != nil {
		return refuse("tool_choice", "is neither a word nor an object that names a function")
	}
	name := named.Name + named.Function.Name
	switch {
	case word == "auto":
	case word == "none":
		t.tools = nil
	case word == "required" && len(names) > 0:
		t.options = append(t.options, model.WithToolChoice(schema.ToolChoiceForced, names...))
	case named.Type == "function" && slices.Contains(names, name):
		t.options = append(t.options, model.WithToolChoice(schema.ToolChoiceForced, name))
	default:
		return refuse("tool_choice", "is none of auto, none, required, and a function among the tools")
	}
	return nil
}

// given reports whether a field of a request says anything.
func given(raw json.RawMessage) bool {
	return !slices.Contains([]string{"", "null", "false", "0", "[]", "{}", `""`}, string(raw))
}

// refuseGiven refuses the first of some fields that a request gives.
func refuseGiven(fields map[string]json.RawMessage, names ...string) error {
	for _, name := range names {
		if given(fields[name]) {
			return unsupported(name)
		}
	}
	return nil
}
