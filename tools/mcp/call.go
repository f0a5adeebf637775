package mcp

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	eino "github.com/cloudwego/eino/components/tool"
	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mneme-graph/mneme/memory/compose/quote"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/tools"
)

// Result is the structured content of each answer. Its texts are quoted data, as in the text.
type Result struct {
	Items   []tools.Item `json:"items" jsonschema:"what the text speaks of, one by one"`
	Receipt *Receipt     `json:"receipt,omitempty" jsonschema:"of forget"`
	Code    string       `json:"code,omitempty" jsonschema:"of an error: invalid, not_found, conflict, denied, unavailable or internal"`
	Error   string       `json:"error,omitempty" jsonschema:"what was wrong, and the way out"`
}

// tool is one of those that are offered.
type tool struct {
	described *sdk.Tool
	hints     hints
	run       func(ctx context.Context, v *visit, arguments string) (text string, receipt *Receipt, err error)
}

// hints is what clients are told of a tool besides.
type hints struct{ title, kind string }

// The kinds of tools.
const (
	reads  = "reads"  // changes nothing
	adds   = "adds"   // what is there already is not stored again
	edits  = "edits"  // may end or replace what is there
	erases = "erases" // for good
)

func (h hints) writes() bool { return h.kind != reads }

func (h hints) annotations() *sdk.ToolAnnotations {
	destroys, open := h.kind == edits || h.kind == erases, false
	return &sdk.ToolAnnotations{Title: h.title, ReadOnlyHint: h.kind == reads, DestructiveHint: &destroys, IdempotentHint: h.kind != edits, OpenWorldHint: &open}
}

// describe makes the tools: those that models call in a turn, as they are described there, and two more.
func (s *Server) describe() ([]*tool, error) {
	offered := map[string]hints{
		tools.MemoryStore:  {"Remember", adds},
		tools.MemoryRecall: {"Look up in memory", reads},
		tools.ListAffairs:  {"List affairs", reads},
		tools.RecallAffair: {"Read an affair", reads},
		tools.MemoryUpdate: {"Change what is remembered", edits},
	}
	output, err := jsonschema.For[Result](&jsonschema.ForOptions{})
	if err != nil {
		return nil, err
	}
	var out []*tool
	for _, t := range tools.New(s.c.Memory) {
		info, err := t.Info(context.Background()) // it reads nothing
		if err != nil {
			return nil, err
		}
		h, ok := offered[info.Name]
		if !ok {
			continue
		}
		schema, err := info.ToJSONSchema()
		if err != nil {
			return nil, err
		}
		desc := info.Desc
		if info.Name == tools.MemoryUpdate {
			desc += " Here approve and reject are refused: they are for the user himself."
		}
		described, err := describeTool(info.Name, desc, h, schema, output)
		if err != nil {
			return nil, err
		}
		out = append(out, &tool{described, h, runTool(t)})
	}
	own, err := s.describeOwn(output)
	return append(out, own...), err
}

// runTool has a tool of package tools answer.
func runTool(t eino.InvokableTool) func(context.Context, *visit, string) (string, *Receipt, error) {
	return func(ctx context.Context, _ *visit, arguments string) (string, *Receipt, error) {
		text, err := t.InvokableRun(ctx, arguments)
		return text, nil, err
	}
}

// describeTool returns a tool as clients are told of it. No argument but those of its schema is taken.
func describeTool(name, desc string, h hints, schema any, output *jsonschema.Schema) (*sdk.Tool, error) {
	raw, err := json.Marshal(schema)
	if err != nil {
		return nil, err
	}
	in := &jsonschema.Schema{}
	if err := json.Unmarshal(raw, in); err != nil {
		return nil, err
	}
	in.Type, in.AdditionalProperties = "object", &jsonschema.Schema{Not: &jsonschema.Schema{}}
	return &sdk.Tool{Name: name, Title: h.title, Description: desc, InputSchema: in, OutputSchema: output, Annotations: h.annotations()}, nil
}

// handle returns what answers the calls of a tool.
func (v *visit) handle(t *tool) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		began := v.c.Now()
		out := Result{Items: []tools.Item{}}
		text, err := v.call(ctx, t, req, &out)
		v.c.Logger.InfoContext(ctx, "call", "tool", t.described.Name, "code", string(state.CodeOf(err)), "ms", v.c.Now().Sub(began).Milliseconds())
		if err != nil {
			code := state.CodeOf(err)
			out = Result{Items: []tools.Item{}, Code: string(code), Error: err.Error()}
			if code == state.Internal {
				v.c.Logger.WarnContext(ctx, "failed", "tool", t.described.Name, "error", err)
				out.Error = "something went wrong here; the log of the server tells what"
			}
			text = "error (" + out.Code + "): " + out.Error
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}, StructuredContent: out, IsError: err != nil}, nil
	}
}

// call checks one call and carries it out.
func (v *visit) call(ctx context.Context, t *tool, req *sdk.CallToolRequest, out *Result) (text string, err error) {
	if err := v.caller.may(t.hints.writes()); err != nil {
		return "", err
	}
	if err := checkArguments(t.described, req.Params.Arguments); err != nil {
		return "", err
	}
	if ctx, err = v.enter(ctx, req.Session); err != nil {
		return "", err
	}
	text, out.Receipt, err = t.run(tools.ContextWithItems(ctx, &out.Items), v, string(req.Params.Arguments))
	if err != nil {
		return "", err
	}
	set, err := v.c.Memory.Settings().In(ctx, v.caller.Scope)
	if err == nil && len(text) > set.ToolResultBytes {
		err = state.Errorf(state.Invalid, t.described.Name, "answers more than the %d bytes that are taken; ask for less", set.ToolResultBytes)
	}
	return text, err
}

// checkArguments refuses what a tool does not take, and values of another type.
func checkArguments(t *sdk.Tool, raw json.RawMessage) error {
	takes := t.InputSchema.(*jsonschema.Schema).Properties //nolint:forcetypeassert // describeTool made it
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	if !utf8.Valid(raw) {
		return state.Errorf(state.Invalid, t.Name, "the arguments are not encoded as UTF-8")
	}
	var given map[string]any
	if err := json.Unmarshal(raw, &given); err != nil {
		return state.Errorf(state.Invalid, t.Name, "the arguments are not a JSON object")
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		want, known := takes[name]
		if !known {
			return state.Errorf(state.Invalid, t.Name, "takes no argument %.40q; it takes %s", quote.Line(name), strings.Join(slices.Sorted(maps.Keys(takes)), ", "))
		}
		if !fits(given[name], want.Type) {
			return state.Errorf(state.Invalid, t.Name, "the argument %q is not of type %s", name, want.Type)
		}
	}
	return nil
}

// fits reports whether a value of JSON has a type; null stands for an argument that is left out.
func fits(value any, kind string) bool {
	switch v := value.(type) {
	case nil:
		return true
	case string:
		return kind == "string"
	case bool:
		return kind == "boolean"
	case float64:
		return kind == "number" || kind == "integer" && v == float64(int64(v))
	}
	return false
}
