package importer

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/mneme-graph/mneme/state"
)

// Turn is one message of a chat. Messages of a session stand in the order in which they were said.
type Turn struct {
	Conversation string     `json:"conversation"`
	Session      string     `json:"session"` // default: the conversation
	ID           string     `json:"id"`
	Speaker      string     `json:"speaker"`
	Role         state.Role `json:"role"` // user, assistant, or "" where people talk
	At           time.Time  `json:"at"`   // zero = that of the message before it, else now
	Text         string     `json:"text"`

	own bool // the id is that of a message of Mneme's own
}

// maxLine bounds a line.
const maxLine = 16 << 20

// ReadTurns reads lines of the form {"op":"turn","conversation":...,"session":...,"id":...,"speaker":...,"role":...,"at":...,"text":...}. Those of op "query"
// are passed over. Any other line is state.ErrInvalid with its number. A time without a zone is one of the zone, nil = UTC.
func ReadTurns(r io.Reader, zone *time.Location) ([]Turn, error) {
	var turns []Turn
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), maxLine)

	// Empty lines and questions of a retrieval file are passed over.
	for n := 1; lines.Scan(); n++ {
		raw := bytes.TrimSpace(lines.Bytes())
		if len(raw) == 0 {
			continue
		}
		l := struct {
			Op string `json:"op"`
			Turn
			At string `json:"at"`
		}{}
		err := json.Unmarshal(raw, &l)
		if err == nil && l.Op == "query" {
			continue
		}

		// What is wrong with a line names its number.
		if err == nil && l.Op != "turn" {
			err = fmt.Errorf(`"op" is %q; a message is {"op":"turn","session":...,"role":...,"text":...}`, l.Op)
		}
		if err == nil {
			l.Turn.At, err = readTime(l.At, zone)
		}
		if err == nil {
			err = l.check()
		}
		if err != nil {
			return nil, state.Errorf(state.Invalid, "import", "line %d: %w", n, err)
		}
		turns = append(turns, l.Turn)
	}

	// A line that is too long ends the scan.
	if err := lines.Err(); err != nil {
		return nil, state.Errorf(state.Invalid, "import", "behind %d messages: %w", len(turns), err)
	}
	return turns, nil
}

// readTime reads a time as other systems write it: RFC 3339, or without a zone, then it is one of the zone. "" is zero.
func readTime(s string, zone *time.Location) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if zone == nil {
		zone = time.UTC
	}
	at, err := time.Parse(time.RFC3339, s)
	for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02T15:04", time.DateTime, "2006-01-02 15:04", "2006-01-02 15:04:05Z07:00", time.DateOnly} {
		if err == nil {
			break
		}
		if other, failed := time.ParseInLocation(layout, s, zone); failed == nil {
			at, err = other, nil
		}
	}
	if err != nil {
		return at, fmt.Errorf("%.40q is no time; write it as 2025-03-03T09:00:00Z", s)
	}
	return at.UTC(), nil
}

func (t *Turn) check() error {
	if t.Session == "" {
		t.Session = t.Conversation
	}
	switch {
	case t.Session == "":
		return errors.New(`"session" and "conversation" are missing; name one`)
	case t.Role != "" && t.Role != state.RoleUser && t.Role != state.RoleAssistant:
		return errors.New(`"role" must be user, assistant or empty`)
	}
	return state.ValidateID("session", t.Session)
}

// keys are ids of messages that are the same in each import of them, also of a file that has grown before or between them. A message without
// an id is known by what it says; of several that are alike each is known by how many there were before it.
func keys(turns []Turn) []string {
	out, alike := make([]string, len(turns)), map[string]int{}
	for i, t := range turns {
		if t.ID != "" {
			t = Turn{Conversation: t.Conversation, Session: t.Session, ID: t.ID}
		}
		body, _ := json.Marshal(t) // strings and a time
		alike[string(body)]++
		sum := sha256.Sum256(fmt.Appendf(body, " %d", alike[string(body)]))
		out[i] = "import-" + hex.EncodeToString(sum[:12])
	}
	return out
}
