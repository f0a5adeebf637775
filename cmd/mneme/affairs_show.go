package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/history"
	"github.com/mneme-graph/mneme/state"
)

type affairShow struct {
	oneAffair
	All   bool `help:"Everything of it: all links and changes, topics, records and messages too."`
	Limit int  `default:"50" help:"With --all: messages and records at most, the latest ones." placeholder:"N"`
	Skip  int  `help:"With --all: how many of the latest to pass over." placeholder:"N"`
}

// shown is an affair and what it is linked to.
type shown struct {
	affair state.Affair
	linked []memory.Related
}

// MarshalJSON writes the affair with one more key, linked.
func (s shown) MarshalJSON() ([]byte, error) {
	affair, err := json.Marshal(s.affair)
	if err != nil {
		return nil, err
	}
	linked, err := json.Marshal(append([]memory.Related{}, s.linked...))
	if err != nil {
		return nil, err
	}
	return slices.Concat(bytes.TrimSuffix(affair, []byte("}")), []byte(`,"linked":`), linked, []byte("}")), nil
}

// Run prints the affair, and the records and affairs that share something with it.
func (a *affairShow) Run(ctx context.Context, con *console) error {
	const steps, most = 2, 10
	return with(ctx, con.openThere, func(g *opened) error {
		id, err := g.affairNamed(ctx, a.Affair)
		if err != nil {
			return err
		}
		var whole memory.Dossier
		if a.All {
			if whole, err = g.Memory().Affairs().Dossier(ctx, g.scope, id, memory.Page{Limit: a.Limit, Skip: a.Skip}); err != nil {
				return err
			}
			if a.JSON {
				return encode(con.out, whole)
			}
		}

		// JSON is the affair together with what shares something with it.
		x, err := g.Memory().Affairs().Get(ctx, g.scope, id)
		if err != nil {
			return err
		}
		linked, err := g.Memory().Affairs().Related(ctx, g.scope, x.ID, steps, most)
		switch {
		case err != nil:
			return err
		case a.JSON:
			return encode(con.out, shown{x, linked})
		}

		// People read the affair, then its links and its last changes: the first of them, unless it is all.
		titles, err := g.titles(ctx)
		if err != nil {
			return err
		}
		con.document(x, titles)
		if !a.All {
			linked = linked[:min(mostShown, len(linked))]
		}
		for _, l := range linked {
			con.field("linked", linkLine(x, l))
		}
		if err := a.changes(ctx, con, g, x); err != nil || !a.All {
			return err
		}
		a.rest(con, g, whole)
		return nil
	})
}

// changes prints the last changes of the affair.
func (a *affairShow) changes(ctx context.Context, con *console, g *opened, x state.Affair) error {
	most := mostShown
	if a.All {
		most = a.Limit
	}
	changes, err := g.Memory().History().Audit(ctx, g.scope, history.Query{ID: x.ID, Limit: most + 1})
	if err != nil {
		return err
	}
	tell, err := g.teller(ctx, con, false)
	for _, c := range changes[:min(most, len(changes))] {
		con.field("changed", tell.line(c))
	}
	if len(changes) > most {
		con.field("", "mneme audit "+shortIDs(x.ID)[x.ID]+" lists all changes")
	}
	if !a.All {
		con.field("", "--all shows topics, records and messages too")
	}
	return err
}

// rest prints what --all adds: topics, records and messages, the oldest first.
func (a *affairShow) rest(con *console, g *opened, d memory.Dossier) {
	if topics := d.Affair.Topics; len(topics) > 0 {
		con.field("topics", strings.Join(topics, ", "))
	}
	for _, r := range d.Records {
		con.field("record", fmt.Sprintf("%s, %s: %s", con.day(r.RecordedAt), r.Kind, g.Memory().Mask(recordText(r))))
	}
	for _, m := range d.Messages {
		con.field("said", fmt.Sprintf("%s, session %s, %s: %s", con.column(m.At), m.Session, m.Role, g.Memory().Mask(m.Text)))
	}
	if l := d.LeftOut; l.Messages+l.Records > 0 {
		con.field("left out", fmt.Sprintf("%s and %s; --limit and --skip show them", counted(l.Messages, "message"), counted(l.Records, "record")))
	}
}

// linkLine describes a linked record or affair in a line, and by what it is linked: in words as the texts have them.
func linkLine(of state.Affair, l memory.Related) string {
	var what, text string
	if l.Affair != nil {
		what, text = fmt.Sprintf("affair “%s”, %s", l.Affair.Title, l.Affair.Status), l.Affair.Title+" "+strings.Join(l.Affair.Topics, " ")
	} else {
		what, text = fmt.Sprintf("%s: %s", l.Record.Kind, clip(l.Record.Content, 80)), l.Record.Subject+" "+l.Record.Content
	}
	by := viaWords(l.Via, of.Title, strings.Join(of.Topics, " "), text, of.Summary)
	if len(l.Via) == 3 && (strings.HasPrefix(l.Via[1], "records/") || strings.HasPrefix(l.Via[1], "affairs/")) { // in two steps, by way of another
		by = []string{by[0] + ", then " + by[2]}
	}
	return what + " (" + strings.Join(by, ", ") + ")"
}

// viaWords returns the keys that two things share as a person reads them: the id of an affair says nothing, a topic is a word of the texts.
func viaWords(via []string, texts ...string) []string {
	var out []string
	for _, key := range via {
		switch kind, value, _ := strings.Cut(key, ":"); kind {
		case "topic", "name":
			out = append(out, spelled(value, texts...))
		case "id":
			out = append(out, value)
		case "affair":
			out = append(out, "the same affair")
		default:
			out = append(out, key)
		}
	}
	return out
}

// document prints an affair to be read.
func (c *console) document(a state.Affair, titles map[string]string) {
	fmt.Fprintln(c.out, c.paint(bold, a.Title))
	c.field("id", a.ID)
	c.field("status", statusOf(a))
	absorbed := []string{}
	for _, id := range a.Absorbed {
		absorbed = append(absorbed, cmp.Or(titles[id], id))
	}
	c.fields("session", a.Session, "summary", a.Summary, "merged into", cmp.Or(titles[a.MergedInto], a.MergedInto), "absorbed", strings.Join(absorbed, ", "))

	// Key facts come first, then those that held before, then what is to be done.
	for _, f := range a.KeyFacts {
		c.field("fact", f.Label+": "+f.Value)
	}
	for _, p := range a.PastFacts {
		c.field("was", fmt.Sprintf("%s: %s (until %s)", p.Label, p.Value, c.at(p.Until)))
	}
	for _, action := range a.PendingActions {
		c.field("next", action)
	}

	// The end says how much was said of it, and when.
	c.field("messages", fmt.Sprint(a.Messages))
	c.field("created", c.at(a.CreatedAt))
	c.field("updated", c.at(a.UpdatedAt)+", "+c.ago(a.UpdatedAt))
}
