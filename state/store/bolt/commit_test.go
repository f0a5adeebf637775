package bolt

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/storetest"
)

// TestStoreWithSmallLog runs the suite with a log that goes into store.db at nearly every commit.
func TestStoreWithSmallLog(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1, 200, 2000} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			t.Parallel()
			storetest.Run(t, func(t *testing.T) store.Store {
				s, err := Open(t.Context(), Config{Dir: t.TempDir(), LogBytes: size})
				if err != nil {
					t.Fatal(err)
				}
				s.base.db.NoSync = true // nobody cuts the power meanwhile
				t.Cleanup(func() {
					if err := s.Close(); err != nil {
						t.Errorf("Close: %v", err)
					}
				})
				return s
			})
		})
	}
}

// stalled opens a store whose commits wait until the returned function is called.
func stalled(t *testing.T) (*Store, func()) {
	t.Helper()
	s, err := Open(t.Context(), Config{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	s.writing.Lock()
	return s, s.writing.Unlock
}

// waitFor returns once n requests wait behind the one that leads.
func (s *Store) waitFor(n int) {
	for {
		s.queue.mu.Lock()
		waiting, leading := len(s.queue.waiting), s.queue.leading
		s.queue.mu.Unlock()
		if leading && waiting == n {
			return
		}
		runtime.Gosched()
	}
}

func TestWritesThatWaitShareACommit(t *testing.T) {
	t.Parallel()
	s, release := stalled(t)
	var wg sync.WaitGroup
	insert := func(id string) {
		wg.Go(func() {
			if err := s.Write(context.Background(), sample(state.Affairs, id, 0, 10)); err != nil {
				t.Errorf("Write: %v", err)
			}
		})
	}
	insert("leader")
	s.waitFor(0)
	for i := range 20 {
		insert(fmt.Sprint("follower/", i))
	}
	s.waitFor(20)
	release()
	wg.Wait()
	stats, err := s.Stats(t.Context())
	if err != nil || stats.Writes != 21 || stats.Commits != 2 {
		t.Errorf("%d writes in %d commits, %v, want 21 in 2", stats.Writes, stats.Commits, err)
	}
}

// TestEachOfAGroupHasItsOwnOutcome lets requests that build on and exclude each other into one commit.
func TestEachOfAGroupHasItsOwnOutcome(t *testing.T) {
	t.Parallel()
	s, release := stalled(t)
	go func() { _ = s.Write(context.Background(), sample(state.Feed, "leader", 0, 10)) }()
	s.waitFor(0)
	requests := []struct {
		docs     []store.Doc
		conflict bool
	}{
		{[]store.Doc{sample(state.Affairs, "a", 0, 10)}, false},
		{[]store.Doc{sample(state.Affairs, "a", 0, 20)}, true},
		{[]store.Doc{sample(state.Affairs, "a", 1, 30), sample(state.Affairs, "b", 0, 10)}, false},
		{[]store.Doc{sample(state.Affairs, "c", 0, 10), sample(state.Affairs, "b", 0, 10)}, true},
		{[]store.Doc{{Collection: state.Affairs, ID: "a", Rev: 2}}, false},
		{[]store.Doc{sample(state.Affairs, "a", 0, 40)}, false},
	}
	errs := make([]error, len(requests))
	var wg sync.WaitGroup
	for i, r := range requests {
		wg.Go(func() { errs[i] = s.Write(context.Background(), r.docs...) })
		s.waitFor(i + 1)
	}
	release()
	wg.Wait()
	for i, r := range requests {
		if got := errors.Is(errs[i], state.ErrConflict); got != r.conflict || errs[i] != nil && !got {
			t.Errorf("request %d: %v, want a conflict: %t", i, errs[i], r.conflict)
		}
	}
	docs, err := s.Scan(t.Context(), store.Query{Collection: state.Affairs})
	if err != nil || len(docs) != 2 || docs[0].Rev != 1 || len(docs[0].Body) != len(requests[5].docs[0].Body) {
		t.Errorf("%d documents, %v, want the last a at revision 1, and b", len(docs), err)
	}
}

func TestCancelledWhileWaiting(t *testing.T) {
	t.Parallel()
	s, release := stalled(t)
	outcome := make(chan error, 3)
	ctx, cancel := context.WithCancel(t.Context())
	write := func(ctx context.Context, id string) {
		outcome <- s.Write(ctx, sample(state.Affairs, id, 0, 10))
	}
	go write(context.Background(), "a/leader")
	s.waitFor(0)
	go write(ctx, "b/cancelled")
	s.waitFor(1)
	go write(context.Background(), "c/behind")
	s.waitFor(2)
	cancel()
	if err := <-outcome; !errors.Is(err, context.Canceled) || state.CodeOf(err) != state.Unavailable {
		t.Errorf("Write = %v, want context.Canceled as an Unavailable error", err)
	}
	release()
	for range 2 {
		if err := <-outcome; err != nil {
			t.Errorf("Write: %v", err)
		}
	}
	docs, err := everything(s)
	if err != nil || len(docs) != 2 || docs[0].ID != "a/leader" || docs[1].ID != "c/behind" {
		t.Errorf("%d documents, %v, want what was not cancelled", len(docs), err)
	}
}

// TestStoreFileErrors takes store.db away from bbolt: writes go on in the log, the failure is said to the
// logger and at Close, and after another Open everything is there.
func TestStoreFileErrors(t *testing.T) {
	t.Parallel()
	var lines strings.Builder
	cfg := Config{Dir: t.TempDir(), LogBytes: 3000, Log: slog.New(slog.NewTextHandler(&lines, nil))}
	s, err := Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Write(t.Context(), sample(state.Affairs, "a/00", 0, 500)); err != nil {
		t.Fatal(err)
	}
	if err := s.base.file.Close(); err != nil {
		t.Fatal(err)
	}
	for i := 1; i < 20; i++ {
		if err := s.Write(t.Context(), sample(state.Affairs, fmt.Sprintf("a/%02d", i), 0, 500)); err != nil {
			t.Fatalf("Write: %v", err)
		}
	}
	if n := strings.Count(lines.String(), "the log cannot be written into the store yet"); n < 2 || n > 6 {
		t.Errorf("the failure was logged %d times:\n%s", n, lines.String())
	}
	before, err := everything(s)
	if err != nil || len(before) != 20 {
		t.Errorf("%d documents, %v, want 20", len(before), err)
	}
	if err := s.Flush(t.Context()); !errors.Is(err, state.ErrUnavailable) {
		t.Errorf("Flush = %v, want an error that is ErrUnavailable", err)
	}
	if err := s.Close(); !errors.Is(err, state.ErrUnavailable) || !strings.Contains(err.Error(), "store.db") {
		t.Errorf("Close = %v, want an error that is ErrUnavailable and names the file", err)
	}
	s, err = Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	after, err := everything(s)
	if err := errors.Join(err, s.Close()); err != nil || !equal(before, after) {
		t.Errorf("after another Open: %d documents, %v, want %d", len(after), err, len(before))
	}
}

// TestReadersDuringFlush reads pairs of documents that are always written together, while every commit
// goes into store.db at once or after a few others.
func TestReadersDuringFlush(t *testing.T) {
	t.Parallel()
	for _, logBytes := range []int{1, 500} {
		t.Run(fmt.Sprint(logBytes), func(t *testing.T) {
			t.Parallel()
			s, err := Open(t.Context(), Config{Dir: t.TempDir(), LogBytes: logBytes})
			if err != nil {
				t.Fatal(err)
			}
			s.base.db.NoSync = true // more commits in the same time
			stop := make(chan struct{})
			var wg sync.WaitGroup
			for range 3 {
				wg.Go(func() {
					for newest := int64(0); ; {
						docs, err := s.Scan(context.Background(), store.Query{Collection: state.Affairs})
						if err != nil || len(docs) > 0 && (len(docs) != 2 || docs[0].Rev != docs[1].Rev || docs[0].Rev < newest) {
							t.Errorf("%d documents, %v: not what was written together, or older than before", len(docs), err)
							return
						}
						if len(docs) > 0 {
							newest = docs[0].Rev
						}
						select {
						case <-stop:
							return
						default:
						}
					}
				})
			}
			for i := range 400 {
				if err := s.Write(t.Context(), sample(state.Affairs, "a", int64(i), 50), sample(state.Affairs, "b", int64(i), 50)); err != nil {
					t.Fatal(err)
				}
			}
			close(stop)
			wg.Wait()
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
