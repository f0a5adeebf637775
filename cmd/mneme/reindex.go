package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/state"
)

type reindexCommand struct {
	place
	DropOld bool `name:"drop-old" help:"Delete all vectors but those in use at the end."`
	JSON    bool `name:"json" help:"One JSON object."`
}

// Help is printed by mneme reindex --help.
func (reindexCommand) Help() string {
	return `Makes the vectors that the index lacks, of all users, takes out those of what is gone, and makes the
configured embedder the one in use. It mends an index that was lost, and changes over to another embedder, another dimension or
another index. Documents are not touched, and recall goes on meanwhile; broken off, it goes on where it was. Vectors of other
embedders stay, for the way back. --drop-old deletes all that are not the ones in use at the end: those used before, and those
that a change left half made. Another process that is making such ones just now cannot be seen, and has to begin again.

Examples:
  MNEME_EMBEDDER=ollama:nomic-embed-text mneme reindex
  mneme reindex --embedder openai:text-embedding-3-small --milvus-addr localhost:19530 --drop-old`
}

// reindexed is what became of it, as JSON.
type reindexed struct {
	Documents int         `json:"documents"`
	Space     spaceLine   `json:"space"`
	Index     string      `json:"index"`
	Pace      string      `json:"pace,omitempty"`   // how fast the embedder was; "" = it had nothing to do
	Before    *spaceLine  `json:"before,omitempty"` // what was in use before, if it was another
	Dropped   []spaceLine `json:"dropped"`          // what --drop-old deleted
}

// spaceLine is a space of vectors, as JSON.
type spaceLine struct {
	Model   string `json:"model"`
	Dim     int    `json:"dim"`
	Version int    `json:"version"`
}

// Run brings the index in step.
func (r *reindexCommand) Run(ctx context.Context, con *console) error {
	return with(ctx, con.openThere, func(g *opened) error { return r.bring(ctx, con, g) })
}

func (r *reindexCommand) bring(ctx context.Context, con *console, g *opened) (err error) {
	// Without an embedder there are no vectors to make.
	if !g.config.hasEmbedder() {
		return state.Errorf(state.Invalid, "reindex", "there is no embedder to make vectors with; set MNEME_EMBEDDER or --embedder: "+
			"openai:NAME, ollama:NAME, ark:NAME, dashscope:NAME or a model's folder")
	}

	// The shelf is opened a second time: the graph's own is not to be had.
	_, opener, err := g.config.meaning(ctx, g.store.Store)
	if err != nil {
		return err
	}
	shelf, err := opener(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, shelf.Close()) }()

	// The report is the same for JSON and for people.
	out, err := r.reindex(ctx, con, g, shelf)
	switch {
	case err != nil:
		return err
	case r.JSON:
		return encode(con.out, out)
	}
	out.print(con)
	return nil
}

func (r *reindexCommand) reindex(ctx context.Context, con *console, g *opened, shelf index.Shelf) (out reindexed, err error) {
	// The report says what recall has used before.
	before, promoted, err := shelf.Live(ctx)
	if err != nil {
		return out, err
	}

	// All documents get vectors; progress shows how fast the embedder is.
	pace := func() string {
		status, _ := g.Memory().Vectors().Status()
		return status.Pace.String()
	}
	users := con.progress("users", pace)
	out.Index, out.Dropped = g.config.keptIn(), []spaceLine{}
	if out.Documents, err = g.Memory().Vectors().Reindex(ctx, func(done, of, _ int) { users(done, of) }); err != nil {
		return out, err
	}

	// Recall uses the new vectors from here on.
	status, _ := g.Memory().Vectors().Status()
	out.Space, out.Pace = spaceLine(status.Space), pace()
	if promoted && before != status.Space {
		out.Before = &spaceLine{before.Model, before.Dim, before.Version}
	}
	if !r.DropOld {
		return out, nil
	}

	// Older vectors go only now, when nothing needs them.
	dropped, err := shelf.Drop(ctx, status.Space) // whatever another process has promoted since
	for _, s := range dropped {
		out.Dropped = append(out.Dropped, spaceLine(s))
	}
	if err != nil {
		return out, fmt.Errorf("%d documents have vectors, and deleting others ended after %d embedders: %w", out.Documents, len(dropped), err)
	}
	return out, nil
}

func (o reindexed) print(con *console) {
	fmt.Fprintf(con.out, "%d documents have vectors: %s\n", o.Documents, index.Space(o.Space))
	con.fields("index", o.Index, "embedder", o.Pace)
	if o.Before != nil && !slices.Contains(o.Dropped, *o.Before) {
		con.field("before", index.Space(*o.Before).String()+"; kept, for the way back: the same command with that embedder")
	}
	for _, s := range o.Dropped {
		con.field("deleted", index.Space(s).String())
	}
}
