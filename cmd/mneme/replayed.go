package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/mneme-graph/mneme/e2e/scenario"
	"github.com/mneme-graph/mneme/graph/tree"
	"github.com/mneme-graph/mneme/state"
)

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
