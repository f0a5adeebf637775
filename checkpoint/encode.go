package checkpoint

import (
	"strconv"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"github.com/mneme-graph/mneme/state"
)

// encode writes a step byte for byte as bson.Marshal would, in a fifth of its time: every commit writes one.
func (s *Step) encode() (bson.Raw, error) {
	if len(s.Asked)+len(s.Answers)+len(s.Effects) > 0 { // seldom; they hold anything
		return marshal("step of turn "+s.Turn, s)
	}
	size := 160 + len(s.Turn) + len(s.Attempt) + len(s.From)
	for _, p := range s.Parts {
		size += 64 + len(p.Node) + len(p.Fields)
	}

	// In the order of the type, without what is empty.
	at, doc := bsoncore.AppendDocumentStart(make([]byte, 0, size))
	doc = appendInt(doc, "v", s.Version)
	doc = bsoncore.AppendInt64Element(doc, "seq", s.Seq)
	doc = bsoncore.AppendInt64Element(doc, "base", s.Base)
	doc = bsoncore.AppendStringElement(doc, "turn", s.Turn)
	doc = bsoncore.AppendStringElement(doc, "attempt", s.Attempt)
	doc = bsoncore.AppendStringElement(doc, "source", string(s.Source))
	if s.Parent != 0 {
		doc = bsoncore.AppendInt64Element(doc, "parent", s.Parent)
	}
	if s.From != "" {
		doc = bsoncore.AppendStringElement(doc, "from", s.From)
	}
	if s.Graph != "" {
		doc = bsoncore.AppendStringElement(doc, "graph", s.Graph)
	}
	if s.Named {
		doc = bsoncore.AppendBooleanElement(doc, "named", true)
	}
	if s.Items != 0 {
		doc = bsoncore.AppendInt64Element(doc, "items", s.Items)
	}
	if len(s.Parts) > 0 {
		doc = appendParts(doc, s.Parts)
	}
	doc = bsoncore.AppendDateTimeElement(doc, "at", s.At.UnixMilli())
	if s.Done {
		doc = bsoncore.AppendBooleanElement(doc, "done", true)
	}
	return bsoncore.AppendDocumentEnd(doc, at)
}

func appendParts(doc []byte, parts []Part) []byte {
	// Fields stand in the order of the type; what is empty is left out.
	array, doc := bsoncore.AppendArrayElementStart(doc, "parts")
	for i, p := range parts {
		var part int32
		part, doc = bsoncore.AppendDocumentElementStart(doc, strconv.Itoa(i))
		if p.Node != "" {
			doc = bsoncore.AppendStringElement(doc, "node", p.Node)
		}
		if p.Visit != 0 {
			doc = appendInt(doc, "visit", p.Visit)
		}
		if p.Item != 0 {
			doc = appendInt(doc, "item", p.Item)
		}
		if p.Of != 0 {
			doc = appendInt(doc, "of", p.Of)
		}
		if p.Partial {
			doc = bsoncore.AppendBooleanElement(doc, "partial", true)
		}
		if len(p.Next) > 0 {
			var next int32
			next, doc = bsoncore.AppendArrayElementStart(doc, "next")
			for j, to := range p.Next {
				doc = bsoncore.AppendStringElement(doc, strconv.Itoa(j), to)
			}
			doc, _ = bsoncore.AppendArrayEnd(doc, next)
		}
		if len(p.Fields) > 0 {
			doc = bsoncore.AppendDocumentElement(doc, "fields", p.Fields)
		}
		doc, _ = bsoncore.AppendDocumentEnd(doc, part)
	}
	doc, _ = bsoncore.AppendArrayEnd(doc, array) // it fails for a place outside the document only
	return doc
}

// appendInt adds a number as bson writes an int: in four bytes if it fits.
func appendInt(doc []byte, name string, n int) []byte {
	if n != int(int32(n)) {
		return bsoncore.AppendInt64Element(doc, name, int64(n))
	}
	return bsoncore.AppendInt32Element(doc, name, int32(n))
}

// appendElement adds an element to those of a document.
func appendElement(elements []byte, name string, v bson.RawValue) []byte {
	return bsoncore.AppendValueElement(elements, name, bsoncore.Value{Type: bsoncore.Type(v.Type), Data: v.Value})
}

// makeDocument makes one of its elements; of none it is nil.
func makeDocument(elements []byte) bson.Raw {
	if elements == nil {
		return nil
	}
	return bsoncore.BuildDocument(nil, elements)
}

// marshal encodes what the log stores.
func marshal(what string, v any) (bson.Raw, error) {
	body, err := bson.Marshal(v)
	if err != nil {
		return nil, state.Errorf(state.Internal, what, "cannot be stored: %w", err)
	}
	return body, nil
}
