package link

import (
	"cmp"
	"slices"
	"strings"
)

// reach is a thing found by a walk; a second step knows the thing before it and the bucket in between.
type reach struct {
	thing  int32
	before int32 // -1 at the first step
	by     *bucket
	weight float64
}

// walk is the scratch space of one call: weights by thing, zero outside of it.
type walk struct {
	weights []float64
	touched []int32
	at      []int32 // by thing: where the second step has it, counted from 1
	found   []reach // by the second step
}

// Near lists the things that share keys or the affair with id (one step), and those that share some with one of these (two steps; more
// count as two), heaviest first, ties by id, at most limit. At the first step the weights of all that is shared add up. A second step goes
// through the eight nearest only and by keys of at most twelve things; its weight is that of the heaviest path, a quarter of the product of the
// two steps', and a thing that is one step away is not counted again. A thing that is not there has no neighbours.
func (g *Graph) Near(id string, steps, limit int) []Neighbour {
	slot, ok := g.ids[id]
	if !ok || steps < 1 || limit < 1 {
		return nil
	}

	// The marks of a walk are kept for the next one, and cleared in the end.
	w := g.walk()
	defer g.rest(w)

	// One step, and from the nearest another one.
	g.first(slot, w)
	var found []reach
	if steps > 1 {
		found = g.best(w.touched, w.reached, max(limit, throughMost))
		g.second(slot, found[:min(len(found), throughMost)], w)
		for i := range w.found {
			found = g.keep(found, w.found[i], max(limit, throughMost))
		}
	} else {
		found = g.best(w.touched, w.reached, limit)
	}
	if len(found) == 0 {
		return nil
	}

	out := make([]Neighbour, 0, min(limit, len(found)))
	for _, r := range found[:min(limit, len(found))] {
		out = append(out, Neighbour{ID: g.nodes[r.thing].id, Via: g.via(slot, r), Weight: r.weight})
	}
	return out
}

// walk takes scratch space that fits.
func (g *Graph) walk() *walk {
	w, _ := g.walks.Get().(*walk)
	if w == nil {
		w = &walk{}
	}
	if len(w.weights) < len(g.nodes) {
		n := len(g.nodes) + len(g.nodes)/4
		w.weights, w.at = make([]float64, n), make([]int32, n)
	}
	return w
}

// rest clears the scratch space and gives it back.
func (g *Graph) rest(w *walk) {
	for _, t := range w.touched {
		w.weights[t] = 0
	}
	for _, r := range w.found {
		w.at[r.thing] = 0
	}
	w.touched, w.found = w.touched[:0], w.found[:0]
	g.walks.Put(w)
}

// first adds up the weights of what the neighbours share with a thing.
func (g *Graph) first(slot int32, w *walk) {
	for _, e := range g.nodes[slot].edges {
		worth := g.weight(e.of)
		if worth == 0 {
			continue
		}
		for _, m := range e.of.things {
			if m.thing == slot {
				continue
			}
			if w.weights[m.thing] == 0 {
				w.touched = append(w.touched, m.thing)
			}
			w.weights[m.thing] += worth
		}
	}
}

// reached returns what the first step found of a thing.
func (w *walk) reached(t int32) reach { return reach{thing: t, before: -1, weight: w.weights[t]} }

// best lists the heaviest of what was touched, in order.
func (g *Graph) best(touched []int32, reached func(int32) reach, most int) []reach {
	out := make([]reach, 0, min(most, len(touched)))
	for _, t := range touched {
		out = g.keep(out, reached(t), most)
	}
	return out
}

// keep puts r in its place among the heaviest so far, or leaves it out.
func (g *Graph) keep(out []reach, r reach, most int) []reach {
	if len(out) == most {
		worst := out[most-1]
		if r.weight < worst.weight || g.heavier(r, worst) > 0 {
			return out
		}
		out = out[:most-1]
	}
	at, _ := slices.BinarySearchFunc(out, r, g.heavier)
	return slices.Insert(out, at, r)
}

// second walks on from the nearest things. w holds the first step, and then what this one found.
func (g *Graph) second(slot int32, through []reach, w *walk) {
	for _, mid := range through {
		for _, e := range g.nodes[mid.thing].edges {
			worth := g.weight(e.of)
			if worth == 0 || len(e.of.things) > throughCount || g.has(slot, e.of) { // what slot has led to all its things already
				continue
			}
			worth *= secondStep * min(mid.weight, 1)
			for _, m := range e.of.things {
				if m.thing == slot || w.weights[m.thing] > 0 {
					continue
				}
				g.improve(w, reach{thing: m.thing, before: mid.thing, by: e.of, weight: worth})
			}
		}
	}
}

// improve keeps the better of two paths to a thing.
func (g *Graph) improve(w *walk, r reach) {
	at := w.at[r.thing]
	switch {
	case at == 0:
		w.found = append(w.found, r)
		w.at[r.thing] = int32(len(w.found))
	case g.better(r, w.found[at-1]):
		w.found[at-1] = r
	}
}

// has reports whether a thing is in the bucket.
func (g *Graph) has(slot int32, b *bucket) bool {
	return slices.ContainsFunc(g.nodes[slot].edges, func(e edge) bool { return e.of == b })
}

// better compares two paths to one thing: by weight, then by the thing between, then by the key.
func (g *Graph) better(a, b reach) bool {
	return cmp.Or(cmp.Compare(b.weight, a.weight), strings.Compare(g.nodes[a.before].id, g.nodes[b.before].id), strings.Compare(a.by.label(), b.by.label())) < 0
}

// via names how a thing was reached from slot.
func (g *Graph) via(slot int32, r reach) []string {
	if r.before < 0 {
		return g.common(slot, r.thing)
	}
	return []string{g.common(slot, r.before)[0], g.nodes[r.before].id, r.by.label()}
}

// common lists what two things share and links them, heaviest first, ties by name.
func (g *Graph) common(a, b int32) []string {
	var shared []*bucket
	for _, e := range g.nodes[a].edges {
		if g.weight(e.of) > 0 && g.has(b, e.of) {
			shared = append(shared, e.of)
		}
	}
	slices.SortStableFunc(shared, func(x, y *bucket) int {
		return cmp.Or(cmp.Compare(g.weight(y), g.weight(x)), strings.Compare(x.label(), y.label()))
	})
	out := make([]string, len(shared))
	for i, s := range shared {
		out[i] = s.label()
	}
	return out
}
