package graph_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/state"
)

// A host of many that forgets to say whose turn it is is told so by every door, and nothing is read or written.
func TestScopeIsRequired(t *testing.T) {
	t.Parallel()
	g := newWorld().open(t, func(c *graph.Config) { c.RequireScope = true })
	for name, s := range map[string]state.Scope{"nobody": {}, "no user": {Client: "acme"}, "no client": {User: "ann"}, "spelled out": {Client: "default", User: "default"}} {
		_, err := g.Invoke(t.Context(), graph.Request{Scope: s, Text: "Hello"})
		errs := map[string]error{"Invoke": err}
		_, errs["Resume"] = g.Resume(t.Context(), s)
		_, errs["Answer"] = g.Answer(t.Context(), s, nil)
		_, errs["Cancel"] = g.Cancel(t.Context(), s)
		_, errs["Waits"] = g.Waits(t.Context(), s)
		_, errs["Explain"] = g.Explain(t.Context(), s, "")
		for _, errs["Follow"] = range g.Follow(t.Context(), s, "q") { // the last event has the error
		}
		for door, err := range errs {
			if state.CodeOf(err) != state.Invalid {
				t.Errorf("%s, %s: %v", name, door, err)
			}
		}
	}
	invoke(t, g, graph.Request{Scope: state.Scope{Client: "acme", User: "ann"}, Text: "Hello"})
}

// One forgotten name among many is said aloud; a host that never names a client is left alone.
func TestNobodyBesideOthersIsSaid(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	g := newWorld().open(t, func(c *graph.Config) { c.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
	alone := invoke(t, g, graph.Request{Text: "Hello"})
	invoke(t, g, graph.Request{Scope: state.Scope{Client: "acme", User: "ann"}, Text: "Hello"})
	beside := invoke(t, g, graph.Request{Text: "Hello again"})
	notes := strings.Join(beside.Trace.Notes, "\n")
	if len(alone.Trace.Notes) != 0 || !strings.Contains(notes, "names no client") || strings.Count(log.String(), "calls without a client") != 1 {
		t.Errorf("notes %q, then %q; log:\n%s", alone.Trace.Notes, notes, log.String())
	}
}
