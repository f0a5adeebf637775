package retrieval

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"time"

	"github.com/mneme-graph/mneme/state"
)

// Conversation is what was said, and what is asked about it.
type Conversation struct {
	Name    string
	Turns   []Turn
	Queries []Query
}

// Turn is one message.
type Turn struct {
	Session string
	ID      string // unique in the conversation
	Speaker string
	Role    state.Role // user, assistant, or "" where people talk
	At      time.Time
	Text    string
}

// Query is a question, and the ids of the turns that answer it.
type Query struct {
	ID       string
	Text     string
	Gold     []string
	Category string
}

// line is a line of the file: a turn or a query.
type line struct {
	Op           string     `json:"op"`
	Conversation string     `json:"conversation"`
	Session      string     `json:"session"`
	ID           string     `json:"id"`
	Speaker      string     `json:"speaker"`
	Role         state.Role `json:"role"`
	At           string     `json:"at"`
	Text         string     `json:"text"`
	Gold         []string   `json:"gold"`
	Category     label      `json:"category"`
}

// label is a category, written as a string or as a number.
type label string

// UnmarshalJSON implements json.Unmarshaler.
func (l *label) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err == nil {
		*l = label(s)
		return nil
	}
	var n json.Number
	if err := json.Unmarshal(b, &n); err != nil {
		return errors.New(`"category" must be a string or a number`)
	}
	*l = label(n.String())
	return nil
}

// maxLine bounds a line of data.
const maxLine = 16 << 20

// Read groups the lines of a file by conversation, in the order of first appearance. A line that is not
// valid is an Invalid error naming its number.
func Read(r io.Reader) ([]Conversation, error) {
	var out []Conversation
	index := map[string]int{}
	scanner := bufio.NewScanner(r)
	scanner.Buffer(make([]byte, 64<<10), maxLine)

	// Empty lines are passed over; each other must be right by itself.
	for n := 1; scanner.Scan(); n++ {
		raw := bytes.TrimSpace(scanner.Bytes())
		if len(raw) == 0 {
			continue
		}
		var l line
		err := json.Unmarshal(raw, &l)
		if err == nil {
			err = l.check()
		}
		if err != nil {
			return nil, state.Errorf(state.Invalid, "read retrieval data", "line %d: %w", n, err)
		}

		// A line goes to its conversation, which is made when it is first named.
		at, ok := index[l.Conversation]
		if !ok {
			at = len(out)
			index[l.Conversation] = at
			out = append(out, Conversation{Name: l.Conversation})
		}
		if err := out[at].take(l); err != nil {
			return nil, state.Errorf(state.Invalid, "read retrieval data", "line %d: %w", n, err)
		}
	}

	// A line that is too long ends the scan.
	if err := scanner.Err(); err != nil {
		return nil, state.Errorf(state.Invalid, "read retrieval data", "behind %d conversations: %w", len(out), err)
	}
	return out, nil
}

// check refuses a line that cannot be used.
func (l line) check() error {
	switch {
	case l.Op != "turn" && l.Op != "query":
		return errors.New(`"op" must be turn or query`)
	case l.Conversation == "":
		return errors.New(`"conversation" is missing`)
	case l.ID == "":
		return errors.New(`"id" is missing`)
	case l.Text == "" && l.Op == "query":
		return errors.New(`"text" is missing`)
	case l.Op == "turn" && l.Role != "" && l.Role != state.RoleUser && l.Role != state.RoleAssistant:
		return errors.New(`"role" must be user, assistant or empty`)
	}
	return nil
}

func (c *Conversation) take(l line) error {
	if l.Op == "query" {
		c.Queries = append(c.Queries, Query{l.ID, l.Text, l.Gold, string(l.Category)})
		return nil
	}
	at := time.Time{}
	if l.At != "" {
		var err error
		if at, err = time.Parse(time.RFC3339, l.At); err != nil {
			return errors.New(`"at" must be a time as in 2025-03-04T18:20:00Z`)
		}
	}
	c.Turns = append(c.Turns, Turn{l.Session, l.ID, l.Speaker, l.Role, at, l.Text})
	return nil
}
