package sqlite

import (
	"context"

	"zombiezen.com/go/sqlite"

	"github.com/mneme-graph/mneme/state/store"
)

// Check reads the whole store, as it stands at one moment, and looks whether all of it is as it was written: the
// pages and what is in them (SQLite's integrity_check), and the value of every document. Others read and write
// meanwhile. The error of a damaged store is state.ErrInternal and says what was found first.
func (s *Store) Check(ctx context.Context) error {
	if err := s.admit(ctx, nil); err != nil {
		return err
	}
	return s.read(ctx, "check store", func(conn *sqlite.Conn) error {
		return interruptible(ctx, conn, func() (err error) {
			if err := run(conn, "BEGIN"); err != nil {
				return err
			}
			defer func() {
				if !conn.AutocommitEnabled() {
					conn.SetInterrupt(nil)
					err = first(err, run(conn, "ROLLBACK"))
				}
			}()
			return s.check(ctx, conn)
		})
	})
}

// check reads everything in the transaction that is open.
func (s *Store) check(ctx context.Context, conn *sqlite.Conn) error {
	err := query(conn, "PRAGMA integrity_check(1)", nil, func(row *sqlite.Stmt) error {
		if finding := row.ColumnText(0); finding != "ok" {
			return damaged("%s", finding)
		}
		return nil
	})
	for _, c := range store.Collections() {
		if err != nil {
			return err
		}
		err = query(conn, "SELECT id, rev, body FROM "+quoted(c), nil, func(row *sqlite.Stmt) error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			_, err := s.pack.unpack(store.Doc{Collection: c, ID: row.ColumnText(0), Rev: row.ColumnInt64(1)}, columnBytes(row, 2))
			return err
		})
	}
	return err
}

// first is the first error there is.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
