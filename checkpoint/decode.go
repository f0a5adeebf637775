package checkpoint

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// decodeStep reads a stored step, or the last one of a folded document, without its parts. The version is looked
// at first: nothing is promised about the rest of a newer one. The step shares the document's memory.
func decodeStep(d store.Doc) (s Step, err error) {
	if s, err = decodeBody(d.Body); err != nil {
		return Step{}, fmt.Errorf("step %s: %w", d.ID, err)
	}
	if s.Version < 1 || !strings.HasSuffix(d.ID, "$"+state.SeqKey(s.Seq)) {
		return Step{}, state.Errorf(state.Internal, "step "+d.ID, "is damaged: it says it is step %d of version %d", s.Seq, s.Version)
	}
	s.rev = d.Rev
	return s, nil
}

func decodeBody(body bson.Raw) (s Step, err error) {
	if v, ok := body.Lookup("v").AsInt64OK(); ok && v > stepVersion {
		return s, state.Errorf(state.Internal, "stored document",
			"has schema version %d, this release reads up to %d; use a newer release", v, stepVersion)
	}
	err = s.read(body)
	return s, err
}

// read is what bson.Unmarshal would do, at a tenth of its time: loading a thread is reading steps.
func (s *Step) read(doc []byte) error {
	return each(doc, func(name []byte, v bson.RawValue) (err error) {
		switch string(name) {
		case "v":
			var n int64
			n, err = number(v)
			s.Version = int(n)
		case "seq":
			s.Seq, err = number(v)
		case "base":
			s.Base, err = number(v)
		case "turn":
			s.Turn, err = text(v)
		case "attempt":
			s.Attempt, err = text(v)
		case "source":
			var source string
			source, err = text(v)
			s.Source = Source(source)
		case "parent":
			s.Parent, err = number(v)
		case "from":
			s.From, err = text(v)
		case "graph":
			s.Graph, err = text(v)
		case "named":
			s.Named, err = truth(v)
		case "items":
			s.Items, err = number(v)
		case "first":
			s.first, err = number(v)
		case "into":
			s.into, err = number(v)
		case "parts":
			err = items(v, func(v bson.RawValue) error {
				s.Parts = append(s.Parts, Part{})
				return s.Parts[len(s.Parts)-1].read(v)
			})
		case "asked":
			err = v.Unmarshal(&s.Asked)
		case "answers":
			err = v.Unmarshal(&s.Answers)
		case "effects":
			err = v.Unmarshal(&s.Effects)
		case "at":
			s.At, err = moment(v)
		case "done":
			s.Done, err = truth(v)
		}
		return err
	})
}

func (p *Part) read(v bson.RawValue) error {
	if v.Type != bson.TypeEmbeddedDocument {
		return unexpected(v)
	}
	return each(v.Value, func(name []byte, v bson.RawValue) (err error) {
		switch string(name) {
		case "node":
			p.Node, err = text(v)
		case "visit":
			var n int64
			n, err = number(v)
			p.Visit = int(n)
		case "partial":
			p.Partial, err = truth(v)
		case "next":
			err = items(v, func(v bson.RawValue) error {
				to, err := text(v)
				p.Next = append(p.Next, to)
				return err
			})
		case "fields":
			if v.Type != bson.TypeEmbeddedDocument {
				return unexpected(v)
			}
			p.Fields = v.Value
		}
		return err
	})
}

// each visits the elements of a document. The names share its memory. An error of visit ends it and is
// returned as it is; damage is state.ErrInternal.
func each(doc []byte, visit func(name []byte, v bson.RawValue) error) error {
	if len(doc) < 5 || int64(binary.LittleEndian.Uint32(doc)) != int64(len(doc)) || doc[len(doc)-1] != 0 {
		return damaged("it is no document of %d bytes", len(doc))
	}
	for rest := doc[4 : len(doc)-1]; len(rest) > 0; {
		kind := bson.Type(rest[0])
		end := bytes.IndexByte(rest, 0)
		if end < 1 {
			return damaged("an element has no name")
		}
		name, value := rest[1:end], rest[end+1:]
		size, err := length(kind, value)
		if err != nil {
			return damaged("element %q: %w", name, err)
		}
		if err := visit(name, bson.RawValue{Type: kind, Value: value[:size:size]}); err != nil {
			return err
		}
		rest = value[size:]
	}
	return nil
}

// items visits the elements of an array, in their order.
func items(v bson.RawValue, visit func(bson.RawValue) error) error {
	if v.Type != bson.TypeArray {
		return unexpected(v)
	}
	return each(v.Value, func(_ []byte, v bson.RawValue) error { return visit(v) })
}

// length is how many bytes a value of a type takes, by the BSON specification 1.1. The types that no Go
// value is written as (regular expressions, code, pointers) are refused.
func length(kind bson.Type, b []byte) (int, error) {
	var n int64
	switch kind {
	case bson.TypeDouble, bson.TypeDateTime, bson.TypeTimestamp, bson.TypeInt64:
		n = 8
	case bson.TypeInt32:
		n = 4
	case bson.TypeBoolean:
		n = 1
	case bson.TypeNull:
		n = 0
	case bson.TypeObjectID:
		n = 12
	case bson.TypeDecimal128:
		n = 16
	case bson.TypeString, bson.TypeBinary, bson.TypeEmbeddedDocument, bson.TypeArray:
		if len(b) < 4 {
			return 0, fmt.Errorf("ends early")
		}
		n = int64(int32(binary.LittleEndian.Uint32(b)))
		switch kind {
		case bson.TypeString:
			n += 4
		case bson.TypeBinary:
			n += 5
		}
		if n < 5 {
			return 0, fmt.Errorf("%s of impossible length", kind)
		}
	default:
		return 0, fmt.Errorf("unexpected type %s", kind)
	}
	if n > int64(len(b)) {
		return 0, fmt.Errorf("%s ends early", kind)
	}
	return int(n), nil
}

func number(v bson.RawValue) (int64, error) {
	switch v.Type {
	case bson.TypeInt32:
		return int64(int32(binary.LittleEndian.Uint32(v.Value))), nil
	case bson.TypeInt64:
		return int64(binary.LittleEndian.Uint64(v.Value)), nil
	}
	return 0, unexpected(v)
}

func text(v bson.RawValue) (string, error) {
	if v.Type != bson.TypeString {
		return "", unexpected(v)
	}
	return string(v.Value[4 : len(v.Value)-1]), nil
}

func truth(v bson.RawValue) (bool, error) {
	if v.Type != bson.TypeBoolean {
		return false, unexpected(v)
	}
	return v.Value[0] == 1, nil
}

func moment(v bson.RawValue) (time.Time, error) {
	if v.Type != bson.TypeDateTime {
		return time.Time{}, unexpected(v)
	}
	return time.UnixMilli(int64(binary.LittleEndian.Uint64(v.Value))).UTC(), nil
}

func unexpected(v bson.RawValue) error { return damaged("unexpected type %s", v.Type) }

func damaged(format string, args ...any) error {
	return state.Errorf(state.Internal, "stored document", "is damaged: "+format, args...)
}
