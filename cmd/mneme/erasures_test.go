package main

import (
	"os"
	"path/filepath"
	"regexp"
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
	for _, args := range [][]string{{"recall", "tea"}, {"settings", "list"}, {"doctor"}} {
		got := mneme(t, "", nil, append(args, "--dir", dir)...)
		if got.code != 4 || !strings.Contains(got.out+got.err, "mneme forget --adopt") {
			t.Errorf("without it, mneme %v = %+v", args, got)
		}
	}

	// The way out, and back to none.
	adopt := []string{"forget", "--adopt", "--dir", dir}
	for _, tt := range []struct {
		in      string
		environ []string
		args    []string
		code    int
		says    string
	}{
		{"", environ, []string{"--yes"}, 4, "does not follow from the line before"},
		{"n\n", nil, nil, 1, "nothing was changed"},
		{"", nil, []string{"--json"}, 2, "give --yes"},
		{"", []string{environ[0] + ".new"}, []string{"--yes", "--json"}, 0, `"orders":1`},
		{"", []string{environ[0] + ".new"}, []string{"--yes"}, 4, "is this store's already"},
		{"y\n", nil, nil, 0, "this store has no ledger from now on"},
		{"", nil, []string{"--yes"}, 0, "this store has no ledger from now on"},
	} {
		got := mneme(t, tt.in, tt.environ, append(adopt, tt.args...)...)
		if got.code != tt.code || !strings.Contains(strings.Join(strings.Fields(got.out+got.err), " "), tt.says) {
			t.Errorf("mneme forget --adopt %v = %+v, want %d and %q", tt.args, got, tt.code, tt.says)
		}
	}
	if got := mneme(t, "", nil, "recall", "tea", "--dir", dir); got.code != 0 {
		t.Errorf("recall = %+v", got)
	}
}

// A record is held, an erasure of it waits and says so, and goes when it is released; then it is proved.
func TestHoldAndProve(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "store")
	environ := []string{"MNEME_ERASURE_LEDGER=" + filepath.Join(t.TempDir(), "erasures.jsonl")}
	on := func(in string, args ...string) result { return mneme(t, in, environ, append(args, "--dir", dir)...) }
	if got := on("Remember that my locker has number qv9902k.\nI like tea.\n", "chat"); got.code != 0 {
		t.Fatalf("chat = %+v", got)
	}
	record := regexp.MustCompile(`"kind":"records","id":"([^"]+)"`).FindStringSubmatch(on("", "audit", "--json").out)
	if record == nil {
		t.Fatal("no record was made")
	}
	id, order := record[1], ""
	for _, tt := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"hold", id, "--by", "olga", "--why", "case 12"}, 0, "is held"},
		{[]string{"hold"}, 0, "case 12"},
		{[]string{"hold", "--json"}, 0, `"why":"case 12"`},
		{[]string{"hold", "nosuch"}, 3, "nosuch"},
		{[]string{"forget", "--topic", "locker", "--dry-run"}, 4, "Held, so it stays until it is released: 1"},
		{[]string{"forget", "--topic", "locker", "--yes"}, 4, "mneme forget --prove"},
		{[]string{"forget", "--list"}, 0, "waits for what is held"},
		{[]string{"forget", "--prove", "ORDER"}, 1, "is held by olga"},
		{[]string{"hold", id, "--release"}, 0, "goes on"},
		{[]string{"hold", id, "--release"}, 3, "does not exist"},
		{[]string{"forget", "--prove", "ORDER"}, 0, "nothing of it is there"},
		{[]string{"forget", "--prove", "ORDER", "--json"}, 0, `"said":"done"`},
		{[]string{"forget", "--prove", "ORDER", "--user", "boris"}, 3, "is not there"},
		{[]string{"forget", "--prove", "000000000001.nosuch"}, 3, "is not there"},
		{[]string{"hold"}, 0, "nothing of user default is held"},
	} {
		for i, arg := range tt.args {
			if arg == "ORDER" {
				tt.args[i] = order
			}
		}
		got := on("", tt.args...)
		if found := regexp.MustCompile(`--prove (\S+)`).FindStringSubmatch(got.out); found != nil && order == "" {
			order = found[1]
		}
		if got.code != tt.code || !strings.Contains(strings.Join(strings.Fields(got.out+got.err), " "), tt.says) {
			t.Errorf("mneme %v = %+v, want %d and %q", tt.args, got, tt.code, tt.says)
		}
	}
}
