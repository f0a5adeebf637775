package openai

import (
	"context"
	"testing"

	"github.com/mneme-graph/mneme/state"
)

// Who has given up does not wait in the line, and leaves nothing behind.
func TestEnter(t *testing.T) {
	t.Parallel()
	f := New(Config{})
	leave, err := f.enter(t.Context(), "ann")
	if err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.enter(gone, "ann"); state.CodeOf(err) != state.Unavailable {
		t.Errorf("who has gone waits: %v", err)
	}
	other, err := f.enter(t.Context(), "ben")
	if err != nil {
		t.Fatal(err)
	}
	other()
	leave()
	if again, err := f.enter(t.Context(), "ann"); err != nil {
		t.Error(err)
	} else {
		again()
	}
	if len(f.busy) != 0 {
		t.Errorf("%d doors are left", len(f.busy))
	}
}

// A fork is no numbered session, though its sum be a number.
func TestNumberOf(t *testing.T) {
	t.Parallel()
	for session, want := range map[string]int{"chat-a": 1, "chat-a-2": 2, "chat-a-12345678": 12345678, "chat-a-9137741307": 0, "chat-a-02": 0, "chat-a-x": 0, "chat-b": 0} {
		n, ok := numberOf("chat-a", session)
		if ok != (want > 0) || ok && n != want {
			t.Errorf("%s: %d, %v", session, n, ok)
		}
	}
}
