package memory_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

// Everything of an affair comes in one call: what was said in all sessions and what was stored, a page at a time, and nothing of another.
func TestDossier(t *testing.T) {
	t.Parallel()
	_, m := setup(t)
	ctx := t.Context()
	a, err := m.Affairs().Create(ctx, in("s1"), "Część do auta", memory.AffairChange{Facts: state.Facts{{Label: "numer", Value: "07-14244-53150"}}})
	must(t, err)
	other, err := m.Affairs().Create(ctx, in("s1"), "Rower", memory.AffairChange{})
	must(t, err)
	for n := range 60 {
		session := fmt.Sprintf("s%d", 1+n%2)
		text := fmt.Sprintf("Wiadomość o części numer %d, # nagłówek.\n## drugi", n)
		must(t, m.Turn().Ingest(ctx, in(session), state.Message{Role: state.RoleUser, Text: text, Affair: a.ID}))
	}
	must(t, m.Turn().Ingest(ctx, in("s1"), state.Message{Role: state.RoleUser, Text: "Rower jest zielony, kod RW-777.", Affair: other.ID}))
	no := false
	must(t, m.Turn().Ingest(ctx, in("s9"), state.Message{Role: state.RoleUser, Text: "Tajne o części.", Affair: a.ID, StoreKnowledge: &no}))
	write(t, m, in("s1"), memory.Change{Kind: state.OrderRecord, Subject: "zamówienie", Content: "zamówienie 07-14244-53150 u Nowaka", Affair: a.ID})

	d, err := m.Affairs().Dossier(ctx, in("s1"), "część", memory.Page{})
	if err != nil || len(d.Messages) != 50 || d.LeftOut.Messages != 10 || len(d.Records) != 1 || len(d.Identifiers) == 0 {
		t.Fatalf("%d messages, %+v, %d records, identifiers %v (%v); want the last 50 of 60, one record", len(d.Messages), d.LeftOut, len(d.Records), d.Identifiers, err)
	}
	if first, last := d.Messages[0], d.Messages[49]; !strings.Contains(first.Text, "numer 10,") || !strings.Contains(last.Text, "numer 59,") || last.Session != "s2" {
		t.Errorf("from %q to %q of %s, want 10 to 59 of s2", first.Text, last.Text, last.Session)
	}
	earlier, err := m.Affairs().Dossier(ctx, in("s1"), a.ID, memory.Page{Limit: 20, Skip: 50})
	if err != nil || len(earlier.Messages) != 10 || earlier.LeftOut.Messages != 50 || !strings.Contains(earlier.Messages[0].Text, "numer 0,") {
		t.Errorf("the page before has %d messages, %+v (%v), want the first ten", len(earlier.Messages), earlier.LeftOut, err)
	}

	// In the user's language, within its tokens, and without a heading of anybody else's.
	d.Language = "pl"
	text := d.Markdown(600, m.Tokens)
	for _, part := range []string{"# Sprawa: Część do auta", "## Zapisy", "u Nowaka", "## Wiadomości", "[Pominięto: ", "numer 59,"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing in\n%s", part, text)
		}
	}
	if n := m.Tokens(text); n > 600 {
		t.Errorf("it has %d tokens, want 600 at most", n)
	}
	for _, part := range []string{"RW-777", "Tajne", "\n## drugi", "numer 12,"} {
		if strings.Contains(text, part) {
			t.Errorf("%q stands in\n%s", part, text)
		}
	}
	if whole := d.Markdown(0, m.Tokens); !strings.Contains(whole, "numer 12,") {
		t.Errorf("without a limit it is cut:\n%s", whole)
	}

	// Bad pages, nobody's affair, another user's.
	for _, p := range []memory.Page{{Limit: -1}, {Limit: 5000}, {Skip: -1}} {
		if _, err := m.Affairs().Dossier(ctx, in("s1"), a.ID, p); !errors.Is(err, state.ErrInvalid) {
			t.Errorf("page %+v: %v, want invalid", p, err)
		}
	}
	if _, err := m.Affairs().Dossier(ctx, state.Scope{User: "somebody", Session: "s1"}, a.ID, memory.Page{}); !errors.Is(err, state.ErrNotFound) {
		t.Errorf("another user's: %v, want not found", err)
	}
}
