package main

import (
	"context"
	"errors"
	"time"

	"github.com/mneme-graph/mneme/e2e/scenario"
	"github.com/mneme-graph/mneme/state"
)

type exportCommand struct {
	place
	whose
	Format string `help:"json or md." enum:"json,md" default:"json"`
	JSON   bool   `name:"json" help:"The same as --format json."`
}

// Help is printed by mneme export --help.
func (exportCommand) Help() string {
	return `Writes what was said in a session, in order: json for programs, md to read.

Examples:
  mneme export --session work > work.json
  mneme export --session work --format md`
}

// exported is a session as JSON, and nothing else.
type exported struct {
	Session  string            `json:"session"`
	Messages []exportedMessage `json:"messages"`
}

// exportedMessage is one message; Affair is the id of the affair it is filed under, "" for none.
type exportedMessage struct {
	ID     string     `json:"id"`
	Role   state.Role `json:"role"`
	Text   string     `json:"text"`
	At     time.Time  `json:"at"`
	Affair string     `json:"affair"`
}

// Run writes the session that --session or the configuration names. A session nobody spoke in is NotFound.
func (e *exportCommand) Run(ctx context.Context, con *console) (err error) {
	g, err := con.openThere(ctx, e.whose.flags(e.place.flags()))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Close()) }()

	if err := g.takeNamed(ctx); err != nil {
		return err
	}
	messages, err := g.Memory().Messages(ctx, g.scope)
	if err != nil {
		return err
	}
	messages = scenario.Said(messages)
	if len(messages) == 0 {
		return state.Errorf(state.NotFound, "session "+g.scope.Session,
			"has no messages of user %s in %s; name another with --session, --user or --dir", g.scope.User, g.where())
	}

	if e.Format == "md" && !e.JSON {
		return e.markdown(ctx, con, g, messages)
	}

	out := exported{Session: g.scope.Session, Messages: []exportedMessage{}}
	for _, m := range messages {
		out.Messages = append(out.Messages, exportedMessage{m.ID, m.Role, g.Memory().Mask(m.Text), m.At, m.Affair})
	}
	return encode(con.out, out)
}

// markdown writes the session to be read. What was said is quoted, so that none of it can open a heading.
func (e *exportCommand) markdown(ctx context.Context, con *console, g *opened, messages []state.Message) error {
	titles, err := g.titles(ctx)
	if err != nil {
		return err
	}
	s, err := g.Memory().Sessions().Get(ctx, g.scope)
	if err != nil {
		return err
	}
	begins, err := g.parts(ctx, s)
	if err != nil {
		return err
	}

	p := page{out: con.out, zone: con.zone(), mask: g.Memory().Mask, titles: titles, begins: begins}
	p.head(s, g.scope, messages)
	for _, m := range messages {
		p.message(m)
	}
	return nil
}

// titles are the titles of the user's affairs, by id.
func (o *opened) titles(ctx context.Context) (map[string]string, error) {
	affairs, err := o.Memory().Affairs().List(ctx, o.scope, true)
	titles := map[string]string{}
	for _, a := range affairs {
		titles[a.ID] = a.Title
	}
	return titles, err
}

// parts says with which message each part of a session begins, none for a session of one part.
func (o *opened) parts(ctx context.Context, s state.Session) (map[int64]int, error) {
	records, err := o.Memory().Records(ctx, o.scope)
	begins := map[int64]int{}
	for _, r := range records {
		if r.Span != nil && r.Session == s.ID {
			begins[r.Span.First] = r.Span.Part
		}
	}
	if begins[s.First()] = s.Part; len(begins) == 1 {
		return nil, err
	}
	return begins, err
}

func orText(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
