package indextest

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/memory/index"
)

// faultVariable names the mistake for the process that TestFindsFaults starts.
const faultVariable = "INDEXTEST_FAULT"

func TestPlain(t *testing.T) {
	t.Parallel()
	fault := os.Getenv(faultVariable)
	Run(t, func(*testing.T) index.Shelf { return &plainShelf{fault: fault, spaces: map[index.Space]book{}} })
}

// TestFindsFaults gives the suite a driver with one mistake, in a process of its own, where it has to fail; which case found it
// is in its output.
func TestFindsFaults(t *testing.T) {
	if testing.Short() || os.Getenv(faultVariable) != "" {
		t.Skip("starts the suite some forty times")
	}
	t.Parallel()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range []string{
		"put forgets the client", "put forgets the user", "delete forgets the client", "delete forgets the user", "search forgets the client",
		"search forgets the user", "list forgets the client", "list forgets the user", "owners in small letters", "spaces of one model meet",
		"opening empties", "promotes what is not there", "drops the live one", "drops what is to be kept",
		"drops one at a time", "drops while none is live", "drops without a word", "drop keeps the entries", "puts anything", "never replaces",
		"keeps the caller's memory", "times to the second", "batches end at 1000", "lists end at 1000", "lists vectors", "deletes nothing gladly",
		"deletes by prefix", "scores by dot product", "ties by anything", "no negative cosines", "no ids are any", "ids do not filter",
		"kinds do not filter", "the empty kind is any", "sessions do not filter", "from is exclusive", "to is inclusive", "goes on when cancelled",
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), program, "-test.run=^TestPlain$", "-test.short", "-rapid.nofailfile")
			cmd.Env = append(os.Environ(), faultVariable+"="+fault)
			if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "--- FAIL: TestPlain/") {
				t.Errorf("the suite passes a driver that %s (%v):\n%s", fault, err, out)
			}
		})
	}
}
