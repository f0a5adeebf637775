package mcp

import (
	"context"
	"net/url"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/compose/quote"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/tools"
)

// The addresses of what can be read.
const (
	AffairPrefix = "affair:" // behind it the id of an affair
	BrainURI     = "memory:brain"
	TodayURI     = "memory:today"
)

const markdown = "text/markdown"

// addResources adds what can be read without a call of a tool.
func (v *visit) addResources(to *sdk.Server) {
	to.AddResource(&sdk.Resource{
		Name: "brain", Title: "What is known of the user for good", URI: BrainURI, MIMEType: markdown,
		Description: "Who he is, what he prefers, what he has decided, what he is working on.",
	}, v.reading(v.brain))
	to.AddResource(&sdk.Resource{
		Name: "today", Title: "Today", URI: TodayURI, MIMEType: markdown,
		Description: "What day it is where the user is, what is due and to come, and what his affairs wait for.",
	}, v.reading(v.today))
	to.AddResourceTemplate(&sdk.ResourceTemplate{
		Name: "affair", Title: "An affair", URITemplate: AffairPrefix + "{id}", MIMEType: markdown,
		Description: "Everything known of one affair: summary, key facts, what it waits for, records, last messages. list_affairs has the ids.",
	}, v.reading(v.affair))
}

// reading returns what reads a resource by its address.
func (v *visit) reading(read func(ctx context.Context, uri string) (string, error)) sdk.ResourceHandler {
	return func(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		uri := req.Params.URI
		ctx, err := v.enter(ctx, req.Session)
		if err != nil {
			return nil, v.refuse(ctx, uri, err)
		}
		text, err := read(ctx, uri)
		if err != nil {
			return nil, v.refuse(ctx, uri, err)
		}
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: uri, MIMEType: markdown, Text: text}}}, nil
	}
}

// affair reads one affair as recall_affair does.
func (v *visit) affair(ctx context.Context, uri string) (string, error) {
	id, err := url.PathUnescape(strings.TrimPrefix(uri, AffairPrefix))
	if err != nil {
		return "", state.Errorf(state.Invalid, "affair", "the address is not escaped as it has to be")
	}
	text, _, err := v.recallAffair(ctx, id)
	return text, err
}

// recallAffair returns everything known of an affair, and its document.
func (v *visit) recallAffair(ctx context.Context, name string) (string, state.Affair, error) {
	a, err := v.c.Memory.Affairs().Get(ctx, v.caller.Scope, name)
	if err != nil {
		return "", a, err
	}
	for _, t := range v.tools {
		if t.described.Name == tools.RecallAffair {
			text, _, err := t.run(ctx, v, `{"affair_id": `+quoteJSON(a.ID)+`}`)
			return text, a, err
		}
	}
	return "", a, state.Errorf(state.Internal, tools.RecallAffair, "is not there")
}

// brain reads what is known of the user for good, part by part.
func (v *visit) brain(ctx context.Context, _ string) (string, error) {
	b, err := v.c.Memory.Brain(ctx, v.caller.Scope)
	if err != nil {
		return "", err
	}
	says := v.says(ctx)
	var lines []string
	for _, part := range []struct {
		title string
		list  []state.Record
	}{{says.User, b.User}, {says.Preferences, b.Preferences}, {says.Decisions, b.Decisions}, {says.Current, b.Current}} {
		if len(part.list) == 0 {
			continue
		}
		lines = append(lines, "## "+part.title)
		for _, r := range part.list {
			lines = append(lines, tools.RecordLine(r))
		}
	}
	if len(lines) == 0 {
		return says.Nothing, nil
	}
	return quote.Memory(lines...), nil
}

// ahead is how far what is to come is shown.
const ahead = 14 * 24 * time.Hour

// today reads what day it is, what is due and to come, and what waits.
func (v *visit) today(ctx context.Context, _ string) (string, error) {
	now, err := v.now(ctx)
	if err != nil {
		return "", err
	}
	says, scope := v.says(ctx), v.caller.Scope
	lines := []string{now.Format(time.DateOnly) + ", " + says.Weekdays[now.Weekday()] + ", " + now.Format("15:04 MST")}
	tasks, err := v.c.Memory.Tasks().List(ctx, scope)
	if err != nil {
		return "", err
	}
	night := time.Date(now.Year(), now.Month(), now.Day()+1, 0, 0, 0, 0, now.Location())
	var due, coming []string
	for _, r := range tasks {
		at := r.Due.In(now.Location())
		line := "- " + memory.WhenDue(at) + ": " + quote.Item(r.Content) + " (id " + r.ID + ")"
		switch {
		case at.Before(night):
			due = append(due, line)
		case at.Before(now.Add(ahead)):
			coming = append(coming, line)
		}
	}

	// What affairs and suggestions wait for.
	affairs, err := v.c.Memory.Affairs().List(ctx, scope, false)
	if err != nil {
		return "", err
	}
	var open []string
	for _, a := range affairs {
		if a.Status == state.Active || a.Status == state.Parked {
			open = append(open, tools.AffairLine(a, v.c.Memory.Affairs().Ahead(ctx, a)))
		}
	}
	waiting, err := v.c.Memory.Suggestions().List(ctx, scope, false)
	if err != nil {
		return "", err
	}
	var asked []string
	for _, s := range waiting {
		asked = append(asked, tools.SuggestionLine(s))
	}
	for _, part := range []struct {
		title string
		lines []string
	}{{says.Due, due}, {says.Coming, coming}, {says.Open, open}, {says.Asked, asked}} {
		if len(part.lines) > 0 {
			lines = append(append(lines, "## "+part.title), part.lines...)
		}
	}
	if len(lines) == 1 {
		lines = append(lines, says.Nothing)
	}
	return quote.Memory(lines...), nil
}
