package flow

import (
	"fmt"
	"strings"
)

// Drawing is what a graph looks like: its nodes in the order in which they were added, and every way between them.
type Drawing struct {
	Name  string      `json:"name"`
	Nodes []DrawnNode `json:"nodes"`
	Edges []DrawnEdge `json:"edges"`
}

// DrawnNode is a node of a Drawing.
type DrawnNode struct {
	Name     string `json:"name"`
	Rides    bool   `json:"rides,omitempty"`
	Volatile bool   `json:"volatile,omitempty"`
	Items    bool   `json:"items,omitempty"` // runs once for each item of a list
}

// DrawnEdge is a way from one node to another: an "edge" is always gone, a "branch" if its function chooses it, a "goto" if
// the node itself does.
type DrawnEdge struct {
	From string `json:"from"`
	To   string `json:"to"`
	Kind string `json:"kind"`
}

// Drawing draws the graph.
func (g *Graph[S, P]) Drawing() Drawing {
	d := Drawing{Name: g.name}
	add := func(from, kind string, targets []string) {
		for _, to := range targets {
			d.Edges = append(d.Edges, DrawnEdge{from, to, kind})
		}
	}
	add(Start, "edge", g.shape.next[Start])
	for _, name := range g.shape.nodes {
		n := g.nodes[name]
		d.Nodes = append(d.Nodes, DrawnNode{Name: name, Rides: n.Rides, Volatile: n.Volatile, Items: n.Items != nil})
		add(name, "edge", n.edges)
		for _, b := range n.branches {
			add(name, "branch", b.targets)
		}
		add(name, "goto", n.Goto)
	}
	return d
}

// Mermaid returns the drawing in Mermaid's language, as GitHub and others render it. Ways that are chosen are dashed, nodes that run
// for each item of a list have a double frame.
func (d Drawing) Mermaid() string {
	ids := map[string]string{Start: "start", End: "end_"}
	var b strings.Builder
	fmt.Fprintf(&b, "flowchart TD\n    start([START])\n")
	for i, n := range d.Nodes {
		ids[n.Name] = fmt.Sprintf("n%d", i+1)
		box := "    %s[\"%s\"]\n"
		if n.Items {
			box = "    %s[[\"%s, each\"]]\n"
		}
		fmt.Fprintf(&b, box, ids[n.Name], escapeLabel(n.Name))
	}
	fmt.Fprintf(&b, "    end_([END])\n")
	for _, e := range d.Edges {
		arrow := "-->"
		if e.Kind != "edge" {
			arrow = "-.->"
		}
		fmt.Fprintf(&b, "    %s %s %s\n", ids[e.From], arrow, ids[e.To])
	}
	return b.String()
}

// escapeLabel writes what would end a label, or a line, as Mermaid's entities.
func escapeLabel(name string) string {
	return strings.NewReplacer("#", "#35;", `"`, "#quot;", "<", "#lt;", ">", "#gt;", "\n", " ", "\r", " ").Replace(name)
}
