package faults_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
	"github.com/mneme-graph/mneme/state/store"
)

// picture is what lasts of sessions of one user, without ids and times: affairs with their counters, records, messages,
// sessions, and what the feed tells was changed.
func picture(t *testing.T, g *graph.Graph, s store.Store, sessions ...state.Scope) []string {
	t.Helper()
	ctx, m := t.Context(), g.Memory()
	names := map[string]string{"": "none"}
	affairs, err := m.Affairs().List(ctx, sessions[0], true)
	must(t, err)
	var out []string
	for _, a := range affairs {
		names[a.ID] = a.Title
		out = append(out, fmt.Sprintf("affair %s %s, %d messages, %v, %v, %q", a.Title, a.Status, a.Messages, values(a.KeyFacts), a.PendingActions, a.Summary))
	}
	records, err := m.Records(ctx, sessions[0])
	must(t, err)
	for _, r := range records {
		names[r.ID] = r.Subject
		out = append(out, fmt.Sprintf("record %s %s: %s in %s", r.Kind, r.Subject, r.Content, names[r.Affair]))
	}
	slices.Sort(out)
	for _, scope := range sessions {
		messages, err := m.Messages(ctx, scope)
		must(t, err)
		for _, msg := range messages {
			text := msg.Text
			if msg.Role == state.RoleTool {
				text = strings.Fields(text)[0] // without the record's id
			}
			out = append(out, fmt.Sprintf("%s message %d %s %s %d calls in %s", scope.Session, msg.Seq, msg.Role, text, len(msg.ToolCalls), names[msg.Affair]))
		}
		session, err := m.Sessions().Get(ctx, scope)
		must(t, err)
		out = append(out, fmt.Sprintf("%s: active %s, %d messages, part %d", scope.Session, names[session.Active], session.Messages, session.Part))
	}
	return append(out, fed(t, s, sessions[0], names)...)
}

// fed is what the user's feed tells was changed, by entry.
func fed(t *testing.T, s store.Store, scope state.Scope, names map[string]string) (out []string) {
	t.Helper()
	docs, err := s.Scan(t.Context(), store.Query{Collection: state.Feed, Prefix: scope.UserPrefix()})
	must(t, err)
	for i, d := range docs {
		var entry struct {
			Seq     int64    `bson:"seq"`
			Changed []string `bson:"changed"`
		}
		must(t, bson.Unmarshal(d.Body, &entry))
		if entry.Seq != int64(i+1) || d.ID != scope.FeedKey(entry.Seq) {
			t.Errorf("entry %d of the feed is %s and says it is %d", i+1, d.ID, entry.Seq)
		}
		var refs []string
		for _, c := range entry.Changed {
			kind, id, _ := strings.Cut(c, "/")
			if name, ok := names[id]; ok {
				id = name
			}
			refs = append(refs, kind+" "+id)
		}
		slices.Sort(refs)
		out = append(out, "fed "+strings.Join(refs, ", "))
	}
	return out
}

// line checks that a session's log is one line of finished turns, each with its own steps in a row, and returns how many.
func line(t *testing.T, g *graph.Graph, s state.Scope) (turns int) {
	t.Helper()
	steps, err := g.History(t.Context(), s, checkpoint.Which{})
	must(t, err)
	slices.Reverse(steps)
	seen, open := map[string]bool{}, ""
	for i, step := range steps {
		switch {
		case step.Seq != int64(i+1):
			t.Errorf("step %d of the log has number %d", i+1, step.Seq)
		case open != "" && step.Turn != open:
			t.Errorf("step %d is of turn %s, but %s was not finished", step.Seq, step.Turn, open)
		case open == "" && seen[step.Turn]:
			t.Errorf("step %d is of turn %s, which was finished", step.Seq, step.Turn)
		}
		seen[step.Turn] = true
		if open = step.Turn; step.Done {
			open = ""
		}
	}
	if open != "" {
		t.Errorf("turn %s is not finished", open)
	}
	return len(seen)
}

// dump is every document of a store, as it stands.
func dump(t *testing.T, s store.Store) (out []string) {
	t.Helper()
	for _, c := range store.Collections() {
		docs, err := s.Scan(t.Context(), store.Query{Collection: c})
		must(t, err)
		for _, d := range docs {
			out = append(out, fmt.Sprintf("%s %s %d %s", c, d.ID, d.Rev, d.Body))
		}
	}
	return out
}

// said are the session's messages, short.
func said(t *testing.T, g *graph.Graph, s state.Scope) []string {
	t.Helper()
	out, err := saidIn(t.Context(), g, s)
	must(t, err)
	return out
}

func saidIn(ctx context.Context, g *graph.Graph, s state.Scope) ([]string, error) {
	list, err := g.Memory().Messages(ctx, s)
	out := []string{}
	for _, m := range list {
		out = append(out, fmt.Sprintf("%d %s %s", m.Seq, m.Role, m.Text))
	}
	return out, err
}

var must, same = statetest.Must, statetest.Same

// values are facts without the time of which they are.
func values(facts state.Facts) []string {
	var out []string
	for _, f := range facts {
		out = append(out, "{"+f.Label+" "+f.Value+"}")
	}
	return out
}
