package vectors_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/memory/index/milvus"
	"github.com/mneme-graph/mneme/memory/index/milvus/milvustest"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// The server of the index is killed and started again while somebody writes and recalls: no call fails, what went by words
// says so, and in the end documents and vectors are in step.
func TestServerKilledUnderway(t *testing.T) {
	t.Parallel()
	server := milvustest.Start(t)
	shelf, err := milvus.Open(t.Context(), milvus.Config{Address: server.Address, Prefix: "vectors"})
	must(t, err)
	s := ram.New()
	m := begin(t, s, "s", shelf)
	u := &user{opened: m, stop: make(chan struct{})}
	var done sync.WaitGroup
	done.Go(func() { u.works(t) })
	until(t, func() bool { return u.with.Load() >= 5 })
	server.Kill()
	until(t, func() bool { return u.without.Load() >= 10 })
	server.Restart()
	before := u.with.Load()
	until(t, func() bool { return u.with.Load() >= before+5 }) // it comes back by itself
	close(u.stop)
	done.Wait()
	must(t, settled(t.Context(), m.Memory, 2*slack))
	want, err := wanted(t.Context(), s)
	must(t, err)
	vectors, err := live(t.Context(), shelf)
	must(t, err)
	list, err := vectors.List(t.Context(), index.Of(scope()))
	must(t, err)
	var got []string
	for _, e := range list {
		got = append(got, e.ID)
	}
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("documents and vectors differ (-documents +vectors):\n%s", diff)
	}
	t.Logf("%d writes and as many recalls with the server, %d without it", u.with.Load(), u.without.Load())
}

// until waits for something to become true.
func until(t *testing.T, is func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*slack)
	defer cancel()
	for !is() {
		if ctx.Err() != nil {
			t.Fatal("given up waiting")
		}
		pause(ctx)
	}
}

// user writes records and recalls them at once.
type user struct {
	*opened
	stop          chan struct{}
	with, without atomic.Int64 // calls that had vectors, and that had not
}

func (u *user) works(t *testing.T) {
	for n := 0; ; n++ {
		trace := &state.Trace{}
		ctx := state.ContextWithTrace(t.Context(), trace)
		receipts, err := u.Write(ctx, scope(), memory.Change{Subject: fmt.Sprintf("locker %d", n), Content: text(n)})
		if err != nil || !receipts[0].Durable || !receipts[0].Visible {
			t.Errorf("write %d: %+v, %v", n, receipts, err)
			return
		}
		hits, err := u.Recall(ctx, memory.Query{Scope: scope(), Text: fmt.Sprintf("code of locker %d", n)})
		if err != nil || len(hits) == 0 || hits[0].ID != receipts[0].ID {
			t.Errorf("recall %d: %d hits, %v; want the record first that was just written", n, len(hits), err)
		}
		if strings.Contains(strings.Join(trace.Notes(), "\n"), "words alone") {
			u.without.Add(1)
			pause(ctx)
		} else {
			u.with.Add(1)
		}
		select {
		case <-u.stop:
			return
		default:
		}
	}
}
