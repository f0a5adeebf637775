package checkpoint

import (
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/field"
)

// Source says what made a step, in LangGraph's words where it has one.
type Source string

// The sources of a step.
const (
	SourceInput    Source = "input"    // a turn's first commit
	SourceLoop     Source = "loop"     // nodes of a turn
	SourceTakeover Source = "takeover" // another attempt goes on with an unfinished turn
	SourceUpdate   Source = "update"   // values set from outside
	SourceFork     Source = "fork"     // goes on from an earlier step, its Parent
	SourceResume   Source = "resume"   // answers to what the turn had asked
	SourceCancel   Source = "cancel"   // the turn was given up
	SourceLeft     Source = "left"     // the attempt was ended in order, and whoever began the turn asks for it again
	SourceDeleted  Source = "deleted"  // stands where the steps of a deleted turn stood
)

// The schemas of a stored step; readers accept all up to the newest. A step that has no parts of items is written in the
// older one, so that a release from before can read it.
const (
	stepVersion   = 2
	itemsVersion  = 3
	newestVersion = itemsVersion
)

// Step is one commit of a thread's log: what nodes contributed since the commit before. Seq counts from 1
// without gaps. Base is the step from which the state is rebuilt; a step that is its own base is whole: its
// parts hold all of the state as it was before them.
type Step struct {
	Version int            `bson:"v"`
	Seq     int64          `bson:"seq"`
	Base    int64          `bson:"base"`
	Turn    string         `bson:"turn"`
	Attempt string         `bson:"attempt"`
	Source  Source         `bson:"source"`
	Parent  int64          `bson:"parent,omitempty"`  // the step gone on from, where it is not the one before
	From    string         `bson:"from,omitempty"`    // the key of Parent's thread, where it is another one
	Graph   string         `bson:"graph,omitempty"`   // fingerprint of the graph, in a turn's first step
	Named   bool           `bson:"named,omitempty"`   // the caller chose the turn's id: BeginOnce finds the turn's end by it
	Items   int64          `bson:"items,omitempty"`   // the step whose chunk of items the state of this one ends with
	Parts   []Part         `bson:"parts,omitempty"`   //
	Asked   []Ask          `bson:"asked,omitempty"`   // questions the turn waits for
	Answers []Answer       `bson:"answers,omitempty"` // answers to them
	Effects []state.Effect `bson:"effects,omitempty"` // until they are carried out; only where no transaction writes them with the step
	At      time.Time      `bson:"at"`
	Done    bool           `bson:"done,omitempty"` // the turn is finished

	first int64 // of a folded document: the first step in it, which holds all from there to this one
	rev   int64 // of the document it was read from, where it is one of its own
	into  int64 // of a placeholder: the step whose document holds this one
}

// whole reports whether the state can be rebuilt from this step on.
func (s *Step) whole() bool { return s.Seq > 0 && s.Base == s.Seq }

// Part is what one visit of a node contributed. Visit counts the node's visits in the turn from 1. Where the node works
// through a list, Item counts its items from 1, of Of; the visit is finished by a part without one. A
// Partial part was committed from inside the node or item, which is not finished by it. Next holds the targets
// that the node's branches chose. A part without a node is what came from outside.
type Part struct {
	Node    string   `bson:"node,omitempty"`
	Visit   int      `bson:"visit,omitempty"`
	Item    int      `bson:"item,omitempty"`
	Of      int      `bson:"of,omitempty"`
	Partial bool     `bson:"partial,omitempty"`
	Next    []string `bson:"next,omitempty"`
	Fields  bson.Raw `bson:"fields,omitempty"` // deltas by field name
}

// Ask is a question that a visit of a node put to a person and that has to be answered before it can go on.
type Ask struct {
	ID       string         `bson:"id" json:"id"`                             // unique in the thread
	Thread   string         `bson:"thread,omitempty" json:"thread,omitempty"` // that asks, where it is another one, below this
	Node     string         `bson:"node" json:"node"`
	Visit    int            `bson:"visit" json:"visit"`
	Item     int            `bson:"item,omitempty" json:"item,omitempty"` // of the visit's list, from 1; 0 = the node has none
	Question state.Question `bson:"question" json:"question"`
}

// Turn returns the id of the turn that asks.
func (a Ask) Turn() string {
	turn, _, _ := strings.Cut(a.ID, "/")
	return turn
}

// Answer answers the question of that ID.
type Answer struct {
	ID     string       `bson:"id"`
	Answer state.Answer `bson:"answer"`
}

// EndsVisit reports whether the part is the result of a whole visit of a node.
func (p *Part) EndsVisit() bool { return p.Node != "" && !p.Partial && p.Item == 0 }

// Deltas puts the changed fields of a patch into the part.
func (p *Part) Deltas(fields []field.Named) error {
	return p.put(fields, func(f field.Field) (bson.RawValue, error) {
		if !f.Changed() {
			return bson.RawValue{}, nil
		}
		return f.Delta()
	})
}

// All puts the fields of a state into the part as a whole; those that skip names are left out.
func (p *Part) All(fields []field.Named, skip func(field.Field) bool) error {
	return p.put(fields, func(f field.Field) (bson.RawValue, error) {
		if skip != nil && skip(f) {
			return bson.RawValue{}, nil
		}
		return f.Whole()
	})
}

func (p *Part) put(fields []field.Named, value func(field.Field) (bson.RawValue, error)) error {
	var doc []byte
	for _, f := range fields {
		v, err := value(f.Field)
		if err != nil {
			return state.Errorf(state.Internal, "field "+f.Name, "cannot be stored: %w", err)
		}
		if v.Type != 0 {
			doc = appendElement(doc, f.Name, v)
		}
	}
	p.Fields = makeDocument(doc)
	return nil
}

// Apply plays the part's deltas into the fields of a state. A field that the state no longer has is an
// error, so that nothing is lost in silence.
func (p *Part) Apply(fields []field.Named) error {
	if p.Fields == nil {
		return nil
	}
	return eachElement(p.Fields, func(name []byte, delta bson.RawValue) error {
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
		"the state was changed after the thread had been written; give the field back, migrate it, or use another thread")
}
