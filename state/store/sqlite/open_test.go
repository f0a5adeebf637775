package sqlite_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	zombie "zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/sqlite"
)

func TestFiles(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "made", "with parents, 50 % ?#")
	s := open(t, sqlite.Config{Dir: dir})
	if s.Path() != dir {
		t.Errorf("Path = %s, want %s", s.Path(), dir)
	}
	write(t, s, doc("a", 0, 1))
	wantFiles(t, dir, "store.db", "store.db-shm", "store.db-wal", "store.mark")
	second := open(t, sqlite.Config{Dir: dir})
	closed(t, s)
	if n := len(all(t, second)); n != 1 {
		t.Errorf("%d documents, want 1", n)
	}
	closed(t, second)
	wantFiles(t, dir, "store.db", "store.mark")
	info, err := os.Stat(filepath.Join(dir, "store.db"))
	if err != nil || info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Errorf("store.db has the mode %v, %v, want that nobody else may read it", info.Mode(), err)
	}
}

func wantFiles(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

// database makes a SQLite database with a statement, as another program would.
func database(t *testing.T, statement string) string {
	t.Helper()
	dir := t.TempDir()
	conn, err := zombie.OpenConn(filepath.Join(dir, "store.db"), zombie.OpenReadWrite|zombie.OpenCreate)
	must(t, err)
	must(t, errors.Join(sqlitex.ExecuteScript(conn, statement, nil), conn.Close()))
	return dir
}

// boltFolder is a folder as the former embedded driver left it.
func boltFolder(t *testing.T) string {
	t.Helper()
	page := make([]byte, 4096)
	page[8] = 4 // a meta page
	binary.NativeEndian.PutUint32(page[16:], 0xED0CDAED)
	return holding(t, "store.db", string(page)+string(page))
}

func holding(t *testing.T, name, text string) string {
	t.Helper()
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	return dir
}

func linked(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Symlink(filepath.Join(holding(t, "precious", "x"), "precious"), filepath.Join(dir, "store.mark")); err != nil {
		t.Skip(err)
	}
	return dir
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	file := filepath.Join(holding(t, "file", ""), "file")
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	dir := t.TempDir()
	tests := []struct {
		name string
		ctx  context.Context
		cfg  sqlite.Config
		code state.Code
		text string
	}{
		{"no folder", t.Context(), sqlite.Config{}, state.Invalid, "names no folder"},
		{"a file", t.Context(), sqlite.Config{Dir: file}, state.Invalid, file + " is a file"},
		{"below a file", t.Context(), sqlite.Config{Dir: filepath.Join(file, "x")}, state.Denied, filepath.Join(file, "x") + " cannot be made"},
		{"a cancelled context", cancelled, sqlite.Config{Dir: dir}, state.Unavailable, "context canceled"},
		{"a store of bbolt", t.Context(), sqlite.Config{Dir: boltFolder(t)}, state.Invalid, "copy it out with a build of commit"},
		{"text", t.Context(), sqlite.Config{Dir: holding(t, "store.db", strings.Repeat("not a store\n", 1000))}, state.Internal, "store.db is damaged"},
		{"a database of another program", t.Context(), sqlite.Config{Dir: database(t, "CREATE TABLE x (y)")}, state.Invalid, "of another program"},
		{"a link", t.Context(), sqlite.Config{Dir: linked(t)}, state.Invalid, "store.mark is a link"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, err := sqlite.Open(tt.ctx, tt.cfg)
			if s != nil || state.CodeOf(err) != tt.code || !strings.Contains(fmt.Sprint(err), tt.text) {
				t.Errorf("Open = %v, %v (%s), want nil and %s: %q", s, err, state.CodeOf(err), tt.code, tt.text)
			}
		})
	}
}

// TestManyMakeOneStore opens a folder from many goroutines before there is a store in it.
func TestManyMakeOneStore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			s, err := sqlite.Open(t.Context(), sqlite.Config{Dir: dir})
			if err == nil {
				err = errors.Join(s.Write(t.Context(), doc(fmt.Sprint(i), 0, 10)), s.Close())
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := len(all(t, open(t, sqlite.Config{Dir: dir}))); n != 8 {
		t.Errorf("%d documents, want 8", n)
	}
}

// TestFolderMoved moves the folder of an open store and puts another in its place, which must stay as it is.
func TestFolderMoved(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "store")
	s, err := sqlite.Open(t.Context(), sqlite.Config{Dir: dir})
	must(t, err)
	write(t, s, doc("a", 0, 10))
	if err := os.Rename(dir, dir+".away"); err != nil {
		_ = s.Close()
		t.Skipf("this system does not let a folder in use be moved: %v", err)
	}
	other := open(t, sqlite.Config{Dir: dir})
	write(t, other, doc("of the other", 0, 10))
	_, readErr := s.Get(t.Context(), state.Affairs, "of the other") // on a connection that is opened only now
	for call, err := range map[string]error{"Write": s.Write(t.Context(), doc("b", 0, 10)), "Get": readErr, "Close": s.Close()} {
		if !errors.Is(err, state.ErrUnavailable) || !strings.Contains(fmt.Sprint(err), "was deleted, moved or replaced") {
			t.Errorf("%s = %v, want an Unavailable error that says what happened", call, err)
		}
	}
	same(t, []store.Doc{{Collection: state.Affairs, ID: "of the other", Rev: 1, Body: doc("of the other", 0, 10).Body}}, all(t, other))
	wantFiles(t, dir, "store.db", "store.db-shm", "store.db-wal", "store.mark")
}

// TestReadOnly reads a folder without the right to write there: a store that was closed, one that somebody writes,
// and one whose process was killed.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must(t, os.Chmod(filepath.Dir(dir), 0o755))
	readOnly := func(t *testing.T, dir string) {
		t.Helper()
		entries, err := os.ReadDir(dir)
		for _, e := range entries {
			err = errors.Join(err, os.Chmod(filepath.Join(dir, e.Name()), 0o444))
		}
		must(t, errors.Join(err, os.Chmod(dir, 0o555)))
		t.Cleanup(func() { _ = os.Chmod(dir, 0o755) })
		cmd, out := child(t, "read 3 "+dir)
		for out.Scan() {
			t.Log(out.Text())
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("the child that may only read: %v", err)
		}
	}
	s := open(t, sqlite.Config{Dir: dir})
	write(t, s, doc("a", 0, 10), doc("b", 0, 10), doc("c", 0, 10))
	readOnly(t, dir)
	killed := filepath.Join(filepath.Dir(dir), "killed")
	must(t, os.CopyFS(killed, os.DirFS(dir)))
	readOnly(t, killed)
	must(t, os.Chmod(dir, 0o755))
	closed(t, s)
	readOnly(t, dir)
}

var must = statetest.Must
