package faults_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cloudwego/eino/schema"
	"pgregory.net/rapid"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Two processes serve one user, in two sessions, in any order: the turn of each sees what the other's turns wrote, both
// what was remembered and which affairs there are.
func TestTwoProcessesServeOneUser(t *testing.T) {
	t.Parallel()
	for _, d := range []driver{looseDriver(), folderDriver(), mongoDriver()} {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			over := d.fresh(t)
			there := d.more(t, over)
			users := 0
			most := map[string]int{"loose": 40, "sqlite": 40, "mongo": 10}[d.name] // the others are left out
			rapid.Check(t, func(rt *rapid.T) {
				if users++; users <= most || long() {
					served(t, rt, [2]store.Store{over, there}, fmt.Sprintf("u%d", users))
				}
			})
		})
	}
}

// served lets the processes serve a user.
func served(t *testing.T, rt *rapid.T, stores [2]store.Store, user string) {
	w := newWorld()
	var graphs [2]*graph.Graph
	for i, s := range stores {
		graphs[i] = w.open(t, s, func(c *graph.Config) {
			c.Model, c.Settings.Detect, c.NewID = chat(clerk), "model", numbered(user+fmt.Sprint(i))
		})
		defer graphs[i].Close()
	}
	turns := rapid.IntRange(2, 12).Draw(rt, "turns")
	var facts, affairs []string
	for n := range turns {
		by, session := rapid.IntRange(0, 1).Draw(rt, "process"), rapid.IntRange(0, 1).Draw(rt, "session")
		asked := -1
		if n > 0 {
			asked = rapid.IntRange(max(0, n-3), n-1).Draw(rt, "asked")
		}
		small := judge{"": `{"type":"CONTINUE","confidence":0.95}`}
		if len(affairs) == 0 || rapid.Bool().Draw(rt, "opens") {
			title := []string{"Garden", "Boat", "University", "Brake pads", "Passport", "Birthday", "Insurance", "Piano", "Kitchen", "Marathon", "Wedding", "Taxes"}[n]
			small, affairs = judge{"": fmt.Sprintf(`{"type":"NEW_AFFAIR","new_affair_title":%q,"confidence":0.95}`, title)}, append(affairs, title)
		}
		r, err := graphs[by].Invoke(t.Context(), graph.Request{
			Scope: state.Scope{User: user, Session: fmt.Sprintf("s%d", session)}, Text: fmt.Sprintf("entry %d ask %d", n, asked), SmallModel: small, AskSmall: true,
		})
		if err != nil {
			rt.Fatalf("turn %d in process %d: %v", n, by, err)
		}
		facts = append(facts, fact(n))
		if len(r.Tools) != 2 || !strings.HasPrefix(r.Tools[1].Result, "stored") {
			rt.Fatalf("turn %d in process %d: its tools say %+v", n, by, r.Tools)
		}
		if asked >= 0 && !strings.Contains(r.Tools[0].Result, fact(asked)) {
			rt.Fatalf("turn %d in process %d does not find %q:\n%s", n, by, fact(asked), r.Tools[0].Result)
		}
		known(t.Context(), rt, graphs, r, state.Scope{User: user}.Default(), facts, affairs)
		w.pass(time.Minute)
	}
}

// known checks that a turn saw all affairs, and that both processes have all of them and all that was remembered.
func known(ctx context.Context, rt *rapid.T, graphs [2]*graph.Graph, r graph.Reply, scope state.Scope, facts, affairs []string) {
	var seen []string
	for _, a := range r.Parked {
		seen = append(seen, a.Title)
	}
	if r.Active != nil {
		seen = append(seen, r.Active.Title)
	}
	for _, title := range affairs {
		if !slices.Contains(seen, title) {
			rt.Fatalf("the turn knows the affairs %q, %q is missing", seen, title)
		}
	}
	for i, g := range graphs {
		records, err := g.Memory().Records(ctx, scope)
		all, err2 := g.Memory().Affairs().List(ctx, scope, true)
		must(rt, errors.Join(err, err2))
		var kept []string
		for _, rec := range records {
			if rec.Kind != state.SummaryRecord { // of a session, by the rules
				kept = append(kept, rec.Content)
			}
		}
		for _, f := range facts {
			if !slices.Contains(kept, f) {
				rt.Fatalf("process %d remembers %q, %q is missing", i, kept, f)
			}
		}
		if len(all) != len(affairs) || len(kept) != len(facts) {
			rt.Fatalf("process %d has %d affairs and %d records, want %d and %d", i, len(all), len(kept), len(affairs), len(facts))
		}
	}
}

func fact(n int) string { return fmt.Sprintf("The nickname of note%d is zebra%d.", n, n*n+7) }

// clerk looks up the note it is asked for, keeps its own, and answers.
func clerk(_ context.Context, question string, n int) (*schema.Message, error) {
	var own, asked int
	if _, err := fmt.Sscanf(question, "entry %d ask %d", &own, &asked); err != nil {
		return nil, fmt.Errorf("the message %q is none of the test's: %w", question, err)
	}
	if n > 0 {
		return says("done"), nil
	}
	return calls("memory_recall", fmt.Sprintf(`{"query":"nickname of note%d","scope":"all"}`, asked),
		"memory_store", fmt.Sprintf(`{"subject":"note%d","category":"fact","content":%q}`, own, fact(own))), nil
}
