package cassette_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/graph/cassette"
	"github.com/mneme-graph/mneme/memory/component/offline"
	"github.com/mneme-graph/mneme/state"
)

// sparse makes a file with a head and so many bytes of nothing behind it.
func sparse(t *testing.T, head string, size int64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tape")
	must(t, errors.Join(os.WriteFile(path, []byte(head), 0o600), os.Truncate(path, size)))
	return path
}

// It is alone with its process: what all take of memory is counted.
func TestATapeIsReadWithBounds(t *testing.T) {
	const head = `{"format":"mneme-cassette","version":1}` + "\n"
	for name, c := range map[string]struct {
		path, says string
	}{
		"a device":           {"/dev/zero", "is no file"},
		"a folder":           {t.TempDir(), "is no file"},
		"a file of 1 TB":     {sparse(t, head, 1<<40), "at most 268435456 are read"},
		"one line of 200 MB": {sparse(t, head, 200<<20), "line 2 has more than"},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := cassette.Open(cassette.Config{File: c.path})
			runtime.ReadMemStats(&after)
			took := (after.TotalAlloc - before.TotalAlloc) >> 20
			if state.CodeOf(err) != state.Invalid || !strings.Contains(err.Error(), c.says) || took > 256 {
				t.Errorf("%v, with %d MB; want invalid, %q and at most 256 MB", err, took, c.says)
			}
		})
	}
}

// What could not be read back is not recorded.
func TestAFullTapeIsNotRecordedOn(t *testing.T) {
	t.Parallel()
	const head = `{"format":"mneme-cassette","version":1}` + "\n"
	path := sparse(t, head, int64(len(head)))
	m := open(t, cassette.Config{File: path, Model: offline.New()})
	must(t, os.Truncate(path, 256<<20))
	if _, err := m.Generate(t.Context(), ask("hello")); state.CodeOf(err) != state.Invalid || !strings.Contains(err.Error(), "record into another file") {
		t.Errorf("%v, want invalid", err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() != 256<<20 {
		t.Errorf("%v, %v; want the file as it was", info, err)
	}
}

// A tape's lines may be long and many, and are read one by one.
func TestLongLinesOfATape(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tape")
	long := strings.Repeat("long ", 1<<14)
	rec := open(t, cassette.Config{File: path, Model: offline.New()})
	want, err := rec.Generate(t.Context(), ask(long))
	must(t, err)
	text, err := os.ReadFile(path)
	if err != nil || bytes.Count(text, []byte("\n")) != 2 {
		t.Fatalf("%d bytes, %v", len(text), err)
	}
	if got, err := open(t, cassette.Config{File: path}).Generate(t.Context(), ask(long)); err != nil || got.Content != want.Content {
		t.Errorf("%.40q, %v, want %.40q", got, err, want.Content)
	}
}
