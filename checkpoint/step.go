package checkpoint

import (
	"encoding/binary"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/field"
)

// Source says what made a step, in LangGraph's words.
type Source string

// The sources of a step.
const (
	SourceInput    Source = "input"    // a turn's first commit
	SourceLoop     Source = "loop"     // nodes of a turn
	SourceTakeover Source = "takeover" // another attempt goes on with an unfinished turn
)

// stepVersion is the schema of a stored step; readers accept all up to it.
const stepVersion = 1

// Step is one commit of a thread's log: what nodes contributed since the commit before. Seq counts from 1
// without gaps. Base is the step from which the state is rebuilt: the first of the turn when a turn starts
// from a fresh state, else the thread's first.
type Step struct {
	Version int       `bson:"v"`
	Seq     int64     `bson:"seq"`
	Base    int64     `bson:"base"`
	Turn    string    `bson:"turn"`
	Attempt string    `bson:"attempt"`
	Source  Source    `bson:"source"`
	Parts   []Part    `bson:"parts,omitempty"`
	At      time.Time `bson:"at"`
	Done    bool      `bson:"done,omitempty"` // the turn is finished
}

// Part is what one visit of a node contributed. Visit counts the node's visits in the turn from 1. A
// Partial part was committed from inside the node, which is not finished by it. Next holds the targets
// that the node's branches chose.
type Part struct {
	Node    string   `bson:"node"`
	Visit   int      `bson:"visit"`
	Partial bool     `bson:"partial,omitempty"`
	Next    []string `bson:"next,omitempty"`
	Fields  bson.Raw `bson:"fields,omitempty"` // deltas by field name
}

// Deltas puts the changed fields of a patch into the part.
func (p *Part) Deltas(fields []field.Named) error {
	var doc []byte
	for _, f := range fields {
		if !f.Field.Changed() {
			continue
		}
		delta, err := f.Field.Delta()
		if err != nil {
			return state.Errorf(state.Internal, "field "+f.Name, "cannot be stored: %w", err)
		}
		if delta.Type != 0 {
			doc = appendElement(doc, f.Name, delta)
		}
	}
	if doc != nil {
		doc = append(doc, 0)
		binary.LittleEndian.PutUint32(doc, uint32(len(doc)))
	}
	p.Fields = doc
	return nil
}

// appendElement adds an element to a BSON document whose length and end are still to be written.
func appendElement(doc []byte, name string, v bson.RawValue) []byte {
	if doc == nil {
		doc = make([]byte, 4, 4+1+len(name)+1+len(v.Value)+1)
	}
	doc = append(doc, byte(v.Type))
	doc = append(append(doc, name...), 0)
	return append(doc, v.Value...)
}

// Apply plays the part's deltas into the fields of a state. A field that the state no longer has is an
// error, so that nothing is lost in silence.
func (p *Part) Apply(fields []field.Named) error {
	if p.Fields == nil {
		return nil
	}
	return each(p.Fields, func(name []byte, delta bson.RawValue) error {
		return applyTo(fields, string(name), delta)
	})
}

func applyTo(fields []field.Named, name string, delta bson.RawValue) error {
	for _, f := range fields {
		if f.Name == name {
			if err := f.Field.Apply(delta); err != nil {
				return state.Errorf(state.Internal, "field "+name, "cannot be read back: %w", err)
			}
			return nil
		}
	}
	return state.Errorf(state.Conflict, "field "+name, "stands in the log but not in the graph's state: "+
		"the state was changed after the thread had been written; give the field back or use another thread")
}
