package flow_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/field"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/sqlite"
)

// The environment of a child process: the folder it works in, and the place where it dies.
const (
	dirVariable = "MNEME_TEST_KILL_DIR"
	dieVariable = "MNEME_TEST_KILL_AT"
)

// TestKillChild is no test but the process that TestKill starts. It kills itself.
func TestKillChild(t *testing.T) {
	dir := os.Getenv(dirVariable)
	if dir == "" {
		t.Skip("started by TestKill only")
	}
	_, err := attempt(t, dir, os.Getenv(dieVariable))
	if err != nil {
		t.Fatal(err)
	}
}

// attempt goes on with the turn in a folder, in this process, which dies at the place named.
func attempt(t *testing.T, dir, die string) (trip, error) {
	s, err := sqlite.Open(t.Context(), sqlite.Config{Dir: dir})
	if err != nil {
		return trip{}, err
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	mortal := &mortal{Store: s, die: die}
	graph := pipeline(func(name string) error {
		mortal.pass(name)
		return noteRun(dir, name)
	})
	cfg := logConfig(mortal)
	cfg.NewID = func() string { return fmt.Sprintf("%d-%d", os.Getpid(), processes.Add(1)) }
	g, err := graph.Compile(t.Context(), flow.Config[trip]{Log: checkpoint.New(cfg)})
	if err != nil {
		return trip{}, err
	}
	return resumeInner(t.Context(), g, trip{Note: field.Of("hi")})
}

// mortal is a store in a process that dies before or after its n-th write, or at a gate.
type mortal struct {
	store.Store
	die    string
	writes int
}

func (m *mortal) Write(ctx context.Context, docs ...store.Doc) error {
	m.writes++
	m.pass(fmt.Sprintf("before write %d", m.writes))
	err := m.Store.Write(ctx, docs...)
	m.pass(fmt.Sprintf("after write %d", m.writes))
	return err
}

// pass is where the process dies if this is the place: at once, with nothing cleaned up.
func (m *mortal) pass(place string) {
	if place != m.die {
		return
	}
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Kill()
	}
	if err != nil {
		panic(err)
	}
	select {}
}

// noteRun writes down that a gate was passed; a line of a file outlives the process.
func noteRun(dir, name string) error {
	f, err := os.OpenFile(filepath.Join(dir, "runs"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(name + "\n")
	return errors.Join(err, f.Close())
}

func runsIn(t *testing.T, dir string) map[string]int {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, "runs"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	runs := map[string]int{}
	for _, name := range strings.Fields(string(raw)) {
		runs[name]++
	}
	return runs
}

// child runs one attempt in a process of its own and reports whether it was killed.
func child(t *testing.T, dir, die string) (killed bool) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKillChild$", "-test.count=1")
	cmd.Env = append(os.Environ(), dirVariable+"="+dir, dieVariable+"="+die)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.Exited()) {
		t.Fatalf("child: %v\n%s", err, out.String())
	}
	return err != nil
}

// A process is killed at every place of a turn in turn: at each gate of its nodes, and before and after
// each write. A new process finishes the turn: the state is that of an undisturbed turn, each effect is
// there once, and nothing that was committed is done again.
func TestKill(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts some fifty processes")
	}
	var places []string
	for _, i := range interruptions() {
		places = append(places, i.at)
	}
	for n := 1; n <= 5; n++ {
		places = append(places, fmt.Sprintf("before write %d", n), fmt.Sprintf("after write %d", n))
	}
	for _, place := range places {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if !child(t, dir, place) {
				t.Fatal("the child lived on")
			}
			child(t, dir, "after write 1") // dies again, right after it took the turn over (if it had to)
			finish(t, dir)
			for name, n := range runsIn(t, dir) {
				if n > 3 || n > 2 && name != "load" && name != "intake" {
					t.Errorf("%s ran %d times", name, n)
				}
			}
		})
	}
}

// finish goes on with the turn in this process and looks at what it leaves.
func finish(t *testing.T, dir string) {
	t.Helper()
	got, err := attempt(t, dir, "")
	if err != nil {
		t.Fatalf("going on: %v", err)
	}
	if diff := cmp.Diff(seen{Trail: whole(), Note: "hi"}, view(got)); diff != "" {
		t.Errorf("state (-want +got):\n%s", diff)
	}
	s, err := sqlite.Open(t.Context(), sqlite.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	if diff := cmp.Diff(once(), paid(t, s)); diff != "" {
		t.Errorf("effects (-want +got):\n%s", diff)
	}
	if open, err := newLog(s).Unfinished(t.Context(), "c"); err != nil || len(open) > 0 {
		t.Errorf("unfinished: %v, %v", open, err)
	}
	head, err := newLog(s).Head(t.Context(), state.Thread{Client: "c", ID: "x"})
	if err != nil || !head.Done {
		t.Errorf("head = %+v, %v", head, err)
	}
}

// Killed once at a gate, the turn runs exactly what an error at that place makes it run.
func TestKillRuns(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts processes")
	}
	for _, i := range interruptions() {
		t.Run(i.at, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if !child(t, dir, i.at) {
				t.Fatal("the child lived on")
			}
			finish(t, dir)
			want := i.runs()
			want[i.at]-- // it died at the gate, before it could be noted
			if strings.HasPrefix(i.at, "after") {
				delete(want, i.at)
			}
			if diff := cmp.Diff(want, runsIn(t, dir)); diff != "" {
				t.Errorf("runs (-want +got):\n%s", diff)
			}
		})
	}
}
