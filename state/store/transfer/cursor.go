package transfer

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// cursorID is the document in the target's meta collection that says how far an unfinished copy is.
const cursorID = "transfer/cursor"

// cursor names the last document of the source that is in the target; none without Collection.
type cursor struct {
	Collection state.Collection `bson:"collection"`
	ID         string           `bson:"id"`
	Sum        []byte           `bson:"sum"`       // of that document, to recognise the source
	Documents  int64            `bson:"documents"` // up to it
	Bytes      int64            `bson:"bytes"`     // of their bodies

	rev  int64      // of the document; 0 = not written yet
	last *store.Doc // passed since; its sum is made when it is needed
}

// atBegin reports whether the copy has passed no document yet.
func (c *cursor) atBegin() bool { return c.Collection == "" }

// pass moves the cursor behind a document of the source.
func (c *cursor) pass(d *store.Doc) {
	c.Collection, c.ID, c.last = d.Collection, d.ID, d
	c.Documents++
	c.Bytes += int64(len(d.Body))
}

// doc returns the document that moves the cursor here.
func (c *cursor) doc() (store.Doc, error) {
	if c.last != nil {
		c.Sum, c.last = sum(*c.last), nil
	}
	body, err := bson.Marshal(c)
	return store.Doc{Collection: state.Meta, ID: cursorID, Rev: c.rev, Body: body}, err
}

// loadCursor reports whether a store is an unfinished copy, and how far it is.
func loadCursor(ctx context.Context, s store.Store) (bool, cursor, error) {
	d, err := s.Get(ctx, state.Meta, cursorID)
	if errors.Is(err, state.ErrNotFound) {
		return false, cursor{}, nil
	}
	if err != nil {
		return false, cursor{}, err
	}
	c := cursor{rev: d.Rev}
	if err := bson.Unmarshal(d.Body, &c); err != nil || !c.atBegin() && !slices.Contains(store.Collections(), c.Collection) {
		return false, cursor{}, state.Errorf(state.Internal, op,
			"%s %s is damaged; delete what the target holds and copy anew", state.Meta, cursorID)
	}
	return true, c, nil
}

// tally counts documents and their digest.
type tally struct {
	total       Side
	hash        hash.Hash
	collections []Count
}

func newTally() *tally {
	t := &tally{hash: sha256.New()}
	for _, c := range store.Collections() {
		t.collections = append(t.collections, Count{Collection: c})
	}
	return t
}

func (t *tally) add(d *store.Doc) {
	size := int64(len(d.Body))
	t.total.Documents++
	t.total.Bytes += size
	count := &t.collections[slices.IndexFunc(t.collections, func(c Count) bool { return c.Collection == d.Collection })]
	count.Documents++
	count.Bytes += size
	digest(t.hash, *d)
}

func (t *tally) side() Side {
	t.total.SHA256 = hex.EncodeToString(t.hash.Sum(nil))
	return t.total
}

func sum(d store.Doc) []byte {
	h := sha256.New()
	digest(h, d)
	return h.Sum(nil)
}

// digest adds a document to a hash, which never fails.
func digest(h hash.Hash, d store.Doc) {
	for _, part := range [][]byte{[]byte(d.Collection), []byte(d.ID), d.Body} {
		_, _ = h.Write(binary.AppendUvarint(nil, uint64(len(part))))
		_, _ = h.Write(part)
	}
}
