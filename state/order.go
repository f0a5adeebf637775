package state

import (
	"cmp"
	"time"
)

// Order is what somebody has ordered to be erased of one user's memory, and how far that is. It names documents and holds no text of them. Once
// it is written nothing that was decided before it is taken into the user's memory any more, by any process. When it is carried out
// it stays, as a proof.
type Order struct {
	ID     string    `bson:"id" json:"order"`
	Rev    int       `bson:"rev" json:"-"`         // grows with each edit: of two who carry it out at once one goes on
	What   string    `bson:"what" json:"what"`     // record, topic, affair, session, user, client, clear session, clear global
	Name   string    `bson:"name" json:"name"`     // the id of what is meant; of a topic nothing
	Pinned bool      `bson:"pinned" json:"pinned"` // pinned records go too
	By     By        `bson:"by" json:"by"`
	At     time.Time `bson:"at" json:"at"`
	After  int64     `bson:"after" json:"-"`            // number of the feed's entry that it was made at; of one that is still to be planned, that it waits for
	Origin int64     `bson:"origin,omitempty" json:"-"` // when the user's memory began, in milliseconds: the same in each copy of it

	Whole   bool         `bson:"whole,omitempty" json:"-"`   // everything of the user goes, but what Spared names
	Erase   []string     `bson:"erase,omitempty" json:"-"`   // "collection/key without the user's part", in their order
	Cut     []OrderCut   `bson:"cut,omitempty" json:"-"`     // that lose some of their sentences
	Remake  []string     `bson:"remake,omitempty" json:"-"`  // that are made again from what is left
	Threads []string     `bson:"threads,omitempty" json:"-"` // ids of threads whose log goes whole
	Turns   []OrderTurns `bson:"turns,omitempty" json:"-"`   // whose steps go

	Spared []string    `bson:"spared,omitempty" json:"spared,omitempty"` // "collection/key", of what a person has pinned: it is meant, and stays
	Held   []string    `bson:"held,omitempty" json:"held,omitempty"`     // "collection/key", of what somebody keeps from being erased: the order waits for it
	Copies []string    `bson:"copies,omitempty" json:"copies,omitempty"` // sessions that were forked from what goes: their copies of it stay
	Would  []OrderItem `bson:"-" json:"would,omitempty"`                 // what goes, for who is asked; only while nothing is erased
	Stays  []OrderItem `bson:"-" json:"stays,omitempty"`                 // what Spared names

	Stage  string       `bson:"stage,omitempty" json:"stage,omitempty"` // that is to be done next, as turns, documents, vectors; "" = all are done
	Next   int          `bson:"next,omitempty" json:"-"`                // how far that is
	Layers []OrderLayer `bson:"layers,omitempty" json:"layers"`
	DoneAt time.Time    `bson:"done_at,omitempty" json:"done_at,omitzero"`

	AgainAt time.Time `bson:"again_at,omitempty" json:"again_at,omitzero"` // when it was carried out in a store from before it
}

// OrderTurns are turns of a thread.
type OrderTurns struct {
	Thread string   `bson:"thread" json:"thread"` // its id
	Turns  []string `bson:"turns" json:"turns"`
}

// OrderCut are sentences of a document that go, by their place in it.
type OrderCut struct {
	Ref  string `bson:"ref" json:"ref"` // "collection/key without the user's part"
	Rev  int64  `bson:"rev,omitempty" json:"rev,omitempty"`
	Gone []int  `bson:"gone" json:"gone"`
}

// OrderItem is one thing that goes, or stays, in words that its user knows. It holds text, so it is in no order that is kept.
type OrderItem struct {
	Kind    string    `json:"kind"` // message, sentence (of a message that stays), record, affair, suggestion, session
	ID      string    `json:"id"`
	Session string    `json:"session,omitempty"`
	At      time.Time `json:"at,omitzero"`
	Text    string    `json:"text"`
}

// OrderLayer says of one layer how much of it was erased or made again, and how much of that a probe found afterwards.
type OrderLayer struct {
	Name  string `bson:"name" json:"layer"`
	Plan  int    `bson:"plan,omitempty" json:"planned"` // how much there was when it was ordered
	Count int    `bson:"count" json:"count"`
	Left  int    `bson:"left" json:"left"`
	Note  string `bson:"note,omitempty" json:"note,omitempty"`
}

// Erase takes a document away, or puts another in its place, without keeping what it was. It must stand at the revision Rev.
type Erase struct {
	Collection Collection `bson:"collection"`
	ID         string     `bson:"id"` // its key, without the user's part
	Rev        int64      `bson:"rev"`
	Body       []byte     `bson:"body,omitempty"` // BSON; nil = it goes
}

// Plan says how much of a layer there is to be erased.
func (o *Order) Plan(layer string, n int) { o.layer(layer).Plan = n }

// Count adds to a layer's count.
func (o *Order) Count(layer string, n int) { o.layer(layer).Count += n }

// Probe notes what was found of a layer afterwards.
func (o *Order) Probe(layer string, left int, note string) {
	l := o.layer(layer)
	l.Left, l.Note = left, note
}

// Take adds what another order came to.
func (o *Order) Take(other Order) {
	o.Spared, o.Copies, o.Held = append(o.Spared, other.Spared...), append(o.Copies, other.Copies...), append(o.Held, other.Held...)
	o.Would, o.Stays = append(o.Would, other.Would...), append(o.Stays, other.Stays...)
	for _, l := range other.Layers {
		mine := o.layer(l.Name)
		mine.Plan, mine.Count, mine.Left, mine.Note = mine.Plan+l.Plan, mine.Count+l.Count, mine.Left+l.Left, cmp.Or(l.Note, mine.Note)
	}
}

func (o *Order) layer(name string) *OrderLayer {
	for i := range o.Layers {
		if o.Layers[i].Name == name {
			return &o.Layers[i]
		}
	}
	o.Layers = append(o.Layers, OrderLayer{Name: name})
	return &o.Layers[len(o.Layers)-1]
}
