package openai

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/schema"
	"github.com/eino-contrib/jsonschema"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/tools"
)

// function is a tool that the client runs, as it describes it.
type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// clientTool is one of the client's. To run it is to ask, and its result is the answer.
type clientTool struct{ info *schema.ToolInfo }

var _ tool.InvokableTool = clientTool{}

// clientRuns is the text of the question.
const clientRuns = "The program that talks for the user runs this tool and sends its result."

// callable is what all providers take as the name of a tool.
var callable = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// addTool takes a tool of the client's in.
func (t *talk) addTool(f function) error {
	const most = 128
	switch {
	case len(t.tools) >= most:
		return refuse("tools", "has more than %d functions; send those that this conversation needs", most)
	case !callable.MatchString(f.Name):
		return refuse("tools", "has a function of the name %.80q; take 1 to 64 letters, digits, _ and -", f.Name)
	case tools.BuiltIn(f.Name):
		return refuse("tools", "has a function of the name %s, which is a tool of the memory's own; name it otherwise", f.Name)
	case slices.Contains(t.toolNames(), f.Name):
		return refuse("tools", "has two functions of the name %s; give each a name of its own", f.Name)
	}
	info := &schema.ToolInfo{Name: f.Name, Desc: f.Description}
	if len(f.Parameters) > 0 && string(f.Parameters) != "null" {
		var s jsonschema.Schema
		if err := json.Unmarshal(f.Parameters, &s); err != nil {
			return refuse("tools", "function %s has parameters that are no JSON schema", f.Name)
		}
		info.ParamsOneOf = schema.NewParamsOneOfByJSONSchema(&s)
	}
	t.tools = append(t.tools, clientTool{info})
	return nil
}

// toolNames are the names of the client's tools.
func (t *talk) toolNames() (names []string) {
	for _, one := range t.tools {
		names = append(names, one.(clientTool).info.Name)
	}
	return names
}

// Info describes the tool.
func (t clientTool) Info(context.Context) (*schema.ToolInfo, error) { return t.info, nil }

// InvokableRun waits for the client's result.
func (t clientTool) InvokableRun(ctx context.Context, arguments string, _ ...tool.Option) (string, error) {
	a, err := state.AskPerson(ctx, state.Question{
		Text: clientRuns, Tool: t.info.Name, Arguments: arguments, Choices: []state.Choice{state.Edit, state.Reject},
	})
	switch {
	case err != nil:
		return "", err
	case a.Choice == state.Reject:
		return "", state.Errorf(state.Denied, "tool "+t.info.Name, "was not run. %s", a.Reason)
	}
	return a.Text(), nil
}

// AsksClient reports whether a question is for the program that talks for the user, not for a person.
func AsksClient(a checkpoint.Ask) bool { return a.Question.Text == clientRuns && a.Question.Tool != "" }

// callID is the id of a call as the client knows it: unique in its conversation, which the model's own id need not be.
func callID(a checkpoint.Ask) string { return nameCall(a.Question.Call) }

// nameCall names a call by the number of the answer that made it, and by what the model called it.
func nameCall(call string) string {
	return "call_" + strings.NewReplacer("/", "_", " ", "_").Replace(call)
}

// clientCalls are the calls that a turn waits for the client to run; one = the first of them alone.
func clientCalls(waits []graph.Question, one bool) (out []graph.Question) {
	for _, a := range waits {
		if AsksClient(a) && (!one || len(out) == 0) {
			out = append(out, a)
		}
	}
	return out
}

// The words by which a person approves or rejects.
const (
	approval     = "approve"
	rejection    = "reject"
	needApproval = "Waiting for your approval: "
)

// choiceOf reads a message that decides what was asked.
func choiceOf(text string) (state.Choice, bool) {
	const longest = 64
	if len(text) > longest {
		return "", false
	}
	switch strings.ToLower(strings.Trim(text, " \t\r\n.!\"'`")) {
	case approval:
		return state.Approve, true
	case rejection:
		return state.Reject, true
	}
	return "", false
}

// showed reports whether an answer ends with what describeWaits says of these: the model may have spoken before.
func showed(answer string, waits []graph.Question) bool {
	return strings.HasSuffix(bare(answer), bare(describeWaits(approvals(waits))))
}

// describeWaits says what a turn waits for a person to decide, and how he does.
func describeWaits(waits []graph.Question) string {
	var b strings.Builder
	b.WriteString(needApproval)
	for i, a := range waits {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(a.Question.Text)
		if a.Question.Arguments != "" {
			b.WriteString(" " + a.Question.Arguments)
		}
	}
	b.WriteString("\nSay " + strconv.Quote(approval) + " or " + strconv.Quote(rejection) + ". Anything else goes on without it.")
	return b.String()
}
