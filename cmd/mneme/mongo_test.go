package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/graph/transcript"
	"github.com/mneme-graph/mneme/state/store/mongo/mongotest"
)

// onServer runs command lines against a server; the folder must not come to be.
type onServer struct {
	t       *testing.T
	dir     string
	environ []string
}

func newOnServer(t *testing.T, environ ...string) *onServer {
	t.Helper()
	uri := mongotest.Shared(t)
	s := &onServer{t, filepath.Join(t.TempDir(), "folder"), append([]string{"MNEME_MONGO_URI=" + uri}, environ...)}
	s.environ = append(s.environ, "MNEME_DIR="+s.dir)
	t.Cleanup(func() {
		if _, err := os.Stat(s.dir); !os.IsNotExist(err) {
			t.Errorf("the folder came to be: %v", err)
		}
	})
	return s
}

func (s *onServer) run(stdin, line string, environ ...string) result {
	s.t.Helper()
	return mneme(s.t, stdin, append(s.environ, environ...), strings.Fields(line)...)
}

// TestServer does on a server what other tests do in a folder, by one variable.
func TestServer(t *testing.T) {
	t.Parallel()
	s := newOnServer(t)
	if got := s.run("I ordered brake pads, order number 07-14244-53150.\n/affairs\n", "chat --session s1"); got.code != 0 || !strings.Contains(got.out, "ACTIVE") {
		t.Fatalf("chat = %+v", got)
	}
	if got := s.run("", "affairs --session s1"); got.code != 0 || !strings.Contains(got.out, "Brake pads") {
		t.Errorf("affairs = %+v", got)
	}
	if got := lines[transcript.Transcript](t, s.run("", "export --session s1")); len(got[0].Messages) != 2 {
		t.Errorf("export = %+v, want two messages", got)
	}
	if got := s.run("", "export --session nobody"); got.code != 3 || !strings.Contains(got.err, "mongodb://") {
		t.Errorf("export of nobody = %+v, want 3 and the server named", got)
	}
	if got := s.run(toRemember, "chat --session s1", suggests); got.code != 0 || !strings.Contains(got.out, "goes on waiting") {
		t.Fatalf("chat = %+v, want a question", got)
	}
	if got := s.run("", "doctor"); got.code != 0 || !strings.Contains(got.out, "1 waiting for an answer") {
		t.Errorf("doctor = %+v, want the turn counted", got)
	}
	if got := s.run("", "approve --session s1", suggests); got.code != 0 || !strings.Contains(got.out, "Stored") {
		t.Errorf("approve = %+v", got)
	}
	if got := s.run("", "fork --session s1 --to s2"); got.code != 0 {
		t.Errorf("fork = %+v", got)
	}
	steps := lines[checkpointLine](t, s.run("", "history --session s1 --json"))
	if len(steps) < 6 || !steps[0].Done || len(steps[1].Next) == 0 {
		t.Errorf("history = %+v", steps)
	}
	if got := s.run("", "prune --session s1 --keep 1"); got.code != 0 || strings.HasPrefix(got.out, "deleted 0") {
		t.Errorf("prune = %+v", got)
	}
	if got := s.run("", "resume --all"); got.code != 0 || !strings.HasPrefix(got.out, "no unfinished turns") {
		t.Errorf("resume --all = %+v", got)
	}
	if got := s.run("", "backup x"); got.code != 2 || !strings.Contains(got.err, "mneme copy") {
		t.Errorf("backup of a server = %+v, want 2", got)
	}
	if got := s.run("", "doctor --compact"); got.code != 2 || !strings.Contains(got.err, "--compact") {
		t.Errorf("doctor --compact of a server = %+v, want 2", got)
	}
}

func TestServerFindsWhatACrashLeft(t *testing.T) {
	t.Parallel()
	s := newOnServer(t)
	s.environ = cutOff(t, s.environ)
	got := s.run("", "doctor")
	if got.code != 0 || !strings.Contains(got.out, "1 ") {
		t.Errorf("doctor = %+v, want the turn counted", got)
	}
	got = s.run("", "resume --session s1") // the other process gave it up: nobody has to wait for its lease
	if got.code != 0 || !strings.Contains(got.out, "07-14244-53150") {
		t.Errorf("resume = %+v, want the reply", got)
	}
}

