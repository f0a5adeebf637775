package flow

import (
	"math"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/state/field"
)

// order keeps what nodes side by side add to growing fields in the graph's order, whatever the order in which they end.
type order map[visit]map[string]int // by visit of this turn how many items it has added, by field

// rankVisit returns the place of a visit in the graph's order: with cycles round by round. A visit that the log has and that this
// attempt has not come to yet is of a later round.
func (r *run[S, P]) rankVisit(v visit) int {
	if !r.graph.shape.cyclic {
		return r.graph.shape.places[v.node]
	}
	if r.rounds == nil { // set from outside: at the end
		return 0
	}
	if n, ok := r.rounds.rank[v]; ok {
		return n
	}
	return math.MaxInt
}

// comesAfter reports whether a visit, or an item of one, stands behind another in the graph's order.
func (r *run[S, P]) comesAfter(a, b visit) bool {
	if x, y := r.rankVisit(a.whole()), r.rankVisit(b.whole()); x != y {
		return x > y
	}
	return a.item > b.item
}

// arrange lets the items of a patch go in front of those that later visits have added before it.
func (r *run[S, P]) arrange(v visit, patch []field.Named) {
	for _, f := range patch {
		grows, ok := f.Field.(field.Growing)
		if !ok || !f.Field.Changed() {
			continue
		}
		last := 0
		for other, added := range r.order {
			if v.node != "" && r.comesAfter(other, v) {
				last += added[f.Name]
			}
		}
		grows.Before(last)
	}
}

// noteGrowth takes note of what a part has added to the fields, whose lengths before are given. What comes from outside is no
// visit: nothing goes in front of what is there then.
func (r *run[S, P]) noteGrowth(part *checkpoint.Part, before []int, fields []field.Named) {
	v := visit{part.Node, part.Visit, part.Item}
	for i, n := range countItems(fields) {
		switch {
		case n == before[i]:
		case v.node == "":
			r.order = nil
		default:
			if r.order == nil {
				r.order = order{}
			}
			if r.order[v] == nil {
				r.order[v] = map[string]int{}
			}
			r.order[v][fields[i].Name] += n - before[i]
		}
	}
}

// countItems counts the items of growing fields.
func countItems(fields []field.Named) []int {
	all := make([]int, len(fields))
	for i, f := range fields {
		if grows, ok := f.Field.(field.Growing); ok {
			all[i] = grows.Len()
		}
	}
	return all
}
