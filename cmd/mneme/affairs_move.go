package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/history"
	"github.com/mneme-graph/mneme/memory/pick"
	"github.com/mneme-graph/mneme/state"
)

// move gives the affair another status. One that has it already is left as it is, and that is said.
func (o oneAffair) move(ctx context.Context, con *console, to state.Status, summary string) error {
	return o.change(ctx, con, func(g *opened, before state.Affair) (state.Affair, string, error) {
		status := strings.ToLower(string(to))
		if to == state.Active { // in the session it is active, seen from others it is parked
			err := g.takeSession(ctx)
			if err == nil {
				before, err = g.Memory().Affairs().Get(ctx, g.scope, before.ID)
			}
			if err != nil {
				return before, "", err
			}
			status += " in session " + g.scope.Session
		}
		if before.Status == to && summary == "" && !o.JSON {
			return before, fmt.Sprintf("“%s” is %s already", before.Title, status), nil
		}
		after, err := g.Memory().Affairs().Move(ctx, g.scope, before.ID, to, summary)
		return after, fmt.Sprintf("“%s” is %s", before.Title, status), err
	})
}

// change has the affair that is named changed, and says in a line what do says of it and how that is taken back. With JSON it prints the affair.
func (o oneAffair) change(ctx context.Context, con *console, do func(g *opened, before state.Affair) (after state.Affair, says string, err error)) error {
	return o.with(ctx, con, func(g *opened) error {
		id, err := g.affairNamed(ctx, o.Affair)
		if err != nil {
			return err
		}
		var before state.Affair
		if id != "" {
			if before, err = g.Memory().Affairs().Get(ctx, g.scope, id); err != nil {
				return err
			}
		}
		newest, err := g.newestChange(ctx, "")
		if err != nil {
			return err
		}

		after, says, err := do(g, before)
		switch {
		case err != nil:
			return err
		case o.JSON:
			return encode(con.out, after)
		}
		made, err := g.newestChange(ctx, after.ID)
		switch {
		case err != nil:
			return err
		case made.Seq <= newest.Seq:
			says = orText(says, fmt.Sprintf("“%s” is so already", before.Title))
			con.println(says + "; nothing was changed")
			return nil
		case says == "": // the change says it best
			tell, err := g.teller(ctx, con, false)
			if err != nil {
				return err
			}
			says = clip(tell.did(made), 100)
		}
		con.println(strings.TrimSuffix(says, ".") + ". Undo: mneme audit undo " + fmt.Sprint(made.Seq) + g.sameFlags())
		return nil
	})
}

// newestChange is the last change of an affair, or of anything with ""; a zero value = there is none.
func (o *opened) newestChange(ctx context.Context, id string) (history.Change, error) {
	changes, err := o.Memory().History().Audit(ctx, o.scope, history.Query{ID: id, Limit: 1})
	if err != nil || len(changes) == 0 {
		return history.Change{}, err
	}
	return changes[0], nil
}

// sameFlags are the flags by which another command finds the same memory.
func (o *opened) sameFlags() string {
	out := ""
	for _, name := range []string{"dir", "client", "user"} {
		if v := o.config.values[name]; v.origin == "flag" {
			out += " --" + name + " " + v.text
		}
	}
	return out
}

// takeSession lets what needs a session have the default one or else the only one that there is, where none was named. It makes none.
func (o *opened) takeSession(ctx context.Context) error {
	if o.config.values["session"].origin != "default" {
		return nil
	}
	all, err := o.Memory().Sessions().List(ctx, o.scope)
	if err != nil || slices.ContainsFunc(all, func(s state.Session) bool { return s.ID == o.scope.Session }) { // the default one, as everywhere
		return err
	}
	if len(all) != 1 {
		return state.Errorf(state.Conflict, "session", "none was named; name one with --session, there are: %s", pick.Listed(pick.Sessions(all)))
	}
	o.scope.Session = all[0].ID
	return nil
}
