package everyday_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

// message is one that is to be kept, corrects or forgets something, or has nothing to do with memory (none; more = nothing may be lost by it).
type message struct {
	Kind       string
	Before     []string
	Say        string
	Keep, Gone []string
}

// TestMessages: what a message says for good is kept, what it corrects or has forgotten is gone, and what is only talk changes nothing that is held.
func TestMessages(t *testing.T) {
	t.Parallel()
	for set, most := range map[string]int{"dev": 5, "held": 12} {
		for _, file := range files(t, set, "messages") {
			right, of := map[string]int{}, map[string]int{}
			wrong := 0
			for _, m := range read[message](t, file) {
				of[m.Kind]++
				if why := m.wrong(t); why == "" {
					right[m.Kind]++
				} else {
					wrong++
					if set == "dev" {
						t.Logf("%s: %q, %q: %s", m.Kind, m.Before, m.Say, why)
					}
				}
			}
			t.Logf("%s %s: right %v of %v", set, filepath.Base(file), right, of)
			if wrong > most {
				t.Errorf("%s: %d are wrong, want %d at most", file, wrong, most)
			}
		}
	}
}

// wrong tells what is not as it should be once the message was said and its session has ended.
func (m message) wrong(t *testing.T) string {
	t.Helper()
	held, last, found := m.play(t, append(slices.Clone(m.Before), m.Say)...)
	all := strings.Join(held, "\n")
	for _, s := range m.Keep {
		if !strings.Contains(all, s) && (m.Kind == "keep" || !strings.Contains(found, s)) {
			return "held is " + all + "; it misses " + s + " of " + found
		}
	}
	shown := strings.ReplaceAll(all+"\n"+last, m.Say, "") // "not A but B" names A
	if m.Kind == "forget" {
		shown = all + "\n" + last + "\n" + found
	}
	for _, s := range m.Gone {
		if strings.Contains(shown, s) {
			return "shown is " + shown + "; it has " + s
		}
	}
	if m.Kind == "none" {
		if before, _, _ := m.play(t, m.Before...); !slices.Equal(before, held) {
			return "held is " + all + "; was " + strings.Join(before, "\n")
		}
	}
	return ""
}

// play says messages, ends the session, and returns the records and key facts that memory holds then, the digest of the session, and what recall finds.
func (m message) play(t *testing.T, say ...string) (held []string, last, found string) {
	t.Helper()
	g, clock := begin(t)
	for _, text := range say {
		clock.say(t, g, "a", 0, text)
	}
	clock.say(t, g, "b", 2, "OK")
	held, last = holds(t, g)
	hits, err := g.Memory().Recall(t.Context(), memory.Query{Scope: state.Scope{Session: "b"}.Default(), Text: m.Say, Limit: 5})
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range hits {
		found += h.Text + "\n"
	}
	return held, last, found
}
