package memory_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/history"
	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/memory/sessions"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// A session that nobody has used for as long as keep says goes, with its messages and summaries; what was learnt stays, and so does all else. It
// goes by the clock of the memory, on every store, and its id can be used again.
func TestSessionsAreLetGo(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func() *world{"transactions": newWorld, "none": newServer} {
		for kind, end := range map[string]bool{"ended": true, "left": false} {
			t.Run(name+", "+kind, func(t *testing.T) {
				t.Parallel()
				w := open()
				keeps := func(c *memory.Config) { c.Settings.Keep = 30 * 24 * time.Hour }
				m := w.memory(t, keeps)
				other := w.memory(t, nil) // another process, which has read everything and keeps all
				said := w.turn(t, m, in("old"), opens("Garage"), "I am allergic to nuts. The garage code is kx77canary.")
				if end {
					edit(t, m, in("old"), sessions.Change{End: true})
				}
				if got := texts(t, other, memory.Query{Scope: in("young"), Text: "kx77canary"}); len(got) == 0 {
					t.Fatal("nothing to let go")
				}
				w.pass(20 * 24 * time.Hour)
				w.turn(t, m, in("young"), judges(state.Continue, "", "", .9), "The gate is kx88canary")
				sweep := func(m *memory.Memory) {
					t.Helper()
					must(t, m.Forget().Finish(t.Context(), ""))
				}
				sweep(m)
				if at := docsWith(t, w, "kx77canary"); !slices.ContainsFunc(at, func(s string) bool { return strings.HasPrefix(s, "messages") }) {
					t.Errorf("after 20 days it is gone: %q", at)
				}
				w.pass(11 * 24 * time.Hour)
				damagedSummary := store.Doc{Collection: state.Records, ID: in("old").Default().Key(mind.SummaryID("old", 99)), Body: bson.Raw{5, 0, 0, 0, 0}}
				must(t, w.store.Write(t.Context(), damagedSummary))
				sweep(w.memory(t, keeps)) // a process that has just started
				for _, key := range docsWith(t, w, "") {
					if strings.Contains(key, "/old") && !strings.HasPrefix(key, "steps") || strings.HasPrefix(key, "records") && strings.Contains(key, "summary.old") {
						t.Errorf("%s is left", key)
					}
				}
				a, err := m.Affairs().Get(t.Context(), in("young"), said.view.Target)
				if err != nil || a.Status == state.Active {
					t.Errorf("the affair: %+v, %v", a, err)
				}
				if got := strings.Join(texts(t, m, memory.Query{Scope: in("young"), Text: "nuts"}), "|"); !strings.Contains(got, "nuts") {
					t.Errorf("what was learnt is gone: %q", got)
				}
				for _, p := range []*memory.Memory{m, other} {
					hits, err := p.Recall(t.Context(), memory.Query{Scope: in("young"), Text: "garage code kx77canary", Limit: 10})
					if err != nil || slices.ContainsFunc(hits, func(h memory.Hit) bool { return h.Message != nil && strings.Contains(h.Message.Text, "nuts") }) {
						t.Errorf("what was said is still recalled: %+v, %v", hits, err)
					}
					if got := texts(t, p, memory.Query{Scope: in("young"), Text: "kx88canary"}); len(got) == 0 {
						t.Error("the young session is gone")
					}
				}
				changes, err := m.History().Audit(t.Context(), in("young"), history.Query{Path: "keep"})
				if err != nil || len(changes) == 0 || !strings.Contains(changes[0].By.Why, "nobody has used session old") {
					t.Errorf("the audit: %+v, %v", changes, err)
				}
				if again := w.turn(t, m, in("old"), nil, "Hello again"); again.view.Turn[0].Seq != 1 {
					t.Errorf("the id is used again: message %d", again.view.Turn[0].Seq)
				}
			})
		}
	}
}

// What a session that nobody ended says of the user is kept before it goes, and one that waits for a batch stays as long again.
func TestSessionsAreReadBeforeTheyGo(t *testing.T) {
	t.Parallel()
	w := newWorld()
	keeps := func(c *memory.Config) { c.Settings.Keep = 24 * time.Hour }
	m := w.memory(t, keeps)
	w.turn(t, m, in("s1"), judges(state.Continue, "", "", .9), "Always answer with metric units, please.")
	w.pass(25 * time.Hour)
	must(t, m.Forget().Finish(t.Context(), "c1"))
	own, _, err := m.Own(t.Context(), in("s2"), "")
	if err != nil || len(own) != 1 || len(docsWith(t, w, "metric")) == 0 {
		t.Errorf("what was said is not kept: %+v, %v", own, err)
	}

	batched := w.memory(t, func(c *memory.Config) { keeps(c); c.Settings.ExtractionModel = "some-model" })
	w.turn(t, batched, in("s3"), judges(state.Continue, "", "", .9), "My locker is kx99canary")
	for i, left := range []bool{true, false} {
		w.pass(25 * time.Hour)
		must(t, batched.Forget().Finish(t.Context(), ""))
		at := docsWith(t, w, "kx99canary")
		if there := slices.ContainsFunc(at, func(s string) bool { return strings.HasPrefix(s, "messages") }); there != left {
			t.Errorf("after %d days: %q", i+1, at)
		}
	}
}
