package checkpoint

import (
	"cmp"
	"context"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// ErrUnfinished is a state.Conflict: the thread has a turn that was neither finished nor is running;
// Take goes on with it, and a commit with SourceCancel that is Done gives it up.
var ErrUnfinished = &state.Error{Code: state.Conflict, Op: "the thread has an unfinished turn"}

// ErrBusy is a state.Conflict: a turn of the thread is running. Nothing was written; it may be tried again, after
// state.RetryAfter: a moment where it runs in this process, or until another's lease ends.
var ErrBusy = &state.Error{Code: state.Conflict, Op: "the thread is busy with another turn"}

// Memory is what turns know and edit besides their log.
type Memory interface {
	// Look brings what this process knows of a thread's user up to what other processes have written. Each turn begins with it. Seen tells
	// the turn's effects what was known when they were decided: see state.Effect.
	Look(ctx context.Context, thread state.Thread) (seen int64, err error)
	// Merge merges effects into documents as they stand now. Effects that say which step they come from (Effect.From) belong to one that is in the
	// log already: each is carried out once, however often it is merged.
	Merge(ctx context.Context, effects []state.Effect) (Batch, error)
}

// Batch is what effects make of memory's documents. Other commits of this process to the same documents wait until it is released.
type Batch interface {
	// Docs are to be written in one Write, or, for effects of a step that is in the log already, list by list: each durable before the next. There is
	// none when all was carried out before.
	Docs() [][]store.Doc
	// Again merges once more, after a Write that failed because another writer was faster at one of the documents. An error that trying
	// again does not mend, failed above all, ends the commit.
	Again(ctx context.Context, failed error) error
	// Wrote tells all who hold these documents that they are written. Its error is for whoever decided the effects.
	Wrote(ctx context.Context) error
	// Release lets others go on.
	Release()
}

// Config says how a Log keeps steps. Store is required; the zero value of the rest is the default.
type Config struct {
	Store store.Store      // required
	Now   func() time.Time // default time.Now in UTC
	NewID func() string    // unique ids for attempts; default random UUIDs

	// Memory is what steps edit. Required when they carry effects.
	Memory Memory

	// Lease is how long a turn in a store that is Shared is safe from being taken over; it is renewed while
	// the turn runs. Default state.LeaseTTL.
	Lease time.Duration
	// After is how the renewal waits. Default time.After.
	After func(time.Duration) <-chan time.Time
	// Proc shows the processes of this machine, as /proc does on Linux, so that a turn whose process has died here is
	// not left alone for the rest of its lease. What cannot be read counts as unknown. Default os.DirFS("/proc").
	Proc fs.FS
	// Keep is how long a thread is kept after its last turn; a Sweep deletes it then. 0 = for ever.
	Keep time.Duration
	// Unfolded leaves the steps of a finished turn as they were written instead of folding them into one
	// compressed document.
	Unfolded bool
}

// Log keeps the steps of threads. It is safe for concurrent use; each Turn belongs to one run. Close waits
// for what it does after a turn.
type Log struct {
	c       Config
	holder  string
	can     store.Features
	machine *machine
	folder  *folder
	tails   sync.WaitGroup

	mu   sync.Mutex
	live map[string]*hold // threads with a turn of this process
	last map[string]int64 // the last step that this process has made of a thread
}

// New makes a Log. It does no I/O and owns not the store.
func New(c Config) *Log {
	if c.Lease == 0 {
		c.Lease = state.LeaseTTL
	}
	if c.After == nil {
		c.After = time.After
	}
	if c.Now == nil {
		c.Now = func() time.Time { return time.Now().UTC() }
	}
	if c.NewID == nil {
		c.NewID = uuid.NewString
	}
	if c.Proc == nil {
		c.Proc = os.DirFS("/proc")
	}
	return &Log{
		c: c, holder: c.NewID(), can: c.Store.Features(), machine: newMachine(c.Proc), folder: newFolder(),
		live: map[string]*hold{}, last: map[string]int64{},
	}
}

// Close waits until finished turns are tidied up. Nothing is lost without it.
func (l *Log) Close() error {
	l.tails.Wait()
	l.folder.unpack.Close()
	return l.folder.pack.Close()
}

// Begin prepares a turn on a thread. Nothing is written before its first Commit. A turn of the thread that
// is running is state.ErrConflict, one that was left unfinished is ErrUnfinished. The caller must Release
// the turn.
func (l *Log) Begin(ctx context.Context, thread state.Thread, turn string) (*Turn, error) {
	if turn == "" {
		return nil, state.Errorf(state.Invalid, "turn on thread "+thread.Key(), "has no id; give it one that is unique in the thread")
	}
	return l.prepare(ctx, thread, func() (*Turn, error) {
		t, _, err := l.beginTurn(ctx, thread, turn, false)
		return t, err
	})
}

// beginTurn makes a turn behind the thread's last, or tells which step ended it: of a turn that is named, that is looked for
// behind the head, so that of two attempts at once one finds it, or cannot commit.
func (l *Log) beginTurn(ctx context.Context, thread state.Thread, turn string, named bool) (t *Turn, done int64, err error) {
	head, sign, seen, err := l.look(ctx, thread)
	switch {
	case err != nil:
		return nil, 0, err
	case l.isHeldElsewhere(sign) && head.Attempt != "" && head.Attempt != sign.doc.Attempt:
		return nil, 0, l.busyError(thread, sign.doc.Until, "a turn is beginning elsewhere")
	case l.isGone(sign, head):
		head, err = Step{}, l.erase(ctx, sign)
	case named && (head.Done || head.Turn != turn): // it may be gone back into
		done, err = l.findEnd(ctx, thread, turn, head)
	}

	if err == nil && done == 0 && head.Seq > 0 && !head.Done {
		err = unfinishedError(thread, head)
	}
	if err == nil {
		err = l.repair(ctx, thread, head, sign)
	}
	if err != nil || done > 0 {
		return nil, done, err
	}

	return &Turn{log: l, thread: thread, id: turn, named: named, attempt: l.c.NewID(), seq: head.Seq, prev: head, sign: sign, seen: seen}, 0, nil
}

// Take goes on with the thread's unfinished turn as a new attempt and returns its past: from where its state
// is rebuilt. No such turn is state.ErrNotFound, and what the last one left owing is carried out then; one that is
// running, here or under another's valid lease, is state.ErrConflict. The caller must Release the turn.
func (l *Log) Take(ctx context.Context, thread state.Thread) (t *Turn, past Past, err error) {
	t, err = l.prepare(ctx, thread, func() (*Turn, error) {
		t, past, err = l.takeTurn(ctx, thread)
		return t, err
	})
	return t, past, err
}

// prepare enters the thread and leaves it again if there is no turn in the end, or one with an error.
func (l *Log) prepare(ctx context.Context, thread state.Thread, get func() (*Turn, error)) (*Turn, error) {
	if err := thread.Validate(); err != nil {
		return nil, err
	}
	h, err := l.enter(ctx, thread)
	if err != nil {
		return nil, err
	}

	t, err := get()
	if t == nil {
		l.leave(thread)
		return nil, err
	}

	if t.hold = h; err != nil {
		t.Release()
		return nil, err
	}
	return t, nil
}

func (l *Log) takeTurn(ctx context.Context, thread state.Thread) (*Turn, Past, error) {
	// Is there an unfinished turn, and does nobody run it?
	head, sign, seen, err := l.look(ctx, thread)
	if err == nil && head.Done { // who asked looks in memory next for what was said
		err = l.repair(ctx, thread, head, sign)
	}
	if err != nil {
		return nil, Past{}, err
	}
	if head.Seq == 0 || head.Done {
		return nil, Past{}, state.Errorf(state.NotFound, "thread "+thread.Key(), "has no unfinished turn")
	}
	switch {
	case l.isHeldElsewhere(sign):
		return nil, Past{}, l.elsewhereError(sign)
	case l.isGone(sign, head):
		return nil, Past{}, state.Errorf(state.NotFound, "thread "+thread.Key(), "is being deleted")
	case l.mayRunElsewhere(head, sign):
		return nil, Past{}, l.busyError(thread, head.At.Add(l.c.Lease), "it began elsewhere")
	}

	// The takeover is a step: the holder before meets it and stops.
	past, err := l.readPast(ctx, thread, head)
	if err != nil {
		return nil, Past{}, err
	}
	t := &Turn{log: l, thread: thread, id: head.Turn, named: head.Named, attempt: l.c.NewID(), seq: head.Seq, base: head.Base, items: head.Items, sign: sign, seen: seen}
	if err := t.resume(past); err != nil {
		return nil, Past{}, err
	}
	if err = t.Commit(ctx, Commit{Source: SourceTakeover}); err != nil && t.last.Seq == 0 {
		return nil, Past{}, err
	}
	return t, past, err // with an error when the step stands, and what is owed could not be carried out
}

// Head returns the thread's last step, without its parts; its Seq is 0 when there is none.
func (l *Log) Head(ctx context.Context, thread state.Thread) (Step, error) {
	if err := thread.Validate(); err != nil {
		return Step{}, err
	}
	docs, err := l.scan(ctx, store.Query{
		Collection: state.Steps, Prefix: thread.StepPrefix(), Limit: 1, Reverse: true,
	})
	if err != nil || len(docs) == 0 || isChunk(thread, docs[0].ID) {
		return Step{}, err
	}
	return decodeStep(docs[0])
}

// look reads the thread's head and its signpost, and has memory look, at the same time. Memory looks again when another process
// had the thread: that one may have written after the first look.
func (l *Log) look(ctx context.Context, thread state.Thread) (head Step, sign *signpost, seen int64, err error) {
	var signErr, memErr error
	var beside sync.WaitGroup
	sign = l.newSign(thread)
	beside.Go(func() { signErr = sign.read(ctx) })
	beside.Go(func() { seen, memErr = l.lookAtMemory(ctx, thread) })
	head, err = l.Head(ctx, thread)
	beside.Wait()
	if err = cmp.Or(err, signErr, memErr); err != nil {
		return head, sign, 0, err
	}

	l.mu.Lock()
	ours := l.last[thread.Key()] == head.Seq
	l.mu.Unlock()
	if !ours {
		seen, err = l.lookAtMemory(ctx, thread)
	}
	return head, sign, seen, err
}

func (l *Log) lookAtMemory(ctx context.Context, thread state.Thread) (int64, error) {
	if l.c.Memory == nil {
		return 0, nil
	}
	return l.c.Memory.Look(ctx, thread)
}

// noteLast remembers the last step that this process has made of a thread, for some threads.
func (l *Log) noteLast(thread state.Thread, seq int64) {
	const most = 4096
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.last) >= most {
		clear(l.last) // that costs a look each
	}
	l.last[thread.Key()] = seq
}

