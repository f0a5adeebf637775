package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A backup from before an erasure is put back: whatever command opens it first, nothing comes back. Without the ledger it does.
func TestBackupPutBack(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"recall", "--json", "zx4711q"}, {"export"}, {"audit", "--json"}, {"affairs", "--json"}, {"brain", "--json"}, {"sessions", "--json"}, {"settings", "list"}, {"history", "--json"},
		{"vault", "export", "--force", filepath.Join(t.TempDir(), "notes")},
	} {
		t.Run(args[0], func(t *testing.T) {
			t.Parallel()
			dir, saved, book := filepath.Join(t.TempDir(), "store"), filepath.Join(t.TempDir(), "saved"), filepath.Join(t.TempDir(), "erasures.jsonl")
			environ := []string{"MNEME_ERASURE_LEDGER=" + book}
			for _, step := range []struct {
				in   string
				args []string
			}{
				{"My door code is zx4711q.\nI like tea.\n", []string{"chat", "--dir", dir}},
				{"", []string{"backup", "--dir", dir, saved}},
				{"", []string{"forget", "--topic", "zx4711q", "--yes", "--dir", dir}},
			} {
				if got := mneme(t, step.in, environ, step.args...); got.code != 0 {
					t.Fatalf("%v = %+v", step.args, got)
				}
			}
			if got := mneme(t, "", nil, "recall", "--dir", saved, "--json", "zx4711q"); !strings.Contains(got.out, "zx4711q") {
				t.Fatalf("the backup does not have it: %+v", got)
			}
			got := mneme(t, "", environ, append(args, "--dir", saved)...)
			if strings.Contains(got.out, "zx4711q") || got.code != 0 {
				t.Errorf("mneme %v = %+v", args, got)
			}
			err := filepath.WalkDir(saved, func(path string, d os.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				text, err := os.ReadFile(path)
				if strings.Contains(string(text), "zx4711q") {
					t.Errorf("%s has it", path)
				}
				return err
			})
			must(t, err)
			doctor := mneme(t, "", environ, "doctor", "--json", "--dir", saved)
			if doctor.code != 0 || !strings.Contains(doctor.out, book+", 3 lines, 1 order, the chain is whole") {
				t.Errorf("doctor = %+v", doctor)
			}
		})
	}
}

// A ledger that was edited is said by doctor, and nothing opens.
func TestLedgerIsDamaged(t *testing.T) {
	t.Parallel()
	dir, book := filepath.Join(t.TempDir(), "store"), filepath.Join(t.TempDir(), "erasures.jsonl")
	environ := []string{"MNEME_ERASURE_LEDGER=" + book}
	for _, step := range []struct {
		in   string
		args []string
	}{{"My door code is zx4711q.\nI like tea.\n", []string{"chat", "--dir", dir}}, {"", []string{"forget", "--topic", "zx4711q", "--yes", "--dir", dir}}} {
		if got := mneme(t, step.in, environ, step.args...); got.code != 0 {
			t.Fatalf("%v = %+v", step.args, got)
		}
	}
	text, err := os.ReadFile(book)
	must(t, err)
	must(t, os.WriteFile(book, []byte(strings.Replace(string(text), `"what":"topic"`, `"what":"record"`, 1)), 0o600))
	for _, args := range [][]string{{"recall", "tea"}, {"settings", "list"}, {"doctor"}} {
		got := mneme(t, "", environ, append(args, "--dir", dir)...)
		if got.code != 4 || !strings.Contains(got.out+got.err, "does not follow from the line before") {
			t.Errorf("mneme %v = %+v", args, got)
		}
	}
	if got := mneme(t, "", nil, "doctor", "--json", "--dir", dir); got.code != 0 || !strings.Contains(got.out, "nothing can be erased") {
		t.Errorf("doctor without it = %+v", got)
	}
}
