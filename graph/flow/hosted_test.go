package flow_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/cloudwego/eino/compose"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
)

func host(t *testing.T, s store.Store, now func() time.Time) *checkpoint.Host {
	t.Helper()
	h, err := checkpoint.NewHost(checkpoint.HostConfig{Store: s, Now: now, Client: "c", Keep: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// asking is a graph of eino's own that interrupts in its second node; fails says how often that node fails after it.
func asking(t *testing.T, h *checkpoint.Host, did *tally, fails int) compose.Runnable[string, string] {
	t.Helper()
	g := compose.NewGraph[string, string]()
	_ = g.AddLambdaNode("first", compose.InvokableLambda(func(_ context.Context, in string) (string, error) {
		did.add("first")
		return in + "!", nil
	}))
	_ = g.AddLambdaNode("second", compose.InvokableLambda(func(_ context.Context, in string) (string, error) {
		if did.add("second") <= fails {
			return "", errBoom
		}
		return "answer to " + in, nil
	}))
	_ = g.AddEdge(compose.START, "first")
	_ = g.AddEdge("first", "second")
	_ = g.AddEdge("second", compose.END)
	r, err := g.Compile(t.Context(), compose.WithCheckPointStore(h), compose.WithInterruptBeforeNodes([]string{"second"}))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// An interrupt of a host's graph lives in our store, is resumed by another process, and its end leaves nothing behind
// that could answer a later turn.
func TestHostedInterrupt(t *testing.T) {
	t.Parallel()
	s := ram.NewLoose()
	var did tally
	run := func(turn, text string) (string, error) {
		h := host(t, s, clock) // another process
		return flow.RunHosted(t.Context(), h, asking(t, h, &did, 1), thread("x"), turn, text)
	}
	for _, turn := range []string{"t1", "t2"} {
		_, err := run(turn, turn)
		if _, ok := compose.ExtractInterruptInfo(err); !ok {
			t.Fatalf("%s: want an interrupt, got %v", turn, err)
		}
	}
	if _, err := run("t1", "not heard"); !errors.Is(err, errBoom) {
		t.Fatalf("t1 resumed: want the node's error, got %v", err)
	}
	for _, turn := range []string{"t1", "t2"} {
		if got, err := run(turn, "not heard"); err != nil || got != "answer to "+turn+"!" {
			t.Errorf("%s resumed = %q, %v", turn, got, err)
		}
	}
	if got := did.all()["first"]; got != 2 {
		t.Errorf("the first node ran %d times, want once a turn", got)
	}
	docs, err := s.Scan(t.Context(), store.Query{Collection: state.Hosts})
	if err != nil || len(docs) != 0 {
		t.Errorf("left behind: %d checkpoints, %v", len(docs), err)
	}
	if _, err := run("t1", "new"); err == nil || !strings.Contains(err.Error(), "interrupt") {
		t.Errorf("the same turn again = %v, want to be asked anew and not an old answer", err)
	}
}

func TestHost(t *testing.T) {
	t.Parallel()
	s, at := ram.New(), clock()
	h := host(t, s, func() time.Time { return at })
	for _, id := range []string{"a", "a/b$c", "\x00", strings.Repeat("x", 200)} {
		if err := h.Set(t.Context(), id, []byte("1")); err != nil {
			t.Fatal(err)
		}
		if err := h.Set(t.Context(), id, []byte(id)); err != nil {
			t.Fatal(err)
		}
		if got, ok, err := h.Get(t.Context(), id); string(got) != id || !ok || err != nil {
			t.Errorf("Get %q = %q, %v, %v", id, got, ok, err)
		}
	}
	if _, ok, err := h.Get(t.Context(), "b"); ok || err != nil {
		t.Errorf("an unknown id: %v, %v", ok, err)
	}
	if err := h.Set(t.Context(), "", nil); !errors.Is(err, state.ErrInvalid) {
		t.Errorf("an empty id: %v", err)
	}
	other, err := checkpoint.NewHost(checkpoint.HostConfig{Store: s, Now: clock, Client: "other"})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok, _ := other.Get(t.Context(), "a"); ok {
		t.Error("another client sees the checkpoint")
	}
	if err := errors.Join(h.Delete(t.Context(), "a"), h.Delete(t.Context(), "a")); err != nil {
		t.Error(err)
	}
	at = at.Add(2 * time.Hour)
	for _, id := range []string{"a", "a/b$c"} {
		if _, ok, err := h.Get(t.Context(), id); ok || err != nil {
			t.Errorf("%q after it was deleted or its time was over: %v, %v", id, ok, err)
		}
	}
}
