package flow_test

import (
	"context"
	"testing"

	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state/field"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// What callers and nodes do with their values afterwards changes nothing that was stored.
func TestNoAliasing(t *testing.T) {
	t.Parallel()
	s := ram.New()
	g := compileBags(t, s)
	mine := []string{"one"}
	input := bag{Things: field.Of(mine)}
	input.All.Add(mine)
	got, err := g.Invoke(t.Context(), thread("x"), "t1", input)
	if err != nil {
		t.Fatal(err)
	}
	mine[0] = "changed by the caller"
	got.All.Items()[0] = nil
	got.All.Add([]string{"not in any turn"})
	stored, err := g.State(t.Context(), thread("x"), 0)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "things", []string{"one"}, stored.State.Things.Get())
	same(t, "all", [][]string{{"one"}, {"node"}}, stored.State.All.Items())
}

// bag holds values that can be changed in place.
type bag struct {
	Things field.Last[[]string]
	All    field.Append[[]string]
}

func (b *bag) Fields() []field.Named {
	return []field.Named{{Name: "things", Field: &b.Things}, {Name: "all", Field: &b.All}}
}

func compileBags(t *testing.T, s store.Store) *flow.Graph[bag, *bag] {
	t.Helper()
	b := flow.NewBuilder[bag]("bags")
	b.AddNode(flow.Node[bag]{Name: "a", Run: func(ctx context.Context, s bag) (bag, error) {
		mine := []string{"node"}
		s.All.Add(mine)
		s, err := flow.Commit(ctx, s)
		mine[0] = "changed after the commit"
		return s, err
	}})
	b.AddEdge(flow.Start, "a")
	b.AddEdge("a", flow.End)
	g, err := b.Compile(t.Context(), flow.Config[bag]{Log: newLog(s)})
	if err != nil {
		t.Fatal(err)
	}
	return g
}
