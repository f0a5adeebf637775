package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/score"
	"github.com/mneme-graph/mneme/state/store/ram"
)

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

	// Masking keeps nothing, so that a memory in RAM will do.
	m, err := memory.New(memory.Config{Store: ram.New(), NewID: uuid.NewString, Now: con.now})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	f, err := score.Masking(in, m.Turn().Mask)
	switch {
	case err != nil:
		return err
	case e.JSON:
		return encode(con.out, f)
	}

	// The table goes from all texts to languages; what was missed comes below.
	percent := func(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) }
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
