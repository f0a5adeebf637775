package scenario

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"
	mongodriver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
	"github.com/mneme-graph/mneme/state/store/mongo/mongotest"
)

// onServer plays in a fresh database.
func onServer(t *testing.T) Config {
	t.Helper()
	uri := mongotest.Shared(t)
	u, err := url.Parse(uri)
	must(t, err)
	return Config{URI: uri, Database: strings.TrimPrefix(u.Path, "/"), Child: []string{os.Args[0], playTurn}}
}

// shown is what a person sees of a turn: nothing that depends on the store, as the numbers of ids do.
type shown struct{ Output, Decision, Title, Active, Error string }

// played plays a scenario and returns its result with what was shown.
func played(t *testing.T, s Scenario, c Config) (Result, []shown) {
	t.Helper()
	var all []shown
	ids := regexp.MustCompile(`id-\d+`)
	c.Observe = func(r Report) {
		s := shown{ids.ReplaceAllString(r.Output, "ID"), string(r.Reply.Decision.Kind), r.Reply.Decision.Title, "", string(state.CodeOf(r.Err))}
		if r.Reply.Active != nil {
			s.Active = r.Reply.Active.Title
		}
		all = append(all, s)
	}
	return runFresh(t, s, c), all
}

// Every scenario file goes on a server as it goes in a folder.
func TestScenariosOnAServer(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("plays every scenario twice; TestScenarios does so once")
	}
	files, err := filepath.Glob("../testdata/scenarios/*.yaml")
	if err != nil || len(files) < 10 {
		t.Fatalf("found %d scenario files, %v, want at least 10", len(files), err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		must(t, err)
		all, err := Parse(file, data)
		must(t, err)
		for _, s := range all {
			t.Run(filepath.Base(file)+"/"+s.Name, func(t *testing.T) {
				t.Parallel()
				c := onServer(t)
				got, there := played(t, s, c)
				want, here := played(t, s, mortal(t))
				if diff := cmp.Diff(want, got); diff != "" || !got.OK {
					t.Errorf("results (-folder +server):\n%s", diff)
				}
				if diff := cmp.Diff(here, there); diff != "" {
					t.Errorf("turns (-folder +server):\n%s", diff)
				}
			})
		}
	}
}

// Wherever the process dies, the scenario goes on on a server as well.
func TestCrashOnAServer(t *testing.T) {
	t.Parallel()
	for _, place := range []string{"before intake", "after context_detect/model", "after respond/tool:memory_store#2", "after finalize"} {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			if got := runFresh(t, parse(t, strings.Replace(killed, "PLACE", place, 1)), onServer(t)); !got.OK {
				t.Errorf("failures: %v", got.Failures)
			}
		})
	}
}

func TestDatabaseIsDropped(t *testing.T) {
	t.Parallel()
	c := onServer(t)
	client, err := mongodriver.Connect(options.Client().ApplyURI(c.URI))
	must(t, err)
	defer func() { must(t, client.Disconnect(t.Context())) }()
	there := func() bool {
		names, err := client.ListDatabaseNames(t.Context(), bson.D{})
		must(t, err)
		return slices.Contains(names, c.Database)
	}
	s := parse(t, "turns: [{user: hi, model: [{say: Hi.}]}]")
	c.Observe = func(Report) {
		if !there() {
			t.Error("the scenario does not play in its database")
		}
	}
	runFresh(t, s, c)
	if there() {
		t.Error("the database was not dropped")
	}
	if _, err := client.Database(c.Database).Collection("records").InsertOne(t.Context(), bson.D{{Key: "_id", Value: "a"}, {Key: "_rev", Value: int64(1)}}); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), s, c); !errors.Is(err, state.ErrConflict) || !strings.Contains(err.Error(), c.Database) {
		t.Errorf("Run in a database that holds something = %v, want a conflict", err)
	}
	if !there() {
		t.Error("a database that held something was dropped")
	}
}

func TestPlacesThatAreRefused(t *testing.T) {
	t.Parallel()
	const nobody = "mongodb://u:secret@127.0.0.1:1/db?serverSelectionTimeoutMS=50"
	for _, tt := range []struct {
		name string
		c    Config
		want error
	}{
		{"no database", Config{URI: nobody}, state.ErrInvalid},
		{"a folder besides", Config{URI: nobody, Database: "x", Dir: "y"}, state.ErrInvalid},
		{"no server", Config{URI: nobody, Database: "x"}, state.ErrUnavailable},
		{"no address", Config{URI: "secret", Database: "x"}, state.ErrInvalid},
	} {
		_, err := Run(t.Context(), parse(t, "turns: [{user: hi}]"), tt.c)
		if !errors.Is(err, tt.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: Run = %v, want %v and no secret", tt.name, err, tt.want)
		}
	}
}

var must, same = statetest.Must, statetest.Same
