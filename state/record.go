package state

import (
	"slices"
	"time"
)

// RecordKind is what sort of thing is remembered; the tools call it category.
type RecordKind string

// The kinds of record. The first seven are what the tool memory_store offers.
const (
	FactRecord       RecordKind = "fact"
	DecisionRecord   RecordKind = "decision"
	OrderRecord      RecordKind = "order"
	DeadlineRecord   RecordKind = "deadline"
	ContactRecord    RecordKind = "contact"
	PreferenceRecord RecordKind = "preference"
	ProcedureRecord  RecordKind = "procedure"
	EventRecord      RecordKind = "event"
	InsightRecord    RecordKind = "insight"
	SummaryRecord    RecordKind = "summary"
	LessonRecord     RecordKind = "lesson"
	MessageRecord    RecordKind = "message"
)

// Categories lists the kinds that memory_store accepts, in the order of its schema.
func Categories() []RecordKind {
	return []RecordKind{FactRecord, DecisionRecord, OrderRecord, DeadlineRecord, ContactRecord, PreferenceRecord, ProcedureRecord}
}

// Kinds lists all kinds of record.
func Kinds() []RecordKind {
	return append(Categories(), EventRecord, InsightRecord, SummaryRecord, LessonRecord, MessageRecord)
}

// Known reports whether k is any kind of record.
func (k RecordKind) Known() bool { return slices.Contains(Kinds(), k) }

// Valid reports whether k is a kind memory_store accepts.
func (k RecordKind) Valid() bool { return slices.Contains(Categories(), k) }

// BrainPart is a part of the brain: what is known of a user for good.
type BrainPart string

// The parts of the brain.
const (
	BrainUser        BrainPart = "user"        // who he is
	BrainPreferences BrainPart = "preferences" // how he wants to be answered
	BrainDecisions   BrainPart = "decisions"   // what holds from now on
	BrainCurrent     BrainPart = "current"     // what he is working on, and what is to come
)

// BrainParts lists the parts of the brain, in their order.
func BrainParts() []BrainPart {
	return []BrainPart{BrainUser, BrainPreferences, BrainDecisions, BrainCurrent}
}

// Part returns where a record of the kind stands in the brain.
func (k RecordKind) Part() BrainPart {
	switch k {
	case PreferenceRecord:
		return BrainPreferences
	case DecisionRecord, ProcedureRecord:
		return BrainDecisions
	case EventRecord, InsightRecord, DeadlineRecord, OrderRecord:
		return BrainCurrent
	case FactRecord, ContactRecord, SummaryRecord, LessonRecord, MessageRecord:
	}
	return BrainUser
}

// Trust orders sources of a record: user over tool over agent over extracted over document. What the user says is of user, agent (a model
// stored it) or extracted (heard in his messages).
type Trust string

// The levels of trust.
const (
	TrustUser      Trust = "user"
	TrustTool      Trust = "tool"
	TrustAgent     Trust = "agent"
	TrustExtracted Trust = "extracted"
	TrustDocument  Trust = "document"
)

// Trusts lists the levels of trust, the highest first.
func Trusts() []Trust {
	return []Trust{TrustUser, TrustTool, TrustAgent, TrustExtracted, TrustDocument}
}

// Foreign reports whether somebody else has told it: it stands in the result of a tool or in a document and the user has not said it.
func (t Trust) Foreign() bool { return t == TrustTool || t == TrustDocument }

// About says whose a record is: the user's, whom it follows into all his affairs, or an affair's, where it stays. "" is a record
// from before it was told: it is the affair's that it is filed under, and everybody's when it is filed under none.
type About string

// Whose a record may be. What is a project's follows the user into all his affairs of that project, and stays out of other projects.
const (
	AboutUser    About = "user"
	AboutAffair  About = "affair"
	AboutProject About = "project"
)

// Known reports whether a is user, affair, project or not told.
func (a About) Known() bool {
	return a == "" || a == AboutUser || a == AboutAffair || a == AboutProject
}

