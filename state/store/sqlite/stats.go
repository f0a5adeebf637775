package sqlite

import (
	"context"
	"os"

	"zombiezen.com/go/sqlite"
)

// Stats is what the store cost since Open, and what it takes on disk now.
type Stats struct {
	Writes    int64 `json:"writes"`     // calls of Write that had something to write
	Commits   int64 `json:"commits"`    // groups of them, and of deletions, made durable: one wait for the disk each
	PageBytes int64 `json:"page_bytes"` // of store.db's pages that are in use
	FileBytes int64 `json:"file_bytes"` // of store.db, free pages included
	LogBytes  int64 `json:"log_bytes"`  // of store.db-wal
}

// Stats counts.
func (s *Store) Stats(ctx context.Context) (Stats, error) {
	if err := s.admit(ctx, nil); err != nil {
		return Stats{}, err
	}
	out := Stats{Writes: s.writes.Load(), Commits: s.commits.Load(), LogBytes: sizeOfFile(s.path + "-wal")}
	err := s.read(ctx, "count store", func(conn *sqlite.Conn) error {
		all, err := number(conn, "PRAGMA page_count")
		if err != nil {
			return err
		}
		free, err := number(conn, "PRAGMA freelist_count")
		out.FileBytes, out.PageBytes = all*pageBytes, (all-free)*pageBytes
		return err
	})
	return out, err
}

// number is the result of a statement that has one.
func number(c *sqlite.Conn, text string) (n int64, err error) {
	err = query(c, text, nil, func(row *sqlite.Stmt) error {
		n = row.ColumnInt64(0)
		return nil
	})
	return n, err
}

// sizeOfFile is 0 for a file that is not there.
func sizeOfFile(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
