package flow

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// check finds what is wrong with the graph as a whole, in the order of its nodes.
func (b *Builder[S, P]) check() []error {
	var s S
	errs := checkFields(&s, P(&s).Fields())

	// Every way leads from a node to a node.
	known := append(b.nodeNames(), End)
	for _, from := range b.listSources() {
		if !slices.Contains(known[:len(known)-1], from) {
			errs = append(errs, fmt.Errorf("%s -> %s: there is no node %s", from, strings.Join(b.listNext(from), ", "), from))
		}
		for _, to := range b.listNext(from) {
			if to == Start || !slices.Contains(known, to) {
				errs = append(errs, fmt.Errorf("%s -> %s: there is no node %s; add it, or correct the edge, branch or Goto of %s", from, to, to, from))
			}
		}
	}
	if len(b.branches[Start]) > 0 {
		errs = append(errs, fmt.Errorf("branch from start: branch from a node, so that its decision can be logged"))
	}

	// Every node is on a way from the start to the end.
	reached := b.findReach(Start)
	for _, n := range b.nodes {
		switch {
		case slices.ContainsFunc(n.Writes, func(w string) bool { return !hasField(P(&s).Fields(), w) }):
			errs = append(errs, fmt.Errorf("node %s: declares that it writes %q; the state's fields are %q", n.Name, n.Writes, fieldNames(P(&s).Fields())))
		case n.Volatile && len(b.branches[n.Name])+len(n.Goto) > 0:
			errs = append(errs, fmt.Errorf("node %s: is volatile, its branch would be taken anew in every attempt; branch from a logged node", n.Name))
		case !reached[n.Name]:
			errs = append(errs, fmt.Errorf("node %s: nothing leads to it from the start", n.Name))
		case !b.findReach(n.Name)[End]:
			errs = append(errs, fmt.Errorf("node %s: nothing leads from it to the end", n.Name))
		}
	}
	return errs
}

// shape is what a compiled graph knows of its own form.
type shape struct {
	nodes  []string
	next   map[string][]string // by node what its edges lead to
	forks  map[string][][]string
	reach  map[string]map[string]bool
	cyclic bool
	joins  map[string]bool            // several nodes lead to them
	holds  map[string]map[string]bool // by node those that it waits for while they are under way
	beside bool                       // nodes may run side by side
	places map[string]int             // of a node in the graph's order

	volatile map[string]bool
	print    string // fingerprint
}

func (b *Builder[S, P]) makeShape() shape {
	sh := shape{
		nodes: b.nodeNames()[1:], next: b.edges, forks: map[string][][]string{}, reach: map[string]map[string]bool{}, cyclic: b.isCyclic(),
		joins: map[string]bool{}, holds: map[string]map[string]bool{}, beside: b.runsBeside() || b.hasItems(), volatile: map[string]bool{},
	}

	// What each node waits for.
	for _, n := range b.nodes {
		sh.volatile[n.Name] = n.Volatile
		sh.joins[n.Name] = len(b.listBefore(n.Name)) > 1
		if sh.joins[n.Name] || !sh.cyclic {
			sh.holds[n.Name] = b.findHolds(n.Name)
		}
	}

	// The fingerprint is of nodes, ways and fields.
	h := sha256.New()
	for _, n := range b.nodeNames() {
		sh.reach[n] = b.findReach(n)
		fmt.Fprintf(h, "%s %q", n, b.edges[n])
		for _, br := range b.branches[n] {
			sh.forks[n] = append(sh.forks[n], br.targets)
			fmt.Fprintf(h, " %q", br.targets)
		}
		if to := b.gotos[n]; len(to) > 0 {
			sh.forks[n] = append(sh.forks[n], to)
			fmt.Fprintf(h, " goto %q", to)
		}
		if slices.ContainsFunc(b.nodes, func(m Node[S]) bool { return m.Name == n && m.Items != nil }) {
			fmt.Fprint(h, " items")
		}
	}
	var s S
	for _, f := range P(&s).Fields() {
		fmt.Fprintf(h, " %s %T", f.Name, f.Field)
	}
	sh.print = hex.EncodeToString(h.Sum(nil)[:8])
	sh.places = sh.orderNodes()
	return sh
}

// listDue lists the nodes that are to run next when these visits are finished, in the order they ended, and none is at
// work: those that something has led to since they last ended, and that wait for no other. Where nothing but the end
// is left it is the End.
func (sh *shape) listDue(ended []ended) []string {
	waiting := map[string]bool{}
	lead := func(to string, at int) {
		if to != End && !sh.hasPassed(to, ended[at:]) {
			waiting[to] = true
		}
	}

	// What the finished visits lead to.
	for _, to := range sh.next[Start] {
		lead(to, 0)
	}
	for i, e := range ended {
		for _, to := range slices.Concat(sh.next[e.node], e.next) {
			lead(to, i+1)
		}
	}
	for _, n := range sh.nodes { // one that is not logged leads on when it is passed
		if sh.volatile[n] && !waiting[n] && slices.ContainsFunc(sh.next[n], func(to string) bool { return sh.hasPassed(to, ended) }) {
			for _, to := range sh.next[n] {
				if !sh.hasPassed(to, ended) {
					lead(to, 0)
				}
			}
		}
	}

	// Of these, what waits for no other.
	due := sh.listReady(waiting, nil)
	if due == nil {
		due = []string{End}
	}
	return due
}

// hasPassed reports whether a node has ended among these visits; one that is never logged has where one behind it did.
func (sh *shape) hasPassed(node string, ended []ended) bool {
	for _, e := range ended {
		if e.node == node {
			return true
		}
	}
	return sh.volatile[node] && slices.ContainsFunc(sh.next[node], func(to string) bool { return sh.hasPassed(to, ended) })
}

