package importer

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/vmihailenco/msgpack/v5"
	"github.com/vmihailenco/msgpack/v5/msgpcode"

	"github.com/mneme-graph/mneme/state"
)

// constructed is the number of the msgpack extensions in which LangGraph keeps objects of Python: [module, class, arguments, ...]. Messages
// are of 5 (pydantic 2) or 4 (pydantic 1).
const (
	pydantic1 = 4
	pydantic2 = 5
)

// readCheckpoint returns the list of messages in a checkpoint, and its time.
func readCheckpoint(body []byte) (said []Turn, at time.Time, err error) {
	// Of a checkpoint only its time and its channels are wanted.
	d, err := decode(body)
	if err != nil {
		return nil, at, err
	}
	n, err := mapLen(d)
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
			if said, err = readChannels(d); err != nil {
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

// readChannels reads the channel of messages and passes over the others.
func readChannels(d *msgpack.Decoder) (said []Turn, err error) {
	n, err := mapLen(d)
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
			t, err := readMessage(d)
			if err != nil {
				return nil, err
			}
			said = append(said, t)
		}
	}
	return said, nil
}

// readMessage reads one message; what is none is a Turn without a role.
func readMessage(d *msgpack.Decoder) (t Turn, err error) {
	kind, size, err := d.DecodeExtHeader()
	if err != nil {
		return t, err
	}
	body := make([]byte, size) // checkShape has seen so many bytes
	if err := d.ReadFull(body); err != nil {
		return t, err
	}
	if kind != pydantic1 && kind != pydantic2 {
		return t, nil
	}

	// An object of LangChain is a list: module, class, fields.
	in, err := decode(body)
	if err != nil {
		return t, err
	}
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

	return t, readFields(in, &t)
}

// readFields reads text and id of a message, and passes over its other fields.
func readFields(d *msgpack.Decoder, t *Turn) error {
	n, err := mapLen(d)
	if err != nil {
		return err
	}
	for range n {
		key, err := readString(d)
		switch {
		case err != nil:
			return err
		case key == "content":
			t.Text, err = readContent(d)
		case key == "id":
			t.ID, err = readString(d)
		default:
			err = d.Skip()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

var errNoObject = errors.New("a message is no object of LangChain")

// readContent reads the text of a message's content: a string, or a list of parts of which some are text.
func readContent(d *msgpack.Decoder) (string, error) {
	code, err := d.PeekCode()
	if err != nil || !isArray(code) {
		return readString(d)
	}

	many, err := d.DecodeArrayLen()
	var texts []string
	for i := 0; i < many && err == nil; i++ {
		var text string
		if text, err = readPart(d); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n"), err
}

// readPart reads the text of one part: a string, or what a map names "text".
func readPart(d *msgpack.Decoder) (text string, err error) {
	code, err := d.PeekCode()
	if err != nil || !isMap(code) {
		return readString(d)
	}

	n, err := d.DecodeMapLen()
	for i := 0; i < n && err == nil; i++ {
		key, failed := readString(d)
		switch {
		case failed != nil:
			return "", failed
		case key == "text":
			text, err = readString(d)
		default:
			err = d.Skip()
		}
	}
	return text, err
}

// readString reads a string; any other value is passed over and is "".
func readString(d *msgpack.Decoder) (string, error) {
	code, err := d.PeekCode()
	switch {
	case err != nil:
		return "", err
	case msgpcode.IsString(code):
		return d.DecodeString()
	}
	return "", d.Skip()
}

// mapLen reads the head of a map. A map in an extension, which the library would read, is none: checkShape has not looked into it.
func mapLen(d *msgpack.Decoder) (int, error) {
	code, err := d.PeekCode()
	switch {
	case err != nil:
		return 0, err
	case !isMap(code):
		return 0, fmt.Errorf("a value of code %x stands where a map is wanted", code)
	}
	return d.DecodeMapLen()
}

func isMap(code byte) bool {
	return msgpcode.IsFixedMap(code) || code == msgpcode.Map16 || code == msgpcode.Map32
}

func isArray(code byte) bool {
	return msgpcode.IsFixedArray(code) || code == msgpcode.Array16 || code == msgpcode.Array32
}

// maxDepth is how deep lists and maps of a file may stand in each other.
const maxDepth = 64

// decode returns a decoder of one value, whose shape was checked: so passing over a value has an end, and no length is more than there are bytes.
func decode(body []byte) (*msgpack.Decoder, error) {
	if err := checkShape(body); err != nil {
		return nil, err
	}
	return msgpack.NewDecoder(bytes.NewReader(body)), nil
}

// checkShape refuses a value that is nested deeper than maxDepth, or that names more items or bytes than are left. It does not look into extensions.
func checkShape(body []byte) error {
	left := bytes.NewReader(body)
	d := msgpack.NewDecoder(left)
	open := []int{1} // of each list and map around the next value: how many values are to come
	for len(open) > 0 {
		last := len(open) - 1
		if open[last] == 0 {
			open = open[:last]
			continue
		}
		open[last]--

		many, err := enter(d)
		switch {
		case err != nil:
			return err
		case many > left.Len():
			return fmt.Errorf("a list or map of %d values has %d bytes", many, left.Len())
		case many > 0 && len(open) > maxDepth:
			return fmt.Errorf("values are nested more than %d deep", maxDepth)
		case many > 0:
			open = append(open, many)
		}
	}
	return nil
}

// enter reads the head of a list or map and returns how many values stand in it; any other value is passed over.
func enter(d *msgpack.Decoder) (int, error) {
	code, err := d.PeekCode()
	switch {
	case err != nil:
		return 0, err
	case isArray(code):
		return d.DecodeArrayLen()
	case isMap(code):
		n, err := d.DecodeMapLen()
		return 2 * n, err
	}
	return 0, d.Skip()
}