// Steps returns the thread's steps from number from on, oldest first. A step that is missing between two
// others is state.ErrInternal: the store has lost something. Steps that were pruned are not missed.
func (l *Log) Steps(ctx context.Context, thread state.Thread, from int64) ([]Step, error) {
	from = max(from, 1)
	docs, err := l.scan(ctx, store.Query{Collection: state.Steps, Prefix: thread.StepPrefix(), After: thread.StepKey(from - 1)})
	if err != nil {
		return nil, err
	}

	// Backwards, as of steps that stand in two documents the later one counts.
	var found [][]Step // latest first
	n, first := 0, Step{}
	for _, d := range slices.Backward(docs) {
		more, err := l.folder.unfold(d)
		if err != nil {
			return nil, err
		}
		more = slices.DeleteFunc(more, func(s Step) bool { return s.Seq < from })
		if len(more) == 0 {
			continue
		}
		if last := more[len(more)-1].Seq; first.Seq > 0 && last != first.Seq-1 {
			switch {
			case last >= first.Seq: // it stands beside the document that it was folded into, where there are no transactions
				continue
			case !first.whole():
				return nil, state.Errorf(state.Internal, "thread "+thread.Key(), "its step %d is missing from the store", first.Seq-1)
			}
			break // what is before was pruned, and that was cut short
		}
		found, n, first = append(found, more), n+len(more), more[0]
	}

	// In their order.
	steps := make([]Step, 0, n)
	for _, more := range slices.Backward(found) {
		steps = append(steps, more...)
	}
	return steps, nil
}

func (l *Log) scan(ctx context.Context, q store.Query) ([]store.Doc, error) {
	state.TraceFrom(ctx).Charge(state.Bill{Reads: 1})
	return l.c.Store.Scan(ctx, q)
}

func (l *Log) get(ctx context.Context, c state.Collection, id string) (store.Doc, error) {
	state.TraceFrom(ctx).Charge(state.Bill{Reads: 1})
	return l.c.Store.Get(ctx, c, id)
}
