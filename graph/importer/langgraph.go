package importer

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/vmihailenco/msgpack/v5"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/mneme-graph/mneme/state"
)

// ReadLangGraph reads the messages of each thread in a file of LangGraph's SqliteSaver (tables checkpoints and writes, values in msgpack): those of the
// channel "messages", once each, at the time of the checkpoint that first holds them. Calls of tools and their results are left out. Nothing but
// messages is decoded: no class of the file's is ever made. A file that is none, or that cannot be read, is state.ErrInvalid; one that
// another program has locked is waited for until the context ends, which is state.ErrUnavailable.
func ReadLangGraph(ctx context.Context, path string) (turns []Turn, err error) {
	// The file is only read: its owner may still use it.
	con, err := sqlite.OpenConn(path, sqlite.OpenReadOnly)
	if err != nil {
		return nil, state.Errorf(state.Invalid, "import", "%s is no SQLite file: %w", path, err)
	}
	defer func() { err = errors.Join(err, con.Close()) }()
	con.SetInterrupt(ctx.Done())
	seen := map[[3]string]bool{}

	// Each checkpoint repeats the messages of those before it: a message counts where it is first seen.
	err = sqlitex.Execute(con, `SELECT thread_id, checkpoint_id, type, checkpoint FROM checkpoints WHERE checkpoint_ns = '' ORDER BY thread_id, checkpoint_id`,
		&sqlitex.ExecOptions{ResultFunc: func(row *sqlite.Stmt) error {
			thread, id := row.ColumnText(0), row.ColumnText(1)
			if kind := row.ColumnText(2); kind != "msgpack" {
				return fmt.Errorf("checkpoint %s of thread %s is of type %q; msgpack is read", id, thread, kind)
			}
			body, err := io.ReadAll(row.ColumnReader(3))
			if err != nil {
				return err
			}
			said, at, err := readCheckpoint(body)
			if err != nil {
				return fmt.Errorf("checkpoint %s of thread %s: %w", id, thread, err)
			}
			equals := map[string]int{}
			for _, msg := range said {
				t := Turn{Conversation: thread, Session: thread, ID: msg.ID, Role: msg.Role, At: at, Text: msg.Text}
				if t.Role == "" || t.Text == "" {
					continue
				}

				// Lists are trimmed, so that a place in them names no message: one without an id is known by its words, as the first,
				// second, ... that says them. Where an equal one was trimmed away before it, it is left out.
				key := [3]string{thread, msg.ID}
				if msg.ID == "" {
					words := string(msg.Role) + " " + msg.Text
					equals[words]++
					key[2] = fmt.Sprintf("%d %s", equals[words], words)
				}
				if seen[key] {
					continue
				}
				seen[key] = true
				if err := t.check(); err != nil {
					return err
				}
				turns = append(turns, t)
			}
			return nil
		}})
	switch sqlite.ErrCode(err).ToPrimary() {
	case sqlite.ResultOK:
		return turns, nil
	case sqlite.ResultBusy, sqlite.ResultLocked, sqlite.ResultInterrupt:
		return nil, state.Errorf(state.Unavailable, "import", "%s is locked by another program, or was not waited for: %w", path, cmp.Or(ctx.Err(), err))
	}
	return nil, state.Errorf(state.Invalid, "import", "%s: %w", path, err)
}

// constructed is the number of the msgpack extensions in which LangGraph keeps objects of Python: [module, class, arguments, ...]. Messages
// are of 5 (pydantic 2) or 4 (pydantic 1).
const (
	pydantic1 = 4
	pydantic2 = 5
)

// readCheckpoint is the list of messages in a checkpoint, and its time.
func readCheckpoint(body []byte) (said []Turn, at time.Time, err error) {
	// Of a checkpoint only its time and its channels are wanted.
	d := msgpack.NewDecoder(bytes.NewReader(body))
	n, err := d.DecodeMapLen()
	if err != nil {
		return nil, at, err
	}
	for range n {
		key, err := d.DecodeString()
		if err != nil {
			return nil, at, err
		}
		switch key {
		case "ts":
			text, err := d.DecodeString()
			if err != nil {
				return nil, at, err
			}
			if at, err = time.Parse(time.RFC3339Nano, text); err != nil {
				return nil, at, err
			}
		case "channel_values":
			if said, err = readChannels(d, len(body)); err != nil {
				return nil, at, err
			}
		default:
			if err := d.Skip(); err != nil {
				return nil, at, err
			}
		}
	}
	return said, at, nil
}

// readChannels reads the channel of messages and passes over the others. A message has at most so many bytes.
func readChannels(d *msgpack.Decoder, most int) (said []Turn, err error) {
	// Of the channels only the messages are wanted.
	n, err := d.DecodeMapLen()
	if err != nil {
		return nil, err
	}
	for range n {
		key, err := d.DecodeString()
		if err != nil {
			return nil, err
		}
		if key != "messages" {
			if err := d.Skip(); err != nil {
				return nil, err
			}
			continue
		}
		many, err := d.DecodeArrayLen()
		if err != nil {
			return nil, err
		}
		for range many {
			t, err := readMessage(d, most)
			if err != nil {
				return nil, err
			}
			said = append(said, t)
		}
	}
	return said, nil
}

// readMessage reads one message; what is none is a Turn without a role. It has at most so many bytes.
func readMessage(d *msgpack.Decoder, most int) (t Turn, err error) {
	// The size is given by the file: it is bounded before room is made for it.
	kind, size, err := d.DecodeExtHeader()
	if err == nil && (size < 0 || size > most) {
		err = errNoObject
	}
	if err != nil {
		return t, err
	}
	body := make([]byte, size)
	if err := d.ReadFull(body); err != nil {
		return t, err
	}
	if kind != pydantic1 && kind != pydantic2 {
		return t, nil
	}

	// An object of LangChain is a list: module, class, fields.
	in := msgpack.NewDecoder(bytes.NewReader(body))
	if n, err := in.DecodeArrayLen(); err != nil || n < 3 {
		return t, errors.Join(err, errNoObject)
	}
	if err := in.Skip(); err != nil { // the module
		return t, err
	}
	class, err := in.DecodeString()
	if err != nil {
		return t, err
	}
	switch class {
	case "HumanMessage", "HumanMessageChunk":
		t.Role = state.RoleUser
	case "AIMessage", "AIMessageChunk":
		t.Role = state.RoleAssistant
	}

	// Of the fields only text and id are wanted.
	n, err := in.DecodeMapLen()
	if err != nil {
		return t, err
	}
	for range n {
		key, err := in.DecodeString()
		if err != nil {
			return t, err
		}
		switch key {
		case "content":
			value, err := in.DecodeInterfaceLoose()
			if err != nil {
				return t, err
			}
			t.Text = textOf(value)
		case "id":
			value, err := in.DecodeInterfaceLoose()
			if err != nil {
				return t, err
			}
			t.ID, _ = value.(string)
		default:
			if err := in.Skip(); err != nil {
				return t, err
			}
		}
	}
	return t, nil
}

var errNoObject = errors.New("a message is no object of LangChain")

// textOf is the text of a message's content: a string, or a list of parts of which some are text.
func textOf(content any) string {
	if text, ok := content.(string); ok {
		return text
	}

	parts, _ := content.([]any)
	var texts []string
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			texts = append(texts, p)
		case map[string]any:
			if text, ok := p["text"].(string); ok {
				texts = append(texts, text)
			}
		}
	}
	return strings.Join(texts, "\n")
}
