package nodes

import (
	"fmt"

	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/state"
)

// toSchema turns a composed prompt into eino's messages.
func toSchema(prompt []compose.Message) []*schema.Message {
	out := make([]*schema.Message, 0, len(prompt))
	for _, m := range prompt {
		msg := &schema.Message{
			Role: schema.RoleType(m.Role), Content: m.Text, ReasoningContent: m.Reasoning, ToolCallID: m.ToolCallID, ToolName: m.ToolName,
		}
		for _, c := range m.ToolCalls {
			msg.ToolCalls = append(msg.ToolCalls, schema.ToolCall{
				ID: c.ID, Type: "function", Function: schema.FunctionCall{Name: c.Name, Arguments: c.Arguments},
			})
		}
		if len(m.Parts) > 0 && msg.Role == schema.User {
			msg.UserInputMultiContent, msg.Content = parts(m), ""
		}
		out = append(out, msg)
	}
	return out
}

// parts turns a multi-part message into eino's: its text first, then what is not text.
func parts(m compose.Message) []schema.MessageInputPart {
	out := []schema.MessageInputPart{}
	if m.Text != "" {
		out = append(out, schema.MessageInputPart{Type: schema.ChatMessagePartTypeText, Text: m.Text})
	}
	for _, p := range m.Parts {
		common := schema.MessagePartCommon{URL: &p.URL, MIMEType: p.MIME}
		part := schema.MessageInputPart{Type: schema.ChatMessagePartType(p.Type)}
		switch part.Type {
		case schema.ChatMessagePartTypeImageURL:
			part.Image = &schema.MessageInputImage{MessagePartCommon: common}
		case schema.ChatMessagePartTypeAudioURL:
			part.Audio = &schema.MessageInputAudio{MessagePartCommon: common}
		case schema.ChatMessagePartTypeVideoURL:
			part.Video = &schema.MessageInputVideo{MessagePartCommon: common}
		case schema.ChatMessagePartTypeFileURL:
			part.File = &schema.MessageInputFile{MessagePartCommon: common}
		default:
			continue // text parts are in the text
		}
		out = append(out, part)
	}
	return out
}

// fromSchema turns a model's answer into a message of the turn. Calls without an id get one that is unique in the
// turn; nth is the number of messages before it.
func fromSchema(answer *schema.Message, nth int) state.Message {
	msg := state.Message{Role: state.RoleAssistant, Text: answer.Content, Reasoning: answer.ReasoningContent}
	for i, c := range answer.ToolCalls {
		if c.ID == "" {
			c.ID = fmt.Sprintf("call-%d-%d", nth, i+1)
		}
		msg.ToolCalls = append(msg.ToolCalls, state.ToolCall{ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments})
	}
	return msg
}
