package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/settings"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/sqlite"
)

type doctorCommand struct {
	place
	whose
	defined
	Compact bool `help:"First rewrite the store's file without free pages. Who writes meanwhile has to wait."`
	JSON    bool `name:"json" help:"One JSON object per finding."`
}

// Help is printed by mneme doctor --help.
func (doctorCommand) Help() string {
	return `Prints what is degraded, then what is not set up and could be, then what is in use and whether it answers: a folder is read as a whole, each page
and document; an embedder is asked for one word. It counts the documents of all users that have their vector, what is archived, the turns that are
unfinished, and the sessions that wait to be read in a batch. Last come each configured value with its origin (flag, environment, file, user, client,
global, default: see mneme settings), secrets masked, and the settings that have no effect yet. Writes nothing but indexes that a server lacks, and
with --compact. A server that does not answer is status 5.

Examples:
  mneme doctor
  mneme doctor --compact
  mneme doctor --mongo-uri mongodb://localhost:27017/mneme
  mneme doctor --embedder ollama:nomic-embed-text --milvus-addr localhost:19530
  SESSION_HISTORY_LIMIT=20 mneme doctor --json`
}

// finding is one line of the report. Kind is "option", "setting", "part", "degraded" or "no effect yet".
type finding struct {
	Kind   string `json:"kind"`
	Name   string `json:"name"`
	Value  string `json:"value"`
	Origin string `json:"origin,omitempty"`

	alias  string // another name of a setting
	choice bool   // of what is degraded: somebody may well want it so
}

// Run prints the report; a store or model that cannot be used is part of it and then the exit status.
func (d *doctorCommand) Run(ctx context.Context, con *console) error {
	resolved, err := con.resolve()
	if err != nil {
		return err
	}

	findings, err := d.compact(ctx, resolved)
	if err != nil {
		return err
	}

	stored := resolved.examine(ctx, con.now)
	findings = append(resolved.findings(stored.set), findings...)
	parts, broken := resolved.parts(ctx, stored)
	findings = append(findings, parts...)
	for _, list := range [][][2]string{stored.degraded, resolved.degraded(), resolved.batchDegraded(stored.batch), stored.meant.degraded} {
		for _, x := range list {
			findings = append(findings, finding{Kind: "degraded", Name: x[0], Value: x[1], choice: isChoice(x[0])})
		}
	}
	findings = append(findings, idle()...)

	if err := d.print(con, findings); err != nil {
		return err
	}
	return broken
}

// compact rewrites the store's file, if asked to, and reports what that gained.
func (d *doctorCommand) compact(ctx context.Context, resolved config) ([]finding, error) {
	if !d.Compact {
		return nil, nil
	}
	if resolved.onServer() {
		return nil, state.Errorf(state.Invalid, "--compact", "rewrites a folder's file, and documents are kept at %s", masked(resolved.address()))
	}
	dir := resolved.get("dir")
	if err := mustHoldStore(dir, "name another with --dir"); err != nil {
		return nil, err
	}

	s, err := sqlite.Open(ctx, sqlite.Config{Dir: dir})
	if err != nil {
		return nil, err
	}
	c, err := s.Compact(ctx)
	if err = errors.Join(err, s.Close()); err != nil {
		return nil, err
	}
	value := fmt.Sprintf("from %s to %s", megabytes(c.Before), megabytes(c.After))
	return []finding{{Kind: "part", Name: "compacted", Value: value}}, nil
}

func (d *doctorCommand) print(con *console, findings []finding) error {
	// What is degraded comes first to a person, what is merely set last.
	if order := []string{"degraded", notSetUp, "part", "option", "setting"}; !d.JSON {
		for i := range findings {
			if findings[i].choice {
				findings[i].Kind = notSetUp
			}
		}
		place := func(f finding) int { return (slices.Index(order, f.Kind) + len(order) + 1) % (len(order) + 1) }
		slices.SortStableFunc(findings, func(a, b finding) int { return place(a) - place(b) })
	}
	kind := ""
	var rows [][]string

	// Findings come grouped by kind: a new kind prints the table of the one before, and its own headline.
	for _, f := range findings {
		f.Value = masked(f.Value)
		if d.JSON {
			if err := encode(con.out, f); err != nil {
				return err
			}
			continue
		}
		if f.Kind != kind {
			table(con.out, rows)
			kind, rows = f.Kind, nil
			fmt.Fprintln(con.out, con.paint(bold, headline(kind)))
		}
		if kind == "option" || kind == "setting" {
			if f.alias != "" {
				f.Name += " (" + f.alias + ")"
			}
			rows = append(rows, []string{"  " + f.Name, cmp.Or(f.Value, "-"), f.Origin})
			continue
		}
		con.field(f.Name, f.Value)
	}
	table(con.out, rows)
	return nil
}

// notSetUp is what a person reads of what is degraded by choice.
const notSetUp = "not set up"

func headline(kind string) string {
	switch kind {
	case "option":
		return "Options (in the environment: MNEME_ and the name in capitals)"
	case "setting":
		return "Settings"
	case "part":
		return "In use"
	case "degraded":
		return "Degraded"
	case notSetUp:
		return "Not set up"
	}
	return "Settings without effect yet"
}

// findings lists options and settings with their origins, as the store has them if there is one. Secrets show only that they are set.
func (c config) findings(set *settings.Set) []finding {
	var out []finding
	for _, x := range catalogue() {
		v, kind := c.values[x.name], "option"
		switch {
		case x.setting && set != nil:
			kind, v = "setting", value{set.Get(x.name), set.Origin(x.name)}
		case x.setting:
			kind, v.text = "setting", c.settings.Get(x.name)
		case x.secret && v.text != "":
			v.text = "set, hidden"
		case x.name == "milvus_addr":
			v.text = maskedHost(v.text)
		}
		out = append(out, finding{Kind: kind, Name: x.name, Value: v.text, Origin: v.origin, alias: x.alias})
	}
	return out
}

// parts lists what is in use. The error is what cannot be used.
func (c config) parts(ctx context.Context, stored storeReport) ([]finding, error) {
	// What cannot be used is said in its line, and makes doctor fail.
	broken := errors.Join(stored.err, stored.meant.err)
	model := strings.ReplaceAll(c.get("model"), ",", ", then ")
	if file := c.get("record"); file != "" {
		model += "; recorded in " + file
	}
	if _, _, err := c.models(ctx); err != nil {
		model = err.Error()
		broken = errors.Join(broken, err)
	}
	agents, err := c.agentsPart(ctx)
	broken = errors.Join(broken, err)

	// What was not looked at has no line.
	parts := []finding{
		{Kind: "part", Name: "store", Value: stored.store},
		{Kind: "part", Name: "encryption", Value: stored.encryption},
		{Kind: "part", Name: "turns", Value: stored.turns},
		{Kind: "part", Name: "index", Value: "words, in process"},
		{Kind: "part", Name: "model", Value: model},
		{Kind: "part", Name: "small model", Value: c.judge()},
		c.batchPart(stored.batch),
		agents,
		{Kind: "part", Name: "embedder", Value: stored.meant.embedder},
		{Kind: "part", Name: "vectors", Value: stored.meant.vectors},
		{Kind: "part", Name: "archive", Value: stored.archive},
		{Kind: "part", Name: "erasure ledger", Value: stored.erasures},
		{Kind: "part", Name: "in step", Value: stored.meant.made},
		{Kind: "part", Name: "tokenizer", Value: "o200k, offline"},
	}
	return slices.DeleteFunc(parts, func(f finding) bool { return f.Value == "" }), broken
}

// judge says which model judges and sums up, and when it judges.
func (c config) judge() string {
	name := c.smallModel()
	if name == "" {
		return "none: rules decide, summaries are extracted"
	}
	if c.get("small_model") == "" {
		name += ", the model itself, since small_model is not set"
	}
	switch c.settings.Detect {
	case "rules":
		return name + "; sums up, rules decide (detect: rules)"
	case "model":
		return name + "; judges every message (detect: model), sums up"
	}
	return name + "; judges what the rules are not sure of, sums up"
}

// degraded lists what is done in a lesser way than it could be, and the way out.
func (c config) degraded() [][2]string {
	var out [][2]string
	if lacks != "" {
		out = append(out, [2]string{"build", lacks})
	}
	if c.get("model") == "offline" {
		out = append(out, [2]string{"model", "offline: answers from memory in fixed words; set MNEME_MODEL=openai:NAME and OPENAI_API_KEY, or claude:, gemini:, deepseek:, qwen:, ark:, openrouter:, ollama:NAME"})
	}
	if c.smallModel() == "" {
		out = append(out, [2]string{"small model", "unsure decisions stay with the rules; set MNEME_SMALL_MODEL"})
	}
	for _, text := range c.withheld {
		out = append(out, [2]string{"key", text})
	}
	if text := c.unused(); text != "" {
		return append(out, [2]string{"vectors", text})
	}
	if !c.hasEmbedder() {
		out = append(out, [2]string{"recall", "by words only, no vectors; set MNEME_EMBEDDER=openai:NAME, ollama:NAME or a model's folder, then run mneme reindex"})
	}
	return out
}

// idle lists the settings without effect, those of one reason together.
func idle() []finding {
	var out []finding
	for _, x := range catalogue() {
		switch last := len(out) - 1; {
		case x.idle == "":
		case last >= 0 && out[last].Value == x.idle:
			out[last].Name += ", " + x.name
		default:
			out = append(out, finding{Kind: "no effect yet", Name: x.name, Value: x.idle})
		}
	}
	return out
}
