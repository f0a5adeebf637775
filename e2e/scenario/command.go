package scenario

import (
	"context"
	"fmt"
	"strings"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/state"
)

// Commands lists the chat commands that act on a conversation; chat knows /quit besides.
func Commands() []string { return []string{"/clear", "/cler", "/affairs", "/why"} }

// Command runs one chat command in a scope and returns what it prints: /clear, or /cler, puts the conversation so far
// out of sight, /affairs lists what is open, /why explains the last reply (last; the zero value before the
// first one). An unknown command is Invalid and named.
func Command(ctx context.Context, g *graph.Graph, scope state.Scope, name string, last graph.Reply) (string, error) {
	switch name {
	case "/clear", "/cler":
		if err := g.Memory().Clear(ctx, scope); err != nil {
			return "", err
		}
		return "The conversation so far is out of sight; affairs and records stay.", nil
	case "/affairs":
		affairs, err := g.Memory().Affairs(ctx, scope, false)
		if err != nil {
			return "", err
		}
		return AffairLines(affairs), nil
	case "/why":
		return Why(last), nil
	}
	return "", state.Errorf(state.Invalid, "command "+name, "is not known; there are %s", strings.Join(Commands(), ", "))
}

// AffairLines lists affairs that are not archived, one a line: status, title and what is pending first.
func AffairLines(affairs []*state.Affair) string {
	var b strings.Builder
	for _, a := range affairs {
		if a.Status == state.Archived {
			continue
		}
		fmt.Fprintf(&b, "%-8s %s", a.Status, a.Title)
		if len(a.PendingActions) > 0 {
			b.WriteString(" (next: " + a.PendingActions[0] + ")")
		}
		b.WriteByte('\n')
	}
	if b.Len() == 0 {
		return "No affairs yet."
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Why explains a reply: the decision with its reasons, what was done in a lesser way, then the prompt line by line:
// why each is in, and what was left out.
func Why(r graph.Reply) string {
	if r.Turn == "" {
		return "Nothing was said yet."
	}
	var b strings.Builder
	d := r.Decision
	b.WriteString(string(d.Kind))
	if d.Title != "" {
		fmt.Fprintf(&b, " %q", d.Title)
	}
	fmt.Fprintf(&b, " (confidence %.2f, by %s): %s\n", d.Confidence, d.By, d.Reasoning)
	if r.Trace.Weighed != "" {
		b.WriteString("rules: " + r.Trace.Weighed + "\n")
	}
	for _, note := range r.Trace.Notes {
		b.WriteString("note: " + note + "\n")
	}
	if err := r.Trace.Context.Explain(&b); err != nil { // a strings.Builder takes everything
		return b.String()
	}
	return strings.TrimSuffix(b.String(), "\n")
}
