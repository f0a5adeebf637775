package limits_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

// TestTheLongestMessage pastes a log of four megabytes: it is kept whole, shown by its ends, and found by its middle.
func TestTheLongestMessage(t *testing.T) {
	const ceiling = 60 * time.Second // of a machine with much else to do
	scope := state.Scope{Client: "c", User: "u", Session: "s"}
	var log strings.Builder
	log.WriteString("Please look at the log of the boiler.\n")
	for i := 0; log.Len() < state.DefaultSettings().MaxMessageBytes-200; i++ {
		fmt.Fprintf(&log, "2026-03-01 12:%02d:%02d pump %d runs at 38 degrees\n", i/60%60, i%60, i)
		if i == 40_000 {
			log.WriteString("the thermostat Hortensia reported sludge\n")
		}
	}
	log.WriteString("What do you say to it?")
	g := openWith(t, state.DefaultSettings())
	start := time.Now()
	r, err := g.Invoke(t.Context(), graph.Request{Scope: scope, Text: log.String()})
	must(t, err)
	t.Logf("the turn took %v", time.Since(start))
	if took := time.Since(start); took > ceiling {
		t.Errorf("the turn took %v", took)
	}
	if notes := fmt.Sprint(r.Trace.Notes); !strings.Contains(notes, "the message, 4,19") || !strings.Contains(notes, "were read for what it is about") {
		t.Errorf("the trace does not say what was left out: %.500s", notes)
	}
	hits, err := g.Memory().Recall(t.Context(), memory.Query{Scope: scope, Text: "thermostat Hortensia sludge", Limit: 1})
	if err != nil || len(hits) != 1 {
		t.Fatalf("%d hits, %v", len(hits), err)
	}
	if hits[0].Message.Text != log.String() || !strings.Contains(hits[0].Text, "thermostat Hortensia reported") {
		t.Errorf("the message has %d bytes of %d, the hit shows %.200q", len(hits[0].Message.Text), log.Len(), hits[0].Text)
	}
	if _, err = g.Invoke(t.Context(), graph.Request{Scope: scope, Text: log.String() + strings.Repeat("x", 400)}); state.CodeOf(err) != state.Invalid {
		t.Errorf("a longer message: %v", err)
	}
	if _, err = g.Invoke(t.Context(), graph.Request{Scope: scope, Text: "And what is next?"}); err != nil {
		t.Errorf("the next turn: %v", err)
	}
}

// TestALongAnswerIsImported ingests a conversation in which an assistant answered with 349 KB.
func TestALongAnswerIsImported(t *testing.T) {
	g, scope := openWith(t, state.DefaultSettings()), state.Scope{Client: "c", User: "u", Session: "s"}
	long := strings.Repeat("chapter and verse ", 349<<10/18)
	if err := g.Memory().Turn().Ingest(t.Context(), scope,
		state.Message{Role: state.RoleUser, Text: "Write me a novel."}, state.Message{Role: state.RoleAssistant, Text: long}); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Invoke(t.Context(), graph.Request{Scope: scope, Text: "How does the novel end?"}); err != nil {
		t.Error(err)
	}
}
