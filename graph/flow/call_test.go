package flow_test

import (
	"context"
	"testing"

	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// shop is a graph of which a node calls another one, and that a third. The innermost asks.
func shop(t *testing.T, did *tally, s store.Store) (outer, middle, asking *flow.Graph[trip, *trip]) {
	t.Helper()
	asking = compile(t, chain(mark(did, "look"), questioning(did, "confirm", state.Question{Text: "pay?"}), mark(did, "book")), flow.Config[trip]{Log: newLog(s)})
	calling := func(g *flow.Graph[trip, *trip], name, sub string) flow.Node[trip] {
		return flow.Node[trip]{Name: name, Run: func(ctx context.Context, s trip) (trip, error) {
			did.add(name)
			end, err := flow.Call(ctx, g, sub, trip{})
			if err == nil {
				s.Trail.Add(end.Trail.Items()...)
			}
			return s, err
		}}
	}
	middle = compile(t, chain(calling(asking, "check", "confirm")), flow.Config[trip]{Log: newLog(s)})
	outer = compile(t, chain(mark(did, "plan"), calling(middle, "pay", "till"), mark(did, "ship")), flow.Config[trip]{Log: newLog(s)})
	return outer, middle, asking
}

// A question two graphs below is answered at the top, in the middle or where it was asked, once, and all go on. What has
// run below does not run again, and each step is taken in a process of its own.
func TestCallAsks(t *testing.T) {
	t.Parallel()
	for where, th := range []string{"x", "x/till", "x/till/confirm"} {
		t.Run(th, func(t *testing.T) {
			t.Parallel()
			var did tally
			s := ram.New()
			outer, _, _ := shop(t, &did, s)
			_, err := outer.Invoke(t.Context(), thread("x"), "t1", trip{})
			asked := waiting(t, err).Asked
			if len(asked) != 1 || asked[0].Thread != "x/till/confirm" || asked[0].Node != "confirm" {
				t.Fatalf("asked = %+v", asked)
			}
			id := asked[0].ID
			outer, middle, asking := shop(t, &did, s)
			for i, g := range []*flow.Graph[trip, *trip]{outer, middle, asking} {
				open, err := g.Waits(t.Context(), thread([]string{"x", "x/till", "x/till/confirm"}[i]))
				if err != nil || len(open) != 1 || open[0].ID != id {
					t.Fatalf("Waits of graph %d = %+v, %v", i, open, err)
				}
			}
			_, err = outer.Resume(t.Context(), thread("x"), nil)
			same(t, "Resume before the answer", id, waiting(t, err).Asked[0].ID)

			outer, middle, asking = shop(t, &did, s)
			_, err = []*flow.Graph[trip, *trip]{outer, middle, asking}[where].Answer(t.Context(), thread(th), answers(id, "approve"))
			wantErr(t, "Answer", err, nil)
			if where > 0 {
				open, err := outer.Waits(t.Context(), thread("x"))
				if err != nil || where == 2 && len(open) > 0 {
					t.Fatalf("Waits after the answer below = %+v, %v", open, err)
				}
				_, err = outer.Resume(t.Context(), thread("x"), nil)
				wantErr(t, "Resume", err, nil)
			}
			end, err := outer.Answer(t.Context(), thread("x"), answers(id, "approve"))
			wantErr(t, "the answer again", err, nil)
			same(t, "trail", []string{"plan", "look", "confirm:approve", "book", "ship"}, end.Trail.Items())
			_, err = asking.Answer(t.Context(), thread("x/till/confirm"), answers(id, "approve"))
			wantErr(t, "the answer again, below", err, nil)
			for th, g := range map[string]*flow.Graph[trip, *trip]{"x": outer, "x/till/confirm": asking} {
				_, err = g.Answer(t.Context(), thread(th), answers(id, "reject"))
				wantErr(t, "another answer, at "+th, err, state.ErrConflict)
			}
			for _, n := range []string{"plan", "look", "book", "ship"} {
				same(t, "runs of "+n, 1, did.all()[n])
			}
		})
	}
}

// An answer below and then the same question's answer at the top: that of below counts, the same one goes on, another is told so.
func TestCallAnsweredTwice(t *testing.T) {
	t.Parallel()
	var did tally
	outer, _, asking := shop(t, &did, ram.New())
	_, err := outer.Invoke(t.Context(), thread("x"), "t1", trip{})
	id := waiting(t, err).Asked[0].ID
	_, err = asking.Answer(t.Context(), thread("x/till/confirm"), answers(id, "approve"))
	wantErr(t, "Answer below", err, nil)
	_, err = outer.Answer(t.Context(), thread("x"), answers(id, "reject"))
	wantErr(t, "another answer", err, state.ErrConflict)
	end, err := outer.Answer(t.Context(), thread("x"), answers(id, "approve"))
	wantErr(t, "Answer", err, nil)
	same(t, "trail", []string{"plan", "look", "confirm:approve", "book", "ship"}, end.Trail.Items())
}

// The outer node fails behind the inner graph's end, or the inner graph fails: nothing that is finished runs again.
func TestCallAfterAFailure(t *testing.T) {
	t.Parallel()
	for _, broken := range []string{"inner", "outer"} {
		var did tally
		s := ram.New()
		graph := func() *flow.Graph[trip, *trip] {
			fails := map[string]int{broken: 1}
			inner := compile(t, chain(mark(&did, "a"), failing(&did, "inner", fails["inner"])), flow.Config[trip]{Log: newLog(s)})
			return compile(t, chain(mark(&did, "b"), flow.Node[trip]{Name: "pay", Run: func(ctx context.Context, s trip) (trip, error) {
				end, err := flow.Call(ctx, inner, "sub", trip{})
				if err == nil && did.add("outer") <= fails["outer"] {
					err = errBoom
				}
				s.Trail.Add(end.Trail.Items()...)
				return s, err
			}}), flow.Config[trip]{Log: newLog(s)})
		}
		ctx := flow.ContextWithFreshTurn(t.Context())
		_, err := graph().Invoke(ctx, thread("x"), "t1", trip{})
		wantErr(t, "Invoke", err, errBoom)
		end, err := graph().Resume(ctx, thread("x"), nil)
		wantErr(t, "Resume", err, nil)
		same(t, "trail", []string{"b", "a", "inner"}, end.Trail.Items())
		same(t, "runs", map[string]int{"a": 1, "b": 1, "inner": map[string]int{"inner": 2, "outer": 1}[broken], "outer": map[string]int{"inner": 1, "outer": 2}[broken]}, did.all())
	}
}

// What an outer turn that was cancelled has left below does not stand in the way of the next; two calls of one name do.
func TestCallLeftUnfinished(t *testing.T) {
	t.Parallel()
	var did tally
	s := ram.New()
	outer, _, _ := shop(t, &did, s)
	_, err := outer.Invoke(t.Context(), thread("x"), "t1", trip{})
	waiting(t, err)
	wantErr(t, "Cancel", outer.Cancel(t.Context(), thread("x")), nil)
	_, err = outer.Invoke(t.Context(), thread("x"), "t2", trip{})
	same(t, "asked", 1, len(waiting(t, err).Asked))

	_, err = flow.Call(t.Context(), outer, "sub", trip{})
	wantErr(t, "outside a node", err, state.ErrInvalid)
}
