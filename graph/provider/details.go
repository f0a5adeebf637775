package provider

import (
	"bytes"
	"encoding/json"
	"slices"
)

// details are the "reasoning_details" of an answer, in which OpenRouter hands on what the providers behind it have signed or encrypted.
// A stream brings an entry in pieces, which have its type and index.
type details struct{ entries []map[string]json.RawMessage }

// detailed is what of an answer or an event is looked at.
type detailed struct {
	Choices []struct {
		Message detailedMessage `json:"message"`
		Delta   detailedMessage `json:"delta"`
	} `json:"choices"`
}

type detailedMessage struct {
	Details []map[string]json.RawMessage `json:"reasoning_details"`
}

// Add takes what an answer or an event brings.
func (d *details) Add(data []byte) {
	var a detailed
	if !bytes.Contains(data, []byte(`"reasoning_details"`)) || json.Unmarshal(data, &a) != nil {
		return
	}
	for _, c := range a.Choices {
		d.entries = append(d.entries, c.Message.Details...)
		for _, piece := range c.Delta.Details {
			d.join(piece)
		}
	}
}

// join adds a piece to its entry. Its texts are behind those that came; of what else it says the last counts.
func (d *details) join(piece map[string]json.RawMessage) {
	at := slices.IndexFunc(d.entries, func(e map[string]json.RawMessage) bool {
		return piece["index"] != nil && string(e["index"]) == string(piece["index"]) && string(e["type"]) == string(piece["type"])
	})
	if at < 0 {
		d.entries = append(d.entries, piece)
		return
	}
	entry := d.entries[at]
	for key, value := range piece {
		var had, more string
		switch {
		case string(value) == "null":
			continue
		case slices.Contains([]string{"text", "summary", "data"}, key) && json.Unmarshal(entry[key], &had) == nil && json.Unmarshal(value, &more) == nil:
			value, _ = json.Marshal(had + more) // a text always can be
		}
		entry[key] = value
	}
}

// Text returns the entries as JSON.
func (d *details) Text() string {
	if len(d.entries) == 0 {
		return ""
	}
	text, _ := json.Marshal(d.entries) // it was JSON
	return string(text)
}

// unsealDetails gives the messages of a request with calls their details back.
func unsealDetails(request []byte, back map[string]string) ([]byte, error) {
	return EditMessages(request, func(message map[string]json.RawMessage) error {
		var calls []struct {
			ID string `json:"id"`
		}
		if json.Unmarshal(message["tool_calls"], &calls) == nil && len(calls) > 0 && back[calls[0].ID] != "" {
			message["reasoning_details"] = json.RawMessage(back[calls[0].ID])
		}
		return nil
	})
}

// EditMessages returns a request in JSON, each of its "messages" edited.
func EditMessages(request []byte, edit func(message map[string]json.RawMessage) error) ([]byte, error) {
	var whole map[string]json.RawMessage
	if err := json.Unmarshal(request, &whole); err != nil {
		return nil, err
	}
	var messages []map[string]json.RawMessage
	if err := json.Unmarshal(whole["messages"], &messages); err != nil {
		return nil, err
	}
	for _, message := range messages {
		if err := edit(message); err != nil {
			return nil, err
		}
	}
	text, err := json.Marshal(messages)
	if err != nil {
		return nil, err
	}
	whole["messages"] = text
	return json.Marshal(whole)
}
