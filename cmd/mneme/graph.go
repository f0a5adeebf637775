package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/state/store/ram"
)

type graphCommand struct {
	JSON bool `name:"json" help:"The nodes and edges as one JSON object."`
}

// Help is printed by mneme graph --help.
func (graphCommand) Help() string {
	return `Prints the nodes of a turn and the ways between them as a Mermaid flowchart, which GitHub and many editors render.
Reads no store. A graph of your own prints itself with Drawing().Mermaid(), see package graph/flow.

Examples:
  mneme graph > turn.mmd
  mneme graph --json`
}

// Run prints the pipeline.
func (g *graphCommand) Run(ctx context.Context, con *console) (err error) {
	pipeline, err := graph.New(ctx, graph.Config{Store: ram.New(), Model: scripted.New(nil, nil), Now: time.Now, NewID: uuid.NewString})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pipeline.Close()) }()
	drawing := pipeline.Drawing()
	return con.tell(g.JSON, drawing, "%s", strings.TrimSuffix(drawing.Mermaid(), "\n"))
}
