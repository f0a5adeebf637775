package nodes

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"

	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/state"
)

// Messages turns a composed prompt into eino's messages.
func Messages(prompt []compose.Message) []*schema.Message {
	out := make([]*schema.Message, 0, len(prompt))
	for _, m := range prompt {
		msg := &schema.Message{
			Role: schema.RoleType(m.Role), Content: m.Text, ReasoningContent: m.Reasoning, ToolCallID: m.ToolCallID, ToolName: m.ToolName,
			Extra: toExtra(m.Sealed),
		}
		for _, c := range m.ToolCalls {
			msg.ToolCalls = append(msg.ToolCalls, schema.ToolCall{
				ID: c.ID, Type: "function", Function: schema.FunctionCall{Name: c.Name, Arguments: c.Arguments}, Extra: toExtra(c.Extra),
			})
		}
		if len(m.Parts) > 0 && msg.Role == schema.User {
			msg.UserInputMultiContent, msg.Content = toParts(m), ""
		}
		out = append(out, msg)
	}
	return out
}

// toParts turns a multi-part message into eino's: its text first, then what is not text.
func toParts(m compose.Message) []schema.MessageInputPart {
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

// fromSchema turns a model's answer into a message of the turn. Calls without an id, or with one that an earlier call of
// the answer has, get one that is unique in the turn; nth is the number of messages before it.
func fromSchema(answer *schema.Message, nth int) state.Message {
	msg := state.Message{Role: state.RoleAssistant, Text: answer.Content, Reasoning: answer.ReasoningContent}
	takeParts(&msg, answer)
	taken := map[string]bool{"": true}
	for i, c := range answer.ToolCalls {
		if taken[c.ID] || memory.IsSpoken(c.ID) {
			c.ID = fmt.Sprintf("call-%d-%d", nth, i+1)
		}
		taken[c.ID] = true
		msg.ToolCalls = append(msg.ToolCalls, state.ToolCall{
			ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments, Extra: fromExtra(c.Extra),
		})
	}
	if len(msg.ToolCalls) > 0 {
		msg.Sealed = fromExtra(answer.Extra)
	}
	return msg
}

// fromExtra keeps what is text, and bytes as base64, which their module reads too.
func fromExtra(extra map[string]any) string {
	texts := map[string]string{}
	for key, value := range extra {
		switch value := value.(type) {
		case string:
			texts[key] = value
		case []byte:
			texts[key] = base64.StdEncoding.EncodeToString(value)
		}
	}
	if len(texts) == 0 {
		return ""
	}
	kept, _ := json.Marshal(texts) // texts always can be
	return string(kept)
}

// toExtra returns what fromExtra kept; nil, also for what it did not write.
func toExtra(kept string) map[string]any {
	if kept == "" { // nearly always; the map below is allocated even if nothing comes of it
		return nil
	}
	var out map[string]any
	if json.Unmarshal([]byte(kept), &out) != nil {
		return nil
	}
	return out
}

// Part returns a piece of a message that is not text, as it is kept: what came as data has a data URL; one without an URL and data has none.
func Part(kind schema.ChatMessagePartType, c schema.MessagePartCommon) state.Part {
	p := state.Part{Type: string(kind), MIME: c.MIMEType}
	switch {
	case c.URL != nil:
		p.URL = *c.URL
	case c.Base64Data != nil:
		p.URL = "data:" + c.MIMEType + ";base64," + *c.Base64Data
	}
	return p
}

// takeParts takes over an answer of several parts. Its text and reasoning count only where the answer has none of its
// own: models that give both say the same in both.
func takeParts(msg *state.Message, answer *schema.Message) {
	var text, reasoning string
	media := func(kind schema.ChatMessagePartType, c schema.MessagePartCommon) {
		msg.Parts = append(msg.Parts, Part(kind, c))
	}
	for _, p := range answer.AssistantGenMultiContent {
		switch {
		case p.Image != nil:
			media(p.Type, p.Image.MessagePartCommon)
		case p.Audio != nil:
			media(p.Type, p.Audio.MessagePartCommon)
		case p.Video != nil:
			media(p.Type, p.Video.MessagePartCommon)
		case p.Reasoning != nil:
			reasoning += p.Reasoning.Text
		default:
			text += p.Text
		}
	}
	msg.Text, msg.Reasoning = cmp.Or(msg.Text, text), cmp.Or(msg.Reasoning, reasoning)
}
