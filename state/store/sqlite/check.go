package sqlite

import (
	"context"
	"errors"

	"zombiezen.com/go/sqlite"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Check reads the whole store and looks whether all of it is as it was written: the pages and what is in them (SQLite's
// integrity_check), and the value of every document, each collection as it stands at one moment. Others read and write
// meanwhile. The error of a damaged store is state.ErrInternal and says what was found first.
func (s *Store) Check(ctx context.Context) error {
	const op = "check store"
	if err := s.admit(ctx, nil); err != nil {
		return err
	}
	return s.read(ctx, op, func(conn *sqlite.Conn) error {
		return interruptible(ctx, conn, func() error {
			err := query(conn, "PRAGMA integrity_check(1)", func(row *sqlite.Stmt) error {
				if finding := row.ColumnText(0); finding != "ok" {
					return damaged(op, s.path, errors.New(finding))
				}
				return nil
			})

			for _, c := range store.Collections() {
				if err == nil {
					err = s.checkValues(conn, c)
				}
			}
			return err
		})
	})
}

// checkValues reads the documents of a collection.
func (s *Store) checkValues(conn *sqlite.Conn, c state.Collection) error {
	return query(conn, "SELECT id, rev, body FROM "+quoted(c), func(row *sqlite.Stmt) error {
		_, err := s.pack.unpack(store.Doc{Collection: c, ID: row.ColumnText(0), Rev: row.ColumnInt64(1)}, columnBytes(row, 2))
		return err
	})
}
