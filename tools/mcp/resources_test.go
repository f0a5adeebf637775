package mcp_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mneme-graph/mneme/checkpoint/checkpointtest"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/history"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/tools/mcp"
)

func audited() history.Query { return history.Query{Limit: 1000} }

func TestResourcesAndPrompts(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	s := b.meet(t, b.ann)
	wants(t, read(t, s, mcp.BrainURI), "nothing is known yet")
	call(t, s, "memory_update", `{"action":"remember","text":"I live in Leeds."}`)
	must2(t)(b.memory.Tasks().Schedule(t.Context(), b.ann.Scope, memory.Task("pay the deposit", "", now().Add(-time.Hour)), ""))
	must2(t)(b.memory.Tasks().Schedule(t.Context(), b.ann.Scope, memory.Task("post the parcel", "", now().Add(50*time.Hour)), ""))
	must2(t)(b.memory.Tasks().Schedule(t.Context(), b.ann.Scope, memory.Task("renew the passport", "", now().Add(5000*time.Hour)), ""))

	wants(t, read(t, s, mcp.BrainURI), "## The user", "Leeds")
	today := read(t, s, mcp.TodayURI)
	wants(t, today, "2026-02-15, Sunday, 21:00 UTC", "## Due\n- 2026-02-15 20:00 UTC: pay the deposit", "## To come\n- 2026-02-17 23:00 UTC: post the parcel", "## Open affairs", "call the technician")
	if strings.Contains(today, "passport") {
		t.Errorf("today shows what is far off: %s", today)
	}
	wants(t, read(t, s, "affair:a-boiler"), "07-14244-53150")

	p, err := s.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: mcp.WhatWaits})
	must(t, err)
	wants(t, p.Messages[0].Content.(*sdk.TextContent).Text, "What waits for me?")
	wants(t, p.Messages[1].Content.(*sdk.EmbeddedResource).Resource.Text, "pay the deposit")

	// What a person types is completed.
	done, err := s.Complete(t.Context(), &sdk.CompleteParams{
		Ref: &sdk.CompleteReference{Type: "ref/prompt", Name: mcp.ContinueAffair}, Argument: sdk.CompleteParamsArgument{Name: "affair", Value: "boi"},
	})
	must(t, err)
	if len(done.Completion.Values) != 1 || done.Completion.Values[0] != "Boiler service" {
		t.Errorf("completed: %v", done.Completion)
	}
}

// The day is that of the user, as his client says where he is; the words are of his language.
func TestTheUsersClockAndLanguage(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	for _, tt := range []struct {
		name string
		c    mcp.Caller
		root string
		want string
	}{
		{"nobody says", b.ann, "", "2026-02-15, Sunday, 21:00 UTC"},
		{"the caller", mcp.Caller{Scope: b.ann.Scope, Zone: "Asia/Tokyo"}, "file:///timezone/Europe/Prague", "2026-02-16, Monday, 06:00 JST"},
		{"the roots", b.ann, "file:///timezone/Pacific/Auckland", "2026-02-16, Monday, 10:00 NZDT"},
		{"escaped", b.ann, "file://Europe%2FPrague", "2026-02-15, Sunday, 22:00 CET"},
		{"no zone", b.ann, "file:///home/ann", "2026-02-15, Sunday, 21:00 UTC"},
		{"Polish", mcp.Caller{Scope: b.ann.Scope, Language: "pl_PL.UTF-8"}, "", "niedziela"},
		{"unknown", mcp.Caller{Scope: b.ann.Scope, Language: "eo"}, "", "Sunday"},
	} {
		s := b.meet(t, tt.c, tt.root)
		if got := read(t, s, mcp.TodayURI); !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}

	scope := b.ann.Scope
	must(t, checkpointtest.Append(t.Context(), b.store, b.memory.Turn().Commits(),
		state.Effect{Scope: scope, Session: &state.Session{Client: scope.Client, User: scope.User, ID: "s1", Language: "cs", Part: 1, StartedAt: now(), LastAt: now()}}))
	wants(t, read(t, b.meet(t, b.ann), mcp.TodayURI), "neděle")
}

func must2(t *testing.T) func(state.Receipt, error) {
	t.Helper()
	return func(_ state.Receipt, err error) { t.Helper(); must(t, err) }
}

// What was asked before the input ends is answered; what ends the context ends the line at once.
func TestTheEndOfTheInput(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	in := `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`
	for i := range 20 {
		in += fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"memory_store","arguments":{"subject":"crate %d","content":"Crate %d is in hall %d.","category":"fact"}}}`+"\n", i+1, i, i, i+50)
	}
	var out strings.Builder
	must(t, b.server.Serve(t.Context(), b.ann, &sdk.IOTransport{Reader: io.NopCloser(strings.NewReader(in)), Writer: unclosed{&out}}))
	if n := strings.Count(out.String(), "stored fact"); n != 20 {
		t.Errorf("%d of 20 calls were answered: %s", n, out.String())
	}

	ctx, stop := context.WithCancel(t.Context())
	reader, writer := io.Pipe()
	defer writer.Close()
	stop()
	must(t, b.server.Serve(ctx, b.ann, &sdk.IOTransport{Reader: reader, Writer: unclosed{&out}}))
}

type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }
