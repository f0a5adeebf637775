package prompts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/state"
)

// maxAnswer bounds an answer in bytes. A small model that writes more is running away.
const maxAnswer = 256 << 10

// JSON reads the answer of a model into T, a struct, map or slice. Around the JSON there may be anything: prose,
// code fences, <think> blocks. In it there may be comments, unquoted or single-quoted or typographically quoted keys
// and strings, quotes and line breaks inside strings, missing and trailing commas, None, True and NaN, and the end may
// be missing: then what had arrived whole counts. Field names match whatever their case and separators ("targetAffair" is
// "target_affair"), and further names can be given in a tag: `also:"target,affair"`. Fields of the types
// Text, Number, Bool, Texts and Facts take values of neighbouring types as well.
//
// The error is Invalid and quotes the beginning of the answer: more than 256 KB, no object with any field of T
// in it, or a value that its field cannot take.
func JSON[T any](raw string) (T, error) {
	var answer, none T
	if len(raw) > maxAnswer {
		return none, state.Errorf(state.Invalid, "answer", "has %d bytes, at most %d are read", len(raw), maxAnswer)
	}
	said := afterThinking(raw)
	want := shapeOf(reflect.TypeFor[T]())
	body, ok := find(said, want)
	if !ok && strings.Contains(said, `\"`) { // JSON written as a JSON string
		body, ok = find(strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n").Replace(said), want)
	}
	if !ok {
		return none, state.Errorf(state.Invalid, "answer", "holds no %s: %s", want, Excerpt(raw))
	}
	body, err := want.rename(body)
	if err != nil {
		return none, state.Errorf(state.Invalid, "answer", "%w: %s", err, Excerpt(raw))
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return none, state.Errorf(state.Invalid, "answer", "%w: %s", err, Excerpt(raw))
	}
	return answer, nil
}

// Excerpt returns the beginning of s on one line in quotes, 80 characters at most, for error messages.
func Excerpt(s string) string {
	const most = 80
	var b strings.Builder
	n := 0
	for word := range strings.FieldsSeq(s) {
		if n > 0 {
			word = " " + word
		}
		for _, r := range word {
			if n == most {
				return fmt.Sprintf("%q...", b.String())
			}
			b.WriteRune(r)
			n++
		}
	}
	return fmt.Sprintf("%q", b.String())
}

// afterThinking drops what a reasoning model wrote before it closed its thoughts.
func afterThinking(raw string) string {
	for _, tag := range []string{"</think>", "</thinking>", "</reasoning>"} {
		if at := strings.LastIndex(raw, tag); at >= 0 {
			raw = raw[at+len(tag):]
		}
	}
	return raw
}

// shape says what the value looked for begins with and, for a struct, by which names its fields go.
type shape struct {
	open  byte              // '{' or '['
	names map[string]string // squashed name -> name of the field; nil for a map or slice
	list  []string          // names of the fields, in order
}

func shapeOf(t reflect.Type) shape {
	switch t.Kind() {
	case reflect.Pointer:
		return shapeOf(t.Elem())
	case reflect.Slice:
		return shape{open: '['}
	case reflect.Struct:
		return shapeOfStruct(t)
	default:
		return shape{open: '{'}
	}
}

func shapeOfStruct(t reflect.Type) shape {
	s := shape{open: '{', names: make(map[string]string)}
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch name {
		case "-":
			continue
		case "":
			name = f.Name
		}
		s.list = append(s.list, name)
		s.names[squash(name)] = name
		for other := range strings.SplitSeq(f.Tag.Get("also"), ",") {
			if _, taken := s.names[squash(other)]; !taken {
				s.names[squash(other)] = name
			}
		}
	}
	delete(s.names, "")
	return s
}

// String names the shape in error messages.
func (s shape) String() string {
	switch {
	case s.open == '[':
		return "JSON array"
	case s.names == nil:
		return "JSON object"
	}
	return "JSON object with " + strings.Join(s.list, ", ")
}

// rename gives the members of the object body the names of the fields they are meant for. Of several for
// one field the first that says something stays.
func (s shape) rename(body []byte) ([]byte, error) {
	if s.names == nil {
		return body, nil
	}
	members, err := membersOf(body)
	if err != nil {
		return nil, err
	}
	filled := make(map[string]bool, len(members))
	out := []byte{'{'}
	for _, m := range members {
		name, known := s.names[squash(m.key)]
		if !known || filled[name] || saysNothing(m.value) {
			continue
		}
		filled[name] = true
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, quote(name)...), ':'), m.value...)
	}
	return append(out, '}'), nil
}

// squash reduces a name to its letters and digits in lower case.
func squash(name string) string {
	return strings.Map(func(r rune) rune {
		if r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// member is one key of an object with its value.
type member struct {
	key   string
	value json.RawMessage
}

// membersOf lists the members of a JSON object in the order they are written.
func membersOf(object []byte) ([]member, error) {
	dec := json.NewDecoder(bytes.NewReader(object))
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	var out []member
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		name, ok := key.(string)
		if !ok {
			return nil, fmt.Errorf("key %v of an object is no string", key)
		}
		m := member{key: name}
		if err := dec.Decode(&m.value); err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}
