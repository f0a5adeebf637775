package memory_test

import (
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

// A hit on a long message shows where it says what was asked, and the message is whole beside it.
func TestAHitShowsThePassage(t *testing.T) {
	t.Parallel()
	filler := func(word string) string { return strings.Repeat(word+" a b c ", 2000) }
	for name, c := range map[string]struct{ text, ask, shows string }{
		"in the middle":    {filler("slovo") + "The spare key is with Petr Novák. " + filler("jiné"), "spare key Petr", "spare key is with Petr Novák"},
		"at the end":       {filler("slovo") + "Náhradní klíč má Petr Novák.", "klíč u Petra", "klíč má Petr Novák."},
		"at the beginning": {"The spare key is with Petr. " + filler("slovo"), "spare key Petr", "The spare key is with Petr."},
		"without spaces":   {strings.Repeat("漢", 3000) + " Petr " + strings.Repeat("漢", 3000), "Petr", " Petr "},
		"short":            {"The spare key is with Petr.", "spare key", "The spare key is with Petr."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, m := setup(t)
			must(t, m.Turn().Ingest(t.Context(), in("s1"), state.Message{Role: state.RoleUser, Text: c.text}))
			hits, err := m.Recall(t.Context(), memory.Query{Scope: in("s1"), Text: c.ask, Limit: 1})
			must(t, err)
			if len(hits) != 1 || !strings.Contains(hits[0].Text, c.shows) || len(hits[0].Text) > 4100 || hits[0].Message.Text != c.text {
				t.Fatalf("%d hits: %.2000v", len(hits), hits)
			}
			if whole := hits[0].Text == c.text; whole != (len(c.text) <= 4096) {
				t.Errorf("shown whole: %t, of %d bytes", whole, len(c.text))
			}
		})
	}
}
