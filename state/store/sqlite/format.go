package sqlite

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"time"

	"zombiezen.com/go/sqlite"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// What tells a store from other databases: the application id in its header, and the version of what is in it.
const (
	application = 0x4d6e656d // "Mnem"
	schema      = 1
)

// lastBolt is the commit of this project with which a folder of the former embedded driver can be copied out.
const lastBolt = "39ac817"

// prepare looks whether the database is a store, and makes it one if it is empty.
func (s *Store) prepare(ctx context.Context) error {
	for {
		made, err := s.inspect()
		if err != nil || made || s.readOnly {
			return err
		}
		if err = s.create(); sqlite.ErrCode(err).ToPrimary() != sqlite.ResultBusy && err != nil {
			return err
		}
		if err == nil {
			continue
		}
		timer := time.NewTimer(lastWait) // another process makes it
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return store.Cancelled(ctx)
		}
	}
}

// inspect reports whether the database is a store of this version with all its tables.
func (s *Store) inspect() (bool, error) {
	tables, err := number(s.writer, "SELECT count(*) FROM sqlite_schema")
	if sqlite.ErrCode(err).ToPrimary() == sqlite.ResultNotADB {
		return false, s.foreign(err)
	}
	if err != nil {
		return false, err
	}
	id, err := number(s.writer, "PRAGMA application_id")
	if err != nil {
		return false, err
	}
	version, err := number(s.writer, "PRAGMA user_version")
	switch {
	case err != nil:
		return false, err
	case tables == 0 && id == 0:
		return false, nil
	case id != application:
		return false, state.Errorf(state.Invalid, openOp, "%s is a database of another program; choose another folder", s.path)
	case version > schema:
		return false, state.Errorf(state.Invalid, openOp, "%s: its schema is %d, this program reads up to %d; update the program", s.path, version, schema)
	}
	return int(tables) == len(store.Collections())+1, nil
}

// foreign says what a file is that is no database.
func (s *Store) foreign(err error) error {
	b, readErr := os.ReadFile(s.path)
	if readErr != nil {
		return readErr
	}
	const at = 16 // behind the head of bbolt's first page
	if len(b) > at+4 && bytes.Equal(b[at:at+4], binary.NativeEndian.AppendUint32(nil, 0xED0CDAED)) {
		return state.Errorf(state.Invalid, openOp, "%s was written by the former embedded driver (bbolt), which this program does not read; "+
			"copy it out with a build of commit %s (mneme export), or choose another folder", s.cfg.Dir, lastBolt)
	}
	return err
}

// create makes the tables that are missing. A document's id is its key, and the rows stand in its order.
func (s *Store) create() error {
	if err := run(s.writer, "PRAGMA journal_mode = WAL"); err != nil {
		return err
	}
	if err := run(s.writer, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	err := run(s.writer, "CREATE TABLE IF NOT EXISTS commits (number INTEGER NOT NULL)")
	if err == nil {
		err = run(s.writer, "INSERT INTO commits SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM commits)")
	}
	for _, c := range store.Collections() {
		if err == nil {
			err = run(s.writer, "CREATE TABLE IF NOT EXISTS "+quoted(c)+" (id TEXT PRIMARY KEY, rev INTEGER NOT NULL, body BLOB NOT NULL) STRICT, WITHOUT ROWID")
		}
	}
	for _, pragma := range []string{fmt.Sprint("application_id = ", application), fmt.Sprint("user_version = ", schema)} {
		if err == nil {
			err = run(s.writer, "PRAGMA "+pragma)
		}
	}
	if err != nil {
		return errors.Join(err, run(s.writer, "ROLLBACK"))
	}
	return run(s.writer, "COMMIT")
}
