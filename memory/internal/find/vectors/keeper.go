package vectors

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mneme-graph/mneme/memory/embed"
	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/state"
)

// Doc is a document that is to be found by its meaning.
type Doc struct {
	ID      string // unique within the owner, the same for ever
	Text    string // what is embedded; "" = it has none, and so no vector
	Kind    string
	Session string
	At      time.Time
}

// Config says what a Keeper works with.
type Config struct {
	Embedder *embed.Embedder // required

	// Shelf opens where vectors are kept. Required. It is called at first use, and again after it failed; Close closes what
	// it opened. So a server that is away at the start is waited for like one that goes away later.
	Shelf func(ctx context.Context) (index.Shelf, error)

	// Source reads documents of an owner as they are now: those of ids, in any order and without those that are gone, or
	// all of them for nil. Required. It is called by the Keeper's own goroutines.
	Source func(ctx context.Context, o index.Owner, ids []string) ([]Doc, error)

	Now     func() time.Time // required: the clock
	Buffer  int64            // bytes of names that may wait; an owner that would exceed it is compared as a whole instead. 0 = 50 MiB
	Workers int              // owners worked on at a time; 0 = 2
	Batch   int              // documents embedded and put at a time; 0 = 64
	Pause   time.Duration    // after a first failure, twice as long after the next, up to 64 times; 0 = 250 ms
	Query   time.Duration    // the longest that Search may take; 0 = 2 s
	Call    time.Duration    // the longest that a worker waits for one call of the index; the embedder has its own deadline. 0 = 30 s

	// Sleep waits out a pause and ends early with the context's error; nil = a timer.
	Sleep  func(ctx context.Context, pause time.Duration) error
	Logger *slog.Logger // default: silent
}

// Keeper keeps vectors of documents. It is safe for concurrent use.
type Keeper struct {
	c      Config
	cancel context.CancelFunc
	done   sync.WaitGroup
	shelf  *shelf

	side    *side
	filling sync.Mutex // held by Reindex

	queue   *queue
	changes atomic.Uint64
}

// Open starts a Keeper. It asks neither embedder nor index anything yet; what is wrong with them shows in Status and in
// Search. Close ends it.
func Open(c Config) (*Keeper, error) {
	if c.Embedder == nil || c.Shelf == nil || c.Source == nil || c.Now == nil {
		return nil, state.Errorf(state.Invalid, "vectors", "Config needs Embedder, Shelf, Source and Now")
	}
	c.Workers, c.Batch = cmp.Or(max(c.Workers, 0), 2), cmp.Or(max(c.Batch, 0), 64)
	c.Buffer = cmp.Or(max(c.Buffer, 0), 50<<20)
	c.Pause, c.Call, c.Query = cmp.Or(max(c.Pause, 0), 250*time.Millisecond), cmp.Or(max(c.Call, 0), 30*time.Second), cmp.Or(max(c.Query, 0), 2*time.Second)
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Sleep == nil {
		c.Sleep = sleep
	}
	ctx, cancel := context.WithCancel(context.Background())
	k := &Keeper{c: c, cancel: cancel, queue: newQueue(c), shelf: &shelf{open: c.Shelf, opened: newOnce[index.Shelf]()}}
	k.side = newSide(c.Embedder, k.shelf)
	for range c.Workers {
		k.done.Go(func() { k.work(ctx) })
	}
	return k, nil
}

func sleep(ctx context.Context, pause time.Duration) error {
	t := time.NewTimer(pause)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close ends the workers. What is waiting is made up for at the next Open, when its owner is met.
func (k *Keeper) Close() error {
	k.cancel()
	k.queue.close()
	k.done.Wait()
	return k.shelf.close()
}

// Learn says that documents of an owner are new, different or gone. Their vectors are brought in step in the order of
// deadlines; Learn does not wait for it.
func (k *Keeper) Learn(o index.Owner, p state.Priority, ids ...string) {
	if len(ids) > 0 {
		k.queue.add(o, deadline(k.c.Now(), p), ids)
	}
}

// deadline returns when work of a priority is due; the far future if it is not.
func deadline(now time.Time, p state.Priority) time.Time {
	if p == state.Background {
		return now.AddDate(1, 0, 0)
	}
	return now.Add(p.Within())
}

// Wait returns once none of the documents is waiting for its vector, or with state.ErrUnavailable when the context
// ends before, or with what went wrong in the meantime.
func (k *Keeper) Wait(ctx context.Context, o index.Owner, ids ...string) error {
	return until(ctx, func() (<-chan struct{}, error) { return k.queue.watch(o, ids) })
}

// until looks again at each change, as long as there is a next one to wait for.
func until(ctx context.Context, look func() (changed <-chan struct{}, failed error)) error {
	for {
		changed, failed := look()
		switch {
		case changed == nil:
			return nil
		case failed != nil:
			return failed
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return state.Errorf(state.Unavailable, "vectors", "are not made yet: %w", ctx.Err())
		}
	}
}

// Settle returns once nothing of the owner waits, comparing included; else as Wait.
func (k *Keeper) Settle(ctx context.Context, o index.Owner) error {
	k.queue.meet(o)
	return until(ctx, func() (<-chan struct{}, error) { return k.queue.settled(o) })
}

// Waiting reports which of the documents wait for their vectors, or may: those of an owner that this process has not
// compared yet all do.
func (k *Keeper) Waiting(o index.Owner, ids ...string) map[string]bool {
	return k.queue.waiting(o, ids)
}

// Changes counts the changes made to the index in this process: an answer kept from before another count may be old.
func (k *Keeper) Changes() uint64 { return k.changes.Load() }

// Status is how the index stands.
type Status struct {
	Space   index.Space // zero until the embedder was reached
	Waiting int         // documents without an up-to-date vector, of the owners met; an owner to be compared counts as one
	Bytes   int64       // that the names waiting take
	Since   time.Time   // when the longest waiting began to; zero for none
	Failure error       // what went wrong last, nil when the last attempt went well
	Pace    embed.Pace  // how fast the embedder has been
	Other   index.Space // the live space when it is not Space: of another embedder; zero otherwise
}

// Status tells how the index stands. It asks nobody.
func (k *Keeper) Status() Status {
	s := k.queue.status()
	s.Pace = k.side.embedder.Pace()
	s.Space, s.Other = k.side.known()
	return s
}
