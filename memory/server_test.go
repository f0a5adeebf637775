package memory_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// dying is a store whose process dies at a document: that one and all later ones are not written. With lost it is
// written, but nobody hears of it. With backwards the documents of a Write are written in the other order.
type dying struct {
	store.Store
	mu        sync.Mutex
	left      int
	lost      bool
	backwards bool
}

func (d *dying) Write(ctx context.Context, docs ...store.Doc) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	docs = slices.Clone(docs)
	if d.backwards {
		slices.Reverse(docs)
	}
	for _, doc := range docs {
		if d.left--; d.left > 0 || d.left == 0 && d.lost {
			if err := d.Store.Write(ctx, doc); err != nil {
				return err
			}
		}
		if d.left <= 0 {
			return state.Errorf(state.Unavailable, "store", "the process died, for a test")
		}
	}
	return nil
}

// dump is everything a user's memory consists of in the store, as text.
func dump(t *testing.T, s store.Store) []string {
	t.Helper()
	var out []string
	for _, c := range []state.Collection{state.Sessions, state.Affairs, state.Records, state.Messages, state.Feed} {
		docs, err := s.Scan(t.Context(), store.Query{Collection: c, Prefix: in("s1").UserPrefix()})
		must(t, err)
		for _, d := range docs {
			out = append(out, fmt.Sprintf("%s %s #%d %s", c, d.ID, d.Rev, d.Body))
		}
	}
	return out
}

// unfinished is a world in which a session has an open turn of so many steps, four at most, and a process over s that ran
// them as far as its store let it. It tells how many stand in the log.
func unfinished(t *testing.T, s *dying, steps int) (w *world, m *memory.Memory, thread string, stand int) {
	t.Helper()
	w = newServer()
	m = w.memory(t, nil)
	w.turn(t, m, in("s1"), opens("Boat"), "about the boat")
	w.turn(t, m, in("s2"), opens("Taxes"), "about taxes")
	s.Store = w.store
	own := w.process(s)
	m = own.memory(t, func(c *memory.Config) { c.Store = s })
	st := own.begin(t.Context(), m, opens("Garden"))
	var v state.View
	var d state.Decision
	var msg state.Message
	for _, decided := range []func() error{
		func() (err error) {
			msg, err = m.Turn().Admit(st.ctx, in("s1"), state.Message{Text: "The garden has number 07-14244-53150", Turn: "t1"})
			return err
		},
		func() (err error) {
			if v, err = m.Turn().Load(st.ctx, state.Input{Scope: in("s1"), Seq: msg.Seq}); err == nil {
				v, d, _, err = decide(st.ctx, m, v, true)
			}
			return err
		},
		func() error {
			_, err := m.Write(st.ctx, in("s1"), memory.Change{Content: "the gate is green", Affair: d.AffairID})
			return err
		},
		func() error {
			_, err := m.Turn().Flush(st.ctx, v, d)
			return err
		},
	}[:steps] {
		must(t, decided())
		stand++
		if err := st.commit(); err != nil {
			break
		}
	}
	return w, m, in("s1").Thread().Key(), stand
}

// A process dies at each document it writes: whoever repairs comes to what would have been.
func TestRepairAfterACrashAtEveryDocument(t *testing.T) {
	t.Parallel()
	want := make([][]string, 5)
	for steps := 1; steps <= 4; steps++ {
		w, _, _, _ := unfinished(t, &dying{left: 1000}, steps)
		want[steps] = dump(t, w.store)
	}
	for _, c := range []struct{ lost, backwards bool }{{}, {lost: true}, {backwards: true}, {lost: true, backwards: true}} {
		died := 0
		for n := 1; ; n++ {
			d := &dying{left: n, lost: c.lost, backwards: c.backwards}
			w, m, thread, stand := unfinished(t, d, 4)
			if d.left > 0 {
				break
			}
			died++
			d.left = 1000
			name := fmt.Sprintf("died at document %d in step %d (lost %t, backwards %t)", n, stand, c.lost, c.backwards)
			here := m // the same process goes on, or another one, or first the one and then the other
			if n%3 > 0 {
				here = w.memory(t, nil)
			}
			if n%3 == 2 {
				if _, err := here.Affairs().List(t.Context(), in("s1"), true); err != nil {
					t.Fatal(err)
				}
			}
			for range 2 {
				if err := w.carryOut(t.Context(), here, thread, true); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if diff := cmp.Diff(want[stand], dump(t, w.store)); diff != "" {
					t.Fatalf("%s: (-uncrashed +repaired)\n%s", name, diff)
				}
				w.log.thread(thread).carried = 0 // as if nobody knew
			}
			for _, p := range []*memory.Memory{m, here, w.memory(t, nil)} {
				if stand < 2 {
					break
				}
				if a := named(t, p, in("s1"), "Garden"); a.Status != state.Active || a.Messages != stand/4 {
					t.Errorf("%s: %+v", name, a)
				}
			}
		}
		if died < 10 {
			t.Errorf("died %d times only", died)
		}
	}
}

