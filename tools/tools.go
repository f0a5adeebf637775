package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/compose/quote"
	"github.com/mneme-graph/mneme/memory/suggest"
	"github.com/mneme-graph/mneme/state"
)

// The names of the tools, as models see them.
const (
	MemoryStore   = "memory_store"
	MemoryRecall  = "memory_recall"
	ListAffairs   = "list_affairs"
	RecallAffair  = "recall_affair"
	ResolveAffair = "resolve_affair"
	ReadBlock     = "read_block"
	MemoryUpdate  = "memory_update"
	ScheduleTask  = "schedule_task"
	SwitchAffair  = "switch_affair"
)

// Canonical returns the name a tool is known by here: some documents and models use others.
func Canonical(name string) string {
	switch name {
	case "memory_search":
		return MemoryRecall
	case "MemorySave", "memory_save", "store_knowledge":
		return MemoryStore
	case "affairs", "show_affairs":
		return ListAffairs
	case "affair_recall":
		return RecallAffair
	case "create_scheduled_task":
		return ScheduleTask
	}
	return name
}

// BuiltIn reports whether a name, or the one it is an alias of, is that of a tool of this package.
func BuiltIn(name string) bool {
	switch Canonical(name) {
	case MemoryStore, MemoryRecall, ListAffairs, RecallAffair, ResolveAffair, ReadBlock, MemoryUpdate, ScheduleTask, SwitchAffair:
		return true
	}
	return false
}

// Writes reports whether a call of a tool of this package changes memory by itself. To approve of a suggestion is not among it: the user has
// said so by then, or it is refused.
func Writes(name, arguments string) bool {
	switch name {
	case MemoryStore, ResolveAffair, ScheduleTask:
		return true
	case MemoryUpdate:
		var args updateArgs
		return json.Unmarshal([]byte(arguments), &args) != nil || !slices.Contains([]string{show, memory.Unclear, suggestions, approve, reject}, args.action())
	}
	return false
}

// New makes the memory tools. They work in the scope of the context they are called with (a turn sets it) and
// are safe for concurrent use.
func New(m *memory.Memory) []tool.InvokableTool {
	return []tool.InvokableTool{
		storeTool(m), recallTool(m), listTool(m), recallAffairTool(m), resolveTool(m), blockTool(m), updateTool(m), scheduleTool(m), switchTool(m),
	}
}

// bound is one tool: its description, and what it does with the arguments in a scope.
type bound struct {
	info   *schema.ToolInfo
	inTurn *schema.ToolInfo // with the reply that a turn takes from the arguments
	run    func(ctx context.Context, scope state.Scope, arguments []byte) (string, error)
}

// Info implements tool.BaseTool.
func (b *bound) Info(context.Context) (*schema.ToolInfo, error) { return b.info, nil }

// InfoInTurn is Info in a turn of the graph, which says the reply that a call brings along: see TakeReply.
func (b *bound) InfoInTurn() *schema.ToolInfo { return b.inTurn }

// InvokableRun implements tool.InvokableTool. Its errors are short and say what to do; they are meant to be
// read by the model. Under a tools node of eino's, which ends the host's run at an error, they are its results.
func (b *bound) InvokableRun(ctx context.Context, arguments string, _ ...tool.Option) (string, error) {
	scope, ok := state.ScopeFrom(ctx)
	if !ok {
		return "", state.Errorf(state.Invalid, b.info.Name, "was called outside a turn; put a scope into the context (state.ContextWithScope)")
	}
	if strings.TrimSpace(arguments) == "" {
		arguments = "{}"
	}
	result, err := b.run(ctx, scope, []byte(arguments))
	if err != nil && compose.GetToolCallID(ctx) != "" && ctx.Err() == nil {
		return "error: " + err.Error(), nil
	}
	return result, err
}

// bind makes a tool that gets its arguments from the JSON a model wrote. Unknown fields are passed over.
func bind[T any](d description, run func(ctx context.Context, scope state.Scope, args T) (string, error)) *bound {
	b := &bound{info: d.info(d.params)}
	b.inTurn = b.info
	if takesReply(d.name) {
		params := maps.Clone(d.params)
		params[replyParam] = textParam(replyDesc, false)
		b.inTurn = d.info(params)
	}
	b.run = func(ctx context.Context, scope state.Scope, raw []byte) (string, error) {
		var args T
		if err := json.Unmarshal(raw, &args); err != nil {
			return "", state.Errorf(state.Invalid, d.name, "the arguments are not the JSON object of the schema: %w", err)
		}
		result, err := run(ctx, scope, args)
		var waits *suggest.WaitsError
		if errors.As(err, &waits) { // no failure: it is kept with the result
			return tellSuggested(ctx, waits), nil
		}
		return result, err
	}
	return b
}

// tellSuggested says that what was asked for waits for the user.
func tellSuggested(ctx context.Context, waits *suggest.WaitsError) string {
	lines := make([]string, 0, len(waits.Suggestions)+1)
	for _, s := range waits.Suggestions {
		noteSuggestion(ctx, s)
		lines = append(lines, SuggestionLine(s))
	}
	if waits.Refused > 0 {
		lines = append(lines, "not even suggested: "+strconv.Itoa(waits.Refused)+", since "+strconv.Itoa(waits.Most)+" suggestions wait already; ask the user to answer some")
	}
	return "suggested, nothing is changed before the user approves of it; tell him so\n" + quote.Memory(lines...)
}

// SuggestionLine returns a suggestion in a list, as a model reads it.
func SuggestionLine(s state.Suggestion) string {
	return "- " + s.Asks + ": " + quote.Item(s.Text) + " (suggestion " + s.ID + ", " + s.At.Format("2006-01-02") + ")"
}

// requireText refuses an empty string argument.
func requireText(tool, name, value string) error {
	if strings.TrimSpace(value) == "" {
		return state.Errorf(state.Invalid, tool, "the argument %q is missing", name)
	}
	return nil
}

func textParam(desc string, must bool) *schema.ParameterInfo {
	return &schema.ParameterInfo{Type: schema.String, Desc: desc, Required: must}
}

// description is what a model is told of a tool.
type description struct {
	name, desc string
	params     map[string]*schema.ParameterInfo
}

func describeTool(name, desc string, params map[string]*schema.ParameterInfo) description {
	return description{name, desc, params}
}

// info returns the description with its schema made once: each call of a model copies it.
func (d description) info(params map[string]*schema.ParameterInfo) *schema.ToolInfo {
	described := schema.NewParamsOneOfByParams(params)
	if made, err := described.ToJSONSchema(); err == nil && made != nil {
		described = schema.NewParamsOneOfByJSONSchema(made)
	}
	return &schema.ToolInfo{Name: d.name, Desc: d.desc, ParamsOneOf: described}
}

// AffairLine returns an affair in a list, as a model reads it, with the days of it that are ahead.
func AffairLine(a *state.Affair, ahead []state.Fact) string {
	s := fmt.Sprintf("- %s [%s] id %s", quote.Item(a.Title), a.Status, a.ID)
	if a.Status == state.Parked && a.Session != "" { // here
		s += "; active in session " + quote.Line(a.Session)
	}
	if a.Status == state.Resolved {
		return s
	}
	for i, p := range a.PendingActions {
		sep := "; "
		if i == 0 {
			sep = "; waiting for: "
		}
		s += sep + quote.Item(p)
	}
	for i, f := range ahead {
		sep := "; "
		if i == 0 {
			sep = "; days: "
		}
		s += sep + quote.Item(f.Label+": "+f.Value)
	}
	return s
}
