package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/importer"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/person"
)

type importCommand struct {
	place
	whose
	File      string `arg:"" help:"What to take in."`
	Format    string `default:"" enum:",turns,langgraph,mem0,mneme,person" help:"turns: plain chats, one JSON object a line; langgraph: a file of SqliteSaver; mem0: an export, JSON; mneme: what mneme export wrote as json; person: what it wrote of a user (default told by what the file holds)." placeholder:"FORMAT"`
	Zone      string `help:"Zone of times that name none, as Europe/Prague (default this machine's)." placeholder:"ZONE"`
	NoAffairs bool   `help:"Only keep the messages: nothing is decided, nothing is learnt."`
	JSON      bool   `name:"json" help:"The report as a JSON object."`
}

// Help is printed by mneme import --help.
func (importCommand) Help() string {
	return `Takes in what other systems kept, as the user's. A chat's messages go through the pipeline at the time at which they were said, with the answers
that they had: so it gets affairs, summaries and a brain as if it had been held here. A small model (MNEME_SMALL_MODEL) is asked as in any
turn. Taken in again, nothing is there twice; cut short, it goes on where it was.

A line of turns: {"op":"turn","session":"s1","id":"1","role":"user","at":"2025-03-03T09:00:00Z","text":"..."}. Role is user, assistant or, where people
talk, empty; such messages are only kept. Without "session" the "conversation" names it. What mneme export wrote as json comes back as a session of
that name, whose affairs are decided anew; a session that is there already is left as it is. The memories of mem0 become records of the user. What mneme export
wrote of a person is taken in whole and as it was, for a user who has nothing; a file that was changed since is refused, and what was erased of it here since
is erased in it again.

Examples:
  mneme import --user ann chat.jsonl
  mneme import --user ann checkpoints.sqlite
  mneme import --user ann --zone Europe/Prague memories.json
  mneme export --session work > work.json; mneme import --user ann work.json`
}

// Run takes the file in.
func (i *importCommand) Run(ctx context.Context, con *console) error {
	return with(ctx, con.open, func(g *opened) error {
		if whole, err := i.person(ctx, con, g); whole || err != nil {
			return err
		}
		report, err := i.take(ctx, con, g.made, g.scope)
		if err != nil {
			return err
		}
		if i.JSON {
			return encode(con.out, report)
		}
		con.println(describeReport(report))
		for _, p := range report.Where {
			if p.Messages > 0 || report.Present == 0 {
				con.println(placed(p))
			}
		}
		for _, what := range report.Refused {
			con.println("refused " + what)
		}
		return nil
	})
}

// person takes in everything of a user, and reports whether that is what the file holds.
func (i *importCommand) person(ctx context.Context, con *console, g *opened) (is bool, err error) {
	f, format, err := i.open(ctx)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if format != importer.Person {
		return false, nil
	}
	erased := 0
	r, err := person.Read(ctx, person.Config{Store: g.store.Store, Scope: g.scope, Around: func(ctx context.Context, r person.Report, write func(context.Context) error) (err error) {
		erased, err = g.Memory().Forget().Bring(ctx, g.scope, r, write)
		return err
	}}, f)
	if err != nil {
		return true, fmt.Errorf("%s: %w", i.File, err)
	}
	again := ""
	if erased > 0 {
		again = fmt.Sprintf("; what was erased since is erased again (%s, mneme forget --list)", counted(erased, "order"))
	}
	return true, con.tell(i.JSON, struct {
		person.Report
		Erased int `json:"erased_again"` // orders
	}{r, erased}, "took in user %s of client %s as of %s: %s of %s, %s, %s%s", r.User, r.Client, con.at(r.At),
		counted(r.Documents[state.Messages], "message"), counted(r.Documents[state.Sessions], "session"), counted(r.Documents[state.Affairs], "affair"), counted(r.Documents[state.Records], "record"), again)
}

// describeReport says in a line what was taken in.
func describeReport(r importer.Report) string {
	var out []string
	if r.Records > 0 || len(r.Where) == 0 {
		out = append(out, fmt.Sprintf("took in %s: %d in the brain, which every prompt has (mneme brain), %d found by recall only", counted(r.Records, "record"), r.Brain, r.Records-r.Brain))
	}
	switch {
	case len(r.Where) > 0 && r.Messages == 0 && r.Present > 0:
		return "nothing is new; there already: " + counted(r.Present, "message")
	case len(r.Where) > 0:
		out = append(out, fmt.Sprintf("took in %s of %s, with %s", counted(r.Messages, "message"), counted(r.Sessions, "session"), counted(r.Affairs, "affair")))
	}
	if r.Present > 0 {
		out = append(out, fmt.Sprintf("there already: %s", counted(r.Present, "message")))
	}
	return strings.Join(out, "; ")
}

// placed says where the messages of a session went.
func placed(p importer.Place) string {
	out := fmt.Sprintf("  session %s: %s", p.Session, counted(p.Messages, "message"))
	switch len(p.Affairs) {
	case 0:
		return out + ", no affair; found by recall"
	case 1:
		return out + ", affair " + p.Affairs[0]
	}
	return out + ", affairs " + strings.Join(p.Affairs, "; ")
}

// open opens the file and tells its format, unless that is given.
func (i *importCommand) open(ctx context.Context) (io.ReadCloser, importer.Format, error) {
	f, err := openData(ctx, i.File, maxData)
	if err != nil || i.Format != "" {
		return f, importer.Format(i.Format), err
	}
	format, err := importer.Detect(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, "", fmt.Errorf("%s: %w", i.File, err)
	}
	f, err = openData(ctx, i.File, maxData)
	return f, format, err
}

// zone returns that of times that name none.
func (i *importCommand) zone(con *console) (*time.Location, error) {
	name := cmp.Or(i.Zone, lookup(con.environ, "TZ"))
	if name == "" {
		return time.Local, nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, state.Errorf(state.Invalid, "zone "+name, "is not known; name one as Europe/Prague")
	}
	return zone, nil
}

// take takes the file in.
func (i *importCommand) take(ctx context.Context, con *console, c graph.Config, scope state.Scope) (report importer.Report, err error) {
	zone, err := i.zone(con)
	if err != nil {
		return report, err
	}
	f, format, err := i.open(ctx)
	if err != nil {
		return report, err
	}
	defer f.Close()

	// Each format becomes turns; a list of memories has none and is taken in as it is.
	var turns []importer.Turn
	switch format {
	case importer.LangGraph:
		turns, err = importer.ReadLangGraph(ctx, i.File)
	case importer.Mem0:
		list, err := importer.ReadMem0(f, zone)
		if err != nil {
			return report, err
		}
		return importer.Memories(ctx, c, scope, list)
	case importer.Export:
		turns, err = importer.ReadExport(f, zone)
	case importer.Turns:
		turns, err = importer.ReadTurns(f, zone)
	}
	if err != nil {
		return report, err
	}

	// Chats are played into memory one message after the other.
	return importer.Chats(ctx, c, scope, turns, importer.Options{NoAffairs: i.NoAffairs, Told: con.progress("messages", nil)})
}
