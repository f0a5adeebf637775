package graph_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/memory/sessions"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/limit"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// holding lists the documents of a world that hold a text, by collection.
func (w *world) holding(t *testing.T, text string) map[state.Collection]int {
	t.Helper()
	found := map[state.Collection]int{}
	for _, c := range store.Collections() {
		docs, err := w.store.Scan(t.Context(), store.Query{Collection: c})
		must(t, err)
		for _, d := range docs {
			if strings.Contains(string(d.Body), text) || strings.Contains(d.ID, text) {
				found[c]++
			}
		}
	}
	return found
}

// worlds are stores with transactions and without.
func worlds() map[string]*world {
	loose := newWorld()
	loose.store = ram.NewLoose()
	return map[string]*world{"whole": newWorld(), "loose": loose}
}

// With store_knowledge false nothing of an exchange is left but its messages; and without it extra context is gone when its turn is over.
func TestNothingIsStoredOfWhatIsNotToBeStored(t *testing.T) {
	t.Parallel()
	for name, w := range worlds() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			no := false
			g, m := w.says(t,
				scripted.Calls(state.ToolCall{ID: "c1", Name: "memory_store", Arguments: `{"subject":"allergy","content":"Zedernholz allergy","category":"fact"}`}),
				scripted.Say("Then no Zedernholz, and the kit SH-4410."), scripted.Say("Fine."))
			r := invoke(t, g, graph.Request{
				Text: "I want to build a shed from the kit SH-4410, and I'm allergic to Zedernholz.", StoreKnowledge: &no,
				Attachments:  []state.Attachment{{Name: "plan.txt", Text: "Fundament 3x4"}},
				ExtraContext: state.ExtraContext{Notes: []string{"Zaunhoehe 180"}, Files: []state.Attachment{{Name: "offer.txt", Text: "Bretterpreis 480"}}},
			})
			if got := r.Tools[0].Result; !strings.Contains(got, "store_knowledge false") {
				t.Errorf("memory_store came to %q, want that it is refused", got)
			}
			invoke(t, g, graph.Request{Text: "Good evening.", ExtraContext: state.ExtraContext{Notes: []string{"Zaunhoehe 190"}}})
			if _, err := g.Memory().Sessions().Edit(t.Context(), scope(), sessions.Change{Clear: true}); err != nil { // sums the part up
				t.Fatal(err)
			}
			if err := g.Close(); err != nil { // what is tidied up behind turns
				t.Fatal(err)
			}
			for _, text := range []string{"SH-4410", "Zedernholz", "Fundament"} {
				for c, n := range w.holding(t, text) {
					if c != state.Messages {
						t.Errorf("%d documents of %s hold %q, want messages alone to", n, c, text)
					}
				}
			}
			for _, text := range []string{"Zaunhoehe", "Bretterpreis"} {
				if left := w.holding(t, text); len(left) > 0 {
					t.Errorf("%v hold %q, which was for the turn alone", left, text)
				}
			}
			if prompts := m.Prompts(); len(prompts) < 3 || !strings.Contains(fmt.Sprint(prompts[0]), "Bretterpreis 480") || !strings.Contains(fmt.Sprint(prompts[2]), "Zaunhoehe 190") {
				t.Error("the prompts do not show what the requests brought")
			}
		})
	}
}

// A message that is delivered again, or whose turn a new process goes on with, brings the same, and sets a preference once.
func TestPreferencesOfADeliveryThatComesAgain(t *testing.T) {
	t.Parallel()
	for name, w := range worlds() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g, _ := w.says(t, scripted.Say("Ja."))
			req := graph.Request{
				Text: "Hello.", MessageID: "d-1", PreferredLanguage: "de", Tone: state.Concise, PreferenceScope: state.GlobalPreference,
				ExtraContext: state.ExtraContext{Links: []string{"https://example.org/a"}}, StoreKnowledge: new(bool),
			}
			*req.StoreKnowledge = true
			first := invoke(t, g, req)
			again := invoke(t, g, req)
			if again.Text != first.Text || again.Turn != first.Turn {
				t.Errorf("delivered again the answer is %q, want %q", again.Text, first.Text)
			}
			records, err := g.Memory().Records(t.Context(), scope())
			must(t, err)
			kinds := map[state.RecordKind]int{}
			for _, r := range records {
				kinds[r.Kind]++
			}
			if want := map[state.RecordKind]int{state.PreferenceRecord: 2, state.FactRecord: 1}; !maps.Equal(kinds, want) {
				t.Errorf("records %v, want %v", kinds, want)
			}
		})
	}
}

