package state

import (
	"context"
	"slices"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// Effect is an edit of memory as decided. It is data: the log keeps it until it is applied, and applying
// means loading the document, merging the edit and writing it back, so that it can be done again after a
// crash. Exactly one of the pointers is set.
type Effect struct {
	Scope   Scope        `bson:"scope"`
	Message *Message     `bson:"message,omitempty"` // a new message
	File    *MessageEdit `bson:"file,omitempty"`    // where an existing message belongs
	Record  *Record      `bson:"record,omitempty"`  // a new record, or a whole new version of one
	Affair  *AffairEdit  `bson:"affair,omitempty"`
	Session *Session     `bson:"session,omitempty"` // the session as it is after the turn
	Repeat  *Repeat      `bson:"repeat,omitempty"`  // a record that was said again
	Archive *Archive     `bson:"archive,omitempty"` // a record that goes into the archive
	Restore *Restore     `bson:"restore,omitempty"` // a record or an affair as it was

	Erase *Erase `bson:"erase,omitempty"` // a document that goes for good
	Order *Order `bson:"order,omitempty"` // an order to erase, as it is from now on

	// Suggestion is a new one, or one that was answered. One that is there already stays as it is, and so does one that waits no more.
	Suggestion *Suggestion `bson:"suggestion,omitempty"`

	By *By `bson:"by,omitempty"` // who had it made, of edits of records and affairs; nil is the pipeline

	// Part is the id of the summary of the part of a session that the edit was learnt from or which it ends, "" for none. It is made only
	// if nobody else has read that part before. The part's own edit comes behind those learnt from it.
	Part string `bson:"part,omitempty"`

	// Seen is one more than the number of the feed's entry up to which the edit's memory was known when it was decided; 0 = not told. One that
	// was decided before an order to erase is refused.
	Seen int64 `bson:"seen,omitempty"`

	// Answers is the id of the suggestion that the edit carries out or answers, "" for none. It is made only while that waits. The suggestion's
	// own edit comes behind those that carry it out.
	Answers string `bson:"answers,omitempty"`

	// From is the step that decided the edit, set where the step and the documents it edits are not
	// written together: the document then keeps it, so that the edit is made once. Zero elsewhere.
	From Mark `bson:"-"`
}

// By says who had an edit made, by which way and from which words. Client, user, session and agent are those of the effect's scope.
type By struct {
	Who     Who    `bson:"who" json:"who"`
	User    string `bson:"user,omitempty" json:"user,omitempty"`       // which, where the memory is not one user's own
	Path    string `bson:"path" json:"path"`                           // the way: a tool's name, a node's, session_end, api and so on
	Turn    string `bson:"turn,omitempty" json:"turn,omitempty"`       // in which it was decided
	Message string `bson:"message,omitempty" json:"message,omitempty"` // the message with the words that it comes from
	Why     string `bson:"why,omitempty" json:"why,omitempty"`
}

// Who has memory changed.
type Who string

// Those who change memory.
const (
	ByUser     Who = "user"     // a person, or the host's code for him
	ByAgent    Who = "agent"    // a model that calls a tool
	ByPipeline Who = "pipeline" // what happens by itself: detection, extraction, consolidation
)

// Restore makes a document what it was. It must stand at the revision Rev, else the edit is state.ErrConflict.
type Restore struct {
	Collection Collection `bson:"collection"`
	ID         string     `bson:"id"` // of the record or affair
	Rev        int64      `bson:"rev"`
	Body       bson.Raw   `bson:"body,omitempty"` // nil = it goes
	Was        bson.Raw   `bson:"was,omitempty"`  // as it stands, nil = it is not there
}

// Mark names a step of a thread. Again says that what the step decided may have been carried out already,
// by an attempt that was cut short, so that whoever carries it out has to look first.
type Mark struct {
	Thread string // Thread.Key
	Seq    int64
	Again  bool
}

// MessageEdit files a message under an affair and keeps why, or takes it back, or has nothing kept of what it says, or drops what was for its
// turn alone: then the rest stays as it is.
type MessageEdit struct {
	Seq       int64  `bson:"seq"`
	Affair    string `bson:"affair,omitempty"`
	Why       string `bson:"why,omitempty"`
	Undone    bool   `bson:"undone,omitempty"`
	Unstored  bool   `bson:"unstored,omitempty"`
	DropExtra bool   `bson:"drop_extra,omitempty"`
}

// Repeat says that a record was said again, by a turn or, with Turn empty, outside one.
type Repeat struct {
	ID         string    `bson:"id"`
	Turn       string    `bson:"turn,omitempty"`
	At         time.Time `bson:"at"`
	Importance int       `bson:"importance,omitempty"`
	Pinned     bool      `bson:"pinned,omitempty"`
}

// Archive puts a record into the archive: it stays, and only those find it who ask for the archive.
type Archive struct {
	ID string    `bson:"id"`
	At time.Time `bson:"at"`
}

// AffairEdit changes one affair; zero fields leave things as they are.
type AffairEdit struct {
	ID       string    `bson:"id"`
	Create   *Affair   `bson:"create,omitempty"` // a new affair; the other fields then apply to it
	Status   Status    `bson:"status,omitempty"`
	Title    string    `bson:"title,omitempty"`    // one made by rule gives way to any, every other only to a person's
	TitleBy  Author    `bson:"title_by,omitempty"` // who gives it
	Session  string    `bson:"session,omitempty"`  // where it becomes active
	Summary  string    `bson:"summary,omitempty"`
	Facts    Facts     `bson:"facts,omitempty"`   // merged label by label
	Drop     []string  `bson:"drop,omitempty"`    // labels of facts that go, before Facts come
	Unlearn  []string  `bson:"unlearn,omitempty"` // values that are no past ones either
	Pending  []string  `bson:"pending,omitempty"` // replaces the list when SetPending
	Topics   []string  `bson:"topics,omitempty"`  // replaces the list when not empty
	Messages int       `bson:"messages,omitempty"`
	At       time.Time `bson:"at"`

	SetPending bool `bson:"set_pending,omitempty"`
	Anew       bool `bson:"anew,omitempty"` // Title, Summary and Topics take the place of what there is, whoever gave it; empty lists and summaries too

	Absorb   *Affair `bson:"absorb,omitempty"` // another affair as it was when it was merged into this one; taken in once
	Into     string  `bson:"into,omitempty"`   // merged into that affair: archived for good
	SumUp    string  `bson:"sum_up,omitempty"` // replaces the session when SetSumUp
	SetSumUp bool    `bson:"set_sum_up,omitempty"`
}

// Effects collects the edits of one step. It travels in the context: what writes memory inside a turn
// adds to it, and the step's commit makes them durable together with the step. Safe for concurrent use.
type Effects struct {
	// Settle, when not nil, waits until the commits of the turn so far are done. Whoever reads memory inside the
	// step calls it first, since what the turn has written may still be on its way.
	Settle func() error

	parent *Effects // of a child
	before []Effect // what a child sees of its parent
	mu     sync.Mutex
	list   []Effect
	folded any // what Fold keeps of the list up to a place
	upTo   int
}

// Child collects the edits of one part of the step, which go on to e, or nowhere, when that part is over. Whoever reads
// under it sees them and what e has by now. The child of nil is nil.
func (e *Effects) Child() *Effects {
	if e == nil {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	before := e.list[:len(e.list):len(e.list)] // nobody changes it: what is added stands behind it
	if len(e.before) > 0 {
		before = slices.Concat(e.before, before)
	}
	return &Effects{Settle: e.Settle, parent: e, before: before}
}

// Parent returns what e is a child of, nil for none.
func (e *Effects) Parent() *Effects { return e.parent }

// Add appends edits in the order they were decided.
func (e *Effects) Add(effects ...Effect) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.list = append(e.list, effects...)
}

// Take returns the edits so far and forgets them.
func (e *Effects) Take() []Effect {
	e.mu.Lock()
	defer e.mu.Unlock()
	list := e.list
	e.list, e.folded, e.upTo = nil, nil, 0
	return list
}

// Fold returns a value that is made of the edits added to e and kept beside them, so that looking at them again and again
// does not take longer and longer. A child's are its own; those of its parent are folded there. More makes it of what it was,
// nil at first, and of the edits that came since; after Take all begins anew. More must not use e. There is one such value.
func (e *Effects) Fold(more func(folded any, edits []Effect) any) any {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.folded == nil {
		e.folded = more(nil, nil)
	}
	if e.upTo < len(e.list) {
		e.folded, e.upTo = more(e.folded, e.list[e.upTo:]), len(e.list)
	}
	return e.folded
}

// List returns a copy of the edits so far, of a child those of its parent first.
func (e *Effects) List() []Effect {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Concat(e.before, e.list)
}

type effectsKey struct{}

// ContextWithEffects makes e collect the edits decided under the context.
func ContextWithEffects(ctx context.Context, e *Effects) context.Context {
	return context.WithValue(ctx, effectsKey{}, e)
}

// EffectsFrom returns the collector of the step the context belongs to, nil outside a step.
func EffectsFrom(ctx context.Context) *Effects {
	e, _ := ctx.Value(effectsKey{}).(*Effects)
	return e
}
