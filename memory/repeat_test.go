package memory_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"
	"pgregory.net/rapid"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// plan is a random line of steps of several threads, and when each thread's are carried out.
type plan struct {
	moves []move
}

// move is one step of a thread, or, without effects, the carrying out of its open steps.
type move struct {
	thread  string
	effects []state.Effect
}

// drawPlan draws effects as turns decide them: each session adds messages, files them, edits affairs, and points at
// the affair it makes active.
func drawPlan(rt *rapid.T, w *world) plan {
	var p plan
	said := map[string]int64{}
	for range rapid.IntRange(5, 40).Draw(rt, "moves") {
		scope := in(fmt.Sprint("s", rapid.IntRange(1, 3).Draw(rt, "session")))
		key := scope.Thread().Key()
		if rapid.IntRange(0, 2).Draw(rt, "carry") == 0 {
			p.moves = append(p.moves, move{thread: key})
			continue
		}
		var list []state.Effect
		moved := false // a step moves the session once
		for range rapid.IntRange(1, 4).Draw(rt, "effects") {
			id := fmt.Sprint("a", rapid.IntRange(1, 3).Draw(rt, "affair"))
			most := 5
			if moved {
				most = 3
			}
			n := rapid.IntRange(0, most).Draw(rt, "effect")
			moved = moved || n > 3
			switch n {
			case 0:
				said[key]++
				list = append(list, state.Effect{Message: &state.Message{Seq: said[key], ID: fmt.Sprint("m", said[key]), Role: state.RoleUser, Text: id, At: w.clock()}})
			case 1:
				if said[key] > 0 {
					list = append(list, state.Effect{File: &state.MessageEdit{Seq: said[key], Affair: id}})
				}
			case 2:
				list = append(list, state.Effect{Record: &state.Record{ID: w.newID(), Content: id, RecordedAt: w.clock()}})
				for range rapid.IntRange(0, 2).Draw(rt, "times again") {
					list = append(list, state.Effect{Repeat: &state.Repeat{ID: "known", At: w.clock(), Importance: 7}})
				}
			case 3:
				list = append(list, state.Effect{Affair: &state.AffairEdit{ID: id, Messages: 1, Facts: state.Facts{{Label: key, Value: w.newID()}}, At: w.clock()}})
			case 4:
				list = append(list, state.Effect{Affair: &state.AffairEdit{ID: id, Status: state.Active, Session: scope.Session, At: w.clock()}},
					state.Effect{Session: &state.Session{ID: scope.Session, Active: id, Messages: said[key]}})
			case 5:
				list = append(list, state.Effect{Affair: &state.AffairEdit{ID: id, Status: state.Resolved, At: w.clock()}},
					state.Effect{Session: &state.Session{ID: scope.Session, Messages: said[key]}})
			}
		}
		for i := range list {
			list[i].Scope = scope
		}
		if len(list) > 0 {
			p.moves = append(p.moves, move{key, list})
		}
	}
	for i := range 3 {
		p.moves = append(p.moves, move{thread: in(fmt.Sprint("s", i+1)).Thread().Key()})
	}
	return p
}

// seed is a server with three affairs and a record.
func seed(t *testing.T, rt *rapid.T) (*world, *memory.Memory) {
	t.Helper()
	w := newServer()
	m := w.memory(t, nil)
	var affairs []state.Effect
	for i := range 3 {
		id := fmt.Sprint("a", i+1)
		affairs = append(affairs, state.Effect{Scope: in("s1"), Affair: &state.AffairEdit{ID: id, Create: &state.Affair{ID: id, Title: id, Status: state.Parked}}})
	}
	affairs = append(affairs, state.Effect{Scope: in("s1"), Record: &state.Record{ID: "known", Content: "is said again", RecordedAt: w.clock()}})
	must(rt, w.carryOut(t.Context(), m, w.insert("c1/u1/seed", affairs), false))
	return w, m
}

