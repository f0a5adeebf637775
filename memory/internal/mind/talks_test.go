package mind

import (
	"testing"
	"time"

	"github.com/mneme-graph/mneme/state"
)

// TestAForkIsHeardOnce: what a fork has from another session is no other message of the affair, and does not push out what was said since. The same words
// at another time are.
func TestAForkIsHeardOnce(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	said := func(seq int64, text string) state.Message {
		return state.Message{Affair: "a", Role: state.RoleUser, Seq: seq, Turn: text, Text: text, At: at.Add(time.Duration(seq) * time.Minute)}
	}
	h := &talks{lately: map[string][]heardLine{}}
	for _, m := range []state.Message{said(1, "one"), said(2, "two"), said(3, "three"), said(4, "four")} {
		h.recall("s", m)
	}
	h.recall("fork", said(1, "one"))
	h.recall("fork", said(4, "four"))
	h.recall("other", said(5, "four"))

	var got []string
	for _, l := range h.lately["a"] {
		got = append(got, l.session+" "+l.msg.Text)
	}
	if want := []string{"s three", "s four", "other four"}; len(got) != 3 || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
		t.Errorf("heard last: %q, want %q", got, want)
	}
	if want := heardSize(h.lately["a"]); h.size != want {
		t.Errorf("size %d, want %d", h.size, want)
	}
}
