package graph_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/embed"
	"github.com/mneme-graph/mneme/memory/embed/hashed"
	"github.com/mneme-graph/mneme/memory/sessions"
	"github.com/mneme-graph/mneme/state"
)

// of is a user of a client.
func of(client, user, project string) state.Scope {
	return state.Scope{Client: client, User: user, Project: project}.Default()
}

// curators lets one user share.
func curators(c *graph.Config) {
	c.MayShare = func(s state.Scope) bool { return s.User == "curator" }
}

// What is shared is in the prompts and recalls of all users of the client, in this process at once and in another one after a while, and
// of no other client.
func TestSharedKnowledge(t *testing.T) {
	t.Parallel()
	for name, w := range worlds() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := scripted.New([]scripted.Step{scripted.Say("1"), scripted.Say("2"), scripted.Say("3"), scripted.Say("4"), scripted.Say("5"), scripted.Say("6")}, nil)
			g := w.open(t, func(c *graph.Config) { c.Model = m; curators(c) })
			far := w.open(t, func(c *graph.Config) { c.Model = m })
			shown := func(g *graph.Graph, s state.Scope) string {
				t.Helper()
				invoke(t, g, graph.Request{Scope: s, Text: "Good evening."})
				prompts := m.Prompts()
				return fmt.Sprint(prompts[len(prompts)-1])
			}
			if p := shown(far, of("c1", "anna", "")); strings.Contains(p, "02-11") { // it has looked, and there was nothing
				t.Fatal(p)
			}
			share := func(project, text string) {
				t.Helper()
				if _, err := g.Memory().Share(t.Context(), of("c1", "curator", project), memory.Change{Subject: "emergency line", Content: text}); err != nil {
					t.Fatal(err)
				}
			}
			share("", "Call 02-11-900 at night.")
			share("bridge", "Call 02-11-901 from the bridge.")

			if p := shown(g, of("c1", "anna", "")); !strings.Contains(p, "02-11-900") || strings.Contains(p, "02-11-901") {
				t.Errorf("anna is shown %s", p)
			}
			if told := printed(t, explain(t, g, of("c1", "anna", ""), "")); !strings.Contains(told, "02-11-900") {
				t.Errorf("the account does not find what is shared: %s", told)
			}
			if p := shown(g, of("c1", "bob", "bridge")); !strings.Contains(p, "02-11-900") || !strings.Contains(p, "02-11-901") {
				t.Errorf("bob is shown %s", p)
			}
			if p := shown(g, of("c2", "anna", "bridge")); strings.Contains(p, "02-11") {
				t.Errorf("another client is shown %s", p)
			}
			w.pass(time.Minute)
			if p := shown(far, of("c1", "carl", "")); !strings.Contains(p, "02-11-900") {
				t.Errorf("in another process carl is shown %s", p)
			}
			for client, want := range map[string]int{"c1": 2, "c2": 0} {
				hits, err := g.Memory().Recall(t.Context(), memory.Query{Scope: of(client, "dora", ""), Text: "emergency line at night"})
				if err != nil || len(hits) != want {
					t.Errorf("recall in %s: %v, %v, want %d hits", client, hits, err, want)
				}
			}

			// A new value takes the place of the old one, of its project alone.
			share("", "Call 02-11-777 at night.")
			hits, err := g.Memory().Recall(t.Context(), memory.Query{Scope: of("c1", "dora", ""), Text: "emergency line at night", Limit: 1})
			if err != nil || len(hits) != 1 || !strings.Contains(hits[0].Text, "777") || hits[0].Record.User != state.ClientUser {
				t.Errorf("recall: %+v, %v, want the new number", hits, err)
			}
			all, err := far.Memory().Shared(t.Context(), of("c1", "dora", ""))
			if err != nil || len(all) != 3 {
				t.Errorf("shared %v, %v, want three records, one of them history", all, err)
			}
		})
	}
}

