package score

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/mneme-graph/mneme/state"
)

// Line is one message of a data file, or with Op an affair that is there before a conversation begins. Assistant messages carry no gold.
type Line struct {
	Op           string     `json:"op,omitempty"` // "affair"; "" = a message
	Conversation string     `json:"conversation"`
	ID           string     `json:"id"`
	Role         state.Role `json:"role"`
	Text         string     `json:"text"`
	At           time.Time  `json:"at,omitzero"` // when it was said; zero = soon after the one before
	Gold         *Gold      `json:"gold,omitempty"`

	// Of an affair: ID is its label, At when it was spoken of last.
	Status   state.Status `json:"status,omitempty"` // PARKED or ACTIVE: the conversation begins in it
	Messages []Said       `json:"messages,omitempty"`
}

// Said is what was said in an affair of before.
type Said struct {
	Role state.Role `json:"role"`
	Text string     `json:"text"`
}

// Gold is what a message is: Affair is the label of the affair it belongs to, "" = none.
type Gold struct {
	Type   state.Kind `json:"type"`
	Affair string     `json:"affair,omitempty"`
}

// maxLine bounds a line of data.
const maxLine = 16 << 20

// Read groups the lines of a file by conversation, in the order of first appearance. A line that is not
// valid is an Invalid error naming its number.
func Read(r io.Reader) ([][]Line, error) {
	var out [][]Line
	index := map[string]int{}
	for l, err := range eachLine(r) {
		if err != nil {
			return nil, err
		}
		line, err := parse(l.raw)
		if err != nil {
			return nil, l.refuse(err)
		}
		at, ok := index[line.Conversation]
		if !ok {
			at = len(out)
			index[line.Conversation] = at
			out = append(out, nil)
		}
		out[at] = append(out[at], line)
	}
	return out, nil
}

// numbered is a line of a file; the first is number 1.
type numbered struct {
	n   int
	raw []byte // until the next line is read
}

// refuse returns the error of a line that is none.
func (l numbered) refuse(err error) error {
	return state.Errorf(state.Invalid, fmt.Sprintf("line %d", l.n), "%w", err)
}

// eachLine returns the lines of a file that are not empty. A line that is too long is Invalid and named, and ends them, as does an error of reading.
func eachLine(r io.Reader) iter.Seq2[numbered, error] {
	return func(yield func(numbered, error) bool) {
		scanner := bufio.NewScanner(r)
		scanner.Buffer(make([]byte, 64<<10), maxLine)
		n := 0
		for scanner.Scan() {
			n++
			if raw := bytes.TrimSpace(scanner.Bytes()); len(raw) > 0 && !yield(numbered{n, raw}, nil) {
				return
			}
		}
		switch err := scanner.Err(); {
		case errors.Is(err, bufio.ErrTooLong):
			last := numbered{n: n + 1}
			yield(last, last.refuse(fmt.Errorf("is longer than %d bytes", maxLine)))
		case err != nil:
			yield(numbered{n: n}, state.Errorf(state.Unavailable, "read data", "after line %d: %w", n, err))
		}
	}
}

func parse(raw []byte) (Line, error) {
	var line Line
	if err := json.Unmarshal(raw, &line); err != nil {
		return line, err
	}
	switch {
	case line.Conversation == "":
		return line, errors.New(`"conversation" is missing`)
	case line.Op != "":
		return line, line.checkAffair()
	case line.Role != state.RoleUser && line.Role != state.RoleAssistant:
		return line, errors.New(`"role" must be user or assistant`)
	case line.Role == state.RoleAssistant:
		line.Gold = nil
		return line, nil
	case line.Gold == nil:
		return line, errors.New(`a user message needs "gold"`)
	}
	return line, line.Gold.check()
}

func (l Line) checkAffair() error {
	switch {
	case l.Op != "affair":
		return fmt.Errorf(`"op" must be affair, not %q`, l.Op)
	case l.ID == "":
		return errors.New(`an affair needs an "id"`)
	case l.Status != state.Parked && l.Status != state.Active:
		return errors.New(`"status" of an affair must be PARKED or ACTIVE`)
	case len(l.Messages) == 0 || l.Messages[0].Role != state.RoleUser:
		return errors.New(`an affair needs "messages", the first of the user`)
	}
	for _, m := range l.Messages {
		if m.Role != state.RoleUser && m.Role != state.RoleAssistant {
			return errors.New(`"role" must be user or assistant`)
		}
	}
	return nil
}

func (g *Gold) check() error {
	switch g.Type {
	case state.Continue, state.AdHoc:
		return nil
	case state.Switch, state.NewAffair:
		if g.Affair == "" {
			return errors.New(`gold ` + string(g.Type) + ` needs an "affair"`)
		}
		return nil
	}
	return errors.New(`gold "type" must be CONTINUE, SWITCH, AD_HOC or NEW_AFFAIR`)
}
