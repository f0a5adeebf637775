package state

// Kind says what a message does to the conversation.
type Kind string

// The kinds of decision.
const (
	Continue  Kind = "CONTINUE"   // goes on with the active affair, or small talk without one
	Switch    Kind = "SWITCH"     // turns to another existing affair
	AdHoc     Kind = "AD_HOC"     // one question aside; the active affair stays
	NewAffair Kind = "NEW_AFFAIR" // opens an affair
)

// Decision is what context_detect made of a message. AffairID is the affair it names: with Switch and
// AdHoc the one switched to or asked about ("" = an aside about none), with NewAffair the new one, with
// Continue the active one ("" = none). Confidence is a probability in [0,1].
type Decision struct {
	Kind       Kind    `bson:"type" json:"type"`
	AffairID   string  `bson:"affair,omitempty" json:"target_affair_id,omitempty"`
	Title      string  `bson:"-" json:"title,omitempty"`    // of the affair named, for people
	TitleBy    Author  `bson:"title_by,omitempty" json:"-"` // who gave a new affair its title
	Confidence float64 `bson:"confidence" json:"confidence"`
	Reasoning  string  `bson:"-" json:"reasoning,omitempty"` // kept with the message, not in the log
	By         string  `bson:"by,omitempty" json:"by,omitempty"`
	Closes     string  `bson:"closes,omitempty" json:"closes,omitempty"` // the affair that the message settles; "" = none
}