// Record is one remembered thing. It has two clocks: when it was recorded, and from when to when it is valid: ValidFrom is
// zero when nobody gave a date, ValidTo nil until another record or an undone turn ends it. Importance runs from 1 to 10. Pinned is what a person has
// pinned: it is never evicted, and forgetting spares it unless told. Held is what an erasure waits for;
// who reads the record as JSON is told of it by HeldAt alone.
type Record struct {
	ID         string     `bson:"id" json:"id"`
	Client     string     `bson:"client" json:"client"`
	User       string     `bson:"user" json:"user"`
	Project    string     `bson:"project,omitempty" json:"project,omitempty"`
	Agent      string     `bson:"agent,omitempty" json:"agent,omitempty"`
	Session    string     `bson:"session,omitempty" json:"session,omitempty"`
	Affair     string     `bson:"affair,omitempty" json:"affair,omitempty"`
	About      About      `bson:"about,omitempty" json:"about,omitempty"` // whose it is; what is the user's is filed under no affair
	Kind       RecordKind `bson:"kind" json:"kind"`
	Subject    string     `bson:"subject" json:"subject"`
	Content    string     `bson:"content" json:"content"`
	Source     Source     `bson:"source" json:"source"`
	Trust      Trust      `bson:"trust" json:"trust"`
	Importance int        `bson:"importance" json:"importance"`
	Pinned     bool       `bson:"pinned,omitempty" json:"pinned,omitempty"`
	Held       *By        `bson:"held,omitempty" json:"-"`                   // who keeps it from being erased, and why, for administrators alone; nil = nobody
	HeldAt     time.Time  `bson:"held_at,omitempty" json:"held_at,omitzero"` // since when
	RecordedAt time.Time  `bson:"recorded_at" json:"recorded_at"`
	SeenAt     time.Time  `bson:"seen_at,omitempty" json:"seen_at,omitzero"` // when it was said again last; zero = never
	SeenIn     string     `bson:"seen_in,omitempty" json:"-"`                // the turn that said it again last
	Times      int        `bson:"times,omitempty" json:"times,omitempty"`    // how many turns said it; 0 = one
	ValidFrom  time.Time  `bson:"valid_from,omitempty" json:"valid_from,omitzero"`
	ValidTo    *time.Time `bson:"valid_to,omitempty" json:"valid_to,omitempty"`
	ArchivedAt *time.Time `bson:"archived_at,omitempty" json:"archived_at,omitempty"` // it is in the archive, since the user has more than max_memories_per_user
	Priority   Priority   `bson:"priority,omitempty" json:"priority,omitempty"`       // how soon it had to have its vector; "" = Normal
	Replaces   string     `bson:"replaces,omitempty" json:"replaces,omitempty"`       // id of the record whose validity it ended
	ReplacedBy string     `bson:"replaced_by,omitempty" json:"replaced_by,omitempty"` // id of the record that ended its validity
	EndedIn    string     `bson:"ended_in,omitempty" json:"-"`                        // the turn in which the user had it forgotten; "-" = outside one
	Gone       string     `bson:"gone,omitempty" json:"-"`                            // what of it the user had forgotten, in words; "" = all of it
	Due        *time.Time `bson:"due,omitempty" json:"due,omitempty"`                 // of a task: when it is to be done
	Like       string     `bson:"like,omitempty" json:"like,omitempty"`               // id of a record that may say the same, where the rules could not tell
	Links      []string   `bson:"links,omitempty" json:"links,omitempty"`             // keys of what it is about: identifiers, names, topics
	Span       *Span      `bson:"span,omitempty" json:"span,omitempty"`               // of the summary of a part of a session: what it covers
}

// Span is one part of a session, and what the summary of it covers; of an L1 or L2 it is of several parts. A part ends when the session is ended or cleared, or after
// session_idle_minutes: when its user comes back and does not go on with what was active, or does something else.
type Span struct {
	Part      int       `bson:"part" json:"part"`                                // its number in the session; of an L1 or L2 its number among the user's
	First     int64     `bson:"first" json:"first"`                              // number of its first message
	Last      int64     `bson:"last" json:"last"`                                // of its last one, as far as the summary knows
	Covered   int64     `bson:"covered,omitempty" json:"covered"`                // messages up to this number that belong to no affair are summed up
	Messages  int       `bson:"messages,omitempty" json:"messages"`              // how many those are
	Version   int       `bson:"version,omitempty" json:"version"`                // how often the summary was brought forward
	KeyFacts  Facts     `bson:"key_facts,omitempty" json:"key_facts"`            // of those messages, the oldest first
	Topics    []string  `bson:"topics,omitempty" json:"topics,omitempty"`        // of those messages, as one came after the other
	Affairs   []string  `bson:"affairs,omitempty" json:"affairs,omitempty"`      // ids of the affairs that the part spoke of
	Earlier   string    `bson:"earlier,omitempty" json:"earlier,omitempty"`      // what the session's parts before it come to, in short
	StartedAt time.Time `bson:"started_at,omitempty" json:"started_at,omitzero"` // of the part
	UpdatedAt time.Time `bson:"updated_at,omitempty" json:"updated_at,omitzero"` // of the summary
	EndedAt   time.Time `bson:"ended_at,omitempty" json:"ended_at,omitzero"`     // of the part; zero = it goes on
	Digest    string    `bson:"digest,omitempty" json:"digest,omitempty"`        // of a part that is over, of what belongs to affairs too: a few sentences
	Waits     bool      `bson:"waits,omitempty" json:"waits,omitempty"`          // no model has read it yet: what it says of the user is extracted later
	Tries     int       `bson:"tries,omitempty" json:"-"`                        // in how many batches a model was asked about it in vain
	Level     int       `bson:"level,omitempty" json:"level,omitempty"`          // 1 = of several parts (L1), 2 = of several such (L2); 0 = of one part
	Of        []string  `bson:"of,omitempty" json:"of,omitempty"`                // ids of the summaries that an L1 or L2 is made of, the oldest first
}

