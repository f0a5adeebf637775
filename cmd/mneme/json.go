package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
)

// encode writes one compact JSON object and a line end; characters of HTML stay as they are, hidden ones are escaped.
func encode(w io.Writer, v any) error { return encodeIndented(w, v, "") }

// encodeEach writes a list, one object a line.
func encodeEach[T any](w io.Writer, list []T) error {
	for _, x := range list {
		if err := encode(w, x); err != nil {
			return err
		}
	}
	return nil
}

// encodeIndented writes an object over several lines, to be read.
func encodeIndented(w io.Writer, v any, indent string) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(v); err != nil {
		return err
	}

	var out strings.Builder
	for _, c := range b.String() { // what is hidden and above ASCII stands in strings only
		switch {
		case c < 0x7F || !hidden(c):
			out.WriteRune(c)
		case c > 0xFFFF:
			high, low := utf16.EncodeRune(c)
			fmt.Fprintf(&out, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&out, `\u%04x`, c)
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// changeLine is a field that differs, before and after as extended JSON; null = it was empty.
type changeLine struct {
	Field  string   `json:"field"`
	Before extended `json:"before"`
	After  extended `json:"after"`
}

// extended is a stored value that is written as extended JSON, null for none.
type extended struct{ bson.RawValue }

// MarshalJSON writes the value.
func (e extended) MarshalJSON() ([]byte, error) {
	if e.Type == 0 {
		return []byte("null"), nil
	}
	text, err := bson.MarshalExtJSON(bson.D{{Key: "v", Value: e.RawValue}}, false, false)
	if err != nil {
		return nil, state.Errorf(state.Internal, "value", "cannot be printed: %w", err)
	}
	return text[len(`{"v":`) : len(text)-1], nil
}

// String returns what MarshalJSON writes.
func (e extended) String() string {
	text, err := e.MarshalJSON()
	if err != nil {
		return "(damaged)"
	}
	return string(text)
}
