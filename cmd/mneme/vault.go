package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/mneme-graph/mneme/memory/vault"
	"github.com/mneme-graph/mneme/state"
)

type vaultCommand struct {
	Export vaultExport `cmd:"" help:"Write memory into a folder of Markdown files."`
	Import vaultImport `cmd:"" help:"Take in what was edited there."`
	Diff   vaultDiff   `cmd:"" help:"Say what import would do."`
}

// Help is printed by mneme vault --help.
func (vaultCommand) Help() string {
	return `Memory as Markdown, for an editor such as Obsidian. For each agent: agents/NAME/memory/brain.md (what is known of you for good),
brain_archive.md (what found no room there) and active_context.md are read back; sessions/ and summaries/ are to be read.

In the brain each line is a record, and ends in its id (^...). Edit a line to correct it, delete it to have it forgotten, write one without an
id to have it remembered, move it under another heading, or from the archive into the brain to keep it there.

What was changed in a file and in memory too, and what cannot be read, is named with its line and left alone: status 4 and 2.

Examples:
  mneme vault export notes
  sed -i 's/Leeds/York/' notes/agents/main/memory/brain.md
  echo "- likes jazz" >> notes/agents/main/memory/brain.md
  mneme vault diff notes
  mneme vault import notes
  mneme audit --path vault`
}

// vaultFlags is what all of them take.
type vaultFlags struct {
	place
	whose
	Agent string `help:"Only this agent's files (default those of all)." placeholder:"ID"`
	JSON  bool   `name:"json" help:"One JSON object a line."`
	To    string `arg:"" name:"folder" help:"The vault's folder."`
}

// with opens the graph, does its work and closes it.
func (f *vaultFlags) with(ctx context.Context, con *console, do func(vault.Config) error) error {
	due := con.paced()
	progress := func(done, total int) {
		if due() && !f.JSON {
			fmt.Fprintf(con.err, "%d of %d\n", done, total)
		}
	}
	return with(ctx, con.openThere, func(g *opened) error {
		return do(vault.Config{Memory: g.Memory(), Dir: f.To, Scope: g.scope, Agent: f.Agent, Progress: progress})
	})
}

type vaultExport struct {
	vaultFlags
	Force bool `help:"Write over what was edited and not imported."`
}

// Run writes the vault.
func (v *vaultExport) Run(ctx context.Context, con *console) error {
	return v.with(ctx, con, func(c vault.Config) error {
		c.Force = v.Force
		done, err := vault.Export(ctx, c)
		if err != nil {
			return err
		}
		return con.tell(v.JSON, done, "%s of %s in %s, %d written, %d removed", counted(done.Files, "file"), counted(done.Agents, "agent"), filepath.Join(v.To, "agents"), done.Written, done.Removed)
	})
}

type vaultImport struct{ vaultFlags }

// Run takes in what was edited.
func (v *vaultImport) Run(ctx context.Context, con *console) error {
	return v.with(ctx, con, func(c vault.Config) error {
		done, err := vault.Import(ctx, c)
		return v.report(con, done, err)
	})
}

type vaultDiff struct{ vaultFlags }

// Run says what import would do.
func (v *vaultDiff) Run(ctx context.Context, con *console) error {
	return v.with(ctx, con, func(c vault.Config) error {
		done, err := vault.Diff(ctx, c)
		return v.report(con, done, err)
	})
}

// report prints what became of each line.
func (f *vaultFlags) report(con *console, done vault.Report, err error) error {
	for _, found := range done.Findings {
		if err := con.tell(f.JSON, found, "%s", found.In(f.To)); err != nil {
			return err
		}
	}

	if err == nil {
		err = done.Err()
	}
	switch {
	case errors.Is(err, state.ErrDenied):
		return fmt.Errorf("%w; or have it done at once: mneme vault import %s --set autonomy=2", err, f.To)
	case err != nil:
		return err
	case len(done.Findings) == 0 && !f.JSON:
		fmt.Fprintf(con.out, "nothing was edited in %s (%s)\n", f.To, counted(done.Files, "file"))
	}
	return nil
}
