package graph

import "github.com/mneme-graph/mneme/graph/flow"

// Drawing draws the pipeline: its nodes and the ways between them.
func (g *Graph) Drawing() flow.Drawing { return g.flow.Drawing() }
