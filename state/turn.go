package state

import (
	"github.com/mneme-graph/mneme/state/account"
	"github.com/mneme-graph/mneme/state/field"
)

// Turn is the state of the pipeline's graph: one user message and everything done about it. Each turn
// starts from an empty Turn; what lasts is in memory.
type Turn struct {
	Input    field.Last[Input]          // intake: what the turn was asked
	View     field.Volatile[View]       // memory_load: what is known; kept up to date by the nodes after it
	Decision field.Last[Decision]       // context_detect
	Journal  field.Append[Entry]        // respond: what was paid for
	Receipts field.Append[Receipt]      // respond: what the tools wrote
	Usage    field.Reduce[Usage]        // what models charged
	Failure  field.Last[Failure]        // respond: why there is no answer
	Account  field.Append[account.Page] // every node: how it came to what it did
}

// Fields lists the fields under their names in the log.
func (t *Turn) Fields() []field.Named {
	return []field.Named{
		{Name: "input", Field: &t.Input},
		{Name: "view", Field: &t.View},
		{Name: "decision", Field: &t.Decision},
		{Name: "journal", Field: &t.Journal},
		{Name: "receipts", Field: &t.Receipts},
		{Name: "usage", Field: &t.Usage},
		{Name: "failure", Field: &t.Failure},
		{Name: "account", Field: &t.Account},
	}
}

// Input is what a turn needs to go on in another process. Texts are in the messages.
type Input struct {
	Scope    Scope  `bson:"scope"`
	Turn     string `bson:"turn"`
	Seq      int64  `bson:"seq"` // of the user's message
	AskSmall bool   `bson:"ask_small,omitempty"`

	Model string   `bson:"model,omitempty"` // that it was begun with, "" = not told
	Tools []string `bson:"tools,omitempty"` // names of those that it was begun with besides memory's own
}

// Entry notes one paid step of respond: a model's answer (Kind "model", Hash of the request) or a group of
// tool results (Kind "tools", Hash of the calls). The messages Seq and after hold what was said. "again" notes that the
// call whose result is to be message Seq is begun in a further attempt at the turn, "waits" that it waits for a person.
type Entry struct {
	Kind string `bson:"kind"`
	Seq  int64  `bson:"seq"`
	Hash string `bson:"hash,omitempty"`
}

// Failure ends a turn without an answer: the model did not give one, or the turn was cut.
type Failure struct {
	Code Code   `bson:"code"`
	Text string `bson:"text"`
	Cut  bool   `bson:"cut,omitempty"` // it was told to end; what had been said by then is its answer
}

// View is what memory knows when a turn looks. Its values are shared and must not be changed in place.
type View struct {
	Session Session
	Project string    // that the turn is of, "" = none
	Agent   string    // that answers, "" = not told
	Affairs []*Affair // the user's that are not ARCHIVED, as this session sees them, last touched first; cold ones in brief, see memory
	Target  string    // the affair this turn is filed under ("" = none): the active one, or the one asked about
	Window  []Message // last messages before this turn that are filed under the active affair or none, and the last exchange, oldest first
	Turn    []Message // this turn's messages so far: the user's first
}

// Affair finds an affair of the view by id.
func (v View) Affair(id string) (Affair, bool) {
	for _, a := range v.Affairs {
		if a.ID == id {
			return *a, true
		}
	}
	return Affair{}, false
}

// Active returns the session's active affair, nil when there is none.
func (v View) Active() *Affair {
	for _, a := range v.Affairs {
		if a.ID == v.Session.Active && a.Status == Active {
			return a
		}
	}
	return nil
}

// Parked lists the affairs that are set aside, as this session sees them, last touched first.
func (v View) Parked() []*Affair {
	var parked []*Affair
	for _, a := range v.Affairs {
		if a.Status == Parked {
			parked = append(parked, a)
		}
	}
	return parked
}
