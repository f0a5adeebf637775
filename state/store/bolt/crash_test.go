package bolt_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.uber.org/goleak"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/bolt"
)

// childEnv, when set, makes the test binary a child process: "hold DIR", "write LOGBYTES DIR", "fill DIR",
// "compact DIR", "move DIR".
const childEnv = "MNEME_BOLT_CHILD"

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
	switch verb {
	case "hold":
		return hold(rest)
	case "write":
		size, dir, _ := strings.Cut(rest, " ")
		return writeForEver(size, dir)
	case "fill":
		return fillDisk(rest)
	case "compact":
		return compactForEver(rest)
	case "move":
		return moveOnFullDisk(rest)
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
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stdin.Close() })
	return cmd, bufio.NewScanner(stdout)
}

// kill ends the child as kill -9 does, and waits until it is gone.
func kill(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // says that it was killed
}

func hold(dir string) error {
	s, err := bolt.Open(context.Background(), bolt.Config{Dir: dir})
	if err != nil {
		return err
	}
	body, err := bson.Marshal(bson.D{})
	if err != nil {
		return err
	}
	if err := s.Write(context.Background(), store.Doc{Collection: state.Affairs, ID: "a", Body: body}); err != nil {
		return err
	}
	fmt.Println("holding")
	_, err = io.Copy(io.Discard, os.Stdin)
	return errors.Join(err, s.Close())
}

func TestSecondProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd, out := child(t, "hold "+dir)
	if !out.Scan() {
		t.Fatal("the child holds nothing")
	}
	began := time.Now()
	_, err := bolt.Open(t.Context(), bolt.Config{Dir: dir})
	want := fmt.Sprintf("%s is in use by pid %d (%s)", dir, cmd.Process.Pid, filepath.Base(os.Args[0]))
	if !errors.Is(err, state.ErrConflict) || !strings.Contains(fmt.Sprint(err), want) {
		t.Errorf("Open = %v, want an error that is ErrConflict and says %q", err, want)
	}
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("the answer took %v", took)
	}
	kill(t, cmd)
	s := open(t, bolt.Config{Dir: dir}) // at once, although the lock file still names the dead
	if n := len(all(t, s)); n != 1 {
		t.Errorf("%d documents after the holder was killed, want 1", n)
	}
	_, err = bolt.Open(t.Context(), bolt.Config{Dir: dir})
	want = fmt.Sprintf("%s is in use by pid %d (%s), which is this process", dir, os.Getpid(), filepath.Base(os.Args[0]))
	if !errors.Is(err, state.ErrConflict) || !strings.Contains(fmt.Sprint(err), want) {
		t.Errorf("second Open = %v, want an error that is ErrConflict and says %q", err, want)
	}
}

func TestLockFileIsOnlyANote(t *testing.T) {
	t.Parallel()
	for name, note := range map[string]string{"empty": "", "garbage": "\x00\xff not a pid", "a living pid": fmt.Sprint(os.Getpid(), " other")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			lock := filepath.Join(dir, "lock")
			if err := os.WriteFile(lock, []byte(note), 0o600); err != nil {
				t.Fatal(err)
			}
			s := open(t, bolt.Config{Dir: dir})
			if err := os.WriteFile(lock, []byte("garbage"), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := bolt.Open(t.Context(), bolt.Config{Dir: dir})
			if !errors.Is(err, state.ErrConflict) || !strings.Contains(err.Error(), "in use by another process") {
				t.Errorf("Open = %v, want a conflict", err)
			}
			if err := os.Remove(lock); err != nil {
				t.Fatal(err)
			}
			closed(t, s)
		})
	}
}

func TestManyOpenOneWins(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var wg sync.WaitGroup
	won := make(chan *bolt.Store, 8)
	for range 8 {
		wg.Go(func() {
			switch s, err := bolt.Open(t.Context(), bolt.Config{Dir: dir}); {
			case err == nil:
				won <- s
			case !errors.Is(err, state.ErrConflict):
				t.Errorf("Open = %v, want a conflict", err)
			}
		})
	}
	wg.Wait()
	if len(won) != 1 {
		t.Fatalf("%d have the store open, want 1", len(won))
	}
	closed(t, <-won)
	wantFiles(t, dir, "store.db")
}

// allOf counts the documents of the affairs.
func allOf(s *bolt.Store) (int, error) {
	docs, err := s.Scan(context.Background(), store.Query{Collection: state.Affairs})
	return len(docs), err
}

const writers = 4

// writeForEver writes from several goroutines and prints what was acknowledged: "WRITER NUMBER". Each
// write is four documents: two inserts in different collections, a counter replaced, a note deleted and made anew.
func writeForEver(logBytes, dir string) error {
	size, err := strconv.Atoi(logBytes)
	if err != nil {
		return err
	}
	s, err := bolt.Open(context.Background(), bolt.Config{Dir: dir, LogBytes: size})
	if err != nil {
		return err
	}
	var mu sync.Mutex
	failed := make(chan error, writers)
	for w := range writers {
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
func count(s *bolt.Store, w int) (int, error) {
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

// TestKill ends a writing process with SIGKILL after a number of acknowledgements, again and again in one
// folder, and looks each time whether everything acknowledged is there and every write whole.
func TestKill(t *testing.T) {
	t.Parallel()
	for _, logBytes := range []int{1, 20_000, 0} {
		t.Run(fmt.Sprint("log ", logBytes), func(t *testing.T) {
			t.Parallel()
			dir, rng := t.TempDir(), rand.New(rand.NewPCG(1, uint64(logBytes)))
			acknowledged := [writers]int{}
			for round := range 10 {
				cmd, out := child(t, fmt.Sprintf("write %d %s", logBytes, dir))
				readAcknowledged(t, out, 1+rng.IntN(120), &acknowledged)
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
				readAcknowledged(t, out, -1, &acknowledged)
				_ = cmd.Wait() // says that it was killed
				where := dir
				if round%3 != 2 {
					where = image(t, dir) // so that the next round finds the log as the crash left it
				}
				s, err := bolt.Open(t.Context(), bolt.Config{Dir: where, LogBytes: logBytes})
				if err != nil {
					t.Fatalf("round %d: Open: %v", round, err)
				}
				for w := range writers {
					n, err := count(s, w)
					if err != nil || n < acknowledged[w] {
						t.Errorf("round %d, writer %d: %d writes are there (%v), %d were acknowledged", round, w, n, err, acknowledged[w])
					}
				}
				closed(t, s)
			}
			t.Logf("10 kills, acknowledged writes by writer: %v", acknowledged)
		})
	}
}

// readAcknowledged reads n lines of a writing child, or all with n < 0, and keeps the highest of each writer.
func readAcknowledged(t *testing.T, out *bufio.Scanner, n int, acknowledged *[writers]int) {
	t.Helper()
	for i := 0; i != n && out.Scan(); i++ {
		var w, number int
		if k, _ := fmt.Sscan(out.Text(), &w, &number); k != 2 || w < 0 || w >= writers {
			continue // the last line may be cut off
		}
		acknowledged[w] = max(acknowledged[w], number)
	}
}
