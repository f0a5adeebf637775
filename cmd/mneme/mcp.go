package main

import (
	"cmp"
	"context"
	"io"
	"log/slog"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/tools/mcp"
)

type mcpCommand struct {
	place
	whose
	defined
}

// Help is printed by mneme mcp --help.
func (mcpCommand) Help() string {
	return `A client of the Model Context Protocol (an editor, an assistant) starts this process and talks with it over its input and output. It offers the tools
memory_store, memory_recall, list_affairs, recall_affair, memory_update, forget and explain_turn, the resources memory:brain, memory:today and
affair:ID, and the prompts continue_affair and what_waits. Whose memory it is the flags say; a client cannot. Any number of such processes,
of any clients, may share a folder, beside mneme chat and mneme serve.

The log goes to stderr. It ends when its input does, and on SIGTERM. With autonomy=0 nothing is written, with autonomy=1 what a model wants to write waits
as a suggestion (mneme suggestions). Clients elsewhere use mneme serve, which has the same at /mcp.

What to paste into a client's configuration:
  {
    "mcpServers": {
      "mneme": {
        "command": "mneme",
        "args": ["mcp", "--dir", "/home/ann/.mneme", "--user", "ann"]
      }
    }
  }

Examples:
  mneme mcp --dir ~/.mneme --user ann
  mneme mcp --user ann --set autonomy=1 --set time_zone=Europe/Prague
  MNEME_MONGO_URI=mongodb://db/mneme mneme mcp --client acme --user ann`
}

// Run serves one client until its input ends.
func (m *mcpCommand) Run(ctx context.Context, con *console) error {
	return with(ctx, con.open, func(g *opened) error {
		con.warn(g.config)
		defer con.settle(ctx, g)
		server, err := mcp.New(mcp.Config{
			Memory: g.Memory(), Logger: slog.New(slog.NewTextHandler(con.err, nil)), Version: built().Version,
			Explain: func(ctx context.Context, scope state.Scope, turn string) (mcp.Account, error) {
				return g.Explain(ctx, scope, turn)
			},
		})
		if err != nil {
			return err
		}
		out, err := con.wire()
		if err != nil {
			return err
		}
		caller := mcp.Caller{Scope: g.scope, Language: cmp.Or(lookup(con.environ, "LC_ALL"), lookup(con.environ, "LANG"))}
		return server.Serve(ctx, caller, &sdk.IOTransport{Reader: io.NopCloser(con.in), Writer: out})
	})
}

// wire returns the output as a program reads it: as it is written, and at once.
func (c *console) wire() (io.WriteCloser, error) {
	out := c.out
	if shown, ok := out.(*screen); ok {
		out = shown.w
	}
	return unclosed{out}, c.pager.direct()
}

// unclosed is a writer that whoever made it closes.
type unclosed struct{ io.Writer }

// Close does nothing.
func (unclosed) Close() error { return nil }