// Ended reports whether the part is over.
func (s Span) Ended() bool { return !s.EndedAt.IsZero() }

// Source is where a record comes from.
type Source struct {
	Turn    string `bson:"turn,omitempty" json:"turn,omitempty"`
	Message string `bson:"message,omitempty" json:"message,omitempty"`
	Tool    string `bson:"tool,omitempty" json:"tool,omitempty"`
	Author  string `bson:"author,omitempty" json:"author,omitempty"`
}

// Valid reports whether the record holds now: nothing has ended it, and a date that it was given has come. The clock of who
// wrote it does not count: what is in memory holds for every reader at once, and what was ended is over.
//
// What is in the archive holds, and is found when the archive is asked for; everywhere else it is as if it were over.
func (r Record) Valid(now time.Time) bool { return r.Holds(now) && r.ArchivedAt == nil }

// Holds is Valid for the archive too.
func (r Record) Holds(now time.Time) bool { return r.ValidTo == nil && !r.ValidFrom.After(now) }

// Archived returns the record as it is once it is put into the archive. One that was pinned or said again since the edit was decided, or is over,
// stays as it is.
func (r Record) Archived(x Archive) Record {
	if r.ValidTo == nil && !r.Shielded() && r.ArchivedAt == nil && !r.Seen().After(x.At) {
		r.ArchivedAt = &x.At
	}
	return r
}

// shieldedFrom is the importance from which on what the user himself says is never evicted.
const shieldedFrom = 9

// Shielded reports whether retention lets the record be: it is pinned, a task, or very important and the user's own word. That is no pin:
// nobody has asked for it, and forgetting does not spare it.
func (r Record) Shielded() bool {
	own := r.Trust == TrustUser || r.Trust == TrustExtracted
	return r.Pinned || r.Due != nil || own && r.Importance >= shieldedFrom
}

// Seen returns when the record was said last.
func (r Record) Seen() time.Time {
	if r.SeenAt.After(r.RecordedAt) {
		return r.SeenAt
	}
	return r.RecordedAt
}

// Again returns the record as it is once it was said again. A turn counts once, however often it says a thing; the
// importance is the highest that anybody gave. A record that is over stays as it is.
func (r Record) Again(x Repeat) Record {
	if r.ValidTo != nil {
		return r
	}
	r.Importance, r.Pinned, r.ArchivedAt = max(r.Importance, x.Importance), r.Pinned || x.Pinned, nil
	if x.At.After(r.SeenAt) {
		r.SeenAt = x.At
	}
	if x.Turn == "" || x.Turn != r.SeenIn && x.Turn != r.Source.Turn {
		r.Times, r.SeenIn = max(r.Times, 1)+1, x.Turn
	}
	return r
}

// ValidAt reports whether the record was known and valid at t, by the clocks of those who wrote: it is for looking back. What became known
// when it was over already counts by its validity alone.
func (r Record) ValidAt(t time.Time) bool {
	late := r.ValidTo != nil && r.ValidTo.Before(r.RecordedAt)
	return (late || !r.RecordedAt.After(t)) && !r.ValidFrom.After(t) && (r.ValidTo == nil || r.ValidTo.After(t))
}

// Outcome is what became of a change.
type Outcome string

