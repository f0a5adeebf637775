package flow_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/field"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// noting sets the note, and ends when it is told to.
func noting(name string, writes []string, begin <-chan struct{}, end chan<- struct{}) flow.Node[trip] {
	return flow.Node[trip]{Name: name, Writes: writes, Run: func(ctx context.Context, s trip) (trip, error) {
		<-begin
		defer close(end)
		s.Note.Set(name)
		return flow.Commit(ctx, s)
	}}
}

// beside has x and y side by side, both of which set the note; they end in the order given. A way back makes it cyclic.
func beside(first string, back bool, writesX, writesY []string) *builder {
	done := []chan struct{}{make(chan struct{}), make(chan struct{}), make(chan struct{})}
	close(done[0])
	place := map[string]int{first: 0, map[string]string{"x": "y", "y": "x"}[first]: 1}
	b := flow.NewBuilder[trip]("beside")
	var did tally
	b.AddNode(mark(&did, "a"))
	b.AddNode(noting("x", writesX, done[place["x"]], done[place["x"]+1]))
	b.AddNode(noting("y", writesY, done[place["y"]], done[place["y"]+1]))
	b.AddNode(mark(&did, "z"))
	edges(b, [2]string{flow.Start, "a"}, [2]string{"a", "x"}, [2]string{"a", "y"}, [2]string{"x", "z"}, [2]string{"y", "z"})
	to := []string{flow.End}
	if back {
		to = []string{flow.End, "a"}
	}
	b.AddBranch("z", func(context.Context, trip) (string, error) { return flow.End, nil }, to...)
	return b
}

// Two nodes side by side that set one Last: an error that names both and the field, whichever ends first; where both declare
// it the later in the graph's order counts, whichever ends first, also as the log tells it.
func TestTwoWriters(t *testing.T) {
	t.Parallel()
	note, other := []string{"note"}, []string{"note", "trail", "sum"}
	for _, back := range []bool{false, true} {
		for _, first := range []string{"x", "y"} {
			for _, tt := range []struct {
				x, y []string
				ok   bool
			}{{nil, nil, false}, {note, nil, false}, {nil, other, false}, {note, other, true}} {
				name := fmt.Sprintf("cycle %v, first %s, declared %v %v", back, first, tt.x, tt.y)
				g := compile(t, beside(first, back, tt.x, tt.y), flow.Config[trip]{Log: newLog(ram.New())})
				end, err := g.Invoke(t.Context(), thread("x"), "t1", trip{})
				if !tt.ok {
					wantErr(t, name, err, state.ErrConflict)
					if !strings.Contains(err.Error(), "field note: is set by node x and by node y, side by side") {
						t.Errorf("%s: error %q does not name the nodes and the field", name, err)
					}
					continue
				}
				wantErr(t, name, err, nil)
				if got := at(t, g, "x", 0).Note; end.Note.Get() != "y" || got != "y" {
					t.Errorf("%s: note = %q, in the log %q, want that of y", name, end.Note.Get(), got)
				}
			}
		}
	}
}

// What comes one after the other is no conflict: along a way, in another round, in another turn, from outside.
func TestWritersInTurn(t *testing.T) {
	t.Parallel()
	var did tally
	set := func(name string) flow.Node[trip] {
		n := mark(&did, name)
		run := n.Run
		n.Run = func(ctx context.Context, s trip) (trip, error) {
			s.Note.Set(name)
			return run(ctx, s)
		}
		return n
	}
	for _, back := range []bool{false, true} {
		b := flow.NewBuilder[trip]("in turn")
		for _, n := range []flow.Node[trip]{set("a"), mark(&did, "x"), set("y"), set("z")} {
			b.AddNode(n)
		}
		edges(b, [2]string{flow.Start, "a"}, [2]string{"a", "x"}, [2]string{"a", "y"}, [2]string{"x", "z"}, [2]string{"y", "z"})
		b.AddBranch("z", func(_ context.Context, s trip) (string, error) {
			if back && s.Trail.Len() < 8 {
				return "a", nil
			}
			return flow.End, nil
		}, map[bool][]string{true: {"a", flow.End}, false: {flow.End}}[back]...)
		g := compile(t, b, flow.Config[trip]{Log: newLog(ram.New())})
		for turn := range 2 {
			end, err := g.Invoke(t.Context(), thread("x"), turnID(turn), trip{Note: field.Of("input")})
			wantErr(t, "Invoke", err, nil)
			if end.Note.Get() != "z" {
				t.Errorf("note = %q, want that of the last node", end.Note.Get())
			}
		}
	}
}

// Items of one list are side by side too; and a node changes nothing but what it declares.
func TestWritersOfItemsAndDeclarations(t *testing.T) {
	t.Parallel()
	each := func(writes []string) flow.Node[trip] {
		return flow.Node[trip]{Name: "each", Writes: writes, Items: func(trip) int { return 3 }, Run: func(ctx context.Context, s trip) (trip, error) {
			s.Note.Set(fmt.Sprint("of ", flow.At(ctx).Item))
			return s, nil
		}}
	}
	_, err := compile(t, chain(each(nil)), flow.Config[trip]{Log: newLog(ram.New())}).Invoke(t.Context(), thread("x"), "t1", trip{})
	wantErr(t, "items", err, state.ErrConflict)
	if !strings.Contains(err.Error(), "is set by node each, item ") {
		t.Errorf("error %q does not name the items", err)
	}
	end, err := compile(t, chain(each([]string{"note"})), flow.Config[trip]{Log: newLog(ram.New())}).Invoke(t.Context(), thread("x"), "t1", trip{})
	wantErr(t, "declared items", err, nil)
	if end.Note.Get() != "of 3" {
		t.Errorf("note = %q, want that of the last item", end.Note.Get())
	}

	var did tally
	n := mark(&did, "a")
	n.Writes = []string{"trail"}
	_, err = compile(t, chain(n), flow.Config[trip]{}).Invoke(t.Context(), thread("x"), "t1", trip{})
	wantErr(t, "undeclared", err, state.ErrInvalid)
	if !strings.Contains(err.Error(), "node a: changes field sum") {
		t.Errorf("error %q does not name node and field", err)
	}
	n.Writes = []string{"trial"}
	_, err = chain(n).Compile(t.Context(), flow.Config[trip]{})
	wantErr(t, "Compile", err, state.ErrInvalid)
}
