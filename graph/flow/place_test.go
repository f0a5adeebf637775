package flow_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// A node knows where it is, and has a key that is the same when the visit runs again and another one in the next visit.
func TestPlace(t *testing.T) {
	t.Parallel()
	var did tally
	var places []flow.Place
	var keys []string
	b := flow.NewBuilder[trip]("loop")
	b.AddNode(flow.Node[trip]{Name: "a", Run: func(ctx context.Context, s trip) (trip, error) {
		places, keys = append(places, flow.At(ctx)), append(keys, state.IdempotencyKey(ctx))
		if did.add("a") == 2 {
			return s, errBoom
		}
		s.Trail.Add("a")
		return s, nil
	}})
	b.AddEdge(flow.Start, "a")
	b.AddBranch("a", func(_ context.Context, s trip) (string, error) {
		if s.Trail.Len()%2 == 0 {
			return flow.End, nil
		}
		return "a", nil
	}, "a", flow.End)
	s := ram.New()
	_, err := compile(t, b, flow.Config[trip]{Log: newLog(s)}).Invoke(t.Context(), thread("x"), "t1", trip{})
	wantErr(t, "Invoke", err, errBoom)
	g := compile(t, b, flow.Config[trip]{Log: newLog(s)})
	_, err = g.Resume(t.Context(), thread("x"), nil)
	wantErr(t, "Resume", err, nil)
	invoke(t, g, "x", "t2")
	invoke(t, g, "y", "t1")

	var want []flow.Place
	for _, p := range []string{"x t1 1", "x t1 2", "x t1 2", "x t2 1", "x t2 2", "y t1 1", "y t1 2"} {
		place := flow.Place{Thread: state.Thread{Client: "c"}, Node: "a"}
		if _, err := fmt.Sscan(p, &place.Thread.ID, &place.Turn, &place.Visit); err != nil {
			t.Fatal(err)
		}
		want = append(want, place)
	}
	same(t, "places", want, places)
	different := map[string]bool{}
	for _, k := range keys {
		different[k] = true
	}
	if keys[1] != keys[2] || len(different) != len(keys)-1 {
		t.Errorf("keys = %q, want one for each visit", keys)
	}
	if flow.At(t.Context()) != (flow.Place{}) || state.IdempotencyKey(t.Context()) != "" {
		t.Error("there is a place outside a graph")
	}
}
