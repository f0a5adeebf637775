package scenario

import (
	"strings"
	"time"

	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/state"
)

// outcome is what a turn came to, read back from the store wherever the store can tell.
type outcome struct {
	decision state.Decision
	affairs  []*state.Affair // all of the scope's user; active elsewhere shows as parked
	tools    []string
	reply    string
	prompts  []string // each chat-model call as one text
	context  compose.Context
	asked    []string // tasks that the scripted small model was asked
	notes    []string
	records  []state.Record
	hits     [][]string // per probe of the expectation, best first
	pending  int        // suggestions and interrupts that wait
	now      time.Time
	err      error
}

// titles lists the titles of the affairs in a status.
func (o outcome) titles(status state.Status) []string {
	out := []string{}
	for _, a := range o.affairs {
		if a.Status == status {
			out = append(out, a.Title)
		}
	}
	return out
}

// activeID returns the id of the session's active affair, "" if there is none.
func (o outcome) activeID() string {
	for _, a := range o.affairs {
		if a.Status == state.Active {
			return a.ID
		}
	}
	return ""
}

// target returns the title of the affair that the decision names, "" if it names none.
func (o outcome) target() string {
	for _, a := range o.affairs {
		if a.ID == o.decision.AffairID && a.ID != "" {
			return a.Title
		}
	}
	if o.decision.AffairID == "" {
		return ""
	}
	return o.decision.Title
}

// sectionTokens returns what a section of the composed context costs.
func (o outcome) sectionTokens(name string) (sum int) {
	for _, s := range o.context.Sections {
		if s.Name == name {
			sum += s.Tokens
		}
	}
	return sum
}

// timesAsked returns how often the small model was asked a task.
func (o outcome) timesAsked(task string) (n int) {
	for _, asked := range o.asked {
		if asked == task {
			n++
		}
	}
	return n
}

// valid counts the records of a kind that hold now.
func (o outcome) valid(kind state.RecordKind) int {
	count := 0
	for _, r := range o.records {
		if r.Kind == kind && r.Valid(o.now) {
			count++
		}
	}
	return count
}

// promptTexts writes each chat-model call as one text: every message with its parts and tool calls.
func promptTexts(prompts [][]*schema.Message) []string {
	var out []string
	for _, prompt := range prompts {
		var b strings.Builder
		for _, m := range prompt {
			b.WriteString(m.Content + "\n")
			for _, part := range m.UserInputMultiContent {
				b.WriteString(part.Text + "\n")
			}
			for _, call := range m.ToolCalls {
				b.WriteString(call.Function.Name + " " + call.Function.Arguments + "\n")
			}
		}
		out = append(out, b.String())
	}
	return out
}

// affairText returns where facts_contain looks: title, summary, key facts and pending actions.
func affairText(a *state.Affair) string {
	parts := []string{a.Title, a.Summary}
	for _, f := range a.KeyFacts {
		parts = append(parts, f.Label+": "+f.Value)
	}
	return strings.Join(append(parts, a.PendingActions...), "\n")
}
