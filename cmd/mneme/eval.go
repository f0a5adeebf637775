package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/mneme-graph/mneme/memory/detect/score"
	"github.com/mneme-graph/mneme/state"
)

type evalCommand struct {
	Detect    evalDetect    `cmd:"" help:"How well changes of affair are recognised."`
	Retrieval evalRetrieval `cmd:"" help:"How well recall finds the turns that answer questions."`
}

type evalDetect struct {
	Data        string `required:"" help:"Labelled conversations, one JSON object per message and line." placeholder:"FILE"`
	Predictions string `help:"Write each prediction to this file, one JSON object a line." placeholder:"FILE"`
	Free        bool   `help:"Live with the own decisions instead of enforcing the right affair after each message."`
	JSON        bool   `name:"json" help:"One JSON object."`
}

// Help is printed by mneme eval detect --help.
func (evalDetect) Help() string {
	return `A line is {"conversation","id","role","text","gold":{"type","affair"}}; messages of the assistant carry no gold.
Two sets of figures are printed: at the product's threshold, and for the most probable decision.

Example:
  mneme eval detect --data dev.jsonl --predictions dev.out.jsonl`
}

// Run scores the detector on the file.
func (e *evalDetect) Run(_ context.Context, con *console) (err error) {
	resolved, err := resolve(nil, con.environ)
	if err != nil {
		return err
	}
	in, err := os.Open(e.Data)
	if err != nil {
		return state.Errorf(state.NotFound, "data "+e.Data, "cannot be opened: %w", err)
	}
	defer in.Close() //nolint:errcheck // only read from
	options := score.Options{Threshold: resolved.settings.SwitchThreshold, Free: e.Free, Now: con.now}
	if e.Predictions != "" {
		file, err := createPredictions(e.Predictions)
		if err != nil {
			return err
		}
		options.Predictions = file
		defer func() { err = errors.Join(err, file.Close()) }()
	}
	figures, err := score.Evaluate(in, options)
	switch {
	case err != nil:
		return err
	case e.JSON:
		return encode(con.out, figures)
	}
	printFigures(con.out, figures)
	return nil
}

// predictions is a file of predictions being written.
type predictions struct {
	*bufio.Writer
	file *os.File
}

// createPredictions makes the file; Close finishes it.
func createPredictions(path string) (*predictions, error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, state.Errorf(state.Unavailable, "predictions "+path, "cannot be written: %w", err)
	}
	return &predictions{bufio.NewWriter(file), file}, nil
}

// Close writes what is buffered and closes the file.
func (p *predictions) Close() error { return errors.Join(p.Flush(), p.file.Close()) }

func printFigures(w io.Writer, f score.Figures) {
	percent := func(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) }
	row := func(name string, of func(score.Set) float64) []string {
		return []string{name, percent(of(f.Set)), percent(of(f.Argmax))}
	}
	rows := [][]string{
		{fmt.Sprintf("%d messages", f.N), "threshold", "most probable"},
		row("accuracy", func(s score.Set) float64 { return s.Accuracy }),
		row("right affair", func(s score.Set) float64 { return s.RightAffair }),
		row("false park", func(s score.Set) float64 { return s.FalsePark }),
	}
	for _, kind := range []state.Kind{state.Continue, state.Switch, state.AdHoc, state.NewAffair} {
		rows = append(rows,
			row(string(kind)+" precision", func(s score.Set) float64 { return s.Types[kind].Precision }),
			row(string(kind)+" recall", func(s score.Set) float64 { return s.Types[kind].Recall }),
			row(string(kind)+" F1", func(s score.Set) float64 { return s.Types[kind].F1 }))
	}
	rows = append(rows,
		row("boundary F1", func(s score.Set) float64 { return s.Boundary.F1 }),
		row("Pk (lower is better)", func(s score.Set) float64 { return s.Boundary.Pk }),
		row("WindowDiff (lower is better)", func(s score.Set) float64 { return s.Boundary.WindowDiff }),
		[]string{"p50 per message", fmt.Sprintf("%.3f ms", f.P50MS)})
	table(w, rows)
}
