package mind

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/memory/internal/find/words"
	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

const (
	// snapshotWorth is how many documents have to be read anew before a snapshot spares them to the next load. Reading
	// them takes about 80 ms, which is less than people notice, and writing the snapshot of a large index as long again.
	snapshotWorth = 2000

	// snapshotForm changes when documents are given to the word index in another form than before.
	snapshotForm = 2

	snapshotPiece = 256 << 10        // bytes of a document: turns commit between two of them, and pages of a hundred fit in RAM
	snapshotTime  = 10 * time.Second // the longest that writing one may take
	snapshotName  = "snapshot"       // of its head; sorts behind all sets
)

// snapshot is the head of a user's snapshot: pieces of a words.Index, which has all that the feed names up to an entry. Pieces
// are written first, under a name of their own, then the head. So a head names pieces that are complete, or lost since.
type snapshot struct {
	Form   int           `bson:"form"`
	Seq    int64         `bson:"seq"`
	At     bson.DateTime `bson:"at"`  // of the entry Seq: the feed is still the same one
	Set    string        `bson:"set"` // pieces are client/user/set/number
	Pieces int           `bson:"pieces"`
	Sum    []byte        `bson:"sum"` // SHA-256 of the pieces together
}

type snapshotPart struct {
	Data []byte `bson:"data"`
}

// savedIndex is the head of a user's snapshot, and the feed from the entry that it is of.
type savedIndex struct {
	snapshot
	entries []ledger.Entry
}

// findSnapshot looks for the user's snapshot. Without one, or with one that cannot be used, everything has to be loaded; the trace tells why.
func (m *Minds) findSnapshot(ctx context.Context, user state.Scope) (s savedIndex, usable bool) {
	doc, err := m.store.Get(ctx, state.Snapshots, user.UserPrefix()+snapshotName)
	if errors.Is(err, state.ErrNotFound) {
		return s, false
	}
	if err == nil {
		s.snapshot, err = ledger.Decode[snapshot](doc)
	}
	if err == nil {
		s.entries, err = m.feedFrom(ctx, user, s.snapshot)
	}
	if err != nil {
		noteUseless(ctx, err)
		return s, false
	}
	return s, s.entries[len(s.entries)-1].Gen < s.Seq // else it may have words of what was erased since
}

func noteUseless(ctx context.Context, err error) {
	state.TraceFrom(ctx).Note("word index: made anew, its snapshot is of no use: %v", err)
}

// restoreIndex takes the index of the user's snapshot into the mind, if it can be read; else the trace tells why.
func (m *Minds) restoreIndex(ctx context.Context, d *Mind, s savedIndex) bool {
	x, err := m.readSnapshot(ctx, d.scope, s.snapshot)
	if err != nil {
		noteUseless(ctx, err)
		return false
	}
	d.Index = x
	return true
}

// feedFrom returns the user's feed from the entry that the snapshot is of, without a gap.
func (m *Minds) feedFrom(ctx context.Context, user state.Scope, head snapshot) ([]ledger.Entry, error) {
	entries, err := ledger.After(ctx, m.store, user, head.Seq-1)
	if err != nil {
		return nil, err
	}
	for i, e := range entries {
		if e.Seq != head.Seq+int64(i) || i == 0 && e.At != head.At {
			entries = nil
			break
		}
	}
	if len(entries) == 0 {
		return nil, state.Errorf(state.Internal, "word snapshot", "does not go with the feed")
	}
	return entries, nil
}

func (m *Minds) readSnapshot(ctx context.Context, user state.Scope, head snapshot) (*words.Index, error) {
	if head.Form != snapshotForm {
		return nil, state.Errorf(state.Invalid, "word snapshot", "is of form %d, here it is %d", head.Form, snapshotForm)
	}
	parts, err := ledger.Scan[snapshotPart](ctx, m.store, store.Query{Collection: state.Snapshots, Prefix: user.UserPrefix() + head.Set + "/"})
	if err != nil {
		return nil, err
	}

	var whole []byte
	for _, p := range parts {
		whole = append(whole, p.Data...)
	}

	if sum := sha256.Sum256(whole); len(parts) != head.Pieces || !bytes.Equal(sum[:], head.Sum) {
		return nil, state.Errorf(state.Internal, "word snapshot", "is damaged: %d of %d pieces are there, or not as they were written", len(parts), head.Pieces)
	}
	return words.Read(bytes.NewReader(whole))
}

// saver writes snapshots, one at a time. What comes meanwhile is left for the next occasion: it costs only time.
type saver struct {
	worth  int64 // snapshotWorth
	piece  int   // snapshotPiece
	busy   sync.Mutex
	done   sync.WaitGroup
	closed bool // guarded by Minds.mu
}