func TestDoctorOfAServer(t *testing.T) {
	t.Parallel()
	s := newOnServer(t)
	got := s.run("", "doctor")
	for _, part := range []string{"MongoDB 5", "standalone", "at mongodb://127.0.0.1:", "database mneme_test_", "answers in", "without transactions", "stands alone", "none unfinished", "mongo_uri"} {
		if got.code != 0 || !strings.Contains(strings.Join(strings.Fields(got.out), " "), part) {
			t.Errorf("doctor = %d, %s\n%s, want %q", got.code, got.err, got.out, part)
		}
	}
	for _, args := range [][]string{{"doctor"}, {"doctor", "--json"}} {
		got := mneme(t, "", []string{"MNEME_MONGO_URI=mongodb://u:secret@127.0.0.1:1/db?serverSelectionTimeoutMS=50"}, args...)
		if got.code != 5 || !strings.Contains(got.out, "127.0.0.1:1/db") || strings.Contains(got.out+got.err, "secret") {
			t.Errorf("doctor of no server = %+v, want 5, the address, and no password", got)
		}
	}
}

// Opening is over before the embedder is asked, whose answer is timed too.
func TestDoctorTimesOpeningAlone(t *testing.T) {
	t.Parallel()
	s := newOnServer(t, newEmbedding(t).variables()...)
	c, err := resolve(nil, s.environ)
	must(t, err)
	seconds := time.Time{}
	r := c.examine(t.Context(), func() time.Time { seconds = seconds.Add(time.Second); return seconds })
	if r.err != nil || !strings.Contains(r.store, "opens in 1s, answers in 1s") {
		t.Errorf("%q, %v, want a second each", r.store, r.err)
	}
}

func TestEncryptedServer(t *testing.T) {
	t.Parallel()
	s := newOnServer(t, keys(t, "k1")...)
	if got := s.run("I ordered brake pads, order number 07-14244-53150.\n", "chat --session s1"); got.code != 0 {
		t.Fatalf("chat = %+v", got)
	}
	if got := mneme(t, "", s.environ[:1], "affairs"); got.code != 1 || !strings.Contains(got.err, keysVariable) {
		t.Errorf("affairs without keys = %+v, want 1", got)
	}
	if got := s.run("", "keys rotate", keys(t, "k2", "k1")...); got.code != 0 || !strings.Contains(got.out, "are encrypted under key k2") {
		t.Errorf("rotate = %+v", got)
	}
	if got := s.run("", "export --session s1", keys(t, "k2")...); got.code != 0 || !strings.Contains(got.out, "07-14244-53150") {
		t.Errorf("export = %+v", got)
	}
}

func TestWhichStore(t *testing.T) {
	t.Parallel()
	const uri = "mongodb://h/db"
	dir := t.TempDir()
	write(t, filepath.Join(dir, "config.yaml"), "mongo_uri: mongodb://file/db")
	tests := []struct {
		name    string
		flags   map[string]string
		environ []string
		want    string // address, or what the error says
		code    int
	}{
		{"nothing said", nil, nil, ".mneme", 0},
		{"the variable", nil, []string{"MNEME_MONGO_URI=" + uri}, uri, 0},
		{"the flag over the variable", map[string]string{"mongo_uri": uri}, []string{"MNEME_MONGO_URI=mongodb://x"}, uri, 0},
		{"the file", map[string]string{"dir": dir}, nil, "mongodb://file/db", 0},
		{"embedded nearer than the address", map[string]string{"store": "embedded"}, []string{"MNEME_MONGO_URI=" + uri}, ".mneme", 0},
		{"embedded as near as the address", nil, []string{"MNEME_STORE=embedded", "MNEME_MONGO_URI=" + uri}, ".mneme", 0},
		{"the address nearer than embedded", map[string]string{"mongo_uri": uri}, []string{"MNEME_STORE=embedded"}, uri, 0},
		{"mongo and its address", map[string]string{"store": "mongo"}, []string{"MNEME_MONGO_URI=" + uri}, uri, 0},
		{"mongo without an address", map[string]string{"store": "mongo"}, nil, "MNEME_MONGO_URI", 2},
		{"no address", nil, []string{"MNEME_MONGO_URI=secret.example:27017"}, "environment MNEME_MONGO_URI", 2},
		{"an unknown store", map[string]string{"store": "paper"}, nil, "embedded or mongo", 2},
	}
	for _, tt := range tests {
		c, err := resolve(tt.flags, tt.environ)
		must(t, err)
		err = c.drivers()
		switch {
		case tt.code == 0 && (err != nil || c.address() != tt.want):
			t.Errorf("%s: %q, %v, want %q", tt.name, c.address(), err, tt.want)
		case tt.code != 0 && (err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "secret")):
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}