// content is what a user's documents say, without revisions and marks, and how many entries the feed has. A session
// that points at an affair which is not active in it points at none, as every reader takes it.
func content(t *testing.T, rt *rapid.T, s store.Store) (docs []string, feed int) {
	t.Helper()
	active := map[string]string{} // affair -> session
	for _, c := range []state.Collection{state.Affairs, state.Sessions, state.Records, state.Messages, state.Feed} {
		list, err := s.Scan(t.Context(), store.Query{Collection: c, Prefix: in("s1").UserPrefix()})
		must(rt, err)
		if c == state.Feed {
			return docs, len(list)
		}
		for _, d := range list {
			var body bson.D
			must(rt, bson.Unmarshal(d.Body, &body))
			var value struct{ ID, Session string }
			must(rt, bson.Unmarshal(d.Body, &value))
			if c == state.Affairs {
				active[value.ID] = value.Session
			}
			body = slices.DeleteFunc(body, func(e bson.E) bool {
				return e.Key == "applied" || e.Key == "active" && active[fmt.Sprint(e.Value)] != value.ID
			})
			docs = append(docs, fmt.Sprint(c, " ", d.ID, " ", body))
		}
	}
	return docs, 0
}

// However often carrying out is cut short, repeated and taken up by others, the documents are as after doing it once.
func TestCarryingOutAgainChangesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		p := drawPlan(rt, newWorld())
		calm, m := seed(t, rt)
		for _, x := range p.moves {
			if x.effects != nil {
				calm.insert(x.thread, x.effects)
			} else if err := calm.carryOut(t.Context(), m, x.thread, false); err != nil {
				rt.Fatalf("carry out %s: %v", x.thread, err)
			}
		}
		rough, first := seed(t, rt)
		memories := []*memory.Memory{first, rough.memory(t, nil)}
		for _, x := range p.moves {
			m := memories[rapid.IntRange(0, 1).Draw(rt, "process")]
			if _, err := m.Affairs().List(t.Context(), in("s1"), true); err != nil {
				rt.Fatal(err)
			}
			if x.effects != nil {
				rough.insert(x.thread, x.effects)
				continue
			}
			restless(t, rt, rough, memories, x.thread)
		}
		want, entries := content(t, rt, calm.store)
		got, count := content(t, rt, rough.store)
		if diff := cmp.Diff(want, got); diff != "" {
			rt.Fatalf("documents (-once +again):\n%s", diff)
		}
		if entries != count {
			rt.Fatalf("the feed has %d entries, want %d", count, entries)
		}
		for _, m := range memories {
			for _, fresh := range []*memory.Memory{rough.memory(t, nil)} {
				must(rt, sameView(t.Context(), m, fresh))
			}
		}
	})
}

// restless carries a thread's steps out with deaths on the way, and again when it is done.
func restless(t *testing.T, rt *rapid.T, w *world, memories []*memory.Memory, thread string) {
	t.Helper()
	line, again := w.log.thread(thread), false
	before := line.carried
	for range rapid.IntRange(0, 3).Draw(rt, "deaths") {
		m := memories[rapid.IntRange(0, 1).Draw(rt, "process")]
		dead := w.process(&dying{
			Store: w.store, left: rapid.IntRange(1, 8).Draw(rt, "documents"),
			lost: rapid.Bool().Draw(rt, "lost"), backwards: rapid.Bool().Draw(rt, "backwards"),
		})
		if err := dead.carryOut(t.Context(), m, thread, again); err != nil && state.CodeOf(err) != state.Unavailable {
			rt.Fatalf("cut short: %v", err)
		}
		again = true
	}
	for range rapid.IntRange(1, 2).Draw(rt, "times") {
		if err := w.carryOut(t.Context(), memories[rapid.IntRange(0, 1).Draw(rt, "process")], thread, again); err != nil {
			rt.Fatalf("repair: %v", err)
		}
		again = true
		if rapid.Bool().Draw(rt, "forget") {
			line.carried = before
		}
	}
	line.carried = len(line.steps)
}
