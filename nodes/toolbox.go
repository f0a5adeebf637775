package nodes

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/tools"
)

// CheckTools refuses a set of tools that could not be told apart, or that would run without the approval that was asked for:
// two of one name, one with the name or an alias of a memory tool beside that tool, and a name in approve that no tool has.
// It is state.ErrInvalid and names the nearest known name.
func CheckTools(ctx context.Context, approve []string, sets ...[]tool.InvokableTool) error {
	b, err := newToolbox(ctx, sets...)
	if err != nil {
		return err
	}

	for _, name := range approve {
		if _, ok := b.byName[name]; ok {
			continue
		}
		nearest := tools.Canonical(name)
		if nearest == name {
			nearest = state.Nearest(name, b.names())
		}
		return state.Errorf(state.Invalid, "approve", "names the tool %q, which there is not; did you mean %q?", name, nearest)
	}
	return nil
}

// toolbox is what the model may call in a turn.
type toolbox struct {
	infos  []*schema.ToolInfo
	byName map[string]tool.InvokableTool
}

// newToolbox collects tools. Each needs a name of its own.
func newToolbox(ctx context.Context, sets ...[]tool.InvokableTool) (toolbox, error) {
	b := toolbox{byName: map[string]tool.InvokableTool{}}
	meant := map[string]string{} // names by what they mean, aliases of the memory tools included
	for _, t := range slices.Concat(sets...) {
		if t == nil {
			return b, state.Errorf(state.Invalid, "tool", "is nil")
		}
		info, err := t.Info(ctx)
		if own, ok := t.(interface{ InfoInTurn() *schema.ToolInfo }); ok && err == nil {
			info = own.InfoInTurn()
		}
		switch {
		case err != nil:
			return b, state.Errorf(state.Invalid, "tool", "does not describe itself: %w", err)
		case info == nil || info.Name == "":
			return b, state.Errorf(state.Invalid, "tool", "has no name; return one from Info")
		}

		if other, ok := meant[tools.Canonical(info.Name)]; ok {
			return b, state.Errorf(state.Invalid, "tool "+info.Name, "is there twice, the other one is called %s; give each tool a name of its own", other)
		}

		meant[tools.Canonical(info.Name)] = info.Name
		b.byName[info.Name] = t
		b.infos = append(b.infos, info)
	}
	return b, nil
}

// find returns the tool of a name or of an alias of it.
func (b toolbox) find(name string) (tool.InvokableTool, bool) {
	t, ok := b.byName[name]
	if !ok {
		t, ok = b.byName[tools.Canonical(name)]
	}
	return t, ok
}

// schema returns the JSON schema of a tool's arguments, "" when it has none that can be told.
func (b toolbox) schema(name string) string {
	i := slices.IndexFunc(b.infos, func(i *schema.ToolInfo) bool { return i.Name == name || i.Name == tools.Canonical(name) })
	if i < 0 || b.infos[i].ParamsOneOf == nil {
		return ""
	}
	s, err := b.infos[i].ParamsOneOf.ToJSONSchema()
	if err != nil {
		return ""
	}
	text, err := json.Marshal(s)
	if err != nil {
		return ""
	}
	return string(text)
}

// tokens returns what the descriptions of the tools from number first on cost in a request.
func (b toolbox) tokens(first int, count func(string) int) (sum int) {
	const frame = 8 // of each, in the providers' forms
	for _, i := range b.infos[first:] {
		sum += frame + count(i.Name+i.Desc+b.schema(i.Name))
	}
	return sum
}

func (b toolbox) names() []string {
	names := make([]string, 0, len(b.infos))
	for _, i := range b.infos {
		names = append(names, i.Name)
	}
	return names
}
