package importer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/mneme-graph/mneme/state"
)

// ReadLangGraph reads the messages of each thread in a file of LangGraph's SqliteSaver (tables checkpoints and writes, values in msgpack): those of the
// channel "messages", once each, at the time of the checkpoint that first holds them. Calls of tools and their results are left out. Nothing but
// messages is decoded: no class of the file's is ever made. A file that is none, or that cannot be read, is state.ErrInvalid, and so is one that
// would take more memory than its size is worth; one that another program has locked is waited for until the context ends, which is
// state.ErrUnavailable.
func ReadLangGraph(ctx context.Context, path string) (turns []Turn, err error) {
	// To open a pipe would wait for ever; one that is not there is told by SQLite.
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, state.Errorf(state.Invalid, "import", "%s is no file; name the one that SqliteSaver writes", path)
	}

	// The file is only read: its owner may still use it.
	con, err := sqlite.OpenConn(path, sqlite.OpenReadOnly)
	if err != nil {
		return nil, state.Errorf(state.Invalid, "import", "%s is no SQLite file: %w", path, err)
	}
	defer func() { err = errors.Join(err, con.Close()) }()
	con.SetInterrupt(ctx.Done())
	con.Limit(sqlite.LimitLength, maxRow)

	if err = checkTable(con); err == nil {
		turns, err = readThreads(con)
	}
	switch sqlite.ErrCode(err).ToPrimary() {
	case sqlite.ResultOK:
		return turns, nil
	case sqlite.ResultBusy, sqlite.ResultLocked, sqlite.ResultInterrupt:
		return nil, state.Errorf(state.Unavailable, "import", "%s is locked by another program, or was not waited for: %w", path, cmp.Or(ctx.Err(), err))
	case sqlite.ResultTooBig:
		return nil, state.Errorf(state.Invalid, "import", "%s has a checkpoint of more than %d bytes: %w", path, maxRow, err)
	}
	return nil, state.Errorf(state.Invalid, "import", "%s: %w", path, err)
}

// maxRow bounds a row: SQLite takes no more memory for one, whatever the file says.
const maxRow = 64 << 20

// checkTable refuses a file whose checkpoints are computed, by a view, a virtual table or a generated column: they have no end that the file's
// size sets.
func checkTable(con *sqlite.Conn) error {
	var kind string
	var computed int
	err := sqlitex.ExecuteTransient(con, `SELECT type, (SELECT count(*) FROM pragma_table_xinfo('checkpoints') WHERE hidden <> 0)
		FROM pragma_table_list WHERE schema = 'main' AND name = 'checkpoints' COLLATE NOCASE`,
		&sqlitex.ExecOptions{ResultFunc: func(row *sqlite.Stmt) error {
			kind, computed = row.ColumnText(0), row.ColumnInt(1)
			return nil
		}})
	switch {
	case err != nil:
		return err
	case kind == "":
		return errors.New("no such table: checkpoints; it is no file of SqliteSaver")
	case kind != "table" || computed > 0:
		return errors.New("checkpoints is no plain table; only a file as SqliteSaver writes it is read")
	}
	return nil
}

// readThreads reads each thread's messages, each where it is first seen: a checkpoint repeats the messages of those before it.
func readThreads(con *sqlite.Conn) (turns []Turn, err error) {
	seen := map[[3]string]bool{}
	err = sqlitex.Execute(con, `SELECT thread_id, checkpoint_id, type, checkpoint FROM checkpoints WHERE checkpoint_ns = '' ORDER BY thread_id, checkpoint_id`,
		&sqlitex.ExecOptions{ResultFunc: func(row *sqlite.Stmt) error {
			thread, id := row.ColumnText(0), row.ColumnText(1)
			if kind := row.ColumnText(2); kind != "msgpack" {
				return fmt.Errorf("checkpoint %s of thread %s is of type %q; msgpack is read", id, thread, kind)
			}
			body, err := io.ReadAll(row.ColumnReader(3))
			if err != nil {
				return err
			}
			said, at, err := readCheckpoint(body)
			if err != nil {
				return fmt.Errorf("checkpoint %s of thread %s: %w", id, thread, err)
			}
			fresh, err := newTurns(seen, thread, at, said)
			turns = append(turns, fresh...)
			return err
		}})
	return turns, err
}

// newTurns returns the messages of a checkpoint that no earlier one has, and adds them to those seen.
func newTurns(seen map[[3]string]bool, thread string, at time.Time, said []Turn) (fresh []Turn, err error) {
	equals := map[string]int{}
	for _, msg := range said {
		t := Turn{Conversation: thread, Session: thread, ID: msg.ID, Role: msg.Role, At: at, Text: msg.Text}
		if t.Role == "" || t.Text == "" {
			continue
		}

		// Lists are trimmed, so that a place in them names no message: one without an id is known by its words, as the first,
		// second, ... that says them. Where an equal one was trimmed away before it, it is left out.
		key := [3]string{thread, msg.ID}
		if msg.ID == "" {
			words := string(msg.Role) + " " + msg.Text
			equals[words]++
			key[2] = fmt.Sprintf("%d %s", equals[words], words)
		}
		if seen[key] {
			continue
		}
		seen[key] = true
		if err := t.check(); err != nil {
			return nil, err
		}
		fresh = append(fresh, t)
	}
	return fresh, nil
}