// What a step decided is seen by this process and by others as soon as the step's commit returns.
func TestAStepIsSeenAtOnce(t *testing.T) {
	t.Parallel()
	w, m, _, _ := unfinished(t, &dying{left: 1000}, 3)
	there := w.memory(t, nil)
	look := func(m *memory.Memory) string {
		t.Helper()
		affairs, err := m.Affairs().List(t.Context(), in("s1"), true)
		must(t, err)
		list := []string{}
		for _, a := range affairs {
			list = append(list, fmt.Sprint(a.Title, " ", a.Status, " ", a.Messages))
		}
		slices.Sort(list)
		return fmt.Sprint(list, " found ", texts(t, m, memory.Query{Scope: in("s1"), Text: "gate green", In: memory.InKB}))
	}
	want := "[Boat PARKED 2 Garden ACTIVE 0 Taxes PARKED 2] found [the gate is green]"
	for name, p := range map[string]*memory.Memory{"here": m, "there": there} {
		if got := look(p); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	r := write(t, there, in("s1"), memory.Change{Content: "the gate is green", Affair: named(t, m, in("s1"), "Garden").ID})
	if !r.Durable || len(texts(t, m, memory.Query{Scope: in("s1"), Text: "gate green", In: memory.InKB})) != 1 {
		t.Errorf("said again: %+v", r)
	}
}

// Eight sessions of one user talk about one affair, in two processes at the same time.
func TestSessionsOfTwoProcessesAtOnce(t *testing.T) {
	t.Parallel()
	w := newServer()
	memories := []*memory.Memory{w.memory(t, nil), w.memory(t, nil)}
	w.turn(t, memories[0], in("s0"), opens("Garden"), "about the garden")
	const sessions, turns = 8, 5
	var wg sync.WaitGroup
	errs := make([]error, sessions)
	for i := range sessions {
		wg.Go(func() {
			for n := range turns {
				text := fmt.Sprintf("The garden has bed%d with plant%d", i, n)
				if _, errs[i] = w.try(t.Context(), memories[i%2], in(fmt.Sprintf("s%d", i+1)), judges(state.AdHoc, "Garden", "", 0.95), text); errs[i] != nil {
					return
				}
				_, errs[i] = memories[i%2].Write(t.Context(), in("s0"), memory.Change{Content: fmt.Sprintf("note %d of writer %d", n, i)})
				if errs[i] != nil {
					return
				}
			}
		})
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			t.Fatalf("session %d: %v", i+1, err)
		}
	}
	for i, m := range append(memories, w.memory(t, nil)) {
		if a := named(t, m, in("s0"), "Garden"); a.Messages != 2+2*sessions*turns {
			t.Errorf("process %d: %d messages are counted, want %d", i, a.Messages, 2+2*sessions*turns)
		}
		if records, err := m.Records(t.Context(), in("s0")); err != nil || len(records) != sessions*turns {
			t.Errorf("process %d: %d records, %v", i, len(records), err)
		}
		for s := range sessions {
			if msgs, err := m.Messages(t.Context(), in(fmt.Sprintf("s%d", s+1))); err != nil || len(msgs) != 2*turns {
				t.Errorf("process %d, session %d: %d messages, %v", i, s+1, len(msgs), err)
			}
		}
	}
	feed, err := w.store.Scan(t.Context(), store.Query{Collection: state.Feed, Prefix: in("s0").UserPrefix()})
	if err != nil || len(feed) != 3+4*sessions*turns {
		t.Errorf("%d entries in the feed, want %d, %v", len(feed), 3+4*sessions*turns, err)
	}
}

