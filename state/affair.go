package state

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"
)

// Status is where an affair stands.
type Status string

// The states of an affair. At most one affair is Active in a session.
const (
	Active   Status = "ACTIVE"   // being worked on
	Parked   Status = "PARKED"   // set aside, alive
	Resolved Status = "RESOLVED" // settled
	Archived Status = "ARCHIVED" // kept, out of sight
)

// Author says who wrote a title or a key fact of an affair; "" is not known. What a person or a model has written no rule changes.
type Author string

// The authors.
const (
	AuthorRules Author = "rules"
	AuthorModel Author = "model"
	AuthorUser  Author = "user"
)

// Affair is a topic container: what belongs together, whatever was said in between. Its messages carry
// its id and are kept apart. It belongs to client + user; Session is where it is active, "" if nowhere; the other
// sessions see it as Parked.
type Affair struct {
	ID             string    `bson:"id" json:"id"`
	Client         string    `bson:"client" json:"client_id"`
	User           string    `bson:"user" json:"user_id"`
	Project        string    `bson:"project,omitempty" json:"project_id,omitempty"`
	Agent          string    `bson:"agent,omitempty" json:"agent,omitempty"`
	Session        string    `bson:"session,omitempty" json:"session,omitempty"`
	Title          string    `bson:"title" json:"title"`
	TitleBy        Author    `bson:"title_by,omitempty" json:"title_by,omitempty"`
	Summary        string    `bson:"summary,omitempty" json:"summary"`
	Status         Status    `bson:"status" json:"status"`
	Topics         []string  `bson:"topics,omitempty" json:"topics"`
	KeyFacts       Facts     `bson:"key_facts,omitempty" json:"key_facts"`
	PastFacts      []Past    `bson:"past_facts,omitempty" json:"past_facts,omitempty"` // values that others took the place of, the oldest first
	PendingActions []string  `bson:"pending_actions,omitempty" json:"pending_actions"`
	Related        []string  `bson:"related_affairs,omitempty" json:"related_affairs"`
	Messages       int       `bson:"messages,omitempty" json:"messages"`                 // how many are filed under it
	MergedInto     string    `bson:"merged_into,omitempty" json:"merged_into,omitempty"` // the affair under which all of it is found now
	Absorbed       []string  `bson:"absorbed,omitempty" json:"absorbed,omitempty"`       // the affairs that were merged into it
	SumUp          string    `bson:"sum_up,omitempty" json:"-"`                          // session whose turn set it aside, until a model has summed it up behind the reply
	CreatedAt      time.Time `bson:"created_at" json:"created_at"`
	UpdatedAt      time.Time `bson:"updated_at" json:"updated_at"`
}

// MarshalJSON writes empty lists as [], so that readers need no second case.
func (a Affair) MarshalJSON() ([]byte, error) {
	type plain Affair
	for _, list := range []*[]string{&a.Topics, &a.PendingActions, &a.Related} {
		if *list == nil {
			*list = []string{}
		}
	}
	return json.Marshal(plain(a))
}

// Fact is one key fact: a label in the user's words ("order number"), its value and since when it is known.
type Fact struct {
	Label string    `bson:"label" json:"label"`
	Value string    `bson:"value" json:"value"`
	Since time.Time `bson:"since,omitempty" json:"-"` // zero if nobody noted it
	By    Author    `bson:"by,omitempty" json:"-"`    // "" = a rule, or not known
}

// Past is a value that a key fact had.
type Past struct {
	Label string    `bson:"label" json:"label"`
	Value string    `bson:"value" json:"value"`
	Since time.Time `bson:"since,omitempty" json:"since,omitzero"`
	Until time.Time `bson:"until" json:"until"`
}

// mostPast is how many past values an affair keeps.
const mostPast = 100

// Keep gives a key fact its value as of a time; "" ends it. A different value before it is kept as a past one.
func (a *Affair) Keep(fact Fact, at time.Time) {
	label, value := fact.Label, fact.Value
	i := slices.IndexFunc(a.KeyFacts, func(f Fact) bool { return f.Label == label })
	same := i >= 0 && a.KeyFacts[i].Value == value
	if same && a.KeyFacts[i].By == fact.By || i < 0 && value == "" {
		return
	}
	if i >= 0 && !same {
		old := a.KeyFacts[i]
		past := append(slices.Clone(a.PastFacts), Past{Label: label, Value: old.Value, Since: old.Since, Until: at})
		a.PastFacts = past[max(0, len(past)-mostPast):]
	}
	if value == "" {
		a.KeyFacts = slices.Delete(slices.Clone(a.KeyFacts), i, i+1)
		return
	}
	a.KeyFacts = a.KeyFacts.With(label, value)
	if i < 0 {
		i = len(a.KeyFacts) - 1
	}
	a.KeyFacts[i].By = fact.By
	if !same {
		a.KeyFacts[i].Since = at
	}
}

// Facts keeps key facts in the order they were learnt; labels are unique. In JSON it is an object.
type Facts []Fact

// Get returns the value under label and whether there is one.
func (f Facts) Get(label string) (string, bool) {
	for _, x := range f {
		if x.Label == label {
			return x.Value, true
		}
	}
	return "", false
}

// ChangesFrom returns the facts that make f of before: those of before that are gone with the value "", then the new and the changed ones.
func (f Facts) ChangesFrom(before Facts) (out Facts) {
	for _, x := range before {
		if _, ok := f.Get(x.Label); !ok {
			out = append(out, Fact{Label: x.Label})
		}
	}
	for _, x := range f {
		if old, ok := before.Get(x.Label); !ok || old != x.Value {
			out = append(out, x)
		}
	}
	return out
}

// With returns a copy in which label has value; f itself is not changed.
func (f Facts) With(label, value string) Facts {
	out := append(make(Facts, 0, len(f)+1), f...)
	for i := range out {
		if out[i].Label == label {
			out[i].Value = value
			return out
		}
	}
	return append(out, Fact{Label: label, Value: value})
}

// MarshalJSON writes an object whose keys stand in the order of the facts.
func (f Facts) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, x := range f {
		if i > 0 {
			b.WriteByte(',')
		}
		label, err := json.Marshal(x.Label)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(x.Value)
		if err != nil {
			return nil, err
		}
		b.Write(label)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
