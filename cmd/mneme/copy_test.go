package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/mongo/mongotest"
	"github.com/mneme-graph/mneme/state/store/sqlite"
	"github.com/mneme-graph/mneme/state/store/transfer"
)

// folder makes a store of n affairs and returns its folder.
func folder(t *testing.T, n int, text string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "store")
	withStore(t, dir, func(s *sqlite.Store) {
		for i := range n {
			body, err := bson.Marshal(bson.D{{Key: "title", Value: strings.Repeat(text, 50)}})
			if err == nil {
				err = s.Write(t.Context(), store.Doc{Collection: state.Affairs, ID: fmt.Sprintf("c/u/%03d", i), Body: body})
			}
			must(t, err)
		}
	})
	return dir
}

func withStore(t *testing.T, dir string, do func(s *sqlite.Store)) {
	t.Helper()
	s, err := sqlite.Open(t.Context(), sqlite.Config{Dir: dir})
	must(t, err)
	do(s)
	must(t, s.Close())
}

// wantAffairs fails the test unless the folder holds a store with n affairs.
func wantAffairs(t *testing.T, dir string, n int) {
	t.Helper()
	withStore(t, dir, func(s *sqlite.Store) {
		if docs, err := s.Scan(t.Context(), store.Query{Collection: state.Affairs}); err != nil || len(docs) != n {
			t.Errorf("%s holds %d affairs, %v, want %d", dir, len(docs), err, n)
		}
	})
}

func TestCopyFolder(t *testing.T) {
	t.Parallel()
	from, to := folder(t, 30, "x"), filepath.Join(t.TempDir(), "new")
	got := mneme(t, "", nil, "copy", "--from", from, "--to", to)
	if got.code != 0 || !strings.HasPrefix(got.out, "30 documents") || !strings.Contains(got.out, "affairs") || !strings.Contains(got.out, "sha256") {
		t.Errorf("copy = %+v, want 0 and a report of 30 documents", got)
	}
	if !strings.HasPrefix(got.err, "copy") || !strings.Contains(got.err, "verify") {
		t.Errorf("progress %q, want the phases", got.err)
	}
	wantAffairs(t, to, 30)
	got = mneme(t, "", nil, "copy", "--from", from, "--to", to, "--json")
	var line struct {
		Source, Target string
		MS             *int64
		Report         transfer.Report
	}
	if err := json.Unmarshal([]byte(got.out), &line); err != nil || got.code != 0 || strings.Count(got.out, "\n") != 1 {
		t.Fatalf("copy --json = %+v: %v", got, err)
	}
	if r := line.Report; line.Source != from || line.Target != to || line.MS == nil || r.Skipped != 30 || r.Written != 0 || r.From != r.To || len(r.Collections) != len(store.Collections()) {
		t.Errorf("report %+v, want 30 documents that were there", line)
	}
	for progress := range strings.Lines(got.err) {
		var p struct{ Progress transfer.Progress }
		if err := json.Unmarshal([]byte(progress), &p); err != nil || p.Progress.Phase == "" {
			t.Errorf("progress %q: %v", progress, err)
		}
	}
}

func TestCopyConflict(t *testing.T) {
	t.Parallel()
	from, to := folder(t, 3, "x"), folder(t, 5, "y")
	got := mneme(t, "", nil, "copy", "--from", from, "--to", to)
	if got.code != 4 || got.out != "" || !strings.Contains(got.err, "affairs c/u/000") || !strings.Contains(got.err, "overwrite") {
		t.Errorf("copy = %+v, want 4 and the document named", got)
	}
	got = mneme(t, "", nil, "copy", "--from", from, "--to", to, "--overwrite")
	if got.code != 0 || !strings.Contains(got.out, "replaced    3") || !strings.Contains(got.out, "left alone  2") {
		t.Errorf("copy --overwrite = %+v, want 3 replaced and 2 left alone", got)
	}
	wantAffairs(t, to, 5)
}

// TestCopyServer copies to a server and back.
func TestCopyServer(t *testing.T) {
	t.Parallel()
	uri := mongotest.Shared(t)
	from, back := folder(t, 20, "x"), filepath.Join(t.TempDir(), "back")
	for _, args := range [][]string{{"--from", from, "--to", uri}, {"--from", uri, "--to", back}} {
		if got := mneme(t, "", nil, append([]string{"copy"}, args...)...); got.code != 0 || !strings.HasPrefix(got.out, "20 documents") {
			t.Fatalf("copy %v = %+v, want 0", args, got)
		}
	}
	wantAffairs(t, back, 20)
}

