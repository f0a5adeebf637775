package sqlite

import (
	"cmp"
	"context"

	"zombiezen.com/go/sqlite"
)

// Stats is what the store cost since Open, and what it takes now.
type Stats struct {
	Writes    int64 `json:"writes"`     // calls of Write that had something to write
	Commits   int64 `json:"commits"`    // groups of them, and of deletions, made durable: one wait for the disk each
	PageBytes int64 `json:"page_bytes"` // of store.db's pages that are in use
}

// Stats counts.
func (s *Store) Stats(ctx context.Context) (Stats, error) {
	if err := s.admit(ctx, nil); err != nil {
		return Stats{}, err
	}
	out := Stats{Writes: s.writes.Load(), Commits: s.commits.Load()}
	err := s.read(ctx, "count store", func(conn *sqlite.Conn) error {
		all, err1 := number(conn, "PRAGMA page_count")
		free, err2 := number(conn, "PRAGMA freelist_count")
		out.PageBytes = (all - free) * pageBytes
		return cmp.Or(err1, err2)
	})
	return out, err
}
