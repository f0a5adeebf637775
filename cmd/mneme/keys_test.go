package main

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/sqlite"
)

// key is an entry of MNEME_ENCRYPTION_KEYS whose key is made of its id.
func key(t *testing.T, id string) string {
	t.Helper()
	return id + ":" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat(id+"................................", 32)[:32]))
}

// keys is the variable with the keys of these ids.
func keys(t *testing.T, ids ...string) []string {
	t.Helper()
	var entries []string
	for _, id := range ids {
		entries = append(entries, key(t, id))
	}
	return []string{keysVariable + "=" + strings.Join(entries, ",")}
}

// encrypted makes a folder whose session default was had with key k1.
func encrypted(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "store")
	got := mneme(t, "I ordered brake pads, order number 07-14244-53150.\n", keys(t, "k1"), "chat", "--dir", dir)
	if got.code != 0 || !strings.Contains(got.out, "07-14244-53150") {
		t.Fatalf("chat = %+v", got)
	}
	return dir
}

func TestEverythingIsEncrypted(t *testing.T) {
	t.Parallel()
	dir := encrypted(t)
	withStore(t, dir, func(s *sqlite.Store) {
		for _, c := range store.Collections() {
			docs, err := s.Scan(t.Context(), store.Query{Collection: c})
			must(t, err)
			for _, d := range docs {
				if !isSealed(d) || strings.Contains(string(d.Body), "07-14244-53150") {
					t.Errorf("%s %s lies there readable", d.Collection, d.ID)
				}
			}
		}
	})
	for _, line := range []string{"affairs", "export", "history", "doctor", "resume --all"} {
		if got := mneme(t, "", keys(t, "k2", "k1"), append(strings.Fields(line), "--dir", dir)...); got.code != 0 {
			t.Errorf("mneme %s = %+v, want 0", line, got)
		}
	}
}

func TestWrongKeys(t *testing.T) {
	t.Parallel()
	sealedDir, plainDir := encrypted(t), folder(t, 2, "x")
	bad := filepath.Join(t.TempDir(), "backup")
	tests := []struct {
		name    string
		environ []string
		line    string
		code    int
		says    string
	}{
		{"no keys", nil, "affairs --dir " + sealedDir, 1, "set " + keysVariable},
		{"no keys, doctor", nil, "doctor --dir " + sealedDir, 1, "set " + keysVariable},
		{"no keys, copy", nil, "copy --to " + bad + " --from " + sealedDir, 1, "set " + keysVariable},
		{"other keys", keys(t, "k2"), "affairs --dir " + sealedDir, 1, "k1"},
		{"another key of that name", []string{keysVariable + "=k1:" + base64.StdEncoding.EncodeToString(make([]byte, 32))}, "chat --dir " + sealedDir, 1, "k1"},
		{"no key at all", []string{keysVariable + "=secret"}, "affairs --dir " + sealedDir, 2, "mneme keys new"},
		{"no key at all, new", []string{keysVariable + "=secret"}, "keys new", 2, keysVariable},
		{"plain", keys(t, "k1"), "affairs --dir " + plainDir, 2, "mneme copy"},
		{"plain, rotate", keys(t, "k1"), "keys rotate --dir " + plainDir, 2, "mneme copy"},
		{"plain, backup", keys(t, "k1"), "backup " + bad + " --dir " + plainDir, 2, "mneme copy"},
		{"plain target", keys(t, "k1"), "copy --from " + sealedDir + " --to " + plainDir, 2, "target"},
		{"rotate without keys", nil, "keys rotate --dir " + sealedDir, 2, keysVariable},
		{"a bad id", nil, "keys new a/b", 2, "id"},
		{"an id that is taken", keys(t, "k1"), "keys new k1", 4, "name another"},
	}
	for _, tt := range tests {
		got := mneme(t, "", tt.environ, strings.Fields(tt.line)...)
		if got.code != tt.code || !strings.Contains(got.err, tt.says) || strings.Contains(got.err+got.out, "secret") || strings.Contains(got.err+got.out, "Li4uLi4") {
			t.Errorf("%s: %+v, want %d, %q and no key", tt.name, got, tt.code, tt.says)
		}
	}
	write(t, filepath.Join(plainDir, "config.yaml"), "encryption_keys: "+key(t, "k1"))
	if got := mneme(t, "", nil, "affairs", "--dir", plainDir); got.code != 2 || !strings.Contains(got.err, "beside what they encrypt") {
		t.Errorf("keys in the store's folder: %+v, want 2", got)
	}
}

