package faults_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"

	"go.uber.org/goleak"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/storetest"
)

// Turns that are cut leave nothing behind: no goroutine, and no more memory than turns that are not.
func TestCutTurnsLeaveNothing(t *testing.T) {
	turns := 500
	if long() {
		turns = 10_000
	}
	before := goleak.IgnoreCurrent()
	whole, cut := heapOf(t, turns, false), heapOf(t, turns, true)
	t.Logf("%d turns: %d KB of heap whole, %d KB cut", turns, whole>>10, cut>>10)
	if float64(cut) > 1.15*float64(whole) {
		t.Errorf("the heap is %d bytes after cut turns, %d after whole ones", cut, whole)
	}
	if err := goleak.Find(before); err != nil {
		t.Error(err)
	}
}

// heapOf is what a process keeps that has run so many turns, in a hundred sessions of ten users.
func heapOf(t *testing.T, turns int, cuts bool) uint64 {
	t.Helper()
	c := &cutter{Faulty: storetest.Wrap(ramDriver().fresh(t), nil)}
	c.arm(0, func() {})
	config := c.config()
	config.Now, config.NewID = storyTime, numbered("level")
	g, err := graph.New(t.Context(), config)
	must(t, err)
	empty := heap()
	for i := range turns {
		ctx, cancel := context.WithCancel(t.Context())
		if cuts {
			c.arm(1+i%25, cancel)
		}
		_, err := g.Invoke(ctx, graph.Request{
			Scope: state.Scope{User: fmt.Sprintf("u%d", i%10), Session: fmt.Sprintf("s%d", i%100)}, Text: message(i),
		})
		cancel()
		if err != nil && (!cuts || !errors.Is(err, context.Canceled)) {
			t.Fatalf("turn %d: %v", i, err)
		}
	}
	full := heap()
	must(t, g.Close())
	return full - empty
}

// heap is what is in use.
func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
