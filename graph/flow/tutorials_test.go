package flow_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/state/store/sqlite"
)

// programVariable names the tutorial that a child process plays.
const programVariable = "MNEME_TEST_KILL_PROGRAM"

// tutorials are LangGraph's tutorial programs. Each goes on where it stood when it is called again.
func tutorials() map[string]func(context.Context, *checkpoint.Log) (string, error) {
	return map[string]func(context.Context, *checkpoint.Log) (string, error){
		"chatbot": chatbot, "human in the loop": approved, "time travel": travelled,
		"map-reduce": mapReduced, "sub-graph": nested, "hand-over": handedOver,
	}
}

// TestTutorialChild is no test but the process that TestTutorialsKilled starts. It kills itself.
func TestTutorialChild(t *testing.T) {
	play := tutorials()[os.Getenv(programVariable)]
	if play == nil {
		t.Skip("started by TestTutorialsKilled only")
	}
	_, _, err := playIn(t, os.Getenv(dirVariable), os.Getenv(dieVariable), play)
	if err != nil {
		t.Fatal(err)
	}
}

// playIn plays a tutorial in a folder, in this process, which dies at the place named, and counts its writes.
func playIn(t *testing.T, dir, die string, play func(context.Context, *checkpoint.Log) (string, error)) (string, int, error) {
	s, err := sqlite.Open(t.Context(), sqlite.Config{Dir: dir})
	if err != nil {
		return "", 0, err
	}
	mortal := &mortal{Store: s, die: die}
	cfg := logConfig(mortal)
	cfg.NewID = func() string { return fmt.Sprintf("%d-%d", os.Getpid(), processes.Add(1)) }
	log := checkpoint.New(cfg)
	out, err := play(t.Context(), log)
	return out, mortal.writes, errors.Join(err, log.Close(), s.Close())
}

// Each tutorial is killed in its middle, before and after a commit (with MNEME_LONG at every one), and played again by another
// process: it ends as if nothing had happened.
func TestTutorialsKilled(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts some twenty processes")
	}
	for name, play := range tutorials() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want, writes, err := playIn(t, t.TempDir(), "", play)
			if err != nil {
				t.Fatal(err)
			}
			for n := 1; n <= writes; n++ {
				for _, when := range []string{"before", "after"} {
					if os.Getenv("MNEME_LONG") == "" && n != (writes+1)/2 {
						continue
					}
					dir, die := t.TempDir(), fmt.Sprintf("%s write %d", when, n)
					playAndDie(t, dir, name, die)
					got, _, err := playIn(t, dir, "", play)
					if err != nil || got != want {
						t.Errorf("killed %s of %d: %q, %v, want %q", die, writes, got, err, want)
					}
				}
			}
		})
	}
}

// playAndDie plays a tutorial in a process that kills itself.
func playAndDie(t *testing.T, dir, name, die string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestTutorialChild$", "-test.count=1")
	cmd.Env = append(os.Environ(), dirVariable+"="+dir, dieVariable+"="+die, programVariable+"="+name)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	var exit *exec.ExitError
	if err := cmd.Run(); !errors.As(err, &exit) || exit.Exited() {
		t.Fatalf("child was not killed: %v\n%s", err, out.String())
	}
}
