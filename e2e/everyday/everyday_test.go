// Package everyday_test talks with the model that is there when none is configured, as people do on an ordinary day: eight hands wrote the dialogues
// in four languages without knowing how it answers.
package everyday_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/memory/component/offline"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// dialogue is one that a person wrote, over several sessions.
type dialogue struct {
	ID    string `json:"id"`
	Turns []turn `json:"turns"`
}

// turn is a message, and what a good reply to it has.
type turn struct {
	Session string   `json:"session"`
	Day     int      `json:"day"`
	Say     string   `json:"say"`
	Kind    string   `json:"kind"`   // tell, ask, unknown (what was never told), open (the list of affairs), where (it was left), social
	Answer  []string `json:"answer"` // one of these, but of open all
	Not     []string `json:"not"`
}

// nothing begins a reply that found nothing, or nothing sure.
func nothing(lang string) string {
	return map[string]string{"en": "I found nothing", "cs": "Na otázku", "pl": "Nic tu nie mam", "ru": "Ничего не нашлось"}[lang]
}

// good reports whether a reply is what the turn wants: what was told is quoted, what was not is said not to be found, and a statement or a greeting
// is met with few words.
func (u turn) good(lang, reply string) bool {
	const fewWords = 40
	has := func(s string) bool { return strings.Contains(strings.ToLower(reply), strings.ToLower(s)) }
	none := strings.HasPrefix(reply, nothing(lang))
	switch u.Kind {
	case "unknown":
		return none
	case "open":
		return !slices.ContainsFunc(u.Answer, func(s string) bool { return !has(s) })
	case "ask", "where":
		return !slices.ContainsFunc(u.Not, has) && slices.ContainsFunc(u.Answer, has)
	}
	return !none && len(strings.Fields(reply)) <= fewWords
}

// TestEveryday: of what is asked and told on ordinary days four fifths get a good reply. The dialogues in held were looked at for their figures alone.
func TestEveryday(t *testing.T) {
	t.Parallel()
	for set, least := range map[string]float64{"dev": 0.86, "held": 0.76} {
		right, all := 0, 0
		for _, file := range files(t, set, "everyday", "who") {
			good, of := 0, 0
			for _, d := range read[dialogue](t, file) {
				g, n := play(t, filepath.Base(file)[:2], d, set == "dev")
				good, of = good+g, of+n
			}
			t.Logf("%s: %d of %d", file, good, of)
			right, all = right+good, all+of
		}
		share := float64(right) / float64(all)
		t.Logf("%s: %d of %d replies are good (%.3f)", set, right, all, share)
		if share < least {
			t.Errorf("%s: %.3f of the replies are good, want %.2f", set, share, least)
		}
	}
}

// files are those of a set, of some kinds.
func files(t *testing.T, set string, kinds ...string) (out []string) {
	t.Helper()
	for _, kind := range kinds {
		found, err := filepath.Glob(filepath.Join("testdata", set, "*-"+kind+".jsonl"))
		if err != nil || len(found) == 0 {
			t.Fatalf("no data of %s: %v", kind, err)
		}
		out = append(out, found...)
	}
	return out
}

func read[T any](t *testing.T, file string) (out []T) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var d T
		if err := json.Unmarshal(lines.Bytes(), &d); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		out = append(out, d)
	}
	return out
}

// play says a dialogue, and how many of the replies are good.
func play(t *testing.T, lang string, d dialogue, tell bool) (good, of int) {
	t.Helper()
	for i, r := range d.replies(t) {
		if u := d.Turns[i]; u.good(lang, r.Text) {
			good++
		} else if tell {
			t.Logf("%s, %s: %q\n\t%q, want %q, not %q", d.ID, u.Kind, u.Say, r.Text, u.Answer, u.Not)
		}
	}
	return good, len(d.Turns)
}

// replies says a dialogue, and is what is replied to each turn.
func (d dialogue) replies(t *testing.T) (out []graph.Reply) {
	t.Helper()
	g, clock := begin(t)
	for _, u := range d.Turns {
		out = append(out, clock.say(t, g, u.Session, u.Day, u.Say))
	}
	return out
}

// clock is where the time is; it moves on by a minute before each turn.
type clock struct{ began, at time.Time }

// begin opens a memory of its own on a Monday morning.
func begin(t *testing.T) (*graph.Graph, *clock) {
	t.Helper()
	monday := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	c := &clock{monday, monday}
	g, err := graph.New(t.Context(), graph.Config{Store: ram.New(), Model: offline.New(), Now: func() time.Time { return c.at }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	return g, c
}

// say says a text in a session, so many days after the first, and returns the reply.
func (c *clock) say(t *testing.T, g *graph.Graph, session string, day int, text string) graph.Reply {
	t.Helper()
	if d := c.began.AddDate(0, 0, day); d.After(c.at) {
		c.at = d
	}
	c.at = c.at.Add(time.Minute)
	r, err := g.Invoke(t.Context(), graph.Request{Scope: state.Scope{Session: session}, Text: text})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// holds is what memory holds, the key facts of all affairs and the brain, and what it says was going on last.
func holds(t *testing.T, g *graph.Graph) (lines []string, last string) {
	t.Helper()
	scope := state.Scope{Session: "later"}.Default()
	affairs, err := g.Memory().Affairs().List(t.Context(), scope, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range affairs {
		for _, f := range a.KeyFacts {
			lines = append(lines, f.Label+": "+f.Value)
		}
	}
	b, err := g.Memory().Brain(t.Context(), scope)
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range [][]state.Record{b.User, b.Preferences, b.Decisions, b.Current, b.Archive} {
		for _, r := range list {
			lines = append(lines, r.Content)
		}
	}
	return lines, b.Last.Text
}
