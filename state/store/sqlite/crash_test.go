package sqlite_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.uber.org/goleak"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/sqlite"
)

// childEnv, when set, makes the test binary a child process: "write FIRST DIR", "raise TIMES DIR", "fill DIR",
// "read DOCUMENTS DIR".
const childEnv = "MNEME_SQLITE_CHILD"

func TestMain(m *testing.M) {
	if job := os.Getenv(childEnv); job != "" {
		if err := runChild(job); err != nil {
			fmt.Fprintln(os.Stderr, "child:", err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

func runChild(job string) error {
	verb, rest, _ := strings.Cut(job, " ")
	number, dir, _ := strings.Cut(rest, " ")
	n, _ := strconv.Atoi(number)
	switch verb {
	case "write":
		return writeForEver(n, dir)
	case "raise":
		return raise(n, dir)
	case "fill":
		return fillDisk(rest)
	case "read":
		return readWithoutRights(n, dir)
	}
	return errors.New("unknown job " + job)
}

// child starts this test binary as another process.
func child(t *testing.T, job string) (cmd *exec.Cmd, out *bufio.Scanner) {
	t.Helper()
	cmd = exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+job)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe() // open until the test ends; the child ends when it is closed
	must(t, err)
	stdout, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() { _ = stdin.Close() })
	return cmd, bufio.NewScanner(stdout)
}

const writers = 3 // of a child

// writeForEver writes from several goroutines and prints what was acknowledged: "WRITER NUMBER". Each
// write is four documents: two inserts in different collections, a counter replaced, a note deleted and made anew.
func writeForEver(first int, dir string) error {
	s, err := sqlite.Open(context.Background(), sqlite.Config{Dir: dir})
	if err != nil {
		return err
	}
	var mu sync.Mutex
	failed := make(chan error, writers)
	for w := first; w < first+writers; w++ {
		go func() {
			n, err := count(s, w)
			for err == nil {
				n++
				if err = s.Write(context.Background(), batch(w, n)...); err == nil {
					mu.Lock()
					fmt.Println(w, n)
					mu.Unlock()
				}
			}
			failed <- err
		}()
	}
	return <-failed
}

// batch is write number n of a writer.
func batch(w, n int) []store.Doc {
	part := func(c state.Collection, id string, rev, size int) store.Doc {
		body, err := bson.Marshal(bson.D{{Key: "n", Value: int64(n)}, {Key: "text", Value: strings.Repeat(string(rune('a'+n%26)), size)}})
		if err != nil {
			panic(err)
		}
		return store.Doc{Collection: c, ID: id, Rev: int64(rev), Body: body}
	}
	size := 100
	if n%37 == 0 {
		size = 400 << 10
	}
	docs := []store.Doc{
		part(state.Records, fmt.Sprintf("%d/%06d", w, n), 0, size), part(state.Steps, fmt.Sprintf("%d/%06d", w, n), 0, 10),
		part(state.Sessions, fmt.Sprint(w), n-1, 10),
	}
	note := part(state.Open, fmt.Sprint(w), 0, 1)
	if n%2 == 0 {
		note.Rev, note.Body = 1, nil
	}
	return append(docs, note)
}

// count is how many writes of a writer the store holds; it fails if one of them is not whole.
func count(s *sqlite.Store, w int) (int, error) {
	ctx := context.Background()
	records, err1 := s.Scan(ctx, store.Query{Collection: state.Records, Prefix: fmt.Sprint(w, "/")})
	steps, err2 := s.Scan(ctx, store.Query{Collection: state.Steps, Prefix: fmt.Sprint(w, "/")})
	counter, err3 := s.Get(ctx, state.Sessions, fmt.Sprint(w))
	_, err4 := s.Get(ctx, state.Open, fmt.Sprint(w))
	n := len(records)
	if errors.Is(err3, state.ErrNotFound) && n == 0 {
		err3 = nil
	}
	if errors.Is(err4, state.ErrNotFound) && n%2 == 0 {
		err4 = nil
	}
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return 0, err
	}
	if len(steps) != n || counter.Rev != int64(n) {
		return 0, fmt.Errorf("writer %d: %d records, %d steps, counter at %d: a write is not whole", w, n, len(steps), counter.Rev)
	}
	for i, d := range records {
		if want := batch(w, i+1)[0]; d.ID != want.ID || string(d.Body) != string(want.Body) {
			return 0, fmt.Errorf("writer %d: %s stands where %s should", w, d.ID, want.ID)
		}
	}
	return n, nil
}

// TestKill has two processes write into one folder and ends them with SIGKILL, one while the other goes on, again and
// again, and looks each time whether everything acknowledged is there and every write whole.
func TestKill(t *testing.T) {
	t.Parallel()
	dir, rng := t.TempDir(), rand.New(rand.NewPCG(1, 2))
	acknowledged := [2 * writers]int{}
	for round := range 10 {
		a, outA := child(t, "write 0 "+dir)
		b, outB := child(t, fmt.Sprintf("write %d %s", writers, dir))
		readAcknowledged(t, outA, 1+rng.IntN(60), &acknowledged)
		must(t, a.Process.Kill())
		readAcknowledged(t, outA, -1, &acknowledged)
		readAcknowledged(t, outB, 1+rng.IntN(60), &acknowledged)
		must(t, b.Process.Kill())
		readAcknowledged(t, outB, -1, &acknowledged)
		_, _ = a.Wait(), b.Wait() // say that they were killed
		where := dir
		if round%3 != 2 {
			where = image(t, dir) // so that the next round finds the log as the crash left it
		}
		s := open(t, sqlite.Config{Dir: where})
		for w := range acknowledged {
			n, err := count(s, w)
			if err != nil || n < acknowledged[w] {
				t.Errorf("round %d, writer %d: %d writes are there (%v), %d were acknowledged", round, w, n, err, acknowledged[w])
			}
		}
		closed(t, s)
	}
	t.Logf("20 kills, acknowledged writes by writer: %v", acknowledged)
}

// raise raises one counter by compare-and-swap.
func raise(times int, dir string) error {
	ctx := context.Background()
	s, err := sqlite.Open(ctx, sqlite.Config{Dir: dir})
	for i := 0; i < times && err == nil; {
		var d store.Doc
		if d, err = s.Get(ctx, state.Affairs, "counter"); errors.Is(err, state.ErrNotFound) {
			err = nil
		}
		next := doc("counter", d.Rev, int(d.Rev))
		if err == nil {
			err = s.Write(ctx, next, doc(fmt.Sprint("raised/", d.Rev), 0, 10))
		}
		if err == nil {
			i++
		} else if errors.Is(err, state.ErrConflict) {
			err = nil
		}
	}
	return errors.Join(err, s.Close())
}

// TestProcessesCount has three processes make one folder and raise one counter in it.
func TestProcessesCount(t *testing.T) {
	t.Parallel()
	const processes, times = 3, 60
	dir := filepath.Join(t.TempDir(), "made by one of them")
	var children []*exec.Cmd
	for range processes {
		cmd, _ := child(t, fmt.Sprintf("raise %d %s", times, dir))
		children = append(children, cmd)
	}
	s := open(t, sqlite.Config{Dir: dir})
	for _, cmd := range children {
		if err := cmd.Wait(); err != nil {
			t.Fatalf("a child that counts: %v", err)
		}
	}
	d, err := s.Get(t.Context(), state.Affairs, "counter")
	if err != nil || d.Rev != processes*times || len(all(t, s)) != processes*times+1 {
		t.Errorf("the counter is at %d with %d documents, %v, want %d and %d", d.Rev, len(all(t, s)), err, processes*times, processes*times+1)
	}
}

// image copies the files of a store as a crash at this moment would leave them.
func image(t testing.TB, dir string) string {
	t.Helper()
	copied := t.TempDir()
	for _, name := range []string{"store.db", "store.db-wal", "store.mark"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(copied, name), b, 0o600)
		}
		must(t, err)
	}
	return copied
}

// readAcknowledged reads n lines of a writing child, or all with n < 0, and keeps the highest of each writer.
func readAcknowledged(t *testing.T, out *bufio.Scanner, n int, acknowledged *[2 * writers]int) {
	t.Helper()
	for i := 0; i != n && out.Scan(); i++ {
		var w, number int
		if k, _ := fmt.Sscan(out.Text(), &w, &number); k != 2 || w < 0 || w >= 2*writers {
			continue // the last line may be cut off
		}
		acknowledged[w] = max(acknowledged[w], number)
	}
}

// allOf counts the documents of the affairs.
func allOf(s *sqlite.Store) (int, error) {
	docs, err := s.Scan(context.Background(), store.Query{Collection: state.Affairs})
	return len(docs), err
}