func TestKeysNew(t *testing.T) {
	t.Parallel()
	first, second := mneme(t, "", nil, "keys", "new", "k9"), mneme(t, "", nil, "keys", "new", "k9")
	if first.code != 0 || !strings.HasPrefix(first.out, "k9:") || strings.Count(first.out, "\n") != 1 || first.out == second.out || first.err != "" {
		t.Errorf("keys new = %+v, then %+v, want two different entries", first, second)
	}
	today := mneme(t, "", nil, "keys", "new")
	id, _, _ := strings.Cut(today.out, ":")
	next := mneme(t, "", []string{keysVariable + "=" + strings.TrimSpace(today.out)}, "keys", "new")
	if len(id) != 10 || next.code != 0 || !strings.Contains(next.out[:11], "20") || strings.HasPrefix(next.out, id+":") {
		t.Errorf("keys new = %+v, then %+v, want them called by the day and not alike", today, next)
	}
	if got := freeID("2026-02-15", []string{"2026-02-15", "2026-02-15.2"}); got != "2026-02-15.3" {
		t.Errorf("freeID = %q, want the third of that day", got)
	}
}

func TestRotate(t *testing.T) {
	t.Parallel()
	dir := encrypted(t)
	got := mneme(t, "", keys(t, "k2", "k1"), "keys", "rotate", "--dir", dir, "--json")
	report := lines[rotated](t, got)
	if report[0].Key != "k2" || report[0].Store != dir || report[0].Seen == 0 || report[0].Resealed != 1 || !strings.Contains(got.err, `{"progress":`) {
		t.Errorf("rotate = %+v, want the key of the one client encrypted anew, and progress", got)
	}
	if got = mneme(t, "", keys(t, "k2"), "export", "--dir", dir); got.code != 0 || !strings.Contains(got.out, "07-14244-53150") {
		t.Errorf("export with the new key alone = %+v", got)
	}
	if got = mneme(t, "", keys(t, "k2", "k1"), "keys", "rotate", "--dir", dir); got.code != 0 ||
		!strings.Contains(got.out, fmt.Sprintf("%d documents in %s are encrypted under key k2, 0 of them anew", report[0].Seen, dir)) || !strings.HasPrefix(got.err, "rotate  steps") {
		t.Errorf("rotate once more = %+v, want nothing to do", got)
	}
	got = mneme(t, "", keys(t, "k2"), "keys", "rotate", "--clients", "--dir", dir, "--json")
	if report = lines[rotated](t, got); report[0].Resealed != report[0].Seen-2 { // the old key and the new one
		t.Errorf("rotate --clients = %+v, want everything encrypted anew", got)
	}
	if got = mneme(t, "", keys(t, "k2"), "export", "--dir", dir); got.code != 0 || !strings.Contains(got.out, "07-14244-53150") {
		t.Errorf("export behind it = %+v", got)
	}
	if got = mneme(t, "", keys(t, "k3", "k2"), "doctor", "--dir", dir); got.code != 0 || !strings.Contains(got.out, "on, with key k3; what k2 encrypted can be read") {
		t.Errorf("doctor = %+v, want the keys named", got)
	}
}

