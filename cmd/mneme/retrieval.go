package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/mneme-graph/mneme/e2e/retrieval"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/sqlite"
)

type evalRetrieval struct {
	Data        []string `required:"" help:"Conversations with questions, one JSON object a line; may be repeated." placeholder:"FILE"`
	Predictions string   `help:"Write each question's ranking (the first 50) to this file, one JSON object a line." placeholder:"FILE"`
	meant
	JSON bool `name:"json" help:"One JSON object."`
}

// Help is printed by mneme eval retrieval --help.
func (evalRetrieval) Help() string {
	return `A line is {"op":"turn","conversation","session","id","speaker","role","at","text"} or
{"op":"query","conversation","id","text","gold":["turn id"],"category"}. Turns are taken in as an import is, questions asked as
memory_recall asks, each within its own conversation. Nothing is kept: the store is a temporary folder, and on Milvus
the collections are deleted afterwards. With an embedder questions are asked when all turns have their vectors.

Examples:
  mneme eval retrieval --data e2e/retrieval/testdata/en.jsonl --predictions ranked.jsonl
  mneme eval retrieval --data my.jsonl --embedder ollama:nomic-embed-text --json`
}

// Run measures recall on the files.
func (e *evalRetrieval) Run(ctx context.Context, con *console) (err error) {
	resolved, err := con.resolve()
	if err == nil {
		err = resolved.drivers()
	}
	if err != nil {
		return err
	}

	// All files are read before anything is measured.
	con.warn(resolved)
	var conversations []retrieval.Conversation
	for _, path := range e.Data {
		read, err := readConversations(ctx, path)
		if err != nil {
			return err
		}
		conversations = append(conversations, read...)
	}

	// A trial has collections of its own on Milvus, so that nothing of the user's is touched.
	var result retrieval.Result
	err = toPredictions(e.Predictions, func(to io.Writer) (err error) {
		options := retrieval.Options{Clock: con.now, Progress: con.progress("conversations", nil), Predictions: to}
		result, err = measure(ctx, resolved.trial(), conversations, options)
		return err
	})
	switch {
	case err != nil:
		return err
	case e.JSON:
		return encode(con.out, result)
	}
	printRetrieval(con.out, result)
	return nil
}

func readConversations(ctx context.Context, path string) ([]retrieval.Conversation, error) {
	in, err := openData(ctx, path, maxData)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	read, err := retrieval.Read(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return read, nil
}

// measure evaluates in a store of its own that is deleted afterwards.
func measure(ctx context.Context, c config, conversations []retrieval.Conversation, o retrieval.Options) (out retrieval.Result, err error) {
	// The store is on disk, as in use, in a folder that is deleted.
	dir, err := os.MkdirTemp("", "mneme-eval-")
	if err != nil {
		return out, state.Errorf(state.Unavailable, "temporary folder", "%w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	s, err := sqlite.Open(ctx, sqlite.Config{Dir: dir})
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()

	// Vectors where the product would have them; on a server under a name of their own, which goes too.
	if o.Memory, o.At, err = c.remember(ctx, s, uuid.NewString); err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, o.Memory.Close(), c.discard(context.WithoutCancel(ctx))) }()
	o.At(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	return retrieval.Evaluate(ctx, conversations, o)
}

func printRetrieval(w io.Writer, r retrieval.Result) {
	row := func(name string, f retrieval.Figures) []string {
		out := []string{name, fmt.Sprint(f.N)}
		for _, x := range []float64{f.Recall1, f.Recall5, f.Recall10, f.Recall25, f.Recall50, f.Hit5, f.Hit10, f.MRR, f.NDCG10} {
			out = append(out, fmt.Sprintf("%.1f", 100*x))
		}
		return out
	}

	rows := [][]string{
		{"", "n", "R@1", "R@5", "R@10", "R@25", "R@50", "hit@5", "hit@10", "MRR", "NDCG@10"},
		row("turns", r.Figures), row("sessions", r.Session),
	}
	for _, name := range slices.Sorted(maps.Keys(r.Categories)) {
		rows = append(rows, row("  "+name, *r.Categories[name]))
	}

	table(w, rows)
	fmt.Fprintf(w, "\ningest %.0f turns/s; query p50 %.2f ms, p95 %.2f ms\n", r.IngestRate, r.QueryP50MS, r.QueryP95MS)
	if r.Pace != "" {
		fmt.Fprintf(w, "embedder %s\n", r.Pace)
	}
}
