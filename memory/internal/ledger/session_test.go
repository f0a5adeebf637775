package ledger_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// Whoever comes last, a session that two processes change comes to the same: nothing that was summed up is lost, and what ended stays so.
func TestASessionIsMergedInAnyOrder(t *testing.T) {
	t.Parallel()
	scope := state.Scope{Client: "c", User: "u", Session: "s"}
	now := time.Date(2026, 2, 15, 21, 0, 0, 0, time.UTC)
	summary := func(content string, span state.Span) state.Effect {
		span.First = 1
		return state.Effect{Scope: scope, Record: &state.Record{ID: "summary.s.1", Session: "s", Kind: state.SummaryRecord, Content: content, Span: &span}}
	}
	session := func(s state.Session) state.Effect {
		s.ID = "s"
		return state.Effect{Scope: scope, Session: &s}
	}
	writers := [][]state.Effect{
		{ // a turn that folds more in
			summary("longer", state.Span{Last: 14, Covered: 12, Version: 2, Affairs: []string{"a1"}}),
			session(state.Session{Part: 1, Messages: 14, Summarised: 12, SummaryID: "summary.s.1", Touched: []string{"a1"}}),
		},
		{ // somebody who ends it
			summary("short", state.Span{Last: 12, Covered: 6, Version: 1, Affairs: []string{"a1"}, EndedAt: now}),
			session(state.Session{Part: 2, PartFrom: 13, PartAt: now, Messages: 12, Summarised: 6, SummaryID: "summary.s.1"}),
		},
		{ // somebody who names it
			session(state.Session{Part: 1, Messages: 12, Title: "Trip", TitledAt: now}),
		},
	}
	for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		s := ram.New()
		l := ledger.New(ledger.Config{Store: s, Now: func() time.Time { return now }})
		for _, i := range order {
			must(t, write(t.Context(), l, s.Write, slices.Clone(writers[i])...))
		}
		r, err := ledger.Get[state.Record](t.Context(), s, state.Records, scope.Key("summary.s.1"))
		want := state.Span{First: 1, Last: 14, Covered: 12, Version: 2, Affairs: []string{"a1"}, EndedAt: now}
		if err != nil || r.Content != "longer" {
			t.Errorf("order %v: content %q, %v", order, r.Content, err)
		}
		if diff := cmp.Diff(want, *r.Span); diff != "" {
			t.Errorf("order %v: span (-want +got):\n%s", order, diff)
		}
		got, err := ledger.Get[state.Session](t.Context(), s, state.Sessions, scope.SessionKey())
		if err != nil || got.Part != 2 || got.PartFrom != 13 || got.Messages != 14 || got.Summarised != 12 || got.Title != "Trip" {
			t.Errorf("order %v: session %+v, %v", order, got, err)
		}
	}
}
