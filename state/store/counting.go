package store

import (
	"context"
	"sync/atomic"

	"github.com/mneme-graph/mneme/state"
)

// Counting passes everything on to the Store it wraps and counts the calls, failed ones too. Tests and
// the bench use it to say what a turn costs. The zero value needs only its Store.
type Counting struct {
	Store
	writes, docs, gets, scans, deletes atomic.Int64
}

// Counts is how often each verb was called since the beginning or the last Reset.
type Counts struct {
	Writes  int64 `json:"writes"`
	Docs    int64 `json:"docs"` // documents in those writes
	Gets    int64 `json:"gets"`
	Scans   int64 `json:"scans"`
	Deletes int64 `json:"deletes"`
}

var _ Store = (*Counting)(nil)

// Get counts and passes on.
func (c *Counting) Get(ctx context.Context, collection state.Collection, id string) (Doc, error) {
	c.gets.Add(1)
	return c.Store.Get(ctx, collection, id)
}

// Scan counts and passes on.
func (c *Counting) Scan(ctx context.Context, q Query) ([]Doc, error) {
	c.scans.Add(1)
	return c.Store.Scan(ctx, q)
}

// Write counts the call and its documents and passes on; an empty Write is not counted, it costs nothing.
func (c *Counting) Write(ctx context.Context, docs ...Doc) error {
	if len(docs) > 0 {
		c.writes.Add(1)
		c.docs.Add(int64(len(docs)))
	}
	return c.Store.Write(ctx, docs...)
}

// Delete counts and passes on.
func (c *Counting) Delete(ctx context.Context, collection state.Collection, prefix string) (int, error) {
	c.deletes.Add(1)
	return c.Store.Delete(ctx, collection, prefix)
}

// Counts returns the counters; each is exact, together they are of one moment only when nobody calls.
func (c *Counting) Counts() Counts {
	return Counts{
		Writes: c.writes.Load(), Docs: c.docs.Load(), Gets: c.gets.Load(), Scans: c.scans.Load(), Deletes: c.deletes.Load(),
	}
}

// Minus returns what was called between two readings, the earlier of which is d.
func (c Counts) Minus(d Counts) Counts {
	return Counts{c.Writes - d.Writes, c.Docs - d.Docs, c.Gets - d.Gets, c.Scans - d.Scans, c.Deletes - d.Deletes}
}
