package main

import (
	"context"
	"errors"
	"fmt"
	"time"

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
	messages, err := g.Memory().Messages(ctx, g.scope)
	if err != nil {
		return err
	}
	if len(messages) == 0 {
		return state.Errorf(state.NotFound, "session "+g.scope.Session,
			"has no messages of user %s in %s; name another with --session, --user or --dir", g.scope.User, g.where())
	}
	if e.Format == "md" && !e.JSON {
		return e.markdown(ctx, con, g, messages)
	}
	out := exported{Session: g.scope.Session, Messages: []exportedMessage{}}
	for _, m := range spoken(messages) {
		out.Messages = append(out.Messages, exportedMessage{m.ID, m.Role, m.Text, m.At, m.Affair})
	}
	return encode(con.out, out)
}

// spoken leaves out tool results and messages that only call tools.
func spoken(messages []state.Message) []state.Message {
	var out []state.Message
	for _, m := range messages {
		if m.Role != state.RoleTool && (m.Text != "" || len(m.ToolCalls) == 0) {
			out = append(out, m)
		}
	}
	return out
}

func (e *exportCommand) markdown(ctx context.Context, con *console, g *opened, messages []state.Message) error {
	affairs, err := g.Memory().Affairs(ctx, g.scope, true)
	if err != nil {
		return err
	}
	titles := map[string]string{}
	for _, a := range affairs {
		titles[a.ID] = a.Title
	}
	fmt.Fprintf(con.out, "# Session %s\n", g.scope.Session)
	affair := ""
	for _, m := range spoken(messages) {
		if m.Affair != affair {
			affair = m.Affair
			fmt.Fprintf(con.out, "\n## %s\n", orText(titles[affair], "No affair"))
		}
		fmt.Fprintf(con.out, "\n**%s** (%s)\n\n%s\n", m.Role, m.At.Format("2006-01-02 15:04"), m.Text)
	}
	return nil
}

func orText(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