// findPath returns a shortest way from the start to a node: the visits before it, with the decisions that lead there, and
// everything that has to have run beside them.
func (sh *shape) findPath(to string) []ended {
	// Breadth first from the start.
	before := map[string]string{Start: ""}
	for queue := []string{Start}; len(queue) > 0 && to != ""; queue = queue[1:] {
		at := queue[0]
		for _, n := range slices.Concat(slices.Concat(sh.forks[at]...), sh.next[at]) {
			if _, seen := before[n]; !seen {
				before[n] = at
				queue = append(queue, n)
			}
		}
	}

	// Back along it.
	on := map[string]string{} // by node of the way the one after it
	for n := to; n != "" && n != Start; n = before[n] {
		on[before[n]] = n
	}

	// Its visits, and those beside it.
	var way []ended
	for _, n := range sh.nodes {
		if _, ok := on[n]; ok || !sh.cyclic && n != to && to != "" && sh.reach[n][to] {
			e := ended{node: n}
			for _, targets := range sh.forks[n] {
				choice := targets[0]
				if slices.Contains(targets, on[n]) {
					choice = on[n]
				}
				e.next = append(e.next, choice)
			}
			way = append(way, e)
		}
	}
	return sh.sortVisits(way)
}

// sortVisits puts visits behind those that lead to them.
func (sh *shape) sortVisits(way []ended) []ended {
	out := make([]ended, 0, len(way))
	for len(way) > 0 {
		first := slices.IndexFunc(way, func(e ended) bool {
			return !slices.ContainsFunc(way, func(o ended) bool { return sh.reach[o.node][e.node] && !sh.reach[e.node][o.node] })
		})
		out = append(out, way[first])
		way = slices.Delete(way, first, first+1)
	}
	return out
}

// orderNodes returns the nodes as they were added, but none before one that leads to it.
func (sh *shape) orderNodes() map[string]int {
	var all []ended
	for _, n := range sh.nodes {
		all = append(all, ended{node: n})
	}
	places := map[string]int{}
	for i, e := range sh.sortVisits(all) {
		places[e.node] = i
	}
	return places
}

// ended is a finished visit and where its branches went.
type ended struct {
	node string
	next []string
}

// nodeNames lists the start and all nodes.
func (b *Builder[S, P]) nodeNames() []string {
	names := []string{Start}
	for _, n := range b.nodes {
		names = append(names, n.Name)
	}
	return names
}

// listSources lists everything an edge or branch leads from, known or not, in order.
func (b *Builder[S, P]) listSources() []string {
	var from []string
	for name := range b.edges {
		from = append(from, name)
	}
	for name := range b.branches {
		from = append(from, name)
	}
	for name := range b.gotos {
		from = append(from, name)
	}
	slices.Sort(from)
	return slices.Compact(from)
}

// listNext lists all nodes that may follow one.
func (b *Builder[S, P]) listNext(name string) []string {
	next := slices.Clone(b.edges[name])
	for _, br := range b.branches[name] {
		next = append(next, br.targets...)
	}
	return append(next, b.gotos[name]...)
}

// findReach is everything that may run after a node.
func (b *Builder[S, P]) findReach(name string) map[string]bool { return b.findReachWithout(name, nil) }

// findReachWithout is reach in a graph that lacks some nodes.
func (b *Builder[S, P]) findReachWithout(name string, lacks map[string]bool) map[string]bool {
	seen := map[string]bool{}
	var visit func(string)
	visit = func(at string) {
		for _, to := range b.listNext(at) {
			if !seen[to] && !lacks[to] {
				seen[to] = true
				visit(to)
			}
		}
	}
	visit(name)
	return seen
}

// findHolds is everything from which a way leads to a node in the same round. A node that all ways to this one go through, as
// the head of a loop that it is in, begins a new round.
func (b *Builder[S, P]) findHolds(name string) map[string]bool {
	heads, holds := map[string]bool{}, map[string]bool{}
	for _, n := range b.nodes {
		heads[n.Name] = n.Name != name && b.isCyclic() && !b.findReachWithout(Start, map[string]bool{n.Name: true})[name]
	}
	for _, n := range b.nodes {
		holds[n.Name] = n.Name != name && !heads[n.Name] && b.findReachWithout(n.Name, heads)[name]
	}
	return holds
}

// isCyclic reports whether a node can come again.
func (b *Builder[S, P]) isCyclic() bool {
	return slices.ContainsFunc(b.nodes, func(n Node[S]) bool { return b.findReach(n.Name)[n.Name] })
}

// endsAlone reports whether nothing else can be running or still to come when the node goes to the end: its
// result is then committed together with the turn's end. That is so when the graph never does two things
// at once, or when it is a DAG in which this node alone leads to the end, so that it has waited for all.
func (b *Builder[S, P]) endsAlone(name string) bool {
	ending := b.listBefore(End)
	return !b.runsBeside() || len(ending) == 1 && !b.isCyclic() && ending[0] == name
}

// runsBeside reports whether nodes may run side by side.
func (b *Builder[S, P]) runsBeside() bool {
	return slices.ContainsFunc(b.nodeNames(), func(at string) bool { return len(b.edges[at])+len(b.branches[at])+len(b.gotos[at]) > 1 })
}

func (b *Builder[S, P]) hasItems() bool {
	return slices.ContainsFunc(b.nodes, func(n Node[S]) bool { return n.Items != nil })
}

// listBefore lists what leads to a node.
func (b *Builder[S, P]) listBefore(name string) (from []string) {
	for _, at := range b.nodeNames() {
		if slices.Contains(b.listNext(at), name) {
			from = append(from, at)
		}
	}
	return from
}
