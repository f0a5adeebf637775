package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/memory/score"
	"github.com/mneme-graph/mneme/state"
)

type evalCommand struct {
	Commands  evalCommands  `cmd:"" help:"How well spoken commands to the memory are recognised."`
	Detect    evalDetect    `cmd:"" help:"How well changes of affair are recognised."`
	Mask      evalMask      `cmd:"" help:"How well secrets are masked."`
	Retrieval evalRetrieval `cmd:"" help:"How well recall finds the turns that answer questions."`
}

type evalCommands struct {
	Data        string `required:"" help:"Labelled messages, one JSON object a line." placeholder:"FILE"`
	Predictions string `help:"Write each prediction to this file, one JSON object a line." placeholder:"FILE"`
	SmallModel  string `help:"Not supported: no model is asked." placeholder:"NAME"`
	JSON        bool   `name:"json" help:"One JSON object."`
}

// Help is printed by mneme eval commands --help.
func (evalCommands) Help() string {
	return `A line is {"id","lang","text","action","object"}. The actions are remember, forget_last, do_not_remember, show_all, about_topic,
clear_topic, correct, pin and none. The built-in reader is measured; what it would only ask back about counts as none. An object is right when all its
words are in the one that was read.

Examples:
  mneme eval commands --data memory/score/testdata/commands/en-dev.jsonl
  mneme eval commands --data mine.jsonl --predictions mine.out.jsonl --json`
}

// Run measures spoken commands on the file.
func (e *evalCommands) Run(ctx context.Context, con *console) (err error) {
	if e.SmallModel != "" {
		return state.Errorf(state.Invalid, "--small-model "+e.SmallModel, "is not asked here: commands are read without a model; leave it out")
	}
	in, err := openData(ctx, e.Data, maxData)
	if err != nil {
		return err
	}
	defer in.Close()

	// Predictions are written while the file is read.
	var f score.Commanded
	err = toPredictions(e.Predictions, func(to io.Writer) (err error) {
		var say func(score.CommandPrediction) error
		if to != nil {
			out := json.NewEncoder(to)
			say = func(p score.CommandPrediction) error { return out.Encode(p) }
		}
		f, err = score.Commands(in, nil, say)
		return err
	})
	switch {
	case err != nil:
		return err
	case e.JSON:
		return encode(con.out, f)
	}

	// The table goes from all messages to languages to single commands.
	rows := [][]string{
		{fmt.Sprintf("accuracy of %d messages", f.N), percent(f.Accuracy)},
		{"none taken for a command", percent(f.NoneTaken)},
		{"objects right", percent(f.ObjectRight)},
	}
	for _, lang := range slices.Sorted(maps.Keys(f.ByLang)) {
		rows = append(rows, []string{lang + ": accuracy, none taken", percent(f.ByLang[lang].Accuracy) + ", " + percent(f.ByLang[lang].NoneTaken)})
	}
	for _, action := range slices.Sorted(maps.Keys(f.Actions)) {
		a := f.Actions[action]
		rows = append(rows, []string{action + ": precision, recall, F1", percent(a.Precision) + ", " + percent(a.Recall) + ", " + percent(a.F1)})
	}
	table(con.out, rows)
	return nil
}

type evalMask struct {
	Data string `required:"" help:"Labelled texts, one JSON object a line." placeholder:"FILE"`
	JSON bool   `name:"json" help:"One JSON object."`
}

// Help is printed by mneme eval mask --help.
func (evalMask) Help() string {
	return `A line is {"id","lang","text","secrets":["exact part that must not be kept"],"keep":["exact part that must survive"]}.
Every text is masked as a message is before it is kept. A secret is caught when it is gone and no eight letters of it in a row are left;
a text without secrets that was changed is a false alarm. Ids of texts whose secret was kept are listed as missed.

Examples:
  mneme eval mask --data memory/score/testdata/mask/en-dev.jsonl
  mneme eval mask --data mine.jsonl --json`
}

// Run measures masking on the file.
func (e *evalMask) Run(ctx context.Context, con *console) (err error) {
	in, err := openData(ctx, e.Data, maxData)
	if err != nil {
		return err
	}
	defer in.Close()

	f, err := score.Masking(in, nil)
	switch {
	case err != nil:
		return err
	case e.JSON:
		return encode(con.out, f)
	}

	// The table goes from all texts to languages; what was missed comes below.
	rows := [][]string{
		{fmt.Sprintf("%d texts", f.N), ""},
		{fmt.Sprintf("recall of %d secrets", f.Secrets), percent(f.Recall)},
		{fmt.Sprintf("false alarms in %d texts without", f.Clean), percent(f.False)},
		{fmt.Sprintf("kept of %d parts to keep", f.Keep), percent(f.Kept)},
	}
	for _, lang := range slices.Sorted(maps.Keys(f.ByLang)) {
		in := f.ByLang[lang]
		rows = append(rows, []string{lang + ": recall, false alarms", percent(in.Recall) + ", " + percent(in.False)})
	}
	table(con.out, rows)
	if len(f.Missed) > 0 {
		fmt.Fprintf(con.out, "missed: %s\n", strings.Join(f.Missed, " "))
	}
	return nil
}