// A turn reads the feed once, and what others have changed; all else the mind holds.
func TestATurnReadsOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		world  func() *world
		writes int64
	}{"atomic": {newWorld, 3}, "loose": {newServer, 6}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := c.world()
			counting := &store.Counting{Store: w.store}
			own := w.process(counting)
			m := own.memory(t, func(c *memory.Config) { c.Store = counting })
			there := w.memory(t, nil)
			own.turn(t, m, in("s1"), opens("Garden"), "about the garden")
			own.turn(t, m, in("s1"), opens("Boat"), "about the boat")
			turn := func(text string) store.Counts {
				t.Helper()
				before := counting.Counts()
				if _, err := own.try(t.Context(), m, in("s1"), judges(state.Switch, "Garden", "", 0.95), text); err != nil {
					t.Fatal(err)
				}
				return counting.Counts().Minus(before)
			}
			if got := turn("The garden has number 07-14244-53150"); got.Scans != 1 || got.Gets != 0 || got.Writes != c.writes {
				t.Errorf("nobody else wrote: %+v", got)
			}
			w.turn(t, there, in("s2"), judges(state.Continue, "", "", 0.9), "hello")
			if got := turn("and on"); got.Scans != 1 || got.Gets != 3 || got.Writes != c.writes { // two messages and a session
				t.Errorf("another process wrote: %+v", got)
			}
			if got := turn("and on and on"); got.Scans != 1 || got.Gets != 0 || got.Writes != c.writes {
				t.Errorf("nobody else wrote again: %+v", got)
			}
		})
	}
}

// Documents that stand at another revision than the mind knows, without an entry in the feed, are read again: as after all
// values were sealed with another key.
func TestACommitMeetsStrangeRevisions(t *testing.T) {
	t.Parallel()
	for name, world := range map[string]func() *world{"atomic": newWorld, "loose": newServer} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := world()
			m := w.memory(t, nil)
			w.turn(t, m, in("s1"), opens("Garden"), "about the garden")
			for _, c := range []state.Collection{state.Sessions, state.Affairs, state.Messages} {
				docs, err := w.store.Scan(t.Context(), store.Query{Collection: c})
				if err == nil {
					err = w.store.Write(t.Context(), docs...)
				}
				must(t, err)
			}
			w.turn(t, m, in("s1"), judges(state.Continue, "", "", 0.9), "The garden has number 07-14244-53150")
			if a := named(t, m, in("s1"), "Garden"); a.Messages != 4 || len(a.KeyFacts) != 1 {
				t.Errorf("got %+v", a)
			}
		})
	}
}

// What is written outside a turn goes through a thread of the user's own where the store has no transactions: it is durable
// when the call returns, two processes wait for each other, and Close waits until all is tidy.
func TestWritesOutsideTurnsOnAServer(t *testing.T) {
	t.Parallel()
	w := newServer()
	here, there := w.memory(t, nil), w.memory(t, nil)
	var wg sync.WaitGroup
	for n := range 20 {
		m := []*memory.Memory{here, there}[n%2]
		wg.Go(func() {
			if _, err := m.Write(t.Context(), in("s1"), memory.Change{Content: fmt.Sprintf("the gate number %d is green", n)}); err != nil {
				t.Errorf("write %d: %v", n, err)
			}
		})
	}
	wg.Wait()
	for name, m := range map[string]*memory.Memory{"here": here, "there": there, "new": w.memory(t, nil)} {
		if records, err := m.Records(t.Context(), in("s1")); err != nil || len(records) != 20 {
			t.Errorf("%s: %d records, %v", name, len(records), err)
		}
		if err := m.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Documents keep the marks of the last sixteen threads, and whoever edits them without being a step carries them over.
func TestMarksAreBounded(t *testing.T) {
	t.Parallel()
	w := newServer()
	m := w.memory(t, nil)
	w.turn(t, m, in("s1"), opens("Garden"), "about the garden")
	id := named(t, m, in("s1"), "Garden").ID
	for i := range 20 {
		key := w.insert(fmt.Sprintf("c1/u1/t%d", i), []state.Effect{{Scope: in("s1"), Affair: &state.AffairEdit{ID: id, Messages: 1}}})
		must(t, w.carryOut(t.Context(), m, key, false))
	}
	var docs []store.Doc
	err := merged(t.Context(), m, func(ctx context.Context, d ...store.Doc) error {
		docs = d
		return w.store.Write(ctx, d...)
	}, state.Effect{Scope: in("s1"), Affair: &state.AffairEdit{ID: id, Messages: 1}})
	if err != nil || len(docs) != 2 {
		t.Fatalf("%d documents, %v", len(docs), err)
	}
	var got struct {
		Messages int
		Applied  []struct {
			Thread string
			Seq    int
		}
	}
	must(t, bson.Unmarshal(docs[0].Body, &got))
	if got.Messages != 23 || len(got.Applied) != 16 || got.Applied[0].Thread != "c1/u1/t4" || got.Applied[15].Thread != "c1/u1/t19" {
		t.Errorf("got %+v", got)
	}
}
