package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/sqlite"
)

const pageBytes = 4096 // of store.db

// twoUsers makes a store of about 70 pages and returns its folder: u and v have spoken.
func twoUsers(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "store")
	for _, user := range []string{"u", "v"} {
		var lines strings.Builder
		for i := range 19 {
			fmt.Fprintf(&lines, "The %s number %d of %s is due on day %d, please remember it.\n", []string{"invoice", "parcel", "lesson", "visit"}[i%4], 1000+i, user, i+3)
		}
		if got := mneme(t, lines.String(), nil, "chat", "--dir", dir, "--user", user, "--session", user+"1"); got.code != 0 {
			t.Fatalf("chat of %s = %+v", user, got)
		}
	}
	return dir
}

// documents are all of a folder, as Salvage reads them.
func documents(t *testing.T, dir string) map[string]string {
	t.Helper()
	s, err := sqlite.Salvage(t.Context(), dir)
	must(t, err)
	defer s.Close()
	all := map[string]string{}
	for _, c := range store.Collections() {
		docs, err := s.Scan(t.Context(), store.Query{Collection: c})
		must(t, err)
		for _, d := range docs {
			all[string(c)+" "+d.ID] = string(d.Body)
		}
	}
	return all
}

// TestCopySkipsDamage flips one bit in each second page and then spoils such pages one by one: what is copied is as it was, and both users
// and a new one are answered in the copy.
func TestCopySkipsDamage(t *testing.T) {
	t.Parallel()
	dir := twoUsers(t)
	want := documents(t, dir)
	whole, err := os.ReadFile(filepath.Join(dir, "store.db"))
	must(t, err)
	pages := len(whole) / pageBytes
	if pages < 38 {
		t.Errorf("the store has %d pages, want about 42", pages)
	}

	flipped := bytes.Clone(whole)
	for n := 0; n < pages; n += 2 {
		flipped[n*pageBytes+(n*631)%pageBytes] ^= 1 << (n % 8)
	}
	if lost := goOn(t, "each second page", flipped, want); lost != 0 {
		t.Errorf("%d documents are lost for single bits", lost)
	}

	step := 2
	if testing.Short() {
		step = 10
	}
	for n := 0; n < pages; n += step {
		spoiled := bytes.Clone(whole)
		copy(spoiled[n*pageBytes:(n+1)*pageBytes], strings.Repeat("spoiled.", pageBytes/8))
		lost := goOn(t, fmt.Sprintf("page %d", n+1), spoiled, want)
		t.Logf("page %d of %d: %d of %d documents lost", n+1, pages, lost, len(want))
	}
}

// goOn copies what can be read of a store file, compares it with what there was, talks to the copy, and returns how much is lost.
func goOn(t *testing.T, what string, file []byte, want map[string]string) (lost int) {
	t.Helper()
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "store.db"), file, 0o600))
	to := filepath.Join(dir, "saved")
	got := mneme(t, "", nil, "copy", "--from", dir, "--to", to, "--skip-damaged", "--json")
	var report copied
	if err := json.Unmarshal([]byte(got.out), &report); err != nil || report.Damage == nil {
		t.Errorf("%s: copy = %+v: %v", what, got, err)
		return 0
	}
	status := 0
	if len(report.Damage.Lost) > 0 || report.Damage.Commits > 0 || len(report.Mended) > 0 {
		status = 1
	}
	if got.code != status {
		t.Errorf("%s: copy has status %d, want %d: %+v", what, got.code, status, report)
	}

	saved, gone := documents(t, to), 0 // gone with the rest of a log that has a gap
	for key, body := range want {
		switch now, is := saved[key]; {
		case now != body && mended(report.Mended, key):
			gone++
		case !is:
			lost++
		case now != body:
			t.Errorf("%s: %s is not as it was", what, key)
		}
	}
	if lost+gone > 0 && len(report.Damage.Lost) == 0 {
		t.Errorf("%s: %d documents are lost, and nothing is told: %+v", what, lost, report.Damage)
	}
	for key := range saved {
		if _, is := want[key]; !is && !mended(report.Mended, key) && !report.Damage.Doubtful {
			t.Errorf("%s: %s is in the copy, and was not in the store", what, key)
		}
	}
	for _, user := range []string{"u", "v", "new"} {
		got := mneme(t, "And when is parcel number 1001 due?\n", nil, "chat", "--dir", to, "--user", user, "--session", user+"1")
		if got.code != 0 || strings.TrimSpace(got.out) == "" {
			t.Errorf("%s: %s says something in the copy = %+v", what, user, got)
		}
	}
	return lost + gone
}

// mended reports whether a document is a step of a thread whose log had a gap.
func mended(threads []checkpoint.Mended, key string) bool {
	return slices.ContainsFunc(threads, func(m checkpoint.Mended) bool {
		return strings.HasPrefix(key, "steps "+m.Thread.StepPrefix()) || key == "open "+m.Thread.Key()
	})
}