func TestEncryptByCopying(t *testing.T) {
	t.Parallel()
	plain := folder(t, 7, "readable")
	at := func(name string) string { return filepath.Join(filepath.Dir(plain), name) }
	for _, tt := range []struct {
		name  string
		args  []string
		first bool // document of the target encrypted
	}{
		{"encrypted", []string{"--from", plain}, true},
		{"again", []string{"--from", at("encrypted")}, true},
		{"plain", []string{"--from", at("encrypted"), "--plain"}, false},
	} {
		got := mneme(t, "", keys(t, "k1"), append([]string{"copy", "--to", at(tt.name)}, tt.args...)...)
		if got.code != 0 || !strings.HasPrefix(got.out, "7 documents") || strings.Contains(got.out, "encrypted   yes") != tt.first {
			t.Fatalf("copy to %s = %+v", tt.name, got)
		}
		withStore(t, at(tt.name), func(s *sqlite.Store) {
			d, err := firstOf(t.Context(), s)
			if err != nil || isSealed(*d) != tt.first || strings.Contains(string(d.Body), "readable") == tt.first || d.Collection != state.Affairs {
				t.Errorf("%s: %s %s sealed %v, %v, want %v", tt.name, d.Collection, d.ID, isSealed(*d), err, tt.first)
			}
		})
	}
	wantAffairs(t, at("plain"), 7)
	if got := mneme(t, "", keys(t, "k1"), "backup", "--dir", at("encrypted"), at("backup")); got.code != 0 {
		t.Errorf("backup = %+v", got)
	}
	if got := mneme(t, "", keys(t, "k1"), "doctor", "--dir", at("backup")); got.code != 0 || !strings.Contains(got.out, "on, with key k1") {
		t.Errorf("doctor of the backup = %+v", got)
	}
	if got := mneme(t, "", nil, "backup", "--dir", at("encrypted"), at("backup2")); got.code != 0 {
		t.Errorf("backup without keys = %+v, want the bytes as they are", got)
	}
}

// Of a client that is erased no key is left that opens what it said; it may come again.
func TestForgetEncryptedClient(t *testing.T) {
	t.Parallel()
	dir := encrypted(t)
	var before, key []store.Doc // as a free page, or a replica that was put away, may have them
	withStore(t, dir, func(s *sqlite.Store) {
		var err1, err2 error
		before, err1 = s.Scan(t.Context(), store.Query{Collection: state.Messages})
		key, err2 = s.Scan(t.Context(), store.Query{Collection: state.Meta, Prefix: "~key/default/"})
		must(t, errors.Join(err1, err2))
	})
	got := mneme(t, "", keys(t, "k1"), "forget", "--dir", dir, "--all", "client", "--yes", "--json")
	if got.code != 0 || !strings.Contains(got.out, `"layer":"client key","planned":0,"count":1,"left":0`) {
		t.Fatalf("forget = %+v", got)
	}
	for _, name := range []string{"store.db", "store.db-wal"} {
		if file, err := os.ReadFile(filepath.Join(dir, name)); err == nil && (len(key) != 1 || bytes.Contains(file, key[0].Body[50:])) {
			t.Errorf("%s has the bytes of the destroyed key", name)
		}
	}
	withStore(t, dir, func(s *sqlite.Store) {
		for i := range before {
			before[i].Rev = 0
		}
		must(t, s.Write(t.Context(), before...))
	})
	if got = mneme(t, "", keys(t, "k1"), "export", "--dir", dir); got.code == 0 || strings.Contains(got.out, "07-14244-53150") || !strings.Contains(got.err, "destroyed when the client was erased") {
		t.Errorf("export of what its key sealed = %+v", got)
	}
	withStore(t, dir, func(s *sqlite.Store) {
		_, err := s.Delete(t.Context(), state.Messages, "default/")
		must(t, err)
	})
	got = mneme(t, "The new order number is 11-22233.\nWhat is the order number?\n", keys(t, "k1"), "chat", "--dir", dir)
	if got.code != 0 || !strings.Contains(got.out, "11-22233") {
		t.Errorf("chat behind it = %+v", got)
	}
}
