package checkpoint

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

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
	if v, ok := body.Lookup("v").AsInt64OK(); ok && v > newestVersion {
		return s, state.Errorf(state.Internal, "stored document",
			"has schema version %d, this release reads up to %d; use a newer release", v, newestVersion)
	}
	err = s.read(body)
	return s, err
}

// read returns what bson.Unmarshal would do, at a tenth of its time: loading a thread is reading steps.
func (s *Step) read(doc []byte) error {
	return eachElement(doc, func(name []byte, v bson.RawValue) (err error) {
		// The cases stand in the order of the type, and so of the documents. A name that is not known is passed over.
		ok := true
		switch string(name) {
		case "v":
			s.Version, ok = readNumber[int](v)
		case "seq":
			s.Seq, ok = readNumber[int64](v)
		case "base":
			s.Base, ok = readNumber[int64](v)
		case "turn":
			s.Turn, ok = v.StringValueOK()
		case "attempt":
			s.Attempt, ok = v.StringValueOK()
		case "source":
			var source string
			source, ok = v.StringValueOK()
			s.Source = Source(source)
		case "parent":
			s.Parent, ok = readNumber[int64](v)
		case "from":
			s.From, ok = v.StringValueOK()
		case "graph":
			s.Graph, ok = v.StringValueOK()
		case "named":
			s.Named, ok = v.BooleanOK()
		case "items":
			s.Items, ok = readNumber[int64](v)
		case "first":
			s.first, ok = readNumber[int64](v)
		case "into":
			s.into, ok = readNumber[int64](v)
		case "parts":
			err = eachItem(v, func(v bson.RawValue) error {
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
			var ms int64
			ms, ok = v.DateTimeOK()
			s.At = time.UnixMilli(ms).UTC()
		case "done":
			s.Done, ok = v.BooleanOK()
		}
		if !ok {
			return unexpectedError(v)
		}
		return err
	})
}

func (p *Part) read(v bson.RawValue) error {
	fields, ok := v.DocumentOK()
	if !ok {
		return unexpectedError(v)
	}
	return eachElement(fields, func(name []byte, v bson.RawValue) (err error) {
		// The cases stand in the order of the type, as above.
		ok := true
		switch string(name) {
		case "node":
			p.Node, ok = v.StringValueOK()
		case "visit":
			p.Visit, ok = readNumber[int](v)
		case "item":
			p.Item, ok = readNumber[int](v)
		case "of":
			p.Of, ok = readNumber[int](v)
		case "partial":
			p.Partial, ok = v.BooleanOK()
		case "next":
			err = eachItem(v, func(v bson.RawValue) error {
				to, ok := v.StringValueOK()
				if !ok {
					return unexpectedError(v)
				}
				p.Next = append(p.Next, to)
				return nil
			})
		case "fields":
			p.Fields, ok = v.DocumentOK()
		}
		if !ok {
			return unexpectedError(v)
		}
		return err
	})
}

// eachElement visits the elements of a document. The names share its memory. An error of visit ends it and is
// returned as it is; damage is state.ErrInternal.
func eachElement(doc []byte, visit func(name []byte, v bson.RawValue) error) error {
	n, rest, ok := bsoncore.ReadLength(doc)
	if !ok || n < 5 || int(n) != len(doc) || doc[n-1] != 0 {
		return damagedError("it is no document of %d bytes", len(doc))
	}

	for rest = rest[:len(rest)-1]; len(rest) > 0; {
		end := bytes.IndexByte(rest, 0)
		if end < 1 {
			return damagedError("an element has no name")
		}
		name := rest[1:end]
		v, more, ok := bsoncore.ReadValue(rest[end+1:], bsoncore.Type(rest[0]))
		if !ok {
			return damagedError("element %q ends early, or is of no known type", name)
		}
		if err := visit(name, bson.RawValue{Type: bson.Type(v.Type), Value: slices.Clip(v.Data)}); err != nil {
			return err
		}
		rest = more
	}
	return nil
}

// eachItem visits the elements of an array, in their order.
func eachItem(v bson.RawValue, visit func(bson.RawValue) error) error {
	if v.Type != bson.TypeArray {
		return unexpectedError(v)
	}
	return eachElement(v.Value, func(_ []byte, v bson.RawValue) error { return visit(v) })
}

// readNumber reads an integer of either size.
func readNumber[T int | int64](v bson.RawValue) (T, bool) {
	if n, ok := v.Int32OK(); ok {
		return T(n), true
	}
	n, ok := v.Int64OK()
	return T(n), ok
}

func unexpectedError(v bson.RawValue) error { return damagedError("unexpected type %s", v.Type) }

func damagedError(format string, args ...any) error {
	return state.Errorf(state.Internal, "stored document", "is damaged: "+format, args...)
}
