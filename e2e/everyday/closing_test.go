package everyday_test

import (
	"path/filepath"
	"testing"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/memory/component/offline"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// closing is a message in a session with two open affairs, and which of them it closes.
type closing struct {
	Affairs []struct{ Title, Said string }
	Active  int
	Say     string
	Closes  int // -1 = none
}

// TestClosing: what people say to close an affair closes that one, and what only sounds like it closes none.
func TestClosing(t *testing.T) {
	t.Parallel()
	for set, want := range map[string]struct{ found, wrongly float64 }{"dev": {0.83, 0.05}, "held": {0.42, 0.1}} {
		found, of, wrongly, all := 0, 0, 0, 0
		for _, file := range files(t, set, "closing") {
			f, w, n, m := 0, 0, 0, 0
			for _, c := range read[closing](t, file) {
				closed := c.play(t)
				right := len(closed) == 0 && c.Closes < 0 || len(closed) == 1 && closed[0] == c.Closes
				m++
				if c.Closes >= 0 {
					n++
					if right {
						f++
					}
				}
				if len(closed) > 0 && !right {
					w++
				}
				if !right && set == "dev" {
					t.Logf("%q of %q: closes %v, want %d", c.Say, c.Affairs, closed, c.Closes)
				}
			}
			t.Logf("%s %s: found %d of %d, wrongly %d of %d", set, filepath.Base(file), f, n, w, m)
			found, of, wrongly, all = found+f, of+n, wrongly+w, all+m
		}
		t.Logf("%s: found %d of %d, wrongly %d of %d", set, found, of, wrongly, all)
		if float64(found)/float64(of) < want.found || float64(wrongly)/float64(all) > want.wrongly {
			t.Errorf("%s: want %.2f found and %.2f wrongly", set, want.found, want.wrongly)
		}
	}
}

// play opens the affairs, the active one last, says the message, and tells which ones are resolved then.
func (c closing) play(t *testing.T) (closed []int) {
	t.Helper()
	g, err := graph.New(t.Context(), graph.Config{Store: ram.New(), Model: offline.New()})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	say := func(r graph.Request) graph.Reply {
		reply, err := g.Invoke(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		return reply
	}
	ids := map[string]int{}
	for _, i := range []int{1 - c.Active, c.Active} {
		a := c.Affairs[i]
		small := scripted.Background(map[string]any{"detect": map[string]any{"type": "NEW_AFFAIR", "new_affair_title": a.Title, "confidence": 0.95}}, nil)
		ids[say(graph.Request{Text: a.Said, SmallModel: small, AskSmall: true}).Active.ID] = i
	}
	say(graph.Request{Text: c.Say})
	affairs, err := g.Memory().Affairs().List(t.Context(), state.Scope{}.Default(), true)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range affairs {
		if i, ok := ids[a.ID]; ok && a.Status == state.Resolved {
			closed = append(closed, i)
		}
	}
	return closed
}
