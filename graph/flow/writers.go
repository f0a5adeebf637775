package flow

import (
	"fmt"
	"slices"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/field"
)

// mergeVisit merges what a visit of a node, or an item of it, has changed, if it may.
func (r *run[S, P]) mergeVisit(n *node[S, P], part *checkpoint.Part, patch S) error {
	if n.Writes == nil && !r.graph.shape.beside {
		return r.merge(part, patch)
	}
	return r.mergeChecked(n, part, patch)
}

// mergeChecked returns a function of its own so that its copy of the patch is made only when it is needed.
func (r *run[S, P]) mergeChecked(n *node[S, P], part *checkpoint.Part, patch S) error {
	fields := P(&patch).Fields()
	void, err := r.checkWrites(n, visit{part.Node, part.Visit, part.Item}, fields)
	if err != nil {
		return err
	}
	return r.merge(part, patch, void...)
}

// checkWrites finds which of the changed fields do not count, since a visit that comes later in the graph's order has set them.
// Of fields that hold one value, what nodes side by side set must be declared by all of them.
func (r *run[S, P]) checkWrites(n *node[S, P], v visit, fields []field.Named) (void []string, err error) {
	for _, f := range fields {
		if !f.Field.Changed() {
			continue
		}
		if n.Writes != nil && !slices.Contains(n.Writes, f.Name) {
			return nil, state.Errorf(state.Invalid, "node "+n.Name, "changes field %s, which is not among those that it declares, %v; add it to its Writes", f.Name, n.Writes)
		}
		if _, single := f.Field.(field.Replaced); !single || !r.graph.shape.beside {
			continue
		}
		for _, w := range r.writers[f.Name] {
			if w == v {
				continue
			}
			declared := slices.Contains(n.Writes, f.Name) && slices.Contains(r.graph.nodes[w.node].Writes, f.Name)
			if !declared && r.areBeside(v, w) {
				return nil, r.twoWritersError(f.Name, v, w)
			}
			if r.comesAfter(w, v) && !slices.Contains(void, f.Name) {
				void = append(void, f.Name)
			}
		}
		r.addWriter(f.Name, v)
	}
	return void, nil
}

// areBeside reports whether neither of two visits sees what the other has left.
func (r *run[S, P]) areBeside(v, w visit) bool {
	sh := &r.graph.shape
	switch {
	case v.whole() == w.whole():
		return true
	case !sh.cyclic:
		return !sh.reach[v.node][w.node] && !sh.reach[w.node][v.node]
	case r.rounds == nil:
		return false
	}
	a, known := r.rounds.rank[v.whole()]
	b, also := r.rounds.rank[w.whole()]
	return known && also && a/len(sh.nodes) == b/len(sh.nodes)
}

func (r *run[S, P]) twoWritersError(name string, v, w visit) error {
	first, second := v, w
	if r.comesAfter(v, w) {
		first, second = w, v
	}
	return state.Errorf(state.Conflict, "field "+name, "is set by %s and by %s, side by side, and holds one value: "+
		"declare it in the Writes of both, so that the later one counts, or make it a field.Append or field.Reduce", first, second)
}

// String names the node, and the item of its list.
func (v visit) String() string {
	if v.item > 0 {
		return fmt.Sprintf("node %s, item %d,", v.node, v.item)
	}
	return "node " + v.node
}

// noteWriter takes down which fields that hold one value a part of the log has set.
func (r *run[S, P]) noteWriter(part *checkpoint.Part, fields []field.Named) {
	if !r.graph.shape.beside || part.Node == "" || part.Fields == nil {
		return
	}
	for _, f := range fields {
		if _, single := f.Field.(field.Replaced); !single {
			continue
		}
		if _, err := part.Fields.LookupErr(f.Name); err == nil {
			r.addWriter(f.Name, visit{part.Node, part.Visit, part.Item})
		}
	}
}

func (r *run[S, P]) addWriter(name string, v visit) {
	if r.writers == nil {
		r.writers = map[string][]visit{}
	}
	if !slices.Contains(r.writers[name], v) {
		r.writers[name] = append(r.writers[name], v)
	}
}