// What rollback takes back sets no preference any more, and a fork has those that stood where it was made.
func TestPreferencesAreTakenBack(t *testing.T) {
	t.Parallel()
	w := newWorld()
	g, _ := w.says(t, scripted.Say("a"), scripted.Say("b"), scripted.Say("c"))
	invoke(t, g, graph.Request{Text: "One.", Tone: state.Concise})
	invoke(t, g, graph.Request{Text: "Two.", PreferredLanguage: "fr", PreferenceScope: state.GlobalPreference})
	last := invoke(t, g, graph.Request{Text: "Three.", MessageID: "x", Tone: state.Detailed, StyleNotes: "rhyme"})
	must(t, g.Fork(t.Context(), scope(), "", "fork-now"))
	must(t, g.Memory().History().UndoTurn(t.Context(), scope(), last.Turn))
	for session, want := range map[string]map[string]string{
		"default":  {state.PreferredTone: "concise"},
		"fork-now": {state.PreferredTone: "detailed", state.StyleNotes: "rhyme"},
	} {
		s, err := g.Memory().Sessions().Get(t.Context(), state.Scope{Session: session})
		if err != nil || !maps.Equal(s.Preferences, want) {
			t.Errorf("session %s prefers %v (%v), want %v", session, s.Preferences, err, want)
		}
	}
}

// What cannot be kept or heeded is refused by its name, with the way out, before anything is written.
func TestPayloadIsChecked(t *testing.T) {
	t.Parallel()
	w := newWorld()
	g := w.open(t, nil)
	many := slices.Repeat([]string{"n"}, limit.Extra+1)
	for name, c := range map[string]struct {
		req  graph.Request
		says string
	}{
		"language":      {graph.Request{PreferredLanguage: "polski!"}, "BCP-47"},
		"tone":          {graph.Request{Tone: "loud"}, "concise"},
		"scope":         {graph.Request{Tone: state.Concise, PreferenceScope: "ever"}, "global"},
		"scope alone":   {graph.Request{PreferenceScope: state.GlobalPreference}, "tone"},
		"long notes":    {graph.Request{StyleNotes: strings.Repeat("x", limit.StyleNoteBytes+1)}, "shorten"},
		"no text":       {graph.Request{StyleNotes: "\xff"}, "UTF-8"},
		"many":          {graph.Request{ExtraContext: state.ExtraContext{Notes: many}}, "several messages"},
		"empty note":    {graph.Request{ExtraContext: state.ExtraContext{Notes: []string{" "}}}, "note 1"},
		"no link":       {graph.Request{ExtraContext: state.ExtraContext{Links: []string{"see above"}}}, "scheme"},
		"long path":     {graph.Request{ExtraContext: state.ExtraContext{Paths: []string{strings.Repeat("p", limit.AddressBytes+1)}}}, "path 1"},
		"nameless file": {graph.Request{ExtraContext: state.ExtraContext{Files: []state.Attachment{{}}}}, "file 1"},
	} {
		c.req.Text = "Hello."
		_, err := g.Invoke(t.Context(), c.req)
		if !errors.Is(err, state.ErrInvalid) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want invalid with %q", name, err, c.says)
		}
	}
	if n := w.holding(t, "Hello"); len(n) > 0 {
		t.Errorf("refused requests left %v", n)
	}
	s := state.DefaultSettings()
	s.Autonomy = 0
	readOnly := w.open(t, func(c *graph.Config) { c.Settings = s })
	if _, err := readOnly.Invoke(t.Context(), graph.Request{Text: "Hello.", Tone: state.Concise, PreferenceScope: state.GlobalPreference}); !errors.Is(err, state.ErrDenied) {
		t.Errorf("a global preference with autonomy 0: %v, want denied", err)
	}
}

// Secrets in what a request brings are masked before it is kept or shown.
func TestSecretsInThePayload(t *testing.T) {
	t.Parallel()
	w := newWorld()
	yes := true
	g, m := w.says(t, scripted.Say("ok"))
	const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	invoke(t, g, graph.Request{
		Text: "Look.", StyleNotes: "my token is " + secret, StoreKnowledge: &yes,
		ExtraContext: state.ExtraContext{
			Notes: []string{"token " + secret}, Links: []string{"https://anna:Sommer2025xyz@example.org/x", "https://example.org/?access_token=" + secret},
			Paths: []string{"/tmp/" + secret}, Files: []state.Attachment{{Name: secret, Text: "key " + secret}},
		},
	})
	for _, s := range []string{secret, "Sommer2025xyz"} {
		if n := w.holding(t, s); len(n) > 0 {
			t.Errorf("%q is kept in %v", s, n)
		}
		if strings.Contains(fmt.Sprint(m.Prompts()[0]), s) {
			t.Errorf("%q was shown to the model", s)
		}
	}
}

// A session that went idle begins a new part without the old one's preferences, also for a turn that runs when it is cleared.
func TestClearBesideATurn(t *testing.T) {
	t.Parallel()
	w := newWorld()
	g, _ := w.says(t, scripted.Say("a"), scripted.Say("b"))
	invoke(t, g, graph.Request{Text: "One.", Tone: state.Concise})
	w.pass(time.Minute)
	if _, err := g.Memory().Sessions().Edit(t.Context(), scope(), sessions.Change{Clear: true}); err != nil {
		t.Fatal(err)
	}
	invoke(t, g, graph.Request{Text: "Two.", StyleNotes: "rhyme"})
	s, err := g.Memory().Sessions().Get(t.Context(), scope())
	if want := map[string]string{state.StyleNotes: "rhyme"}; err != nil || !maps.Equal(s.Preferences, want) {
		t.Errorf("prefers %v (%v), want %v", s.Preferences, err, want)
	}
}
