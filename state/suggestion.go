package state

import (
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// Suggestion is an edit of memory that waits for its user to approve of it. It holds what was asked for and not what that comes to: who
// approves has it judged against what is remembered then.
type Suggestion struct {
	ID      string           `bson:"id" json:"id"`
	Client  string           `bson:"client" json:"client"`
	User    string           `bson:"user" json:"user"`
	Project string           `bson:"project,omitempty" json:"project,omitempty"`
	Agent   string           `bson:"agent,omitempty" json:"agent,omitempty"` // whose autonomy it waits for
	Session string           `bson:"session,omitempty" json:"session,omitempty"`
	Status  SuggestionStatus `bson:"status" json:"status"`
	Asks    string           `bson:"asks" json:"asks"`                         // what for: write, forget, edit affair and so on
	Text    string           `bson:"text" json:"text"`                         // what it says, to be read
	Of      []string         `bson:"of,omitempty" json:"of,omitempty"`         // ids of the records or affairs that it edits
	Target  string           `bson:"target,omitempty" json:"target,omitempty"` // the agent whose memory it edits, where that is another
	By      By               `bson:"by" json:"by"`                             // who asks, and from which words
	Request bson.Raw         `bson:"request" json:"-"`
	At      time.Time        `bson:"at" json:"at"`
	Until   time.Time        `bson:"until,omitempty" json:"until,omitzero"` // zero = it waits for ever

	AnsweredAt time.Time `bson:"answered_at,omitempty" json:"answered_at,omitzero"`
	Reason     string    `bson:"reason,omitempty" json:"reason,omitempty"` // of the answer
}

// Everything is the text of a suggestion to forget all that is remembered, before the count of it in brackets.
const Everything = "everything that is remembered"

// SuggestionStatus says how far a suggestion has come.
type SuggestionStatus string

// How a suggestion stands. All but the first are for good.
const (
	Waiting  SuggestionStatus = "WAITING"
	Approved SuggestionStatus = "APPROVED"
	Edited   SuggestionStatus = "EDITED" // approved with another content
	Rejected SuggestionStatus = "REJECTED"
	Expired  SuggestionStatus = "EXPIRED" // nobody answered within suggestion_days
)

// Over reports whether nobody has answered in time.
func (s Suggestion) Over(now time.Time) bool {
	return s.Status == Waiting && !s.Until.IsZero() && now.After(s.Until)
}
