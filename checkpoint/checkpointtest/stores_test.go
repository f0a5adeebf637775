package checkpointtest

import (
	"flag"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/mongo"
	"github.com/mneme-graph/mneme/state/store/mongo/mongotest"
	"github.com/mneme-graph/mneme/state/store/ram"
	"github.com/mneme-graph/mneme/state/store/sealed"
	"github.com/mneme-graph/mneme/state/store/sqlite"
)

// The server that all tests share ends with the process.
func TestMain(m *testing.M) {
	server := "github.com/mneme-graph/mneme/state/store/mongo/mongotest.(*Server).run.func2"
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction(server), goleak.IgnoreAnyFunction("os/exec.(*Cmd).Start.func2"),
		goleak.IgnoreAnyFunction("os/exec.(*Cmd).writerDescriptor.func1"))
}

func TestRAM(t *testing.T) {
	t.Parallel()
	runSuite(t, func(*testing.T) store.Store { return ram.New() })
}

// All cases share one store, as they do on a server.
func TestWithoutTransactions(t *testing.T) {
	t.Parallel()
	s := ram.NewLoose()
	runSuite(t, func(*testing.T) store.Store { return s })
}

func TestSQLite(t *testing.T) {
	t.Parallel()
	runSuite(t, func(t *testing.T) store.Store {
		s, err := sqlite.Open(t.Context(), sqlite.Config{Dir: t.TempDir()})
		return closed(t, s, err)
	})
}

func TestSealed(t *testing.T) {
	t.Parallel()
	text, err := sealed.GenerateKey("test", strings.NewReader(strings.Repeat("k", 64)))
	if err != nil {
		t.Fatal(err)
	}
	keys, err := sealed.ParseKeys(text)
	if err != nil {
		t.Fatal(err)
	}
	runSuite(t, func(t *testing.T) store.Store {
		s, err := sealed.New(sealed.Config{Store: ram.NewLoose(), Keys: keys})
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
}

// Each case has a database of its own: the server that the tests start looks through all of a collection to find a range.
func TestMongo(t *testing.T) {
	t.Parallel()
	if os.Getenv("MNEME_LONG") == "" {
		t.Skip("takes two minutes on a server; set MNEME_LONG=1 to run it")
	}
	runSuite(t, func(t *testing.T) store.Store {
		s, err := mongo.Open(t.Context(), mongo.Config{URI: mongotest.Shared(t)})
		return closed(t, s, err)
	})
}

// closed is a store that was opened, and is closed with the test.
func closed[S interface {
	store.Store
	Close() error
}](t *testing.T, s S, err error) store.Store {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// TestWriteGolden writes a thread as this release stores it:
//
//	go test ./checkpoint/checkpointtest -run TestWriteGolden -write testdata/written/v3-folded.json -folded
//
// A file that is there already is what a release has written and is not written over.
func TestWriteGolden(t *testing.T) {
	if *writeTo == "" {
		t.Skip("writes a file of testdata when it is given one")
	}
	raw, err := record(setup(t, ram.New()), *folded)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(*writeTo, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = f.Write(append(raw, '\n')); err != nil {
		t.Error(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

var (
	writeTo = flag.String("write", "", "file to write the thread to")
	folded  = flag.Bool("folded", false, "fold finished turns")
)
