package bolt

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/state"
)

// A folder that goes away under an open store is noticed by the next write, and a folder that takes its name is left alone.
func TestFolderGoes(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("open files cannot be removed there")
	}
	for name, gone := range map[string]func(dir string) error{
		"deleted": os.RemoveAll,
		"moved":   func(dir string) error { return os.Rename(dir, dir+".away") },
		"replaced": func(dir string) error {
			if err := os.Rename(dir, dir+".away"); err != nil {
				return err
			}
			return os.CopyFS(dir, os.DirFS(dir+".away"))
		},
		"store.db deleted":  func(dir string) error { return os.Remove(filepath.Join(dir, "store.db")) },
		"store.log deleted": func(dir string) error { return os.Remove(filepath.Join(dir, "store.log")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "store")
			s, err := Open(t.Context(), Config{Dir: dir})
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Write(t.Context(), sample(state.Affairs, "a", 0, 20)); err != nil {
				t.Fatal(err)
			}
			if err := gone(dir); err != nil {
				t.Fatal(err)
			}
			refused := func(what string, err error) {
				t.Helper()
				if !errors.Is(err, state.ErrUnavailable) || !strings.Contains(err.Error(), dir+": was deleted, moved or replaced") {
					t.Errorf("%s = %v, want unavailable and what happened", what, err)
				}
			}
			refused("Write", s.Write(t.Context(), sample(state.Affairs, "b", 0, 20)))
			_, err = s.Delete(t.Context(), state.Affairs, "a")
			refused("Delete", err)
			refused("Flush", s.Flush(t.Context()))
			if d, err := s.Get(t.Context(), state.Affairs, "a"); err != nil || d.Rev != 1 {
				t.Errorf("Get = %+v, %v, want what was kept", d, err)
			}
			refused("Close", s.Close())
			if name != "replaced" {
				return
			}
			if _, err := os.Stat(filepath.Join(dir, lockName)); err != nil {
				t.Errorf("the lock of the folder that took its place: %v, want it left alone", err)
			}
			s, err = Open(t.Context(), Config{Dir: dir})
			if err != nil {
				t.Fatalf("Open of what took its place = %v", err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// A folder that comes back is written to again: nothing was lost.
func TestFolderComesBack(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "store")
	s, err := Open(t.Context(), Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	first := s.Write(t.Context(), sample(state.Affairs, "a", 0, 20))
	away := os.Rename(dir, dir+".away")
	if err := s.Write(t.Context(), sample(state.Affairs, "b", 0, 20)); !errors.Is(err, state.ErrUnavailable) {
		t.Errorf("Write = %v, want unavailable", err)
	}
	back := os.Rename(dir+".away", dir)
	if err := errors.Join(first, away, back, s.Write(t.Context(), sample(state.Affairs, "c", 0, 20)), s.Close()); err != nil {
		t.Fatal(err)
	}
	s, err = Open(t.Context(), Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	docs, err := everything(s)
	if err = errors.Join(err, s.Close()); err != nil || len(docs) != 2 {
		t.Errorf("%d documents, %v, want a and c", len(docs), err)
	}
}

// Links in place of the store's files are refused, whether or not what they lead to is there, and nothing is written there.
func TestLinks(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"store.db", "store.log", lockName} {
		for _, there := range []bool{true, false} {
			dir := t.TempDir()
			precious, link := filepath.Join(t.TempDir(), "precious"), filepath.Join(dir, name)
			if there {
				if err := os.WriteFile(precious, []byte("precious"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Symlink(precious, link); err != nil {
				t.Skip(err)
			}
			s, err := Open(t.Context(), Config{Dir: dir})
			if !errors.Is(err, state.ErrInvalid) || !strings.Contains(err.Error(), link+" is a link") {
				t.Errorf("%s: Open = %v, want invalid and the link named", name, err)
			}
			if err == nil {
				_ = s.Close()
			}
			if b, err := os.ReadFile(precious); there != (string(b) == "precious") || there != (err == nil) {
				t.Errorf("%s: what the link leads to is %q, %v, want it as it was", name, b, err)
			}
		}
	}
}

// A link that is put there while the store is open gives way to a file.
func TestLinkWhileOpen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	precious := filepath.Join(t.TempDir(), "precious")
	s, err := Open(t.Context(), Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(precious, filepath.Join(dir, "store.log")); err != nil {
		t.Skip(err)
	}
	if err := errors.Join(s.Write(t.Context(), sample(state.Affairs, "a", 0, 20)), s.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(precious); err == nil {
		t.Error("the log was written through the link")
	}
}
