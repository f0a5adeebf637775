package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/importer"
	"github.com/mneme-graph/mneme/state"
)

type importCommand struct {
	place
	whose
	File      string `arg:"" help:"What to take in."`
	Format    string `default:"turns" enum:"turns,langgraph,mem0" help:"turns: plain chats, one JSON object a line; langgraph: a file of SqliteSaver; mem0: an export, JSON."`
	NoAffairs bool   `help:"Only keep the messages: nothing is decided, nothing is learnt."`
	JSON      bool   `name:"json" help:"The report as a JSON object."`
}

// Help is printed by mneme import --help.
func (importCommand) Help() string {
	return `Takes in what other systems kept, as the user's. A chat's messages go through the pipeline at the time at which they were said, with the answers
that they had: so it gets affairs, summaries and a brain as if it had been held here. A small model (MNEME_SMALL_MODEL) is asked as in any
turn. Taken in again, nothing is there twice; cut short, it goes on where it was.

A line of turns: {"op":"turn","session":"s1","id":"1","role":"user","at":"2025-03-03T09:00:00Z","text":"..."}. Role is user, assistant or, where people
talk, empty; such messages are only kept. Without "session" the "conversation" names it.

Examples:
  mneme import --user ann chat.jsonl
  mneme import --user ann --format langgraph checkpoints.sqlite
  mneme import --user ann --format mem0 memories.json`
}

// Run takes the file in.
func (i *importCommand) Run(ctx context.Context, con *console) (err error) {
	g, err := con.open(ctx, i.whose.flags(i.place.flags()))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Close()) }()

	report, err := i.take(ctx, con, g.made, g.scope)
	if err != nil {
		return err
	}

	if i.JSON {
		return encode(con.out, report)
	}
	if i.Format == "mem0" {
		con.println(fmt.Sprintf("took in %d records", report.Records))
	} else {
		con.println(fmt.Sprintf("took in %d messages of %d sessions, with %d affairs", report.Messages, report.Sessions, report.Affairs))
	}
	for _, what := range report.Refused {
		con.println("refused " + what)
	}
	return nil
}

func (i *importCommand) take(ctx context.Context, con *console, c graph.Config, scope state.Scope) (report importer.Report, err error) {
	// Each format becomes turns; a list of memories has none and is taken in as it is.
	var turns []importer.Turn
	switch i.Format {
	case "langgraph":
		turns, err = importer.ReadLangGraph(ctx, i.File)
	default:
		f, failed := openData(i.File, maxData)
		if failed != nil {
			return report, failed
		}
		defer f.Close()
		if i.Format == "mem0" {
			list, err := importer.ReadMem0(f)
			if err != nil {
				return report, err
			}
			return importer.Memories(ctx, c, scope, list)
		}
		turns, err = importer.ReadTurns(f)
	}
	if err != nil {
		return report, err
	}

	// Chats are played into memory one message after the other.
	return importer.Chats(ctx, c, scope, turns, importer.Options{NoAffairs: i.NoAffairs, Told: con.progress("messages", nil)})
}
