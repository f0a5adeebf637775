package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/mneme-graph/mneme/memory/score"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/ram"
)

type evalDetect struct {
	Data        string `required:"" help:"Labelled conversations, one JSON object per message and line." placeholder:"FILE"`
	Predictions string `help:"Write each prediction to this file, one JSON object a line." placeholder:"FILE"`
	Free        bool   `help:"Live with the own decisions instead of enforcing the right affair after each message."`
	SmallModel  string `option:"" help:"Measure the product's decision, with this model as judge: PROVIDER:MODEL." placeholder:"NAME"`
	Embedder    string `option:"" group:"store" help:"Measure the product's decision, with vectors of this embedder." placeholder:"NAME"`
	Detect      string `option:"" help:"Who decides: rules, model, hybrid (the model where the rules are unsure) or tool (the rules; the answering model may correct them, which is not measured)." placeholder:"NAME"`
	JSON        bool   `name:"json" help:"One JSON object."`
}

// Help is printed by mneme eval detect --help.
func (evalDetect) Help() string {
	return `A line is {"conversation","id","role","text","gold":{"type","affair"}}, perhaps with "at"; messages of the assistant carry no
gold. A line {"op":"affair","conversation","id","status":"PARKED" or "ACTIVE","at","messages":[{"role","text"}]} is an affair that is there
before the conversation begins; then its first message is judged too. Two sets of figures are printed: at the product's threshold, and for the most probable decision by words alone.

Without a model, an embedder and --detect, words alone decide. With one of them the product's own decision is measured, each
conversation as one of a user of its own: asked is the share of messages for which the model was asked, sure_wrong the share
decided wrongly without asking. Titles and summaries are made by rule. Progress is said on stderr.

Examples:
  mneme eval detect --data dev.jsonl --predictions dev.out.jsonl
  mneme eval detect --data dev.jsonl --small-model openai:gpt-4o-mini --detect hybrid --json`
}

// Run scores detection on the file.
func (e *evalDetect) Run(ctx context.Context, con *console) (err error) {
	resolved, err := con.resolve()
	if err != nil {
		return err
	}
	in, err := openData(ctx, e.Data, maxData)
	if err != nil {
		return err
	}
	defer in.Close()

	// With a model or an embedder the whole product is measured, else the rules alone.
	options := score.Options{Threshold: resolved.settings.SwitchThreshold, Free: e.Free, Now: con.now}
	if resolved.get("small_model") != "" || resolved.hasEmbedder() || e.Detect != "" {
		product, done, err := resolved.product(ctx)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, done()) }()
		options.Product, options.Progress = product, con.progress("conversations", nil)
	}

	// A model that gave no answer does not spoil the figures, but is told.
	var figures score.Figures
	err = toPredictions(e.Predictions, func(to io.Writer) (err error) {
		options.Predictions = to
		figures, err = score.Evaluate(ctx, in, options)
		return err
	})
	if err != nil {
		return err
	}
	if j := figures.Judged; j != nil && j.Failed > 0 {
		con.complain(fmt.Errorf("%d times the model gave no answer that could be used, and the rules decided; the last time: %s", j.Failed, j.LastError))
	}
	if e.JSON {
		return encode(con.out, figures)
	}
	printFigures(con.out, figures)
	return nil
}

// product makes a memory in RAM, to be measured.
func (c config) product(ctx context.Context) (p *score.Product, done func() error, err error) {
	if v := c.values["detect"]; v.origin == "flag" && v.text != "rules" && v.text != "tool" && c.smallModel() == "" {
		return nil, nil, state.Errorf(state.Invalid, "--detect "+v.text, "needs a model; name one with --small-model PROVIDER:MODEL")
	}

	c = c.trial()
	_, small, err := c.models(ctx)
	if err != nil {
		return nil, nil, err
	}
	p = &score.Product{Small: small, IDs: &score.IDs{}}
	if p.Memory, p.At, err = c.remember(ctx, ram.New(), p.IDs.New); err != nil {
		return nil, nil, err
	}
	return p, func() error { return errors.Join(p.Memory.Close(), c.discard(context.WithoutCancel(ctx))) }, nil
}

func printFigures(w io.Writer, f score.Figures) {
	// Each row has two columns: what the threshold decides, and the most probable decision.
	row := func(name string, of func(score.Set) float64) []string {
		return []string{name, percent(of(f.Set)), percent(of(f.Argmax))}
	}

	// The first rows are of all messages together.
	rows := [][]string{
		{fmt.Sprintf("%d messages", f.N), "threshold", "most probable"},
		row("accuracy", func(s score.Set) float64 { return s.Accuracy }),
		row("right affair", func(s score.Set) float64 { return s.RightAffair }),
		row("false park", func(s score.Set) float64 { return s.FalsePark }),
	}
	if j := f.Judged; j != nil {
		rows = append(rows, []string{"the model was asked", percent(j.Asked)}, []string{"wrong without asking", percent(j.SureWrong)})
	}

	// Each kind of decision has rows of its own.
	for _, kind := range []state.Kind{state.Continue, state.Switch, state.AdHoc, state.NewAffair} {
		rows = append(rows,
			row(string(kind)+" precision", func(s score.Set) float64 { return s.Types[kind].Precision }),
			row(string(kind)+" recall", func(s score.Set) float64 { return s.Types[kind].Recall }),
			row(string(kind)+" F1", func(s score.Set) float64 { return s.Types[kind].F1 }))
	}

	// The last rows say how well changes are placed, and how long a message takes.
	rows = append(rows,
		row("boundary F1", func(s score.Set) float64 { return s.Boundary.F1 }),
		row("Pk (lower is better)", func(s score.Set) float64 { return s.Boundary.Pk }),
		row("WindowDiff (lower is better)", func(s score.Set) float64 { return s.Boundary.WindowDiff }),
		[]string{"p50 per message", fmt.Sprintf("%.3f ms", f.P50MS)})
	table(w, rows)
}
