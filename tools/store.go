package tools

import (
	"context"
	"strings"

	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/compose/quote"
	"github.com/mneme-graph/mneme/state"
)

type storeArgs struct {
	Subject  string `json:"subject"`
	Content  string `json:"content"`
	Category string `json:"category"`
	Affair   string `json:"affair_id"`
	About    string `json:"about"`
	Priority string `json:"priority"`
	Agent    string `json:"agent"`
}

// storeTool is memory_store: remember one thing. Without affair_id it belongs to the affair the turn is
// filed under.
func storeTool(m *memory.Memory) *bound {
	// The lists of values come from state, so that a new one is offered at once.
	priority := textParam("How soon it must be found by its meaning too; by its words it is at once. Default NORMAL", false)
	for _, p := range state.Priorities() {
		priority.Enum = append(priority.Enum, string(p))
	}
	category := textParam("What kind of thing it is", true)
	for _, k := range state.Categories() {
		category.Enum = append(category.Enum, string(k))
	}
	about := textParam("Whose it is: user = it holds of the user himself in everything (allergy, address, birthday, family), "+
		"affair = of this affair only, project = of the whole project that is worked on. Default as the content tells", false)
	about.Enum = []string{string(state.AboutUser), string(state.AboutAffair), string(state.AboutProject)}

	// The answer tells the model what became of the record.
	return bind(describeTool(MemoryStore, "Remember something important: facts, decisions, orders, deadlines, contacts, preferences, procedures. "+
		"It can be recalled at once.", map[string]*schema.ParameterInfo{
		"subject":   textParam("What it is about, a few words", true),
		"content":   textParam("What to remember", true),
		"category":  category,
		"affair_id": textParam("Id or title of the affair it belongs to, if it is another than the current one", false),
		"about":     about,
		"priority":  priority,
		"agent":     textParam("Agent whose memory it becomes, if it is another's; only where your definition lets you write there", false),
	}),
		func(ctx context.Context, scope state.Scope, args storeArgs) (string, error) {
			change, err := args.change(ctx, m, scope)
			if err != nil {
				return "", err
			}
			receipts, err := m.Write(ctx, scope, change)
			if err != nil {
				return "", err
			}
			noteReceipt(ctx, receipts[0], change.Content)
			return "stored " + receipts[0].Kind + " " + receipts[0].ID + ": " + quote.Line(asKept(ctx, m, change.Content)) + tellOutcome(receipts[0]) + tellPlace(ctx, m, scope, change, receipts[0]) + tellMasked(ctx, m, change.Content) + tellOlder(ctx, m, scope, receipts[0]), nil
		})
}

// tellPlace says where a change has gone that was to be the user's, if it is not.
func tellPlace(ctx context.Context, m *memory.Memory, scope state.Scope, c memory.Change, r state.Receipt) string {
	if c.About != state.AboutUser {
		return ""
	}
	kept, err := m.Records(ctx, scope, r.ID)
	if err != nil {
		state.TraceFrom(ctx).Note("memory_store: where the record was put is not told, since it could not be read again: %v", err)
	}
	if err != nil || len(kept) == 0 || kept[0].About == state.AboutUser || kept[0].Affair == "" {
		return ""
	}
	title := kept[0].Affair
	if a, err := m.Affairs().Get(ctx, scope, title); err == nil {
		title = a.Title
	}
	return " (it is kept as a fact of the affair " + quote.Line(title) + ", and not of the user in everything: he has not said it. " + askUser + " once he has)"
}

// asKept returns a content with its secrets masked.
func asKept(ctx context.Context, m *memory.Memory, content string) string {
	origin, _ := memory.OriginFrom(ctx)
	return m.Mask(content, origin.UserText())
}

// tellMasked says of a text with a secret that the secret is not kept.
func tellMasked(ctx context.Context, m *memory.Memory, content string) string {
	if !strings.Contains(asKept(ctx, m, content), state.MaskOpening) {
		return ""
	}
	return " (it holds a secret, which was masked and is not kept: " + tellUser + ")"
}

// tellOlder names the older record that what was stored may give another value to, where no small model says whether it does.
func tellOlder(ctx context.Context, m *memory.Memory, scope state.Scope, r state.Receipt) string {
	if r.Outcome != state.Stored || r.Of == "" {
		return ""
	}
	old, err := m.Records(ctx, scope, r.Of)
	if err != nil || len(old) == 0 {
		state.TraceFrom(ctx).Note("memory: the older record %s is not told, since it could not be read again: %v", r.Of, err)
		return ""
	}
	return "\n" + maybeOver + ", call " + MemoryUpdate + " with action correct, its id, and as text all of it that holds now.\n" + quote.Memory(RecordLine(old[0]))
}

// tellOutcome says what became of a change that is more than one record more.
func tellOutcome(r state.Receipt) string {
	switch r.Outcome {
	case state.Repeated:
		return " (it was known already)"
	case state.Refined:
		return " (it says " + r.Of + " more exactly, which is history now)"
	case state.Replaced:
		return " (it takes the place of " + r.Of + ", which is history now)"
	case state.Stored, state.Forgotten, state.Pinned, state.Unpinned:
	}
	return ""
}

func (a storeArgs) change(ctx context.Context, m *memory.Memory, scope state.Scope) (memory.Change, error) {
	// The arguments come from a model: they are checked here, with messages that it can act on.
	for _, field := range []struct{ name, value string }{
		{"subject", a.Subject}, {"content", a.Content}, {"category", a.Category},
	} {
		if err := requireText(MemoryStore, field.name, field.value); err != nil {
			return memory.Change{}, err
		}
	}
	kind := state.RecordKind(strings.ToLower(strings.TrimSpace(a.Category)))
	if !kind.Valid() {
		names := make([]string, 0, len(state.Categories()))
		for _, k := range state.Categories() {
			names = append(names, string(k))
		}
		return memory.Change{}, state.Errorf(state.Invalid, MemoryStore, "category %q is unknown; use one of %s", a.Category, strings.Join(names, ", "))
	}

	// An affair may be named by its title; memory is told its id.
	if a.Affair != "" {
		found, err := m.Affairs().Get(ctx, scope, a.Affair)
		if err != nil {
			return memory.Change{}, err
		}
		a.Affair = found.ID
	}
	return memory.Change{
		Kind: kind, Subject: a.Subject, Content: a.Content, Affair: a.Affair, About: state.About(strings.ToLower(strings.TrimSpace(a.About))), Trust: state.TrustAgent, Author: scope.Agent,
		Agent: strings.TrimSpace(a.Agent), Priority: state.Priority(strings.ToUpper(strings.TrimSpace(a.Priority))),
	}, nil
}
