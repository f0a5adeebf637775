package flow

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/state/field"
)

// check finds what is wrong with the graph as a whole, in the order of its nodes.
func (b *Builder[S, P]) check() []error {
	var s S
	errs := checkFields(P(&s).Fields())
	known := append(b.names(), End)
	for _, from := range b.sources() {
		if !slices.Contains(known[:len(known)-1], from) {
			errs = append(errs, fmt.Errorf("%s -> %s: there is no node %s", from, strings.Join(b.next(from), ", "), from))
		}
		for _, to := range b.next(from) {
			if to == Start || !slices.Contains(known, to) {
				errs = append(errs, fmt.Errorf("%s -> %s: there is no node %s", from, to, to))
			}
		}
	}
	if len(b.branches[Start]) > 0 {
		errs = append(errs, fmt.Errorf("branch from start: branch from a node, so that its decision can be logged"))
	}
	reached := b.reach(Start)
	for _, n := range b.nodes {
		switch {
		case n.Volatile && len(b.branches[n.Name]) > 0:
			errs = append(errs, fmt.Errorf("node %s: is volatile, its branch would be taken anew in every attempt; branch from a logged node", n.Name))
		case !reached[n.Name]:
			errs = append(errs, fmt.Errorf("node %s: nothing leads to it from the start", n.Name))
		case !b.reach(n.Name)[End]:
			errs = append(errs, fmt.Errorf("node %s: nothing leads from it to the end", n.Name))
		}
	}
	return errs
}

// checkFields refuses names that a log cannot keep apart.
func checkFields(fields []field.Named) []error {
	var errs []error
	for i, f := range fields {
		if f.Name == "" || strings.ContainsRune(f.Name, 0) {
			errs = append(errs, fmt.Errorf("field %q: give it a name without zero bytes", f.Name))
		}
		if slices.ContainsFunc(fields[:i], func(g field.Named) bool { return g.Name == f.Name }) {
			errs = append(errs, fmt.Errorf("field %s: is there twice", f.Name))
		}
	}
	return errs
}

// names lists the start and all nodes.
func (b *Builder[S, P]) names() []string {
	names := []string{Start}
	for _, n := range b.nodes {
		names = append(names, n.Name)
	}
	return names
}

// sources lists everything an edge or branch leads from, known or not, in order.
func (b *Builder[S, P]) sources() []string {
	var from []string
	for name := range b.edges {
		from = append(from, name)
	}
	for name := range b.branches {
		from = append(from, name)
	}
	slices.Sort(from)
	return slices.Compact(from)
}

// next lists all nodes that may follow one.
func (b *Builder[S, P]) next(name string) []string {
	next := slices.Clone(b.edges[name])
	for _, br := range b.branches[name] {
		next = append(next, br.targets...)
	}
	return next
}

// reach is everything that may run after a node.
func (b *Builder[S, P]) reach(name string) map[string]bool {
	seen := map[string]bool{}
	var visit func(string)
	visit = func(at string) {
		for _, to := range b.next(at) {
			if !seen[to] {
				seen[to] = true
				visit(to)
			}
		}
	}
	visit(name)
	return seen
}

// cyclic reports whether a node can come again.
func (b *Builder[S, P]) cyclic() bool {
	return slices.ContainsFunc(b.nodes, func(n Node[S]) bool { return b.reach(n.Name)[n.Name] })
}

// alone reports whether nothing else can be running or still to come when the node goes to the end: its
// result is then committed together with the turn's end. That is so when the graph never does two things
// at once, or when it is a DAG in which this node alone leads to the end, so that it has waited for all.
func (b *Builder[S, P]) alone(name string) bool {
	parallel, ending := false, 0
	for _, at := range b.names() {
		parallel = parallel || len(b.edges[at])+len(b.branches[at]) > 1
		if slices.Contains(b.next(at), End) {
			ending++
		}
	}
	return !parallel || ending == 1 && !b.cyclic() && slices.Contains(b.next(name), End)
}