// saveLater saves a mind's index behind the caller's back, if that is worth it. The caller may hold the mind; nil is none.
func (m *Minds) saveLater(d *Mind) {
	if d == nil || d.unsaved.Load() < m.saver.worth {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.saver.closed {
		return
	}

	m.saver.done.Go(func() {
		if m.saver.busy.TryLock() {
			defer m.saver.busy.Unlock()
			ctx, cancel := context.WithTimeout(context.Background(), snapshotTime)
			defer cancel()
			m.saveMind(ctx, d)
		}
	})
}

// saveAll saves the indexes of all minds that are worth it, together with those that are being saved.
func (m *Minds) saveAll() {
	m.mu.Lock()
	m.saver.closed = true
	var minds []*Mind
	for _, d := range m.minds {
		if d.unsaved.Load() >= m.saver.worth {
			minds = append(minds, d)
		}
	}
	m.mu.Unlock()

	m.saver.done.Wait()

	ctx, cancel := context.WithTimeout(context.Background(), snapshotTime)
	defer cancel()
	for _, d := range minds {
		m.saveMind(ctx, d)
	}
}

// saveMind writes a snapshot of the mind's index.
func (m *Minds) saveMind(ctx context.Context, d *Mind) {
	d.mu.Lock()
	n, seq := d.unsaved.Load(), d.Seq
	if !d.loaded || d.Owes || n < m.saver.worth || ctx.Err() != nil {
		d.mu.Unlock()
		return
	}

	var whole bytes.Buffer
	_, err := d.Index.WriteTo(&whole)
	d.unsaved.Add(-n)
	d.mu.Unlock()

	if err == nil {
		err = m.writeSnapshot(ctx, d.scope, seq, whole.Bytes())
	}
	if err != nil {
		d.unsaved.Add(n)
		m.c.Logger.WarnContext(ctx, "a word index was not saved: the next start makes it anew", "user", d.scope.UserPrefix(), "error", err)
	}
}

func (m *Minds) writeSnapshot(ctx context.Context, user state.Scope, seq int64, whole []byte) error {
	entry, err := ledger.Get[ledger.Entry](ctx, m.c.Store, state.Feed, user.FeedKey(seq))
	if err != nil {
		return err
	}
	before, err := m.c.Store.Get(ctx, state.Snapshots, user.UserPrefix()+snapshotName)
	if err != nil && !errors.Is(err, state.ErrNotFound) {
		return err
	}
	sum := sha256.Sum256(whole)
	head := snapshot{Form: snapshotForm, Seq: seq, At: entry.At, Set: state.SeqKey(seq) + "." + m.c.NewID(), Sum: sum[:]}
	put := func(name string, rev int64, v any) error {
		body, err := bson.Marshal(v)
		if err != nil {
			return err
		}
		return m.c.Store.Write(ctx, store.Doc{Collection: state.Snapshots, ID: user.UserPrefix() + name, Rev: rev, Body: body})
	}
	for part := range slices.Chunk(whole, m.saver.piece) {
		if err := put(head.Set+"/"+state.SeqKey(int64(head.Pieces)), 0, snapshotPart{part}); err != nil {
			return err
		}
		head.Pieces++
	}
	if err := put(snapshotName, before.Rev, head); err != nil {
		return err
	}
	if now, err := ledger.Head(ctx, m.c.Store, user); err != nil || now.Gen > seq { // it may have words of what was erased meanwhile
		_, gone := m.c.Store.Delete(ctx, state.Snapshots, user.UserPrefix()+head.Set+"/")
		return errors.Join(err, gone)
	}
	var old snapshot
	if before.Body != nil {
		old, _ = ledger.Decode[snapshot](before) // damaged: its pieces go with the others that are older
	}
	return m.sweepSnapshots(ctx, user, head, old.Set)
}

// sweepSnapshots removes the pieces of the snapshot before, and those that no head came to name.
func (m *Minds) sweepSnapshots(ctx context.Context, user state.Scope, head snapshot, old string) error {
	q := store.Query{Collection: state.Snapshots, Prefix: user.UserPrefix(), Limit: 1}
	for {
		docs, err := m.c.Store.Scan(ctx, q)
		if err != nil || len(docs) == 0 {
			return err
		}

		set, _, piece := strings.Cut(strings.TrimPrefix(docs[0].ID, q.Prefix), "/")
		if !piece {
			return nil // the head, behind all sets
		}
		if set != head.Set && (set == old || set < state.SeqKey(head.Seq+1)) { // a later one may be on its way
			if _, err := m.c.Store.Delete(ctx, state.Snapshots, q.Prefix+set+"/"); err != nil {
				return err
			}
		}
		q.After = q.Prefix + set + "/~" // behind all numbers
	}
}
