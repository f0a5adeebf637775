package checkpoint_test

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
	"github.com/mneme-graph/mneme/state/store/sqlite"
)

// stat is what Linux tells of a process; its name may hold anything.
func stat(id int, status string, started int) *fstest.MapFile {
	return &fstest.MapFile{Data: fmt.Appendf(nil, "%d (a) b (c) %s 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 %d 20 21", id, status, started)}
}

// proc is a machine as a process sees it that began at a time.
func proc(boot, space string, started int) fstest.MapFS {
	self := stat(os.Getpid(), "R", started)
	return fstest.MapFS{
		"sys/kernel/random/boot_id":      {Data: []byte(boot + "\n")},
		"self/ns/pid":                    {Data: []byte(space), Mode: fs.ModeSymlink},
		"self/stat":                      self,
		fmt.Sprint(os.Getpid(), "/stat"): self,
	}
}

func among(s store.Store) store.Store {
	return as{s, store.Features{Atomic: s.Features().Atomic, Shared: true}}
}

// seeing makes a log of a process that sees a machine.
func seeing(name string, s store.Store, w *statetest.Clock, proc fs.FS) *checkpoint.Log {
	n := 0
	return checkpoint.New(checkpoint.Config{
		Store: among(s), Now: w.Now, Lease: time.Minute, Proc: proc,
		After: func(time.Duration) <-chan time.Time { return nil },
		NewID: func() string { n++; return fmt.Sprintf("%s-%d", name, n) },
	})
}

// A process that restarts goes on with the turn of the one before it at once, if it can see that that one is dead.
func TestTheHolderIsDead(t *testing.T) {
	t.Parallel()
	without := func(p fstest.MapFS, name string) fstest.MapFS { delete(p, name); return p }
	with := func(p fstest.MapFS, file *fstest.MapFile) fstest.MapFS {
		p[fmt.Sprint(os.Getpid(), "/stat")] = file
		return p
	}
	own := fmt.Sprint(os.Getpid(), "/stat")
	for _, tt := range []struct {
		name   string
		holder fs.FS
		sees   fs.FS
		dead   bool
	}{
		{"its id is free", proc("b", "n", 1), without(proc("b", "n", 2), own), true},
		{"its id is another's", proc("b", "n", 1), proc("b", "n", 2), true},
		{"its parent has not looked", proc("b", "n", 1), with(proc("b", "n", 2), stat(os.Getpid(), "Z", 1)), true},
		{"it is alive", proc("b", "n", 1), with(proc("b", "n", 2), stat(os.Getpid(), "S", 1)), false},
		{"what is said of it has another form", proc("b", "n", 1), with(proc("b", "n", 2), &fstest.MapFile{Data: []byte("?")}), false},
		{"the machine was started again", proc("a", "n", 1), without(proc("b", "n", 2), own), false},
		{"it is in another container", proc("b", "m", 1), without(proc("b", "n", 2), own), false},
		{"it did not know itself", fstest.MapFS{}, without(proc("b", "n", 2), own), false},
		{"the machine cannot be seen", proc("b", "n", 1), fstest.MapFS{}, false},
		{"the processes are shown from elsewhere", proc("b", "n", 1), func() fs.FS {
			p := without(proc("b", "n", 2), own)
			p["self/stat"] = stat(os.Getpid()+1, "R", 2)
			return p
		}(), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, w := ram.New(), newWatch()
			dead := begin(t, seeing("dead", s, w, tt.holder), "x", "t1")
			defer dead.Release()
			commit(t, dead, checkpoint.Commit{})
			l := seeing("p", s, w, tt.sees)
			turn, _, err := l.Take(t.Context(), thread("x"))
			if !tt.dead {
				if after := state.RetryAfter(err); after != time.Minute {
					t.Errorf("Take = %v, to be tried again after %v, want busy for the lease", err, after)
				}
				return
			}
			if err != nil {
				t.Fatalf("Take = %v", err)
			}
			commit(t, turn, checkpoint.Commit{Done: true})
			turn.Release()
		})
	}
}

const heldVariable = "MNEME_TEST_HOLD_DIR"

// TestHoldingChild is no test but the process that TestTheHolderIsKilled starts and kills.
func TestHoldingChild(t *testing.T) {
	dir := os.Getenv(heldVariable)
	if dir == "" {
		t.Skip("started by TestTheHolderIsKilled only")
	}
	s, err := sqlite.Open(t.Context(), sqlite.Config{Dir: dir})
	must(t, err)
	turn := begin(t, seeing("child", s, newWatch(), nil), "x", "t1")
	commit(t, turn, checkpoint.Commit{Parts: []checkpoint.Part{said("a", "1")}})
	fmt.Println("held")
	_, _ = io.Copy(io.Discard, os.Stdin) // until it is killed
}

func TestTheHolderIsKilled(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("this system does not show its processes")
	}
	dir := t.TempDir()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestHoldingChild$")
	child.Env = append(os.Environ(), heldVariable+"="+dir)
	out, err := child.StdoutPipe()
	must(t, err)
	if _, err := child.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	must(t, child.Start())
	for in := bufio.NewScanner(out); in.Scan() && in.Text() != "held"; {
	}
	must(t, child.Process.Kill())
	if err := child.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Fatalf("the child ended with %v", err)
	}
	s, err := sqlite.Open(t.Context(), sqlite.Config{Dir: dir})
	must(t, err)
	defer func() { must(t, s.Close()) }()
	l := seeing("p", s, newWatch(), nil) // not a moment later
	turn, steps := take(t, l, "x")
	if len(steps) != 1 {
		t.Errorf("%d steps, want the one of the child", len(steps))
	}
	commit(t, turn, checkpoint.Commit{Done: true})
	turn.Release()
}
