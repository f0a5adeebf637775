package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/mneme-graph/mneme/e2e/scenario"
	"github.com/mneme-graph/mneme/graph/tree"
	"github.com/mneme-graph/mneme/state"
)

type replayCommand struct {
	place
	JSON     bool     `name:"json" help:"One JSON object per scenario."`
	PlayTurn bool     `name:"play-turn" hidden:"" help:"Play the one turn on stdin and die in it: what replay starts where a turn has a crash."`
	Format   bool     `help:"Print what a scenario file may hold, key by key; the text is one itself."`
	Paths    []string `arg:"" optional:"" name:"path" help:"Scenario files, or folders of them."`
}

// Help is printed by mneme replay --help.
func (replayCommand) Help() string {
	return `Each scenario is played in a store of its own, unless --dir is given, with its own clock and scripted
models; models are never asked over the network, but the embedder that is configured is. On Milvus a scenario has
collections of its own, which are gone afterwards. A turn with a crash is played by another process, which is killed there.
Prints one line per scenario and the first difference. Exits 1 if there is one. A file that cannot be read is reported and
the others are played. Conversations of an agent with tools and a model of its own are played by Go package e2e/scenario.

Examples:
  mneme replay --format > story.yaml
  mneme replay e2e/testdata/scenarios
  mneme replay --json story.yaml
  mneme replay --embedder hashed --milvus-addr localhost:19530 e2e/testdata/scenarios`
}

// Run plays every file. One that cannot be read or played is reported, and the others are played all the same.
func (r *replayCommand) Run(ctx context.Context, con *console) error {
	switch {
	case r.Format:
		fmt.Fprint(con.out, scenario.Format())
		return nil
	case len(r.Paths) == 0:
		return state.Errorf(state.Invalid, "replay", "needs a scenario file or a folder of them; --format prints how one is written")
	}

	// A scenario's store is its own, whatever is configured; the rest of the configuration holds.
	delete(con.flags, "dir") // a scenario's store is not the configured one
	resolved, err := con.resolve()
	if err == nil {
		err = resolved.drivers()
	}
	if err != nil {
		return err
	}
	if r.PlayTurn {
		return r.playTurn(ctx, con, resolved)
	}
	files, err := expand(r.Paths)
	if err != nil {
		return err
	}
	con.warn(resolved)

	// Where it is played: in RAM, in a folder, or on a server, but not in two at once.
	c := scenario.Config{Dir: r.Dir, Settings: resolved.settings, Clock: con.now}
	switch {
	case resolved.onServer() && r.Dir != "":
		return state.Errorf(state.Invalid, "replay in --dir "+r.Dir, "and on a server at once; leave --dir out, or add --store embedded")
	case resolved.onServer():
		c.URI = resolved.address()
	case r.Dir != "":
		c.NewID = uuid.NewString
	}

	// A file that fails is counted; an interrupt, a server that is gone or the output's error ends it.
	t := &replayed{con: con, json: r.JSON}
	for _, file := range files {
		if err := t.file(ctx, file, func(s scenario.Scenario) (scenario.Result, error) { return resolved.trial().play(ctx, s, c) }); err != nil {
			t.sum()
			return err
		}
	}
	return t.end()
}

// playTurn does the work of the process that a crash kills: it recalls with what the process has that started it.
func (r *replayCommand) playTurn(ctx context.Context, con *console, resolved config) error {
	embedder, shelf, err := resolved.meaning(ctx, nil)
	if err != nil {
		return err
	}
	return scenario.Config{Embedder: embedder, Shelf: shelf}.PlayTurn(ctx, con.in, con.out)
}

// play plays one scenario in a place of its own, which is gone afterwards.
func (c config) play(ctx context.Context, s scenario.Scenario, to scenario.Config) (result scenario.Result, err error) {
	self, err := os.Executable()
	if err != nil {
		return result, state.Errorf(state.Unavailable, "replay", "does not find its own program, which a crash needs: %w", err)
	}
	to.Child = append(append([]string{self, "replay", "--play-turn"}, c.child()...), "-")
	if to.URI != "" {
		to.Database = "mneme_replay_" + strings.ReplaceAll(uuid.NewString(), "-", "") // nobody has it
	}
	if to.Embedder, to.Shelf, err = c.meaning(ctx, nil); err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, c.discard(context.WithoutCancel(ctx))) }()
	return scenario.Run(ctx, s, to)
}

