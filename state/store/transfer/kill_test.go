package transfer_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/state/statetest"
	"github.com/mneme-graph/mneme/state/store/sqlite"
	"github.com/mneme-graph/mneme/state/store/transfer"
)

// childEnv, when set, makes the test binary a process that copies: "FROM TO", two folders.
const childEnv = "MNEME_TRANSFER_CHILD"

func TestMain(m *testing.M) {
	if job := os.Getenv(childEnv); job != "" {
		if err := copyFolder(job); err != nil {
			fmt.Fprintln(os.Stderr, "child:", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// copyFolder copies one folder to another in small pages and prints a line after each.
func copyFolder(job string) error {
	source, target, _ := strings.Cut(job, " ")
	ctx := context.Background()
	from, err := sqlite.Open(ctx, sqlite.Config{Dir: source})
	if err != nil {
		return err
	}
	to, err := sqlite.Open(ctx, sqlite.Config{Dir: target})
	if err != nil {
		return errors.Join(err, from.Close())
	}
	report, err := transfer.Copy(ctx, transfer.Config{From: from, To: to, Page: 5, Progress: func(p transfer.Progress) {
		fmt.Println(p.Phase, p.Documents)
	}})
	if err == nil {
		fmt.Println("done", report.Resumed)
	}
	return errors.Join(err, from.Close(), to.Close())
}

// TestKill ends a copying process with SIGKILL after a number of pages, again and again, until one comes to
// its end: the copy is then what one that was never killed makes.
func TestKill(t *testing.T) {
	t.Parallel()
	dir, rng := t.TempDir(), rand.New(rand.NewPCG(5, 6))
	source, target := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	s := open(t, source)
	for i := range 900 {
		size := 1 + i%90
		if i%100 == 50 {
			size = 40_000
		}
		write(t, s, doc("records", fmt.Sprintf("c/u/%04d", i), strings.Repeat("words ", size)), doc("steps", fmt.Sprintf("c/t/%04d", i), "step"))
	}
	must(t, s.Close())
	kills, last := 0, ""
	for ; !strings.HasPrefix(last, "done"); kills++ {
		last = killAfter(t, source+" "+target, 3+rng.IntN(50))
		if kills > 500 {
			t.Fatalf("no end after %d kills: %s", kills, last)
		}
	}
	if kills < 5 || last != "done true" {
		t.Errorf("%d kills, %s: want some, and the last run to go on where another was", kills, last)
	}
	t.Logf("%d kills", kills-1)
	wantCopy(t, open(t, source), open(t, target))
}

// killAfter starts a copy, kills it when it has printed so many lines, and returns the last line.
func killAfter(t *testing.T, job string, lines int) (last string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+job)
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	out := bufio.NewScanner(stdout)
	for i := 0; i < lines && out.Scan(); i++ {
		last = out.Text()
	}
	if !strings.HasPrefix(last, "verify") { // that it may end
		_ = cmd.Process.Kill() // it may have ended
	}
	for out.Scan() {
		last = out.Text()
	}
	_ = cmd.Wait() // says that it was killed
	return last
}

var must, same = statetest.Must, statetest.Same