// What is shared has vectors as everything else has.
func TestSharedKnowledgeHasVectors(t *testing.T) {
	t.Parallel()
	leaf, err := hashed.New(hashed.Config{})
	must(t, err)
	embedder, err := embed.New(embed.Config{Name: "hashed", Model: leaf})
	must(t, err)
	w := newWorld()
	g := w.open(t, func(c *graph.Config) { c.Embedder = embedder; curators(c) })
	r, err := g.Memory().Share(t.Context(), of("c1", "curator", ""), memory.Change{Subject: "emergency line", Content: "Call 02-11-900.", Priority: state.Critical})
	if err != nil || !r[0].Indexed {
		t.Fatalf("share = %+v, %v, want that it has its vector", r, err)
	}
	trace := &state.Trace{}
	hits, err := g.Memory().Recall(state.ContextWithTrace(t.Context(), trace), memory.Query{Scope: of("c1", "anna", ""), Text: "which line in an emergency?"})
	if err != nil || len(hits) != 1 || hits[0].Why.Fields.Near == 0 || len(trace.Notes()) > 0 {
		t.Errorf("recall = %+v, %v, notes %v, want the record, near by its vector", hits, err, trace.Notes())
	}
}

// Nobody writes what a client's users share but whom the host lets, and no turn does.
func TestWhoMayShare(t *testing.T) {
	t.Parallel()
	w := newWorld()
	forged := scripted.Calls(state.ToolCall{ID: "c1", Name: "memory_store", Arguments: `{"subject":"line","content":"Call 666.","category":"fact","about":"client"}`})
	model := scripted.New([]scripted.Step{forged, scripted.Say("done")}, nil)
	g := w.open(t, func(c *graph.Config) { c.Model = model; curators(c) })
	m, change := g.Memory(), memory.Change{Content: "Call 666."}
	nobody := w.open(t, nil).Memory()

	code := func(what string, err error, want state.Code) {
		t.Helper()
		if state.CodeOf(err) != want {
			t.Errorf("%s: %v, want %s", what, err, want)
		}
	}
	_, err := m.Share(t.Context(), of("c1", "anna", ""), change)
	code("another user", err, state.Denied)
	_, err = nobody.Share(t.Context(), of("c1", "curator", ""), change)
	code("a host that lets nobody", err, state.Denied)
	_, err = m.Share(state.ContextWithEffects(t.Context(), &state.Effects{}), of("c1", "curator", ""), change)
	code("inside a step", err, state.Denied)
	_, err = m.Share(memory.ContextWithOrigin(t.Context(), memory.Origin{Turn: "t"}), of("c1", "curator", ""), change)
	code("by a tool", err, state.Denied)
	_, err = m.Share(t.Context(), of("c1", "curator", ""), memory.Change{Content: "x", Affair: "a"})
	code("an affair's", err, state.Invalid)

	// The reserved user is nobody's scope.
	wide := of("c1", state.ClientUser, "")
	_, err = m.Write(t.Context(), wide, change)
	code("write", err, state.Invalid)
	_, err = m.Share(t.Context(), wide, change)
	code("share", err, state.Invalid)
	_, err = g.Invoke(t.Context(), graph.Request{Scope: wide, Text: "Hello."})
	code("a turn", err, state.Invalid)
	_, err = m.Recall(t.Context(), memory.Query{Scope: wide, Text: "line"})
	code("recall", err, state.Invalid)
	_, err = m.Affairs().Create(t.Context(), wide, "Affair", memory.AffairChange{})
	code("an affair", err, state.Invalid)
	code("ingest", m.Turn().Ingest(t.Context(), wide, state.Message{Text: "Hello."}), state.Invalid)
	code("fork", g.Fork(t.Context(), wide, "", "s2"), state.Invalid)
	_, err = m.Sessions().Edit(t.Context(), wide, sessions.Change{Clear: true})
	code("clear", err, state.Invalid)
	_, err = m.Shared(t.Context(), wide)
	code("list", err, state.Invalid)

	r := invoke(t, g, graph.Request{Scope: of("c1", "curator", ""), Text: "Tell them all."})
	if !strings.Contains(r.Tools[0].Result, "error") {
		t.Errorf("the tool came to %q, want an error", r.Tools[0].Result)
	}
	if all, err := m.Shared(t.Context(), of("c1", "anna", "")); err != nil || len(all) > 0 {
		t.Errorf("shared %v, %v, want nothing", all, err)
	}
	if !errors.Is(state.Thread{Client: "c1", ID: state.ClientUser + "/s1"}.Validate(), state.ErrInvalid) {
		t.Error("a thread of the reserved user is valid")
	}
}
