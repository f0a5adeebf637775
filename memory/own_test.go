package memory_test

import (
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

// contextOf is the context block of the prompt that a turn had.
func contextOf(t *testing.T, m *memory.Memory, got turn) string {
	t.Helper()
	input, err := m.Gather(t.Context(), got.view, got.decision, "")
	if err != nil {
		t.Fatal(err)
	}
	out, err := m.Compose(t.Context(), input)
	if err != nil {
		t.Fatal(err)
	}
	for _, msg := range out.Prompt {
		if strings.HasPrefix(msg.Text, "# Context") {
			return msg.Text
		}
	}
	return ""
}

// Told twice, under several names and in a message of its own, a preference is one line.
func TestAPreferenceStandsOnceInAPrompt(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	said := w.turn(t, m, in("s1"), judges(state.Continue, "", "", .9), "Please always answer in short plain sentences").view.Turn[0]
	ctx := memory.ContextWithOrigin(t.Context(), memory.Origin{Turn: said.Turn, Message: said.ID})
	for _, subject := range []string{"style", "Style", "style of answers", "answers"} {
		if _, err := m.Write(ctx, in("s1"), memory.Change{Kind: state.PreferenceRecord, Subject: subject, Content: "short plain sentences"}); err != nil {
			t.Fatal(err)
		}
	}
	block := contextOf(t, m, w.turn(t, m, in("s2"), judges(state.Continue, "", "", .9), "What are short plain sentences good for?"))
	if n := strings.Count(block, "short plain sentences"); n != 1 {
		t.Errorf("the preference stands %d times in\n%s", n, block)
	}
}

// Two things that only sound alike are two preferences.
func TestPreferencesOfTwoThingsStay(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	for _, subject := range []string{"breakfast", "dinner"} {
		write(t, m, in("s1"), memory.Change{Kind: state.PreferenceRecord, Subject: subject, Content: "green tea"})
	}
	block := contextOf(t, m, w.turn(t, m, in("s2"), nil, "Hello"))
	for _, want := range []string{"breakfast: green tea", "dinner: green tea"} {
		if !strings.Contains(block, want) {
			t.Errorf("%q is missing in\n%s", want, block)
		}
	}
}

// Whose a record is decides which prompts it reaches, and a record tells.
func TestWhoseARecordIs(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	w.turn(t, m, in("s1"), opens("Dinner"), "Let us plan the dinner")
	dinner := named(t, m, in("s1"), "Dinner").ID
	ctx := memory.ContextWithOrigin(t.Context(), memory.Origin{Affair: dinner})
	for _, c := range []struct {
		change memory.Change
		about  state.About
		affair string
	}{
		{memory.Change{Subject: "allergy", Content: "I'm allergic to peanuts"}, state.AboutUser, ""},
		{memory.Change{Kind: state.ContactRecord, Subject: "venue address", Content: "5 King Street"}, state.AboutAffair, dinner},
		{memory.Change{Subject: "pen", Content: "writes with a Lamy", About: state.AboutUser}, state.AboutUser, ""},
		{memory.Change{Subject: "allergies", Content: "lilies, of the heroine", About: state.AboutAffair}, state.AboutAffair, dinner},
		{memory.Change{Subject: "diet", Content: "I'm vegan, says the heroine", Affair: dinner}, state.AboutAffair, dinner},
		{memory.Change{Kind: state.PreferenceRecord, Subject: "tone", Content: "brief"}, state.AboutUser, ""},
	} {
		receipts, err := m.Write(ctx, in("s1"), c.change)
		if err != nil {
			t.Fatal(err)
		}
		records, err := m.Records(t.Context(), in("s1"))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range records {
			if r.ID == receipts[0].ID && (r.About != c.about || r.Affair != c.affair) {
				t.Errorf("%s: about %q, affair %q, want %q and %q", r.Subject, r.About, r.Affair, c.about, c.affair)
			}
		}
	}
	if _, err := m.Write(ctx, in("s1"), memory.Change{Content: "x", About: "nobody"}); state.CodeOf(err) != state.Invalid {
		t.Errorf("an unknown owner: %v", err)
	}
	block := contextOf(t, m, w.turn(t, m, in("s1"), opens("Trip"), "Something else, a trip"))
	for _, want := range []string{"peanuts", "Lamy", "tone: brief"} {
		if !strings.Contains(block, want) {
			t.Errorf("%q is missing in\n%s", want, block)
		}
	}
	for _, not := range []string{"King Street", "heroine"} {
		if strings.Contains(block, not) {
			t.Errorf("%q of another affair is in\n%s", not, block)
		}
	}
}
