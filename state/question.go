package state

import (
	"context"
	"encoding/json"
	"time"
)

// Question is what a node or a tool asks a person before it goes on: approve this call, fill in that.
type Question struct {
	Text      string   `bson:"text" json:"text"`                               // what the person reads
	Tool      string   `bson:"tool,omitempty" json:"tool,omitempty"`           // the tool that asks
	Call      string   `bson:"call,omitempty" json:"call,omitempty"`           // and its call
	Arguments string   `bson:"arguments,omitempty" json:"arguments,omitempty"` // of the call, JSON
	Choices   []Choice `bson:"choices,omitempty" json:"choices,omitempty"`     // what may be answered; none = each of the four
	Schema    string   `bson:"schema,omitempty" json:"schema,omitempty"`       // JSON schema of an edit's value; "" = any

	// IfAsked asks only if the turn has asked this before: what a person was asked once counts, also in a process that
	// would not ask. Else the answer is empty.
	IfAsked bool `bson:"-" json:"-"`
}

// Choice is the kind of an answer.
type Choice string

// The kinds of an answer.
const (
	Approve Choice = "approve" // go on
	Edit    Choice = "edit"    // go on with the value of the answer instead
	Reject  Choice = "reject"  // do not do it
	Suggest Choice = "suggest" // not now: what a call would do to memory waits as a suggestion, and no other call is made
)

// Answer is what a person says to a Question.
type Answer struct {
	Choice Choice `bson:"choice" json:"choice"`
	Value  string `bson:"value,omitempty" json:"value,omitempty"` // JSON, with Edit; a text may also be given plain, where it is not about a call: see Text
	Reason string `bson:"reason,omitempty" json:"reason,omitempty"`
	By     string `bson:"by,omitempty" json:"by,omitempty"` // who answers, in the host's words

	At time.Time `bson:"at,omitempty" json:"at,omitzero"` // when it was given; Graph.Answer sets it
}

// Text returns the value of an edit where a text was asked for: without the quotes of JSON.
func (a Answer) Text() string {
	var text string
	if json.Unmarshal([]byte(a.Value), &text) != nil {
		return a.Value
	}
	return text
}

// Answered is what a person decided about a call, kept with its result.
type Answered struct {
	Choice Choice    `bson:"choice" json:"choice"`
	By     string    `bson:"by,omitempty" json:"by,omitempty"`
	At     time.Time `bson:"at" json:"at,omitzero"`
	Reason string    `bson:"reason,omitempty" json:"reason,omitempty"`
	Ran    string    `bson:"ran,omitempty" json:"ran,omitempty"` // the arguments it ran with, JSON, where the person changed them
}

// ErrWaits is the error of AskPerson when the answer is not known yet.
var ErrWaits = &Error{Code: Conflict, Op: "the turn waits for an answer"}

// Asker puts a question to a person. It answers if the answer is known, else its error ends the node's
// attempt; when the answer has come, the node is entered again and asks again.
type Asker func(ctx context.Context, q Question) (Answer, error)

type askerKey struct{}

// ContextWithAsker makes a the one that questions asked under the context go to.
func ContextWithAsker(ctx context.Context, a Asker) context.Context {
	return context.WithValue(ctx, askerKey{}, a)
}

// AskPerson puts a question to a person. Outside a durable graph nobody can be asked: state.ErrUnavailable. An error has
// to be returned as it is by whoever gets it: it carries the question out of the graph.
func AskPerson(ctx context.Context, q Question) (Answer, error) {
	if a, ok := ctx.Value(askerKey{}).(Asker); ok {
		return a(ctx, q)
	}
	if q.IfAsked {
		return Answer{}, nil
	}
	return Answer{}, Errorf(Unavailable, "question", "nobody can be asked here: %q", q.Text)
}
