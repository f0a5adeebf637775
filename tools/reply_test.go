package tools_test

import (
	"testing"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/tools"
)

// A reply comes out of the arguments of a call that writes, and of no other.
func TestTakeReply(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, args, rest, reply string }{
		{tools.MemoryStore, `{"content":"x","reply":" Noted. "}`, `{"content":"x"}`, "Noted."},
		{"memory_save", `{"reply":"Noted."}`, `{}`, "Noted."},
		{tools.MemoryRecall, `{"query":"x","reply":"Noted."}`, `{"query":"x","reply":"Noted."}`, ""},
		{tools.MemoryStore, `{"content":"x"}`, `{"content":"x"}`, ""},
		{tools.MemoryStore, `{"reply":["Noted."]}`, `{"reply":["Noted."]}`, ""},
		{tools.MemoryStore, `no JSON`, `no JSON`, ""},
	} {
		if rest, reply := tools.TakeReply(c.name, c.args); rest != c.rest || reply != c.reply {
			t.Errorf("%s %s: %s and %q, want %s and %q", c.name, c.args, rest, reply, c.rest, c.reply)
		}
	}
}

// What is settled while more than one thing was open is asked about once more: some of it may not be done.
func TestWhatIsSettledMayBeOpenInPart(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	for title, pending := range map[string][]string{"Fine": {"the council's answer"}, "Car": {"change the tyres", "change the oil"}} {
		if _, err := b.memory.Affairs().Create(t.Context(), b.scope, title, memory.AffairChange{Pending: &pending}); err != nil {
			t.Fatal(err)
		}
		got, err := b.call(t, tools.ResolveAffair, `{"affair_id":"`+title+`"}`)
		must(t, err)
		if want := len(pending) == 1; tools.Carried(got) != want {
			t.Errorf("%s: %q, carried %v, want %v", title, got, !want, want)
		}
	}
}
