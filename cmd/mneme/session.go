package main

import (
	"context"
	"fmt"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/state"
)

// sessionFlags is what commands take that work on one session, or on what is kept for its user.
type sessionFlags struct {
	place
	whose
	JSON bool `name:"json" help:"One JSON object a line."`
}

// shortTurn is how many characters of a turn's id tables show.
const shortTurn = 8

// noTurns returns the error for a session without a log.
func (o *opened) noTurns() error {
	return state.Errorf(state.NotFound, "session "+o.scope.Session, "has no turns of user %s in %s; name another with --session, --user or --dir",
		o.scope.User, o.where())
}

// questionLine is a question as JSON; its id is what mneme approve takes.
type questionLine struct {
	ID   string `json:"id"`
	Node string `json:"node"`
	state.Question
}

func questionLines(asked []checkpoint.Ask) []questionLine {
	lines := []questionLine{}
	for _, a := range asked {
		lines = append(lines, questionLine{a.ID, a.Node, a.Question})
	}
	return lines
}

// replyLine is how a turn that was gone on with ended, as JSON: with a text, or with further questions.
type replyLine struct {
	Session string         `json:"session"`
	Turn    string         `json:"turn"`
	Text    string         `json:"text"`
	Waits   []questionLine `json:"waits"`
}

// lineOfReply describes how a turn ended.
func lineOfReply(o *opened, r graph.Reply) replyLine {
	return replyLine{o.scope.Session, r.Turn, r.Text, questionLines(r.Waits)}
}

// reply prints how a turn ended.
func (c *console) reply(ctx context.Context, o *opened, r graph.Reply, asJSON bool) error {
	if asJSON {
		return encode(c.out, lineOfReply(o, r))
	}
	if r.Text == "" && len(r.Waits) == 0 {
		r.Text = "The turn is finished; it says nothing new."
	}
	(&talk{con: c, g: o}).show(ctx, r, false)
	c.questions(o, r.Waits)
	return nil
}

// questions prints what a session's turn waits for, and how to answer.
func (c *console) questions(o *opened, asked []checkpoint.Ask) {
	if len(asked) == 0 {
		return
	}
	c.println(c.paint(bold, "The turn waits for an answer:"))
	for i, a := range asked {
		if len(asked) > 1 {
			c.field("number", fmt.Sprint(i+1))
		}
		c.question(a)
	}
	c.println("Answer with mneme approve --session " + o.scope.Session + ", or --reject, or --edit JSON.")
}
