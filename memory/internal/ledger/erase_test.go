package ledger_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/checkpoint/checkpointtest"
	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// TestDrop carries out what a step has decided before an order to erase, when half of it stands already.
func TestDrop(t *testing.T) {
	t.Parallel()
	ctx, scope, s := t.Context(), state.Scope{Client: "c", User: "u", Session: "s"}, ram.New()
	now := func() time.Time { return time.Date(2026, 2, 15, 21, 0, 0, 0, time.UTC) }
	l := ledger.New(ledger.Config{Store: s, Now: now})
	apply := func(effects ...state.Effect) error {
		for i := range effects {
			effects[i].Scope = scope
		}
		return write(ctx, l, s.Write, effects...)
	}
	must(t, apply(state.Effect{Record: &state.Record{ID: "r1", Content: "kept"}}))

	// A step writes a message, and not its entry of the feed: the order has taken that.
	from := state.Mark{Thread: "c/u/s", Seq: 7}
	step := state.Effect{Scope: scope, Message: &state.Message{Seq: 1, ID: "m1", Text: "secret", At: now()}, From: from, Seen: 2}
	ordered := false
	err := write(ctx, l, func(ctx context.Context, docs ...store.Doc) error {
		if docs[0].Collection == state.Feed && !ordered {
			ordered = true
			o := state.Order{ID: "o1", Rev: 1, After: 1, Stage: ledger.StageTurns}
			if err := write(ctx, ledger.New(ledger.Config{Store: s, Now: now}), s.Write, state.Effect{Scope: scope, Order: &o}); err != nil {
				t.Error(err)
			}
		}
		return s.Write(ctx, docs...)
	}, step)
	if !ordered || !errors.Is(err, state.ErrConflict) {
		t.Errorf("ordered: %v, %v; want a conflict", ordered, err)
	}
	if _, err := s.Get(ctx, state.Messages, scope.MessageKey(1)); !errors.Is(err, state.ErrNotFound) {
		t.Errorf("the message: %v, want it gone", err)
	}

	// Nothing else is written meanwhile, and afterwards what is decided anew.
	if err := apply(state.Effect{Record: &state.Record{ID: "r2", Content: "new"}}); !errors.Is(err, state.ErrUnavailable) {
		t.Errorf("a write meanwhile: %v, want unavailable", err)
	}
	if err := apply(state.Effect{Order: &state.Order{ID: "o1", Rev: 3}}); !errors.Is(err, state.ErrConflict) {
		t.Errorf("an edit of the order that missed one: %v, want a conflict", err)
	}
	must(t, apply(state.Effect{Order: &state.Order{ID: "o1", Rev: 2}}, state.Effect{Erase: &state.Erase{Collection: state.Records, ID: "r1", Rev: 1}}))
	if err := apply(state.Effect{Record: &state.Record{ID: "r2", Content: "new"}}); err != nil {
		t.Error(err)
	}
	if err := apply(state.Effect{Record: &state.Record{ID: "r3", Content: "old"}, Seen: 2}); !errors.Is(err, state.ErrConflict) {
		t.Errorf("what was decided before: %v, want a conflict", err)
	}
	entries, err := ledger.After(ctx, s, scope, 0)
	must(t, err)
	for _, e := range entries {
		for _, c := range e.Changes {
			if c.Ref.ID == "r1" && !c.New && (len(c.Fields) > 0 || !c.Gone || !c.Erased) {
				t.Errorf("the feed tells of what is erased: %+v", c)
			}
		}
	}
}

// write has a ledger merge effects, and put write what comes of them.
func write(ctx context.Context, l *ledger.Ledger, put func(ctx context.Context, docs ...store.Doc) error, effects ...state.Effect) error {
	batch, err := l.Merge(ctx, effects)
	if err != nil {
		return err
	}
	return checkpointtest.Write(ctx, batch, put)
}

var must = statetest.Must
