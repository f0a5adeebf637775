package flow_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// going is a graph whose node "a" goes where it is told, each time somewhere else; b leads back to it in the cyclic one.
func going(did *tally, cyclic bool, to ...[]string) *builder {
	b := flow.NewBuilder[trip]("going")
	n := failing(did, "a", 0)
	run := n.Run
	n.Goto = []string{"b", "c", flow.End}
	n.Run = func(ctx context.Context, s trip) (trip, error) {
		s, err := run(ctx, s)
		if err != nil {
			return s, err
		}
		visit := flow.At(ctx).Visit
		return flow.Goto(ctx, s, to[min(visit, len(to))-1]...)
	}
	b.AddNode(n)
	b.AddNode(failing(did, "b", 1))
	b.AddNode(mark(did, "c"))
	b.AddEdge(flow.Start, "a")
	if cyclic {
		b.AddEdge("b", "a")
	} else {
		b.AddEdge("b", flow.End)
	}
	b.AddEdge("c", flow.End)
	return b
}

// A node goes where it says, alone or to several, and a resumed turn goes the same way without asking it again.
func TestGoto(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		cyclic bool
		to     [][]string
		next   []string // after a has run
		trail  []string
	}{
		"one":              {to: [][]string{{"c"}}, next: []string{"c"}, trail: []string{"a", "c"}},
		"the end":          {to: [][]string{{flow.End}}, next: []string{flow.End}, trail: []string{"a"}},
		"two":              {to: [][]string{{"c", "b"}}, next: []string{"b", "c"}, trail: []string{"a", "b", "c"}},
		"one and the end":  {to: [][]string{{"b", flow.End}}, next: []string{"b"}, trail: []string{"a", "b"}},
		"around":           {cyclic: true, to: [][]string{{"b"}, {"c"}}, next: []string{"b"}, trail: []string{"a", "b", "a", "c"}},
		"around and out":   {cyclic: true, to: [][]string{{"b", "c"}, {flow.End}}, next: []string{"b", "c"}, trail: []string{"a", "b", "c", "a"}},
		"out of the cycle": {cyclic: true, to: [][]string{{flow.End}}, next: []string{flow.End}, trail: []string{"a"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var did tally
			s := ram.New()
			graph := func() *flow.Graph[trip, *trip] {
				return compile(t, going(&did, tt.cyclic, tt.to...), flow.Config[trip]{Log: newLog(s)})
			}
			end, err := graph().Invoke(t.Context(), thread("x"), "t1", trip{})
			if slices.Contains(tt.trail, "b") { // it fails at first
				wantErr(t, "Invoke", err, errBoom)
				end, err = graph().Resume(t.Context(), thread("x"), nil)
			}
			wantErr(t, "the turn", err, nil)
			same(t, "trail", tt.trail, end.Trail.Items())
			if n := did.all()["a"]; n != strings.Count(strings.Join(tt.trail, ""), "a") {
				t.Errorf("a ran %d times for %v", n, tt.trail)
			}
			h, err := graph().History(t.Context(), thread("x"), checkpoint.Which{})
			wantErr(t, "History", err, nil)
			if got := h[len(h)-1].Next; !slices.Equal(got, tt.next) && !h[len(h)-1].Done {
				t.Errorf("next after the first step = %v, want %v", got, tt.next)
			}
		})
	}
}

// What a node may not name, or leaves unsaid, is an error of the node; the turn stays unfinished.
func TestGotoErrors(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		to  []string
		say []string
	}{
		"unknown": {[]string{"elsewhere"}, []string{"node a", `"elsewhere"`, "[b c end]"}},
		"none":    {nil, []string{"node a", "names no node to go to", "[b c end]"}},
	} {
		var did tally
		g := compile(t, going(&did, false, tt.to), flow.Config[trip]{Log: newLog(ram.New())})
		_, err := g.Invoke(t.Context(), thread("x"), "t1", trip{})
		wantErr(t, name, err, state.ErrInvalid)
		for _, part := range tt.say {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: error %q does not say %q", name, err, part)
			}
		}
	}
	_, err := flow.Goto(t.Context(), trip{}, "b")
	wantErr(t, "outside", err, state.ErrInvalid)

	var did tally
	b := going(&did, false, []string{"b"})
	b.AddNode(flow.Node[trip]{Name: "v", Run: mark(&did, "v").Run, Volatile: true, Goto: []string{"nowhere"}})
	_, err = b.Compile(t.Context(), flow.Config[trip]{})
	wantErr(t, "Compile", err, state.ErrInvalid)
	for _, part := range []string{"v -> nowhere: there is no node nowhere; add it, or correct the edge, branch or Goto of v", "node v: is volatile"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("Compile: error %q does not say %q", err, part)
		}
	}
}

// Update stands for a visit of a node that goes where it says when it is told where that is; without it, or to elsewhere, it is
// an error that tells the way out.
func TestUpdateAsANodeThatGoes(t *testing.T) {
	t.Parallel()
	var did tally
	g := compile(t, going(&did, false, []string{"b"}), flow.Config[trip]{Log: newLog(ram.New())})
	for _, tt := range []struct {
		as  string
		to  []string
		say string
	}{
		{"a", nil, "node a: names no node to go to; it may go to [b c end]: return flow.Goto with one of them, or name it behind the node in Update"},
		{"a", []string{"z"}, "update as a: goes to [z]; name a node whose Goto declares these"},
		{"b", []string{"c"}, "update as b: goes to [c]; name a node whose Goto declares these"},
		{"", []string{"c"}, "update as nobody: goes to [c]; name a node whose Goto declares these"},
	} {
		err := g.Update(t.Context(), thread("x"), "t1", trip{}, tt.as, tt.to...)
		wantErr(t, tt.as, err, state.ErrInvalid)
		same(t, tt.as, tt.say, err.Error())
	}
	wantErr(t, "Update", g.Update(t.Context(), thread("x"), "t1", trip{}, "a", "c", "c"), nil)
	end, err := g.Resume(t.Context(), thread("x"), nil)
	wantErr(t, "Resume", err, nil)
	same(t, "trail", []string{"c"}, end.Trail.Items())
}

func TestDrawing(t *testing.T) {
	t.Parallel()
	var did tally
	b := going(&did, false, []string{"b"})
	b.AddNode(flow.Node[trip]{Name: `d "x"`, Run: mark(&did, "d").Run, Rides: true})
	b.AddEdge(`d "x"`, flow.End)
	b.AddBranch("c", func(context.Context, trip) (string, error) { return flow.End, nil }, `d "x"`, flow.End)
	g := compile(t, b, flow.Config[trip]{})
	want := `flowchart TD
    start([START])
    n1["a"]
    n2["b"]
    n3["c"]
    n4["d #quot;x#quot;"]
    end_([END])
    start --> n1
    n1 -.-> n2
    n1 -.-> n3
    n1 -.-> end_
    n2 --> end_
    n3 --> end_
    n3 -.-> n4
    n3 -.-> end_
    n4 --> end_
`
	same(t, "drawing", want, g.Drawing().Mermaid())
	plain := compile(t, going(&did, false, []string{"b"}), flow.Config[trip]{})
	if plain.Fingerprint() == g.Fingerprint() {
		t.Error("two graphs have one fingerprint")
	}
}
