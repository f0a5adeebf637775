package openai

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/state"
)

// part is one of the content of a message, in both APIs' spelling and in AG-UI's.
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

	Source struct {
		Type  string `json:"type"`
		Value string `json:"value"`
		MIME  string `json:"mimeType"`
	} `json:"source"`
	MIME string `json:"mimeType"` // of binary, which AG-UI had before
	URL  string `json:"url"`
	Data string `json:"data"`
}

// ReadContent reads the content of a message, a text or parts, and names the field where it is none. AG-UI has parts of its own.
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
		case "image_url", "input_image", "file", "input_file", "image", "audio", "video", "document", "binary":
			one, err := p.media(field)
			if err != nil {
				return "", nil, err
			}
			parts = append(parts, one)
		default:
			return "", nil, refuse(field, "has a part of type %.40q; there are text, image_url and file, and those of responses and of AG-UI", p.Type)
		}
	}
	return strings.Join(said, "\n"), parts, nil
}

// media returns a part that is no text.
func (p part) media(field string) (state.Part, error) {
	out := state.Part{Type: "file_url", URL: p.FileURL}
	switch {
	case p.Source.Type+p.MIME != "":
		out = p.sourced()
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

// sourced returns a part of AG-UI: it has an address or data of a type, and says by its name or by the type what it is.
func (p part) sourced() state.Part {
	from, kind := p.Source, p.Type
	if p.Type == "binary" {
		kind, _, _ = strings.Cut(p.MIME, "/")
		from.Type, from.Value, from.MIME = "url", p.URL, p.MIME
		if p.URL == "" {
			from.Type, from.Value = "data", p.Data
		}
	}
	out := state.Part{Type: "file_url", URL: from.Value}
	if slices.Contains([]string{"image", "audio", "video"}, kind) {
		out.Type = kind + "_url"
	}
	if from.Type == "data" && from.Value != "" {
		out.URL = "data:" + from.MIME + ";base64," + from.Value
	}
	return out
}
