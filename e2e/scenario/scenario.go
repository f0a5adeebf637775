package scenario

import (
	"time"

	"github.com/mneme-graph/mneme/state"
)

// Scenario is one conversation with what is expected of it. File and Line say where it stands.
type Scenario struct {
	Name     string
	File     string
	Line     int
	Language string // BCP-47, "" = not said
	Now      time.Time
	Scope    state.Scope   // complete: defaults are filled in
	Settings []Setting     // in the order written, each accepted by state.Settings.Set
	Agents   []state.Agent // who answers, by the agent of a turn's scope
	Turns    []Turn
}

// Setting is one setting by its name.
type Setting struct{ Name, Value string }

// Turn is one step of a scenario: a user's message, a chat command, or only an advance of the clock or a
// restart.
type Turn struct {
	Line       int
	User       *string // nil = no message; empty is a message
	Command    string  // "/clear" in place of a message
	At         time.Duration
	Scope      state.Scope // parts that differ for this turn only
	Request    Request     // what the message brings besides its text
	Restart    bool        // close and open everything first
	Model      []Step      // answers of the chat model, in order; nil = the offline model
	Background []Answer    // answers of the small model; none = the rule-based path
	Fail       []string    // tasks whose call fails in this turn; "respond" is the chat model itself
	Hang       []string    // tasks of the small model that get no answer in this turn
	Damage     []Damage    // documents that cannot be read from before this turn on
	Crash      *Crash
	Approve    string // "", yes, no, or the edit as JSON
	Expect     Expect
}

// Request is what a message brings besides its text: the fields of graph.Request of these names.
type Request struct {
	Preferences    state.Preferences
	StoreKnowledge *bool
	ExtraContext   state.ExtraContext
}

// brings reports whether there is anything.
func (r Request) brings() bool {
	return r.StoreKnowledge != nil || r.Preferences != state.Preferences{} || !r.ExtraContext.Empty()
}

// Step is one answer of the chat model: text, or tool calls made at once.
type Step struct {
	Say   string
	Calls []Call
}

// Call is one tool call; Args is its arguments as the model wrote them, valid JSON or not.
type Call struct{ Name, Args string }

// Answer is what the small model answers when asked for Task: an object of the file as JSON, a string as
// it is.
type Answer struct{ Task, Text string }

// Expect is what must hold after a turn. A nil pointer and a nil slice expect nothing; an empty slice
// that is not nil expects none.
type Expect struct {
	Line             int
	Decision         *string
	Target           *string // "" = none
	Active           *string // "" = none
	Parked           []string
	Status           []Setting     // affair and its status
	Facts            []AffairFacts // exact values of key facts
	FactsContain     []AffairTexts // texts anywhere in an affair
	Affairs          *int          // not archived
	Tools            []string      // called, in order
	ReplyContains    []string      //
	ReplyExcludes    []string      //
	ContextContains  []string      // in at least one prompt of the turn
	ContextExcludes  []string      // in no prompt of the turn
	ContextOrder     []string      // in this order in at least one prompt of the turn
	MaxContextTokens *int          //
	Recall           []Probe       //
	Records          []RecordCount //
	PendingApproval  *int          //
	SectionTokens    []Limit       // at most, of the composed context
	Asked            []Limit       // exactly: how often the small model was asked, by task
	Notes            []string      // each in a note of the turn's trace
	Error            *string       // code the turn must end with
}

// AffairFacts is an affair by title and the key facts it must hold.
type AffairFacts struct {
	Affair string
	Facts  state.Facts
}

// AffairTexts is an affair by title and the texts it must hold.
type AffairTexts struct {
	Affair string
	Texts  []string
}

// Probe is a question to recall. Contains must be found in the first Rank hits; Absent in none of the
// first ten.
type Probe struct {
	Query    string
	In       string // current, session, all or kb_only
	AsOf     time.Time
	Contains string
	Absent   string
	Rank     int
}

// Damage names the stored documents of a collection, of the turn's user, that hold a text.
type Damage struct {
	Collection state.Collection
	Holds      string
}

// Limit is a number by a name.
type Limit struct {
	Name string
	N    int
}

// RecordCount is how many records of a kind are valid in the scope.
type RecordCount struct {
	Kind  state.RecordKind
	Count int
}

// tasks lists what the small model may be asked for.
func tasks() []string {
	return []string{"detect", "park", "summary", "extract", "digest", "title", "duplicate", "same", "judge"}
}
