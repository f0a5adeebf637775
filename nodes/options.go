package nodes

import (
	"context"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/state"
)

// Func is a node: it gets the turn, changes fields of its copy and returns it as the patch.
type Func = func(ctx context.Context, t state.Turn) (state.Turn, error)

// CommitFunc makes the work of a node so far durable before the node ends.
type CommitFunc func(ctx context.Context, t state.Turn) (state.Turn, error)

// Options are what one turn has of its own; they travel in the context, because they are services, not state.
type Options struct {
	Model        model.ToolCallingChatModel // nil = the graph's
	ModelOptions []model.Option             // of each call of the model
	Tools        []tool.InvokableTool       // besides the graph's
	Record       *Record                    // nil = nothing is recorded
}

// Record keeps what the chat model was shown in a turn, and what it had said when the turn was left. It belongs to one turn and is read after it.
type Record struct {
	Prompts [][]*schema.Message // one a call
	Context compose.Context     // of the last call
	Said    string              // of an answer that was left in the middle and is not kept
}

type optionsKey struct{}

// ContextWithOptions gives a turn options of its own.
func ContextWithOptions(ctx context.Context, o Options) context.Context {
	return context.WithValue(ctx, optionsKey{}, o)
}

func optionsFrom(ctx context.Context) Options {
	o, _ := ctx.Value(optionsKey{}).(Options)
	return o
}