func TestMoveRefuses(t *testing.T) {
	t.Parallel()
	dir, empty := folder(t, 1, "x"), t.TempDir()
	tests := []struct {
		name string
		args []string
		code int
		says string
	}{
		{"copy without source", []string{"copy", "--to", empty}, 2, "--from"},
		{"copy without target", []string{"copy", "--from", dir}, 2, "--to"},
		{"copy of nothing", []string{"copy", "--from", empty, "--to", dir}, 3, "--from"},
		{"copy onto itself", []string{"copy", "--from", dir, "--to", dir + "/."}, 4, "onto itself"},
		{"copy to no server", []string{"copy", "--from", dir, "--to", "mongodb://u:secret@127.0.0.1:1/db?serverSelectionTimeoutMS=50"}, 5, "127.0.0.1:1/db"},
		{"copy to no address", []string{"copy", "--from", dir, "--to", "mongodb://u:secret@"}, 2, "mongodb://"},
		{"backup without target", []string{"backup", "--dir", dir}, 2, "<to>"},
		{"backup of nothing", []string{"backup", "--dir", empty, filepath.Join(empty, "x")}, 3, "--dir"},
		{"backup onto a store", []string{"backup", "--dir", dir, folder(t, 1, "x")}, 4, "name a new or an empty folder"},
		{"backup with a bad setting", []string{"backup", "--dir", filepath.Join(empty, "x", "y"), "x"}, 3, "holds no store"},
		{"compact nothing", []string{"doctor", "--compact", "--dir", empty}, 3, "holds no store"},
	}
	for _, tt := range tests {
		got := mneme(t, "", nil, tt.args...)
		if got.code != tt.code || got.out != "" || !strings.HasPrefix(got.err, "mneme: ") || !strings.Contains(got.err, tt.says) || strings.Contains(got.err, "secret") {
			t.Errorf("%s: %+v, want %d, %q and no secret", tt.name, got, tt.code, tt.says)
		}
	}
	if entries, err := os.ReadDir(empty); err != nil || len(entries) > 0 {
		t.Errorf("%v, %v: nothing may be there", entries, err)
	}
}

// TestBesideAnother runs commands on a folder that another one has open.
func TestBesideAnother(t *testing.T) {
	t.Parallel()
	busy := folder(t, 12, "x")
	withStore(t, busy, func(*sqlite.Store) {
		for _, args := range [][]string{
			{"backup", "--dir", busy, busy + "-backup"}, {"copy", "--from", busy, "--to", busy + "-copy"},
			{"affairs", "--dir", busy}, {"doctor", "--dir", busy}, {"doctor", "--compact", "--dir", busy},
		} {
			if got := mneme(t, "", nil, args...); got.code != 0 {
				t.Errorf("%v = %+v, want 0", args, got)
			}
		}
	})
	for _, dir := range []string{busy, busy + "-backup", busy + "-copy"} {
		wantAffairs(t, dir, 12)
	}
}

func TestBackupThenRestore(t *testing.T) {
	t.Parallel()
	dir, to := folder(t, 12, "x"), filepath.Join(t.TempDir(), "backup")
	got := mneme(t, "", []string{"MNEME_DIR=" + dir}, "backup", to)
	if got.code != 0 || !strings.Contains(got.out, "backed up "+dir+" to "+to) {
		t.Errorf("backup = %+v, want 0 and a sentence", got)
	}
	wantAffairs(t, to, 12)
	got = mneme(t, "", nil, "backup", "--dir", to, "--json", to+"2")
	var line map[string]any
	if err := json.Unmarshal([]byte(got.out), &line); err != nil || got.code != 0 || line["source"] != to || line["target"] != to+"2" || line["bytes"].(float64) < 4096 {
		t.Errorf("backup --json = %+v: %v", got, err)
	}
	wantAffairs(t, to+"2", 12)
}

func TestDoctorCompacts(t *testing.T) {
	t.Parallel()
	dir := folder(t, 400, strings.Repeat("y", 40))
	withStore(t, dir, func(s *sqlite.Store) {
		if _, err := s.Delete(t.Context(), state.Affairs, "c/u/1"); err != nil {
			t.Fatal(err)
		}
	})
	got := mneme(t, "", nil, "doctor", "--compact", "--dir", dir)
	if got.code != 0 || !strings.Contains(got.out, "compacted") || !regexp.MustCompile(`from [0-9.]+ [KM]B to [0-9.]+ [KM]B`).MatchString(got.out) {
		t.Errorf("doctor --compact = %+v, want 0 and what it gained", got)
	}
	wantAffairs(t, dir, 300)
	if got = mneme(t, "", nil, "doctor", "--dir", dir); strings.Contains(got.out, "compacted") {
		t.Errorf("doctor = %s, want no compaction without the flag", got.out)
	}
}

// TestLostCommits puts an older store.db in the place of the newest: what looks back says so.
func TestLostCommits(t *testing.T) {
	t.Parallel()
	dir := folder(t, 1, "x")
	path := filepath.Join(dir, "store.db")
	older, err := os.ReadFile(path)
	must(t, err)
	withStore(t, dir, func(s *sqlite.Store) {
		if _, err := s.Delete(t.Context(), state.Affairs, "c"); err != nil {
			t.Fatal(err)
		}
	})
	must(t, os.WriteFile(path, older, 0o600))
	for _, command := range []string{"affairs", "doctor"} {
		if got := mneme(t, "", nil, command, "--dir", dir); got.code == 0 || !strings.Contains(strings.Join(strings.Fields(got.out+got.err), " "), "were acknowledged") {
			t.Errorf("%s = %+v, want an error about commits that were acknowledged", command, got)
		}
	}
}
