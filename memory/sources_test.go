package memory_test

import (
	"testing"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/state"
)

// Sources finds what the names of an account name among the user's own documents, and nothing else.
func TestSources(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	got := w.turn(t, m, in("s1"), opens("Roof repair"), "The roofer is Novak, phone 601 234 567.")
	write := func(scope state.Scope, content string) string {
		r, err := m.Write(t.Context(), scope, memory.Change{Kind: state.FactRecord, Subject: "gate", Content: content})
		must(t, err)
		return "record " + r[0].ID
	}
	old := write(in("s1"), "The gate is 7.")
	now := write(in("s1"), "The gate is 9.")
	eve := in("s1")
	eve.User = "eve"
	hers := write(eve, "The gate is hers.")
	affair := "affair " + got.decision.AffairID
	a, err := m.Affairs().Get(t.Context(), in("s1"), got.decision.AffairID)
	if err != nil || len(a.KeyFacts) == 0 {
		t.Fatalf("%+v, %v", a, err)
	}
	fact := compose.Origin{Kind: compose.OfAffair, ID: a.ID, Part: "facts:" + a.KeyFacts[0].Label}.Kept("s1")

	names := []string{"message /1", "message /99", "message other/1", old, now, hers, affair, fact, affair + "/facts:~0", "session s1/summary",
		"record ../eve/x", "message s1/../../eve/s1/1", "junk", "", "steps x", "record "}
	found, err := m.Sources(t.Context(), in("s1"), names...)
	must(t, err)
	for name, want := range map[string]string{
		"message /1": "The roofer is Novak, phone 601 234 567.", now: "gate: The gate is 9.", affair: "Roof repair", fact: a.KeyFacts[0].Label + ": " + a.KeyFacts[0].Value,
	} {
		if s := found[name]; s.Text != want || s.Gone {
			t.Errorf("%s: %+v, want %q", name, s, want)
		}
	}
	if s := found["message /1"]; s.Session != "s1" || s.Seq != 1 || s.Who != "user" || s.At.IsZero() || s.Turn == "" {
		t.Errorf("the message is from %+v", s)
	}
	if s := found[old]; !s.Ended || s.Gone {
		t.Errorf("a record that was replaced: %+v", s)
	}
	for name, s := range found {
		if s.Text == "" && !s.Gone {
			t.Errorf("%s has no text and is not gone: %+v", name, s)
		}
	}
	if s := found[hers]; !s.Gone || s.Text != "" {
		t.Errorf("another user's record: %+v", s)
	}
}

// What a request brought is found as long as it is kept with its message.
func TestSourcesOfWhatARequestBrings(t *testing.T) {
	t.Parallel()
	_, m := setup(t)
	yes := true
	msg := state.Message{Role: state.RoleUser, Text: "See this.", StoreKnowledge: &yes, Extra: &state.ExtraContext{Notes: []string{"The gate is 7."}, Links: []string{"https://a.example"}}}
	must(t, m.Turn().Ingest(t.Context(), in("s1"), msg))
	found, err := m.Sources(t.Context(), in("s1"), "message /1/extra.0", "message /1/extra.1", "message /1/extra.2")
	must(t, err)
	if a, b, c := found["message /1/extra.0"], found["message /1/extra.1"], found["message /1/extra.2"]; a.Text != "note: The gate is 7." || b.Text != "link: https://a.example" || !c.Gone {
		t.Errorf("found %+v", found)
	}
}
