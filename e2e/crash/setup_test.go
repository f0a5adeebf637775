package crash_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/mneme-graph/mneme/e2e/crash"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
	"github.com/mneme-graph/mneme/state/store"
)

// childWord, as the only argument, makes the test binary a child process.
const childWord = "child-of-a-crash-test"

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == childWord {
		if err := child(context.Background(), os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "child:", err)
			os.Exit(1)
		}
		return
	}
	// The server that all tests share ends with the process.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/mneme-graph/mneme/state/store/mongo/mongotest.(*Server).run.func2"),
		goleak.IgnoreAnyFunction("os/exec.(*Cmd).Start.func2"), goleak.IgnoreAnyFunction("os/exec.(*Cmd).writerDescriptor.func1"))
}

// job is what a child has to do: to live a life on a store, and where it ends.
type job struct {
	Do       string // what: "turn", "recover", "siblings", "batches", "answers", "nothing"
	Driver   string // of the store
	At       string // where the store is, as the driver understands it
	Notes    string // folder that outlives the processes
	Life     int    // numbers the processes that work on one store, from 1
	Rules    bool   // no small model judges: the decision then rides with the first answer
	End      string // of the story of a session that ends: how it ends; "" = it is a turn
	GoOn     string // how the next process goes on: "resumes", "sweeps" first as a server does when it starts, "again" with the message, as from a queue
	Provider string // of the batch service, and where it is
	URL      string
	Choice   string // how suggestions are answered
	Die      string // place at which the process dies
	DieNth   int    // number of the place at which it dies
}

// answer is what a child that lives on says.
type answer struct {
	Reply  string
	Places []string
	Next   string // what the turn after it finds
}

// child is the main function of a child process.
func child(ctx context.Context, in io.Reader, out io.Writer) error {
	var j job
	if err := json.NewDecoder(in).Decode(&j); err != nil {
		return err
	}
	a, err := j.live(ctx)
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(a)
}

// live does the job in this process.
func (j job) live(ctx context.Context) (a answer, err error) {
	s, err := driverNamed(j.Driver).open(ctx, j.At)
	if err != nil {
		return a, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	w := &crash.Walk{
		Dies: func(n int, place string) bool { return place == j.Die || n == j.DieNth },
		Saw: func(place string) {
			if err := note(j.Notes, fmt.Sprintf("life-%d", j.Life), place); err != nil {
				panic(err)
			}
		},
	}
	switch j.Do {
	case "turn", "recover":
		if j.End != "" {
			a.Reply, err = j.end(ctx, w, s)
		} else if a.Reply, err = j.play(ctx, w, s); err == nil {
			a.Next, err = j.after(ctx, s)
		}
	case "batches":
		err = j.batches(ctx, w, s)
	case "answers":
		err = j.answers(ctx, w, s)
	case "siblings":
		a.Reply, err = j.siblings(ctx, w, s)
	case "nothing":
		w.Pass("only place")
	default:
		err = errors.New("unknown job " + j.Do)
	}
	a.Places = w.Passed()
	return a, err
}

// clock stands still in a life. Where a store is shared, a turn is safe from others for a while: the next life comes
// after it.
func (j job) clock(s store.Store) func() time.Time {
	now := storyTime()
	if s.Features().Shared {
		now = now.Add(time.Duration(j.Life) * (state.LeaseTTL + time.Second))
	}
	return func() time.Time { return now }
}

// newID numbers ids, with the number of the process in front.
func (j job) newID() func() string {
	var n atomic.Int64
	return func() string { return fmt.Sprintf("id-%d-%d", j.Life, n.Add(1)) }
}

// run does the job in a process of its own and reports whether that was killed.
func (j job) run(t *testing.T) (a answer, killed bool) {
	t.Helper()
	killed, err := crash.Run(t.Context(), []string{os.Args[0], childWord}, j, &a)
	if err != nil {
		t.Fatalf("life %d: %v", j.Life, err)
	}
	return a, killed
}

// passed are the places that a life came by, also one that was killed.
func (j job) passed(t *testing.T, life int) []string {
	return lines(t, j.Notes, fmt.Sprintf("life-%d", life))
}

// note writes a line to a file of a folder. It is there whatever becomes of the process.
func note(dir, file, line string) error {
	f, err := os.OpenFile(filepath.Join(dir, file), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(line + "\n")
	return errors.Join(err, f.Close())
}

// lines reads what was noted; a file that is missing has none.
func lines(t *testing.T, dir, file string) []string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	text := strings.TrimSuffix(string(raw), "\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

var must, same = statetest.Must, statetest.Same
