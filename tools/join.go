package tools

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/cloudwego/eino/components"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/memory/settings"
	"github.com/mneme-graph/mneme/state"
)

// Join makes a tool that only streams one that a turn can call, and a node of graph/flow: its pieces, joined, are the result that is kept
// and that the model sees. Listeners of a turn hear the whole result, as that of any tool (state.ToolEnd), not the pieces. What holds for every tool
// holds for it; of a stream that breaks off, for whatever reason, nothing is kept, and reading ends at tool_result_bytes.
// A tool that streams and can be invoked too needs no Join.
func Join(t tool.StreamableTool) tool.InvokableTool { return joined{t} }

// joined is a tool that streams, read to its end.
type joined struct{ tool.StreamableTool }

// Info implements tool.BaseTool.
func (j joined) Info(ctx context.Context) (*schema.ToolInfo, error) {
	if j.StreamableTool == nil {
		return nil, state.Errorf(state.Invalid, "join", "was given no tool")
	}
	return j.StreamableTool.Info(ctx)
}

// Timeout returns the tool's own time, 0 = the setting.
func (j joined) Timeout() time.Duration {
	if own, ok := j.StreamableTool.(interface{ Timeout() time.Duration }); ok {
		return own.Timeout()
	}
	return 0
}

// GetType implements components.Typer.
func (j joined) GetType() string {
	kind, _ := components.GetType(j.StreamableTool)
	return kind
}

// IsCallbacksEnabled implements components.Checker.
func (j joined) IsCallbacksEnabled() bool { return components.IsCallbacksEnabled(j.StreamableTool) }

// InvokableRun implements tool.InvokableTool.
func (j joined) InvokableRun(ctx context.Context, arguments string, opts ...tool.Option) (string, error) {
	info, err := j.Info(ctx)
	if err != nil {
		return "", err
	}
	pieces, err := j.StreamableRun(ctx, arguments, opts...)
	switch {
	case err != nil:
		return "", err
	case pieces == nil:
		return "", state.Errorf(state.Internal, "tool "+info.Name, "gave no stream")
	}
	defer pieces.Close()

	most := state.DefaultSettings().ToolResultBytes
	if set := settings.From(ctx); set != nil {
		most = set.ToolResultBytes
	}
	var all strings.Builder
	for {
		piece, err := pieces.Recv()
		switch {
		case ctx.Err() != nil: // a tool that heeds it ends its stream in order: what has come is not the whole
			return "", context.Cause(ctx)
		case errors.Is(err, io.EOF):
			return all.String(), nil
		case err != nil:
			return "", err
		case all.Len()+len(piece) > most:
			return "", state.Errorf(state.Invalid, "tool "+info.Name, "answers more than the %d bytes that are taken; ask it for less", most)
		}
		all.WriteString(piece)
	}
}
