package sqlite

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

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
const lastBolt = "84686ba"

// prepare looks whether the database is a store, and makes it one if it is empty. Another process may be about to
// make it; then it looks again.
func (s *Store) prepare(ctx context.Context, c *sqlite.Conn) error {
	return retry(ctx, func() error {
		made, err := s.inspect(c)
		if err == nil && !s.readOnly {
			err = query(c, "PRAGMA journal_mode = WAL", nil)
		}
		if err == nil && !made && !s.readOnly {
			err = create(c)
		}
		return err
	})
}

// inspect reports whether the database is a store of this version with all its tables.
func (s *Store) inspect(c *sqlite.Conn) (bool, error) {
	tables, err1 := number(c, "SELECT count(*) FROM sqlite_schema")
	id, err2 := number(c, "PRAGMA application_id")
	version, err3 := number(c, "PRAGMA user_version")
	switch err := cmp.Or(err1, err2, err3); {
	case err != nil:
		return false, err
	case tables == 0 && id == 0:
		return false, nil
	case id != application:
		return false, s.notOurs()
	case version > schema:
		return false, state.Errorf(state.Invalid, openOp, "%s: its schema is %d, this program reads up to %d; update the program", s.path, version, schema)
	}
	return int(tables) == len(store.Collections())+1, nil
}

// create makes the tables that are missing. A document's id is its key, and the rows stand in its order.
func create(c *sqlite.Conn) error {
	steps := []string{
		"BEGIN IMMEDIATE", "CREATE TABLE IF NOT EXISTS commits (number INTEGER NOT NULL)",
		"INSERT INTO commits SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM commits)",
		fmt.Sprint("PRAGMA application_id = ", application), fmt.Sprint("PRAGMA user_version = ", schema),
	}
	for _, kind := range store.Collections() {
		steps = append(steps, "CREATE TABLE IF NOT EXISTS "+quoted(kind)+" (id TEXT PRIMARY KEY, rev INTEGER NOT NULL, body BLOB NOT NULL) STRICT, WITHOUT ROWID")
	}
	for _, step := range append(steps, "COMMIT") {
		if err := query(c, step, nil); err != nil {
			return errors.Join(err, rollback(c))
		}
	}
	return nil
}

// foreign looks at a file that cannot be read as a store: it may be none. A file that another Store of this process
// has open must not be opened besides SQLite, as closing it takes the locks away; one that is damaged has lost more.
func (s *Store) foreign(err error) error {
	if !isDamage(err) {
		return err
	}

	f, openErr := os.Open(s.path)
	if openErr != nil {
		return errors.Join(err, openErr)
	}
	head := make([]byte, headerBytes)
	_, readErr := io.ReadFull(f, head)
	if errors.Join(readErr, f.Close()) != nil {
		return err
	}

	switch {
	case bytes.Equal(head[16:20], binary.NativeEndian.AppendUint32(nil, 0xED0CDAED)): // behind the head of bbolt's first page
		return state.Errorf(state.Invalid, openOp, "%s was written by the former embedded driver (bbolt), which this one does not read; "+
			"copy it out with a build of commit %s (mneme export), or choose another folder", s.dir, lastBolt)
	case bytes.HasPrefix(head, []byte("SQLite format 3\x00")) && head[20] != reservedBytes && binary.BigEndian.Uint32(head[68:]) != application:
		return s.notOurs()
	}
	return err
}

func (s *Store) notOurs() error {
	return state.Errorf(state.Invalid, openOp, "%s is a database of another program; choose another folder", s.path)
}
