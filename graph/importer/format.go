package importer

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"time"

	"github.com/mneme-graph/mneme/state"
)

// Format is what a file holds.
type Format string

// The formats that are read.
const (
	Turns     Format = "turns"     // plain chats: ReadTurns
	LangGraph Format = "langgraph" // a file of SqliteSaver: ReadLangGraph
	Mem0      Format = "mem0"      // an export of mem0: ReadMem0
	Export    Format = "mneme"     // what mneme export --format json writes: ReadExport
	Person    Format = "person"    // what mneme export --format person writes: person.Read
)

// Detect tells the format of a file from its beginning. One that is none of them is state.ErrInvalid.
func Detect(r io.Reader) (Format, error) {
	b := bufio.NewReader(r)
	if head, _ := b.Peek(16); string(head) == "SQLite format 3\x00" { // a shorter file is none
		return LangGraph, nil
	}
	d := json.NewDecoder(b)
	first, err := d.Token()
	switch {
	case errors.Is(err, io.EOF):
		return "", state.Errorf(state.Invalid, "import", "is empty")
	case err == nil && first == json.Delim('['):
		return Mem0, nil
	case err == nil && first == json.Delim('{'):
		if f := detectObject(d); f != "" {
			return f, nil
		}
	}
	return "", state.Errorf(state.Invalid, "import", `is no format that is read: turns ({"op":"turn",...} a line), langgraph (SQLite), mem0 (JSON), mneme (what export writes as json; `+
		`its md is to be read by people); name one with --format`)
}

// detectObject tells a format from the first names of an object.
func detectObject(d *json.Decoder) Format {
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return ""
		}
		switch name {
		case "op":
			return Turns
		case "messages":
			return Export
		case "format":
			return Person
		case "results", "memories":
			return Mem0
		}
		var skipped json.RawMessage
		if d.Decode(&skipped) != nil {
			return ""
		}
	}
	return ""
}

// ReadExport reads a session that mneme export wrote as JSON. Its affairs are decided anew. What cannot be read is state.ErrInvalid; zone as in ReadTurns.
func ReadExport(r io.Reader, zone *time.Location) ([]Turn, error) {
	whole := struct {
		Session  string
		Messages []struct {
			ID, Text, At string
			Role         state.Role
		}
	}{}
	if err := json.NewDecoder(r).Decode(&whole); err != nil {
		return nil, state.Errorf(state.Invalid, "import", "is no session that mneme export --format json wrote: %w", err)
	}
	turns := make([]Turn, 0, len(whole.Messages))
	for i, m := range whole.Messages {
		t := Turn{Conversation: whole.Session, Session: whole.Session, ID: m.ID, Role: m.Role, Text: m.Text, own: m.ID != ""}
		var err error
		if t.At, err = readTime(m.At, zone); err == nil {
			err = t.check()
		}
		if err != nil {
			return nil, state.Errorf(state.Invalid, "import", "message %d: %w", i+1, err)
		}
		turns = append(turns, t)
	}
	if len(turns) == 0 {
		return nil, state.Errorf(state.Invalid, "import", "session %q holds no messages", whole.Session)
	}
	return turns, nil
}
