package jobs

import (
	"time"
)

// KeyPart stands in keys where a user does, for what was asked of a batch service.
const KeyPart = "$batch"

// Job is what was asked of a batch service about parts of sessions that are over, of one client's users. It is written before it is
// sent, and holds no word that anybody said: what is asked is made anew from the documents. Once it is over it names no part any more.
type Job struct {
	ID       string    `bson:"id" json:"id"` // goes along to the service, by which the job is found there
	Client   string    `bson:"client" json:"client"`
	Provider string    `bson:"provider" json:"provider"`
	Model    string    `bson:"model,omitempty" json:"model,omitempty"`
	State    State     `bson:"state" json:"state"`
	Remote   string    `bson:"remote,omitempty" json:"remote,omitempty"` // what the service calls it
	Said     string    `bson:"said,omitempty" json:"said,omitempty"`     // the service's own word for its state
	Items    int       `bson:"items" json:"items"`
	Parts    []Part    `bson:"parts,omitempty" json:"-"`
	Counts   Counts    `bson:"counts" json:"counts"`
	Error    string    `bson:"error,omitempty" json:"error,omitempty"` // the last one
	At       time.Time `bson:"at" json:"at"`                           // when it was planned
	SeenAt   time.Time `bson:"seen_at,omitempty" json:"seen_at,omitzero"`
	EndedAt  time.Time `bson:"ended_at,omitempty" json:"ended_at,omitzero"`
}

// Part is one part of a session that a job asks about.
type Part struct {
	Item  string `bson:"item"` // the custom id at the service
	User  string `bson:"user"`
	ID    string `bson:"id"`    // of the part's summary
	Words string `bson:"words"` // tells whether the part still says what was asked about
	Try   int    `bson:"try"`   // 1 = the first
}

// Counts say what became of a job's parts.
type Counts struct {
	Learnt  int `bson:"learnt,omitempty" json:"learnt"`     // read as the model read them
	Read    int `bson:"read,omitempty" json:"read"`         // read otherwise before, or gone
	Back    int `bson:"back,omitempty" json:"back"`         // wait for the next job
	ByRules int `bson:"by_rules,omitempty" json:"by_rules"` // failed too often, read by rules
	Strange int `bson:"strange,omitempty" json:"strange"`   // lines of the answer that belong to no part of the job or cannot be read
}

// State is how far a job has got.
type State string

// The states. The first two are open.
const (
	Planned   State = "planned"   // written down; whether the service has it is not known yet
	Submitted State = "submitted" // the service has it
	Done      State = "done"      // what came of it was taken
	Cancelled State = "cancelled"
	Failed    State = "failed"  // the service refused or lost it
	Expired   State = "expired" // the service ran out of time; what was answered by then was taken
)

// Open reports whether something is still to be done about the job.
func (j Job) Open() bool { return j.State == Planned || j.State == Submitted }

// Key is the job's key.
func (j Job) Key() string { return j.Client + "/" + KeyPart + "/" + j.ID }
