package openai

import (
	"encoding/json"
	"strings"

	"github.com/mneme-graph/mneme/state"
)

// part is one of the content of a message, in both APIs' spelling.
type part struct {
	Type     string          `json:"type"`
	Text     string          `json:"text"`
	Refusal  string          `json:"refusal"`
	ImageURL json.RawMessage `json:"image_url"` // of chat an object with url, of responses a text
	File     struct {
		Data string `json:"file_data"`
	} `json:"file"`
	FileData string `json:"file_data"`
	FileURL  string `json:"file_url"`
}

// ReadContent reads the content of a message, a text or parts, and names the field where it is none. AG-UI writes text as OpenAI does.
func ReadContent(field string, raw json.RawMessage) (text string, parts []state.Part, err error) {
	if len(raw) == 0 || string(raw) == "null" {
		return "", nil, nil
	}
	if raw[0] == '"' {
		err = json.Unmarshal(raw, &text)
		return text, nil, err
	}
	var list []part
	if err := json.Unmarshal(raw, &list); err != nil {
		return "", nil, refuse(field, "is neither a text nor a list of parts")
	}
	var said []string
	for _, p := range list {
		switch p.Type {
		case "text", "input_text", "output_text", "summary_text":
			said = append(said, p.Text)
		case "refusal":
			said = append(said, p.Refusal)
		case "image_url", "input_image", "file", "input_file":
			one, err := p.media(field)
			if err != nil {
				return "", nil, err
			}
			parts = append(parts, one)
		default:
			return "", nil, refuse(field, "has a part of type %.40q; there are text, image_url and file, and those of responses", p.Type)
		}
	}
	return strings.Join(said, "\n"), parts, nil
}

// media returns a part that is no text.
func (p part) media(field string) (state.Part, error) {
	out := state.Part{Type: "file_url", URL: p.FileURL}
	switch {
	case strings.Contains(p.Type, "image"):
		out = state.Part{Type: "image_url"}
		var image struct {
			URL string `json:"url"`
		}
		if json.Unmarshal(p.ImageURL, &out.URL) != nil && json.Unmarshal(p.ImageURL, &image) == nil {
			out.URL = image.URL
		}
	case out.URL == "":
		out.URL = p.FileData + p.File.Data
	}
	if out.URL == "" {
		return out, refuse(field, "has a part of type %s without its address or data; files that were uploaded elsewhere are not known here", p.Type)
	}
	return out, nil
}
