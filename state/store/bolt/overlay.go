package bolt

import (
	"strings"

	"github.com/tidwall/btree"
	"go.etcd.io/bbolt"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// overlay holds what the log holds: the documents changed since store.db was last written, in order of
// collection/id. A published overlay is never changed; the next one is a copy that shares its nodes.
type overlay = btree.Map[string, entry]

// entry is a changed document as it stands now; rev 0 means deleted. Its body is never changed.
type entry struct {
	rev  int64
	body bson.Raw
}

// view is what a reader begins with. Base is the transaction of store.db the changes belong on top of.
type view struct {
	base    int
	changes *overlay
}

// place is the key of a document in an overlay.
func place(c state.Collection, id string) string { return string(c) + "/" + id }

// named undoes place.
func named(at string) (state.Collection, string) {
	c, id, _ := strings.Cut(at, "/")
	return state.Collection(c), id
}

// merged visits what a query selects, without its limit, in its order: the entries of changes over those
// of the bucket. Visit gets either an entry (of changes) or the bytes of a value (of the bucket, valid
// during the visit) and returns whether to go on. Changes may be nil.
func merged(changes *overlay, b *bbolt.Bucket, q store.Query, visit func(id string, e *entry, kept []byte) (bool, error)) error {
	over, under := newOverCursor(changes, q), newUnderCursor(b, q)
	for over.ok || under.ok {
		both := over.ok && under.ok && over.id == under.id
		upper := over.ok && (!under.ok || both || (over.id < under.id) != q.Reverse)
		id, e, kept := under.id, (*entry)(nil), under.kept
		if upper {
			id, e, kept = over.id, &over.entry, nil
		}
		if e == nil || e.rev > 0 {
			if more, err := visit(id, e, kept); err != nil || !more {
				return err
			}
		}
		if upper {
			over.next()
		}
		if !upper || both {
			under.next()
		}
	}
	return nil
}

// overCursor walks the changes of one query.
type overCursor struct {
	iter      btree.MapIter[string, entry]
	low, high string
	reverse   bool
	ok        bool
	id        string
	entry     entry
}

func newOverCursor(changes *overlay, q store.Query) *overCursor {
	if changes == nil || changes.Len() == 0 {
		return &overCursor{}
	}
	low, high := q.Range()
	end := place(q.Collection, high)
	if high == "" {
		end = string(q.Collection) + "0" // "0" follows "/"
	}
	c := &overCursor{iter: changes.Iter(), low: place(q.Collection, low), high: end, reverse: q.Reverse}
	switch {
	case !q.Reverse:
		c.ok = c.iter.Seek(c.low)
	case c.iter.Seek(end):
		c.ok = c.iter.Prev()
	default:
		c.ok = c.iter.Last()
	}
	c.settle()
	return c
}

func (c *overCursor) next() {
	if c.reverse {
		c.ok = c.iter.Prev()
	} else {
		c.ok = c.iter.Next()
	}
	c.settle()
}

// settle takes over where the iterator stands, unless that is outside the range.
func (c *overCursor) settle() {
	if !c.ok || c.iter.Key() < c.low || c.iter.Key() >= c.high {
		c.ok = false
		return
	}
	_, c.id = named(c.iter.Key())
	c.entry = c.iter.Value()
}

// underCursor walks the bucket for one query.
type underCursor struct {
	cursor    *bbolt.Cursor
	low, high string
	reverse   bool
	ok        bool
	id        string
	kept      []byte
}

func newUnderCursor(b *bbolt.Bucket, q store.Query) *underCursor {
	c := &underCursor{cursor: b.Cursor(), reverse: q.Reverse}
	c.low, c.high = q.Range()
	var k, v []byte
	switch {
	case !q.Reverse:
		k, v = c.cursor.Seek([]byte(c.low))
	case c.high == "":
		k, v = c.cursor.Last()
	default:
		if k, _ = c.cursor.Seek([]byte(c.high)); k == nil {
			k, v = c.cursor.Last()
		} else {
			k, v = c.cursor.Prev()
		}
	}
	c.settle(k, v)
	return c
}

func (c *underCursor) next() {
	if c.reverse {
		c.settle(c.cursor.Prev())
	} else {
		c.settle(c.cursor.Next())
	}
}

func (c *underCursor) settle(k, v []byte) {
	c.ok = k != nil && string(k) >= c.low && (c.high == "" || string(k) < c.high)
	c.id, c.kept = string(k), v
	if !c.ok {
		c.id, c.kept = "", nil
	}
}