// The outcomes.
const (
	Stored   Outcome = "stored"   // a new record
	Repeated Outcome = "repeated" // there is one that says the same: it was seen again, and may be more important now
	Refined  Outcome = "refined"  // a new record that says an older one more exactly; the older one is kept as history
	Replaced Outcome = "replaced" // a new record whose value differs from an older one's, which is kept as history

	Forgotten Outcome = "forgotten" // the record holds no longer, because the user said so; it is kept as history
	Pinned    Outcome = "pinned"    // the record is never evicted from now on
	Unpinned  Outcome = "unpinned"  // it may be, from now on
)

// Receipt is what a write answers: which document, what became of the change, and how far it has got. Indexed is whether
// its vector is made (always, where there is no embedder); Due is by when it will be. Seq is the user's feed number from
// which on every reader sees it (0 until durable).
type Receipt struct {
	ID      string     `bson:"id" json:"id"`
	Kind    string     `bson:"kind" json:"kind"`
	Outcome Outcome    `bson:"outcome,omitempty" json:"outcome,omitempty"`
	Of      string     `bson:"of,omitempty" json:"of,omitempty"` // id of the older record that was refined or replaced; of one that was stored, of one that it may give another value to
	Durable bool       `bson:"durable" json:"durable"`
	Visible bool       `bson:"visible" json:"visible"`
	Indexed bool       `bson:"indexed" json:"indexed"`
	Due     *time.Time `bson:"due,omitempty" json:"due,omitempty"` // nil when indexed, or without a bound
	Seq     int64      `bson:"seq,omitempty" json:"seq,omitempty"`
}

// Session is what one conversation keeps between turns. Active is the id of its active affair.
type Session struct {
	Client       string            `bson:"client" json:"client"`
	User         string            `bson:"user" json:"user"`
	ID           string            `bson:"id" json:"id"`
	Title        string            `bson:"title,omitempty" json:"title,omitempty"` // as somebody named it
	TitledAt     time.Time         `bson:"titled_at,omitempty" json:"-"`
	Part         int               `bson:"part" json:"part"`                                       // grows when the session is used again after it had ended
	PartFrom     int64             `bson:"part_from,omitempty" json:"part_from,omitempty"`         // seq of the message the part begins with; 0 = the first
	PartAt       time.Time         `bson:"part_at,omitempty" json:"part_at,omitzero"`              // when the part began
	Touched      []string          `bson:"touched,omitempty" json:"affairs,omitempty"`             // ids of the affairs that the part spoke of
	TouchedLast  []string          `bson:"touched_last,omitempty" json:"affairs_before,omitempty"` // those of the part before that spoke of any
	Ending       []Span            `bson:"ending,omitempty" json:"-"`                              // parts that are over and have no document of their own yet
	Active       string            `bson:"active,omitempty" json:"active,omitempty"`
	Agent        string            `bson:"agent,omitempty" json:"-"`                           // who answered last; "" = nobody has: its messages were brought from elsewhere
	Language     string            `bson:"language,omitempty" json:"language,omitempty"`       // BCP-47, of the last message that showed one
	Summary      string            `bson:"summary,omitempty" json:"summary,omitempty"`         // as releases kept it that had no record of it
	SummaryID    string            `bson:"summary_id,omitempty" json:"summary_id,omitempty"`   // the record whose text a prompt shows
	Summarised   int64             `bson:"summarised,omitempty" json:"summarised,omitempty"`   // the summary covers messages up to this seq
	Messages     int64             `bson:"messages" json:"messages"`                           // seq of the last message
	WindowFrom   int64             `bson:"window_from,omitempty" json:"window_from,omitempty"` // messages up to this seq were cleared from sight
	Preferences  map[string]string `bson:"preferences,omitempty" json:"preferences,omitempty"` // of this part, by their names: state.PreferredLanguage and so on
	StartedAt    time.Time         `bson:"started_at" json:"started_at,omitzero"`
	LastAt       time.Time         `bson:"last_at" json:"last_at,omitzero"` // when it was used last: something was said, or an affair taken up
	LastSwitchAt time.Time         `bson:"last_switch_at,omitempty" json:"last_switch_at,omitzero"`
}

// First returns the number of the first message of the session's part.
func (s Session) First() int64 { return max(s.PartFrom, s.WindowFrom+1) }

// Ended reports whether the session was ended or cleared, and was not used since: nothing was said in it, and no affair was taken up. The next message
// begins a part.
func (s Session) Ended() bool {
	takenUp := s.Active != "" && s.LastAt.After(s.PartAt) // what stays active when a part ends by itself was so before
	return s.Messages > 0 && s.First() > s.Messages && !takenUp
}
