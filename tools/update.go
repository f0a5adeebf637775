package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/compose/quote"
	"github.com/mneme-graph/mneme/state"
)

type updateArgs struct {
	Action string `json:"action"`
	Text   string `json:"text"`
	ID     string `json:"id"`
}

// The actions of memory_update besides those of memory.Amend.
const (
	remember   = "remember"
	show       = "show"
	clearTopic = "clear_topic"
)

// updateActions are those of memory_update, in the order of its schema.
func updateActions() []string {
	return []string{
		remember, string(memory.ForgetRecord), string(memory.CorrectRecord), string(memory.PinRecord), string(memory.UnpinRecord), show, clearTopic,
	}
}

// updateTool is memory_update: what the user asks to be done with what is remembered of him.
func updateTool(m *memory.Memory) *bound {
	action := textParam("What the user asks for", true)
	action.Enum = updateActions()
	return bind(describeTool(MemoryUpdate, "Do what the user asks with what you remember of him: remember, forget, correct, pin, unpin, show, clear_topic.",
		map[string]*schema.ParameterInfo{
			"action": action,
			"text":   textParam("What to remember; what holds now (correct); words of what is meant, or the topic. Empty: what was stored last; for show all", false),
			"id":     textParam("Id of the record that is meant, if known", false),
		}),
		func(ctx context.Context, scope state.Scope, args updateArgs) (string, error) {
			switch action := strings.ToLower(strings.TrimSpace(args.Action)); action {
			case remember:
				return rememberText(ctx, m, scope, args.Text)
			case show:
				return showRecords(ctx, m, scope, args.Text)
			case string(memory.ForgetRecord), string(memory.CorrectRecord), string(memory.PinRecord), string(memory.UnpinRecord), clearTopic:
				return amendRecords(ctx, m, scope, action, args)
			case "":
				return "", requireText(MemoryUpdate, "action", "")
			}
			return "", state.Errorf(state.Invalid, MemoryUpdate, "action %.40q is unknown; use one of %s", args.Action, strings.Join(updateActions(), ", "))
		})
}

// rememberText stores what the user asks to be remembered, as his own.
func rememberText(ctx context.Context, m *memory.Memory, scope state.Scope, text string) (string, error) {
	if err := requireText(MemoryUpdate, "text", text); err != nil {
		return "", err
	}
	change := memory.Told(text)
	receipts, err := m.Write(ctx, scope, change)
	if err != nil {
		return "", err
	}
	return "remembered " + receipts[0].Kind + " " + receipts[0].ID + ": " + quote.Line(change.Content) + tellOutcome(receipts[0]), nil
}

// amendRecords edits records there are. What is corrected and is not there is remembered.
func amendRecords(ctx context.Context, m *memory.Memory, scope state.Scope, action string, args updateArgs) (string, error) {
	a := memory.Amendment{Action: memory.Action(action), ID: strings.TrimSpace(args.ID), Match: args.Text}
	switch a.Action {
	case clearTopic:
		a.Action, a.Topic = memory.ForgetRecord, true
	case memory.CorrectRecord:
		if err := requireText(MemoryUpdate, "text", args.Text); err != nil {
			return "", err
		}
		a.Match, a.Content = "", args.Text
	case memory.ForgetRecord, memory.PinRecord, memory.UnpinRecord:
	}
	done, err := m.Amend(ctx, scope, a)
	if errors.Is(err, state.ErrNotFound) && a.Action == memory.CorrectRecord && a.ID == "" {
		return rememberText(ctx, m, scope, args.Text)
	}
	if err != nil {
		return "", err
	}
	if a.Action == memory.CorrectRecord {
		return "corrected " + done[0].ID + ": " + quote.Line(a.Content) + tellOutcome(done[0].Receipt), nil
	}
	lines := make([]string, len(done))
	for i, d := range done {
		lines[i] = recordLine(d.Record)
	}
	return fmt.Sprintf("%s %s\n", done[0].Outcome, count(len(done))) + quoteMemory(lines...), nil
}

// showRecords lists what is remembered of the user, or what of it speaks of a text, with counts.
func showRecords(ctx context.Context, m *memory.Memory, scope state.Scope, about string) (string, error) {
	own, err := m.Own(ctx, scope, about)
	if err != nil {
		return "", err
	}
	switch {
	case len(own) == 0 && strings.TrimSpace(about) == "":
		return "nothing is remembered", nil
	case len(own) == 0:
		return "nothing is remembered of " + quote.Line(about), nil
	}
	room, lines := m.Settings().ToolResultBytes/2, []string{}
	for i, r := range own {
		line := recordLine(r)
		if room -= len(line); room < 0 {
			lines = append(lines, fmt.Sprintf("- and %s more; ask about one topic", count(len(own)-i)))
			break
		}
		lines = append(lines, line)
	}
	return "remembered: " + count(len(own)) + kindCounts(own) + "\n" + quoteMemory(lines...), nil
}

// recordLine is a record in a list, as a model reads it.
func recordLine(r state.Record) string {
	said := quote.Item(r.Content)
	if r.Subject != "" && !strings.HasPrefix(r.Content, r.Subject) {
		said = quote.Item(r.Subject) + ": " + quote.Line(r.Content)
	}
	line := "- " + said + " (record " + string(r.Kind) + ", " + r.RecordedAt.Format("2006-01-02") + ", id " + r.ID
	if r.Pinned {
		line += ", pinned"
	}
	if r.Due != nil {
		line += ", due " + r.Due.Format(dueForm)
	}
	return line + ")"
}

func count(n int) string {
	if n == 1 {
		return "1 record"
	}
	return fmt.Sprintf("%d records", n)
}

// kindCounts says how many records there are of each kind, when there are several kinds.
func kindCounts(records []state.Record) string {
	counts := map[state.RecordKind]int{}
	var kinds []state.RecordKind
	for _, r := range records {
		if counts[r.Kind]++; counts[r.Kind] == 1 {
			kinds = append(kinds, r.Kind)
		}
	}
	if len(kinds) < 2 {
		return ""
	}
	slices.SortStableFunc(kinds, func(a, b state.RecordKind) int { return cmp.Compare(counts[b], counts[a]) })
	parts := make([]string, len(kinds))
	for i, k := range kinds {
		parts[i] = fmt.Sprintf("%d %s", counts[k], k)
	}
	return " (" + strings.Join(parts, ", ") + ")"
}
