package main

import (
	"context"
	"fmt"
	"time"

	"github.com/mneme-graph/mneme/graph/transcript"
	"github.com/mneme-graph/mneme/memory/pick"
	"github.com/mneme-graph/mneme/memory/sessions"
	"github.com/mneme-graph/mneme/state"
)

type sessionsCommand struct {
	List   sessionsList  `cmd:"" default:"withargs" help:"List sessions, last used first (the default)."`
	New    sessionNew    `cmd:"" help:"Begin a session; prints its id."`
	End    sessionEnd    `cmd:"" help:"End a session: what is active is parked, and its next message begins another part."`
	Rename sessionRename `cmd:"" help:"Give a session a title."`
}

// Help is printed by mneme sessions --help.
func (sessionsCommand) Help() string {
	return `A session is one conversation. It ends when you end it, and after session_idle_minutes without a message: then the user's next message ends it, in
whatever session, or a command that has looked at his memory. Until then who comes back goes on in it. What was active stays active unless you end
the session, or the next message is about something else. Used again, by a message or an affair that is resumed in it, it goes on as a new part;
each part that has ended keeps a summary. MESSAGES counts what the user and the answers said.

Examples:
  mneme sessions
  mneme sessions new "Trip to Lisbon"
  mneme sessions end work
  mneme sessions rename work "Quarterly report"
  mneme sessions --json | jq .id`
}

type sessionsList struct {
	affairFlags
	Limit int `help:"At most so many, those used last; 0 = all." placeholder:"N"`
}

// sessionLine is a session as JSON. Status is open, idle (nothing was said for session_idle_minutes: it ends with the user's next
// message) or ended.
type sessionLine struct {
	state.Session
	Status string `json:"status"`
}

// line returns a session with its status.
func (o *opened) line(s state.Session, now time.Time) sessionLine {
	idle := time.Duration(o.Memory().Settings().Known(state.Scope{}).IdleMinutes) * time.Minute
	switch {
	case s.Ended():
		return sessionLine{s, "ended"}
	case !s.LastAt.IsZero() && now.Sub(s.LastAt) > idle:
		return sessionLine{s, "idle"}
	}
	return sessionLine{s, "open"}
}

// Run prints the sessions as a table.
func (l *sessionsList) Run(ctx context.Context, con *console) error {
	return with(ctx, con.openThere, func(g *opened) error {
		sessions, err := g.Memory().Sessions().List(ctx, g.scope)
		if err != nil {
			return err
		}

		// An empty list says of which user and store.
		empty, head := fmt.Sprintf("no sessions of user %s in %s", g.scope.User, g.where()), []string{"NO", "ID", "TITLE", "PART", "MESSAGES", "STARTED", "LAST", "STATUS"}
		items := pick.Sessions(sessions)
		marked := markAlike(idsOf(sessions, func(s state.Session) string { return s.ID })) // whole: chat takes no beginnings of them
		if sessions, err = firstOnly(sessions, l.Limit); err != nil {
			return err
		}
		said := map[string]string{} // what a person and the answers said; Messages numbers the results of tools too, and what was erased
		for _, s := range sessions {
			of := g.scope
			of.Session = s.ID
			messages, err := g.Memory().Messages(ctx, of)
			if err != nil {
				return err
			}
			said[s.ID] = fmt.Sprint(len(transcript.Said(messages)))
		}
		return printList(con, l.JSON, sessions, empty, head, func(s state.Session) (any, []string) {
			line := g.line(s, con.now())
			if l.JSON {
				return line, nil
			}
			return line, []string{numberOf(items, s.ID), marked[s.ID], clip(s.Title, 40), fmt.Sprint(s.Part), said[s.ID], con.ago(s.StartedAt), con.ago(s.LastAt), line.Status}
		})
	})
}

// edit changes a session and prints what became of it.
func (f affairFlags) edit(ctx context.Context, con *console, id string, c sessions.Change, done string) error {
	open := con.openThere
	if c.New {
		open = con.open
	}
	return with(ctx, open, func(g *opened) error {
		if !c.New {
			whole, err := g.sessionNamed(ctx, id)
			if err != nil {
				return err
			}
			id = whole
		}
		scope := g.scope
		scope.Session = id
		s, err := g.Memory().Sessions().Edit(ctx, scope, c)
		if err != nil {
			return err
		}
		return con.tell(f.JSON, g.line(s, con.now()), done, s.ID)
	})
}

type sessionNew struct {
	affairFlags
	Title string `arg:"" optional:"" help:"A few words."`
}

// Run begins a session: the one that --session names, else one with an id of its own.
func (n *sessionNew) Run(ctx context.Context, con *console) error {
	return n.edit(ctx, con, n.Session, sessions.Change{New: true, Title: n.Title}, "%s")
}

// oneSession names a session.
type oneSession struct {
	affairFlags
	ID string `arg:"" name:"id" help:"The session: its number in the list, its id or the beginning of it, its title or part of that."`
}

type sessionEnd struct{ oneSession }

// Run ends the session.
func (e *sessionEnd) Run(ctx context.Context, con *console) error {
	return e.edit(ctx, con, e.ID, sessions.Change{End: true}, "session %s has ended")
}

type sessionRename struct {
	oneSession
	Title string `arg:"" help:"A few words."`
}

// Run gives the session another title.
func (r *sessionRename) Run(ctx context.Context, con *console) error {
	return r.edit(ctx, con, r.ID, sessions.Change{Title: r.Title}, "session %s has that title now")
}
