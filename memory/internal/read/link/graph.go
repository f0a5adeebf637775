package link

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"
)

// Bounds of a walk.
const (
	commonShare  = 0.05 // a key of more than this share of all things and more than commonCount of them links nothing
	commonCount  = 20
	affairShare  = 0.5  // what being in one affair weighs, compared with sharing a key
	secondStep   = 0.25 // what a second step leaves of a weight
	throughMost  = 8    // of the nearest things a second step goes through
	throughCount = 12   // a second step takes keys of at most so many things
)

// What things cost in RAM besides their strings: measured sizes of map entries and slices, rounded up.
const (
	nodeBytes   = 160
	edgeBytes   = 40
	bucketBytes = 128
)

// Neighbour is a thing within reach. Via lists the keys shared with it, heaviest first ("affair:ID" for an affair in common); at two steps
// it is a key, the thing between and a key.
type Neighbour struct {
	ID     string
	Via    []string
	Weight float64 // above 0; more keys, and keys that few things have, weigh more
}

// Graph links things by the keys they share. It has no lock of its own: Put and Delete need an exclusive one, all else may
// run side by side. The zero value is not usable, see NewGraph.
type Graph struct {
	ids     map[string]int32
	nodes   []node
	free    []int32
	keys    map[string]*bucket
	affairs map[string]*bucket
	bytes   int64
	walks   sync.Pool
}

// node is a thing; its edges are in order, keys by name, then the affair.
type node struct {
	id    string
	edges []edge
}

// edge is a bucket the thing is in, and where in it.
type edge struct {
	of *bucket
	at int32
}

// bucket is a key or an affair with the things that have it, in no order.
type bucket struct {
	name   string
	affair bool
	things []member
}

// member is a thing and which of its edges leads here.
type member struct{ thing, edge int32 }

// NewGraph returns an empty graph.
func NewGraph() *Graph {
	return &Graph{ids: map[string]int32{}, keys: map[string]*bucket{}, affairs: map[string]*bucket{}}
}

// Len returns the number of things.
func (g *Graph) Len() int { return len(g.ids) }

// Bytes estimates what the graph holds in RAM.
func (g *Graph) Bytes() int64 { return g.bytes }

// Put makes the thing known, or anew if it is: in an affair ("" = none) and with these keys, repeats and empty ones left out. It takes
// time in proportion to the number of keys.
func (g *Graph) Put(id, affair string, keys []string) {
	g.Delete(id)
	id = strings.Clone(id)
	slot := int32(len(g.nodes))
	if n := len(g.free); n > 0 {
		slot, g.free = g.free[n-1], g.free[:n-1]
	} else {
		g.nodes = append(g.nodes, node{})
	}
	sorted := slices.Compact(slices.Sorted(slices.Values(keys)))
	g.ids[id] = slot
	g.nodes[slot] = node{id: id, edges: make([]edge, 0, len(sorted)+1)}
	g.bytes += nodeBytes + int64(len(id))
	for _, key := range sorted {
		if key != "" {
			g.join(slot, g.keys, key, false)
		}
	}
	if affair != "" {
		g.join(slot, g.affairs, affair, true)
	}
}

// Merge puts all that is in one affair into another.
func (g *Graph) Merge(from, into string) {
	old := g.affairs[from]
	if old == nil || from == into {
		return
	}
	for _, m := range slices.Clone(old.things) {
		n := g.nodes[m.thing]
		var keys []string
		for _, e := range n.edges {
			if !e.of.affair {
				keys = append(keys, e.of.name)
			}
		}
		g.Put(n.id, into, keys)
	}
}

func (g *Graph) join(slot int32, of map[string]*bucket, name string, affair bool) {
	b := of[name]
	if b == nil {
		name = strings.Clone(name)
		b = &bucket{name: name, affair: affair}
		of[name] = b
		g.bytes += bucketBytes + int64(len(name))
	}
	n := &g.nodes[slot]
	b.things = append(b.things, member{slot, int32(len(n.edges))})
	n.edges = append(n.edges, edge{b, int32(len(b.things) - 1)})
	g.bytes += edgeBytes
}

// Delete forgets the thing; one that is not there is no error.
func (g *Graph) Delete(id string) {
	slot, ok := g.ids[id]
	if !ok {
		return
	}
	for _, e := range g.nodes[slot].edges {
		last := len(e.of.things) - 1
		moved := e.of.things[last]
		e.of.things[e.at] = moved
		g.nodes[moved.thing].edges[moved.edge].at = e.at
		e.of.things = e.of.things[:last]
		g.bytes -= edgeBytes
		if last == 0 {
			g.drop(e.of)
		}
	}
	g.bytes -= nodeBytes + int64(len(id))
	g.nodes[slot] = node{}
	g.free = append(g.free, slot)
	delete(g.ids, id)
}

func (g *Graph) drop(b *bucket) {
	if b.affair {
		delete(g.affairs, b.name)
	} else {
		delete(g.keys, b.name)
	}
	g.bytes -= bucketBytes + int64(len(b.name))
}

// Keys lists the thing's keys in order, nil if it is not there.
func (g *Graph) Keys(id string) []string {
	slot, ok := g.ids[id]
	if !ok {
		return nil
	}
	var out []string
	for _, e := range g.nodes[slot].edges {
		if !e.of.affair {
			out = append(out, e.of.name)
		}
	}
	return out
}

// Around lists the things of an affair in order.
func (g *Graph) Around(affair string) []string {
	b := g.affairs[affair]
	if b == nil {
		return nil
	}
	out := make([]string, 0, len(b.things))
	for _, m := range b.things {
		out = append(out, g.nodes[m.thing].id)
	}
	slices.Sort(out)
	return out
}

// weight returns what sharing b is worth, 0 if so many share it that it says nothing.
func (g *Graph) weight(b *bucket) float64 {
	n := len(b.things)
	if n < 2 || n > commonCount && float64(n) > commonShare*float64(len(g.ids)) {
		return 0
	}
	w := 1 / (1 + math.Log(float64(n-1)))
	if b.affair {
		return affairShare * w
	}
	return w
}

// label returns how Via names the bucket.
func (b *bucket) label() string {
	if b.affair {
		return "affair:" + b.name
	}
	return b.name
}

// heavier orders what is found: by weight, then by id.
func (g *Graph) heavier(a, b reach) int {
	if c := cmp.Compare(b.weight, a.weight); c != 0 {
		return c
	}
	return strings.Compare(g.nodes[a.thing].id, g.nodes[b.thing].id)
}