// child returns the flags by which another process recalls with the same. Secrets it finds where this one did: in the
// environment, or in the file.
func (c config) child() []string {
	var flags []string
	if path := c.get("config"); path != "" {
		flags = append(flags, "--config", path)
	}
	for _, o := range options() {
		v := c.values[o.name]
		about := strings.HasPrefix(o.name, "embedder") || strings.HasPrefix(o.name, "milvus_") || o.name == "index"
		if about && !o.secret && v.text != "" {
			flags = append(flags, "--set", o.name+"="+v.text)
		}
	}
	return flags
}

// expand lists the files: those named and, below folders, every one that ends in .yaml or .yml.
func expand(paths []string) (files []string, err error) {
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, state.Errorf(state.NotFound, path, "is not there; name a scenario file or a folder of them")
		}
		var below []string
		err = filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
			ext := strings.ToLower(filepath.Ext(file))
			if err == nil && !d.IsDir() && (!info.IsDir() || ext == ".yaml" || ext == ".yml") {
				below = append(below, file)
			}
			return err
		})
		switch {
		case err != nil:
			return nil, state.Errorf(state.Unavailable, path, "cannot be read: %w", err)
		case len(below) == 0:
			return nil, state.Errorf(state.NotFound, path, "holds no file that ends in .yaml; name another folder")
		}
		slices.Sort(below)
		files = append(files, below...)
	}
	return files, nil
}

// replayed is what became of the scenarios so far.
type replayed struct {
	con    *console
	json   bool
	played int
	good   int   // as expected
	broken int   // files and scenarios that could not be played
	first  error // of those
}

// file plays the scenarios of one file. What an interrupt may have spoiled does not count. The error is for what would stop the others too: an interrupt, a store or a
// server that does not answer.
func (t *replayed) file(ctx context.Context, file string, play func(scenario.Scenario) (scenario.Result, error)) error {
	data, err := readAll(ctx, file, tree.MaxBytes)
	var all []scenario.Scenario
	if err == nil {
		all, err = scenario.Parse(file, data)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		t.report(err)
		return nil
	}

	for _, s := range all {
		result, err := play(s)
		switch {
		case err == nil && (result.OK || ctx.Err() == nil):
			if err := t.print(result); err != nil {
				return err
			}
		case ctx.Err() != nil || errors.Is(err, state.ErrUnavailable):
			return cmp.Or(err, ctx.Err())
		default:
			t.report(err)
		}
	}
	return nil
}

// report prints why a file or a scenario was not played.
func (t *replayed) report(err error) {
	t.con.fail(err, t.json)
	t.broken++
	t.first = cmp.Or(t.first, err)
}

// end prints the sum. What was not played gives the exit status before what is not as expected.
func (t *replayed) end() error {
	t.sum()
	switch {
	case t.first != nil:
		return printed{t.first}
	case t.good < t.played:
		return errUnmet
	}
	return nil
}

// sum says how many were as expected.
func (t *replayed) sum() {
	if t.json {
		return
	}
	text := fmt.Sprintf("%d of %d scenarios as expected", t.good, t.played)
	if t.broken > 0 {
		text += fmt.Sprintf(", %d could not be played", t.broken)
	}
	t.con.println(text)
}

// print prints what became of one.
func (t *replayed) print(result scenario.Result) error {
	t.played++
	if result.OK {
		t.good++
	}
	if t.json {
		return encode(t.con.out, result)
	}

	word := t.con.paint(green, "ok  ")
	if !result.OK {
		word = t.con.paint(red, "FAIL")
	}
	fmt.Fprintf(t.con.out, "%s  %s: %s (%d turns, %d ms)\n", word, result.File, result.Name, result.Turns, result.MS)
	if !result.OK {
		fmt.Fprintf(t.con.out, "      %s\n", result.Failures[0])
	}
	return nil
}
