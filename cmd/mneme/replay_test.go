package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	mongodriver "go.mongodb.org/mongo-driver/v2/mongo"
	mongooptions "go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/mneme-graph/mneme/state/store/mongo/mongotest"
)

// TestMain makes the test binary the program itself when replay or demo starts it to be killed.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && slices.Contains([]string{"replay", "demo"}, os.Args[1]) && os.Args[2] == "--play-turn" {
		var environ []string // variables of tests are none of the program's
		if os.Args[1] == "demo" {
			environ = os.Environ() // which it does not heed
		}
		os.Exit(run(context.Background(), os.Args[1:], environ, os.Stdin, os.Stdout, os.Stderr))
	}
	if len(os.Args) > 1 && slices.Contains([]string{"serve", "chat", "mcp"}, os.Args[1]) {
		main()
	}
	openChain = openStoring
	os.Exit(m.Run())
}

func TestReplayACrash(t *testing.T) {
	t.Parallel()
	story := `name: killed
turns:
  - user: "Please remember that the boiler service is due on October 2."
    model:
      - call: memory_store
        args: {subject: boiler, content: "Boiler service is due on October 2.", category: deadline}
      - say: "Kept."
    crash: PLACE
    expect: {tools: [memory_store], reply_contains: [Kept.], records: {deadline: 1}}
`
	for _, c := range []struct {
		place string
		code  int
		out   string
	}{
		{"after respond/tool:memory_store", 0, "1 of 1 scenarios as expected"},
		{"before finalize", 0, "1 of 1 scenarios as expected"},
		{"after respond/tool:memory_store#2", 1, `turn 1: crash: want "after respond/tool:memory_store#2", got "never reached; the turn came by intake, memory_load,`},
		{"after lunch", 2, `crash does not accept "after lunch"`},
	} {
		t.Run(c.place, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "killed.yaml")
			write(t, file, strings.Replace(story, "PLACE", c.place, 1))
			got := mneme(t, "", nil, "replay", file)
			if got.code != c.code || !strings.Contains(got.out+got.err, c.out) {
				t.Errorf("exit status %d, want %d and %s; output:\n%s%s", got.code, c.code, c.out, got.out, got.err)
			}
		})
	}
}

// On a server each scenario has a database of its own, which is gone afterwards; the configured one is left alone.
func TestReplayOnAServer(t *testing.T) {
	t.Parallel()
	uri := mongotest.Shared(t)
	file := filepath.Join(t.TempDir(), "killed.yaml")
	write(t, file, `name: killed
turns:
  - user: "Hello!"
    model: [{say: Hi.}]
    crash: after respond/model
    expect: {reply_contains: [Hi.]}
---
name: another
turns:
  - {user: "Hello!", model: [{say: Good morning.}], expect: {reply_contains: [Good morning.], affairs: 0}}
`)
	variable := []string{"MNEME_MONGO_URI=" + uri}
	for _, tt := range []struct {
		name    string
		environ []string
		args    []string
		code    int
		want    string
	}{
		{"the variable", variable, nil, 0, "2 of 2 scenarios as expected"},
		{"the variable and the store's name", variable, []string{"--store", "mongo"}, 0, "2 of 2 scenarios as expected"},
		{"the flag", nil, []string{"--store", "mongo", "--mongo-uri", uri}, 0, "2 of 2 scenarios as expected"},
		{"the folder all the same", variable, []string{"--store", "embedded", "--dir", t.TempDir()}, 0, "2 of 2 scenarios as expected"},
		{"no address", nil, []string{"--store", "mongo"}, 2, "MNEME_MONGO_URI"},
		{"no server", nil, []string{"--mongo-uri", "mongodb://u:secret@127.0.0.1:1/db?serverSelectionTimeoutMS=50"}, 5, "127.0.0.1:1"},
		{"a folder besides", variable, []string{"--dir", t.TempDir()}, 2, "--store embedded"},
	} {
		got := mneme(t, "", tt.environ, append(append([]string{"replay"}, tt.args...), file)...)
		if got.code != tt.code || !strings.Contains(got.out+got.err, tt.want) || strings.Contains(got.err, "secret") {
			t.Errorf("%s: %+v, want %d and %s", tt.name, got, tt.code, tt.want)
		}
	}
	client, err := mongodriver.Connect(mongooptions.Client().ApplyURI(uri))
	must(t, err)
	names, err := client.ListDatabaseNames(t.Context(), bson.D{})
	left := slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, "mneme_replay_") })
	if err := errors.Join(err, client.Disconnect(t.Context())); err != nil || len(left) > 0 {
		t.Errorf("databases left behind: %q, %v, want none", left, err)
	}
}

func TestPlayTurnNeedsATurn(t *testing.T) {
	t.Parallel()
	for _, in := range []string{"", "{}", "nonsense"} {
		if got := mneme(t, in, nil, "replay", "--play-turn", "-"); got.code != 2 || got.out != "" {
			t.Errorf("%q: exit status %d, output %q, want 2 and none", in, got.code, got.out)
		}
	}
}
