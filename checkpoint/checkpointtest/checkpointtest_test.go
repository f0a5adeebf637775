package checkpointtest

import (
	"flag"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
	"github.com/mneme-graph/mneme/state/store/sealed"
	"github.com/mneme-graph/mneme/state/store/sqlite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestRAM(t *testing.T) {
	t.Parallel()
	Run(t, func(*testing.T) store.Store { return ram.New() })
}

func TestWithoutTransactions(t *testing.T) {
	t.Parallel()
	Run(t, func(*testing.T) store.Store { return ram.NewLoose() })
}

// All cases share one store, as they do on a server.
func TestOneStoreForAll(t *testing.T) {
	t.Parallel()
	s := ram.NewLoose()
	Run(t, func(*testing.T) store.Store { return s })
}

func TestFolder(t *testing.T) {
	t.Parallel()
	Run(t, func(t *testing.T) store.Store {
		s, err := sqlite.Open(t.Context(), sqlite.Config{Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		return s
	})
}

func TestSealed(t *testing.T) {
	t.Parallel()
	for name, below := range map[string]func() *ram.Store{"with transactions": ram.New, "without": ram.NewLoose} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			Run(t, func(t *testing.T) store.Store {
				text, err := sealed.GenerateKey("test", strings.NewReader(strings.Repeat("k", 64)))
				if err != nil {
					t.Fatal(err)
				}
				keys, err := sealed.ParseKeys(text)
				if err != nil {
					t.Fatal(err)
				}
				s, err := sealed.New(sealed.Config{Store: below(), Keys: keys})
				if err != nil {
					t.Fatal(err)
				}
				return s
			})
		})
	}
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
