package checkpoint

import (
	"context"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// ErrUnfinished is a state.Conflict: the thread has a turn that was neither finished nor is running;
// Take goes on with it.
var ErrUnfinished = &state.Error{Code: state.Conflict, Op: "the thread has an unfinished turn"}

// Config says how a Log keeps steps.
type Config struct {
	Store store.Store      // required; its Write must be a transaction when steps carry effects
	Now   func() time.Time // required: the clock
	NewID func() string    // required: unique ids for attempts

	// Apply turns decided effects into documents as they are to be written: loaded, merged, with the
	// revision they were read at. It is called again when another writer was faster, so it must not
	// remember anything. Required when steps carry effects.
	Apply func(ctx context.Context, effects []state.Effect) ([]store.Doc, error)
	// Exclusive, when not nil, is entered before Apply and left after the write, so that turns of this process
	// which edit the same memory queue up instead of conflicting.
	Exclusive func(ctx context.Context, effects []state.Effect) (leave func(), err error)
	// Applied, when not nil, is told the documents of Apply right after they were written, also when that
	// was only found out by reading back. It must not wait for the turn.
	Applied func(docs []store.Doc)

	// Shared says that other processes write the same store: a turn of another holder is taken over
	// only after its lease. Default false: this process has the store to itself, so a turn it is not
	// running itself was left by a dead process and may be taken over at once.
	Shared bool
	// Lease is how long a turn in a Shared store is safe from being taken over, counted from its first
	// commit or takeover. Default state.LeaseTTL.
	Lease time.Duration
}

// Log keeps the steps of threads. It is safe for concurrent use; each Turn belongs to one run.
type Log struct {
	c      Config
	holder string

	mu   sync.Mutex
	live map[string]bool // threads with a turn running in this process
}

// New makes a Log. It does no I/O and needs no Close: it owns no goroutine and not the store.
func New(c Config) *Log {
	if c.Lease == 0 {
		c.Lease = state.LeaseTTL
	}
	return &Log{c: c, holder: c.NewID(), live: map[string]bool{}}
}

// Begin prepares a turn on a thread. Nothing is written before its first Commit. A turn of the thread that
// is running is state.ErrConflict, one that was left unfinished is ErrUnfinished. The caller must Release
// the turn.
func (l *Log) Begin(ctx context.Context, thread state.Thread, turn string) (*Turn, error) {
	if err := thread.Validate(); err != nil {
		return nil, err
	}
	if turn == "" {
		return nil, state.Errorf(state.Invalid, "turn on thread "+thread.Key(), "has no id; give it one that is unique in the thread")
	}
	if err := l.enter(thread); err != nil {
		return nil, err
	}
	head, err := l.Head(ctx, thread)
	if err == nil && head.Seq > 0 && !head.Done {
		err = ErrUnfinished
	}
	if err != nil {
		l.leave(thread)
		return nil, err
	}
	return &Turn{log: l, thread: thread, id: turn, attempt: l.c.NewID(), seq: head.Seq, prev: head}, nil
}

// Take goes on with the thread's unfinished turn as a new attempt and returns its steps so far, oldest
// first, from the one its state is rebuilt from. No such turn is state.ErrNotFound; one that is running,
// here or under another's valid lease, is state.ErrConflict. The caller must Release the turn.
func (l *Log) Take(ctx context.Context, thread state.Thread) (*Turn, []Step, error) {
	if err := thread.Validate(); err != nil {
		return nil, nil, err
	}
	if err := l.enter(thread); err != nil {
		return nil, nil, err
	}
	t, steps, err := l.take(ctx, thread)
	if err != nil {
		l.leave(thread)
		return nil, nil, err
	}
	return t, steps, nil
}

func (l *Log) take(ctx context.Context, thread state.Thread) (*Turn, []Step, error) {
	head, err := l.Head(ctx, thread)
	if err != nil {
		return nil, nil, err
	}
	if head.Seq == 0 || head.Done {
		return nil, nil, state.Errorf(state.NotFound, "thread "+thread.Key(), "has no unfinished turn")
	}
	open, rev, err := l.open(ctx, thread)
	if err != nil {
		return nil, nil, err
	}
	if l.c.Shared && open.Holder != l.holder && open.Until.After(l.c.Now()) {
		return nil, nil, state.Errorf(state.Conflict, "thread "+thread.Key(),
			"its turn is running elsewhere until %s at least", open.Until.Format(time.RFC3339))
	}
	steps, err := l.Steps(ctx, thread, head.Base)
	if err != nil {
		return nil, nil, err
	}
	t := &Turn{log: l, thread: thread, id: head.Turn, attempt: l.c.NewID(), seq: head.Seq, base: head.Base, openRev: rev}
	if err := t.Commit(ctx, Commit{Source: SourceTakeover}); err != nil {
		return nil, nil, err
	}
	return t, steps, nil
}

// Head returns the thread's last step; its Seq is 0 when there is none.
func (l *Log) Head(ctx context.Context, thread state.Thread) (Step, error) {
	docs, err := l.scan(ctx, store.Query{
		Collection: state.Steps, Prefix: thread.StepPrefix(), Limit: 1, Reverse: true,
	})
	if err != nil || len(docs) == 0 {
		return Step{}, err
	}
	return decodeStep(docs[0])
}

// Steps returns the thread's steps from number from on, oldest first. A step that is missing between two
// others is state.ErrInternal: the store has lost something.
func (l *Log) Steps(ctx context.Context, thread state.Thread, from int64) ([]Step, error) {
	from = max(from, 1)
	q := store.Query{Collection: state.Steps, Prefix: thread.StepPrefix()}
	if from > 1 {
		q.After = thread.StepKey(from - 1)
	}
	docs, err := l.scan(ctx, q)
	if err != nil {
		return nil, err
	}
	steps := make([]Step, 0, len(docs))
	for _, d := range docs {
		s, err := decodeStep(d)
		if err != nil {
			return nil, err
		}
		if want := from + int64(len(steps)); s.Seq != want {
			return nil, state.Errorf(state.Internal, "thread "+thread.Key(), "its step %d is missing from the store", want)
		}
		steps = append(steps, s)
	}
	return steps, nil
}

// Unfinished lists the threads of a client that have an unfinished turn, running or not.
func (l *Log) Unfinished(ctx context.Context, client string) ([]state.Thread, error) {
	if err := state.ValidateID("client", client); err != nil {
		return nil, err
	}
	docs, err := l.scan(ctx, store.Query{Collection: state.Open, Prefix: client + "/"})
	if err != nil {
		return nil, err
	}
	threads := make([]state.Thread, 0, len(docs))
	for _, d := range docs {
		threads = append(threads, state.Thread{Client: client, ID: d.ID[len(client)+1:]})
	}
	return threads, nil
}

func (l *Log) scan(ctx context.Context, q store.Query) ([]store.Doc, error) {
	state.TraceFrom(ctx).Charge(state.Bill{Reads: 1})
	return l.c.Store.Scan(ctx, q)
}

func (l *Log) get(ctx context.Context, c state.Collection, id string) (store.Doc, error) {
	state.TraceFrom(ctx).Charge(state.Bill{Reads: 1})
	return l.c.Store.Get(ctx, c, id)
}

// openDoc is what the open collection keeps of an unfinished turn. It tells a sweep where to look and
// others whose turn it is; what happened stands in the steps alone.
type openDoc struct {
	Client  string    `bson:"client"`
	Thread  string    `bson:"thread"`
	Turn    string    `bson:"turn"`
	Attempt string    `bson:"attempt"`
	Holder  string    `bson:"holder"`
	Until   time.Time `bson:"until"`
	At      time.Time `bson:"at"`
}

// open reads the thread's open document and its revision; the revision is 0 when there is none.
func (l *Log) open(ctx context.Context, thread state.Thread) (open openDoc, rev int64, err error) {
	doc, err := l.get(ctx, state.Open, thread.Key())
	if state.CodeOf(err) == state.NotFound {
		return open, 0, nil
	}
	if err != nil {
		return open, 0, err
	}
	if err := bson.Unmarshal(doc.Body, &open); err != nil {
		return open, 0, state.Errorf(state.Internal, "open turn of "+thread.Key(), "is damaged: %w", err)
	}
	return open, doc.Rev, nil
}

func (l *Log) enter(thread state.Thread) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.live[thread.Key()] {
		return state.Errorf(state.Conflict, "thread "+thread.Key(), "is busy with another turn; wait for its reply and send again")
	}
	l.live[thread.Key()] = true
	return nil
}

func (l *Log) leave(thread state.Thread) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.live, thread.Key())
}
