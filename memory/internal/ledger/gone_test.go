package ledger_test

import (
	"errors"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// An affair that another session's turn has made may be taken back while a turn edits it. The turn goes on, and its session points at nothing;
// a caller is told.
func TestAnAffairTakenBackMeanwhile(t *testing.T) {
	t.Parallel()
	ctx, scope, s := t.Context(), state.Scope{Client: "c", User: "u", Session: "s"}, ram.New()
	l := ledger.New(ledger.Config{Store: s, Now: func() time.Time { return time.Date(2026, 2, 15, 21, 0, 0, 0, time.UTC) }})
	edit := func(by *state.By, from state.Mark) error {
		return write(ctx, l, s.Write,
			state.Effect{Scope: scope, From: from, By: by, Affair: &state.AffairEdit{ID: "a1", Status: state.Active}},
			state.Effect{Scope: scope, From: from, Session: &state.Session{ID: "s", Active: "a1", Messages: from.Seq}},
		)
	}
	turn := &state.By{Who: state.ByUser, Path: "create_affair", Turn: "t1"}
	for i, by := range []*state.By{nil, turn, {Who: state.ByPipeline, Path: "session_end"}} {
		if err := edit(by, state.Mark{Thread: "c/u/s", Seq: int64(i + 1)}); err != nil {
			t.Errorf("by %+v: %v", by, err)
		}
	}
	if err := edit(&state.By{Who: state.ByUser, Path: "api"}, state.Mark{}); !errors.Is(err, state.ErrNotFound) {
		t.Errorf("by a caller: %v, want not found", err)
	}

	doc, err := s.Get(ctx, state.Sessions, scope.SessionKey())
	must(t, err)
	if got, err := ledger.Decode[state.Session](doc); err != nil || got.Active != "" || got.Messages != 3 {
		t.Errorf("the session: %+v, %v; want 3 messages and no affair", got, err)
	}
	if _, err := s.Get(ctx, state.Affairs, scope.Key("a1")); !errors.Is(err, state.ErrNotFound) {
		t.Errorf("the affair: %v, want it gone", err)
	}
}
