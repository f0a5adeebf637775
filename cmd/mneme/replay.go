package main

import (
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
	"github.com/mneme-graph/mneme/state"
)

type replayCommand struct {
	place
	JSON     bool     `name:"json" help:"One JSON object per scenario."`
	PlayTurn bool     `name:"play-turn" hidden:"" help:"Play the one turn on stdin and die in it: what replay starts where a turn has a crash."`
	Paths    []string `arg:"" name:"path" help:"Scenario files, or folders of them."`
}

// Help is printed by mneme replay --help.
func (replayCommand) Help() string {
	return `Each scenario is played in a store of its own, unless --dir is given, with its own clock and scripted
models; models are never asked over the network, but the embedder that is configured is. On Milvus a scenario has
collections of its own, which are gone afterwards. A turn with a crash is played by another process, which is killed there.
Prints one line per scenario and the first difference. Exits 1 if there is one.

Examples:
  mneme replay e2e/testdata/scenarios
  mneme replay --json story.yaml
  mneme replay --embedder hashed --milvus-addr localhost:19530 e2e/testdata/scenarios`
}

// Run plays every file. A file that cannot be read ends the command before anything is played.
func (r *replayCommand) Run(ctx context.Context, con *console) error {
	flags := r.flags()
	delete(flags, "dir") // a scenario's store is not the configured one
	resolved, err := resolve(flags, con.environ)
	if err == nil {
		err = resolved.drivers()
	}
	if err != nil {
		return err
	}
	if r.PlayTurn {
		return r.playTurn(ctx, con, resolved)
	}
	all, err := load(r.Paths)
	if err != nil {
		return err
	}
	con.warn(resolved)
	c := scenario.Config{Dir: r.Dir, Settings: resolved.settings, Clock: con.now}
	switch {
	case resolved.onServer() && r.Dir != "":
		return state.Errorf(state.Invalid, "replay in --dir "+r.Dir, "and on a server at once; leave --dir out, or add --store bolt")
	case resolved.onServer():
		c.URI = resolved.address()
	case r.Dir != "":
		c.NewID = uuid.NewString
	}
	failed := 0
	for _, s := range all {
		result, err := resolved.trial().play(ctx, s, c)
		if err != nil {
			return err
		}
		if err := r.print(con, result); err != nil {
			return err
		}
		if !result.OK {
			failed++
		}
	}
	if !r.JSON {
		fmt.Fprintf(con.out, "%d of %d scenarios as expected\n", len(all)-failed, len(all))
	}
	if failed > 0 {
		return errUnmet
	}
	return nil
}

// playTurn is what the process does that a crash kills: what it recalls with is that of the process which started it.
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
		to.Database = freshDatabase()
	}
	if to.Embedder, to.Shelf, err = c.meaning(ctx, nil); err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, c.discard(context.WithoutCancel(ctx))) }()
	return scenario.Run(ctx, s, to)
}

// child is the flags by which another process recalls with the same. Secrets it finds where this one did: in the
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

// freshDatabase names a database that nobody has, for one scenario.
func freshDatabase() string { return "mneme_replay_" + strings.ReplaceAll(uuid.NewString(), "-", "") }

func (r *replayCommand) print(con *console, result scenario.Result) error {
	if r.JSON {
		return encode(con.out, result)
	}
	word := con.paint(green, "ok  ")
	if !result.OK {
		word = con.paint(red, "FAIL")
	}
	fmt.Fprintf(con.out, "%s  %s: %s (%d turns, %d ms)\n", word, result.File, result.Name, result.Turns, result.MS)
	if !result.OK {
		fmt.Fprintf(con.out, "      %s\n", result.Failures[0])
	}
	return nil
}

// load reads the scenarios of files and, below folders, of every file that ends in .yaml or .yml.
func load(paths []string) ([]scenario.Scenario, error) {
	var all []scenario.Scenario
	for _, path := range paths {
		files, err := expand(path)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				return nil, state.Errorf(state.Unavailable, file, "cannot be read: %w", err)
			}
			parsed, err := scenario.Parse(file, data)
			if err != nil {
				return nil, err
			}
			all = append(all, parsed...)
		}
	}
	return all, nil
}

func expand(path string) ([]string, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, state.Errorf(state.NotFound, path, "is not there; name a scenario file or a folder of them")
	case !info.IsDir():
		return []string{path}, nil
	}
	var files []string
	err = filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
		if ext := strings.ToLower(filepath.Ext(file)); err == nil && !d.IsDir() && (ext == ".yaml" || ext == ".yml") {
			files = append(files, file)
		}
		return err
	})
	if err != nil {
		return nil, state.Errorf(state.Unavailable, path, "cannot be read: %w", err)
	}
	if len(files) == 0 {
		return nil, state.Errorf(state.NotFound, path, "holds no file that ends in .yaml; name another folder")
	}
	slices.Sort(files)
	return files, nil
}
