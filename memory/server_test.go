package memory_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
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
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range docs {
			out = append(out, fmt.Sprintf("%s %s #%d %s", c, d.ID, d.Rev, d.Body))
		}
	}
	return out
}

// unfinished is a world in which a session has an open turn whose last step was just decided.
func unfinished(t *testing.T, s store.Store) (*world, *memory.Memory, *step) {
	t.Helper()
	w := newServer()
	m := w.memory(t, nil)
	w.turn(t, m, in("s1"), opens("Boat"), "about the boat")
	w.turn(t, m, in("s2"), opens("Taxes"), "about taxes")
	if d, ok := s.(*dying); ok {
		d.Store = w.store
	}
	own := w.process(s)
	m = own.memory(t, func(c *memory.Config) { c.Store = s })
	st := own.begin(t.Context(), m, opens("Garden"))
	msg, err := m.Admit(st.ctx, in("s1"), state.Message{Text: "The garden has number 07-14244-53150", Turn: "t1"})
	if err == nil {
		err = st.commit()
	}
	if err != nil {
		t.Fatal(err)
	}
	v, err := m.Load(st.ctx, state.Input{Scope: in("s1"), Seq: msg.Seq})
	if err != nil {
		t.Fatal(err)
	}
	v, d, _, err := decide(st.ctx, m, v, true)
	if err != nil {
		t.Fatal(err)
	}
	if err := st.commit(); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Write(st.ctx, in("s1"), memory.Change{Content: "the gate is green", Affair: d.AffairID}); err != nil {
		t.Fatal(err)
	}
	if err := st.commit(); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Flush(st.ctx, v, d); err != nil {
		t.Fatal(err)
	}
	if err := st.commit(); err != nil {
		t.Fatal(err)
	}
	return w, m, st
}

// A process dies at each document it writes: whoever repairs comes to what would have been.
func TestRepairAfterACrashAtEveryDocument(t *testing.T) {
	t.Parallel()
	w, m, st := unfinished(t, &dying{left: 1000})
	if err := w.carryOut(t.Context(), m, st.thread, false); err != nil {
		t.Fatal(err)
	}
	want := dump(t, w.store)
	for _, c := range []struct{ lost, backwards bool }{{}, {lost: true}, {backwards: true}, {lost: true, backwards: true}} {
		died := 0
		for n := 1; ; n++ {
			d := &dying{left: n, lost: c.lost, backwards: c.backwards}
			w, m, st := unfinished(t, d)
			err := st.w.carryOut(t.Context(), m, st.thread, false)
			if err == nil {
				break
			}
			died++
			d.left = 1000
			name := fmt.Sprintf("died at document %d (lost %t, backwards %t)", n, c.lost, c.backwards)
			here := m // the same process goes on, or another one, or first the one and then the other
			if n%3 > 0 {
				here = w.memory(t, nil)
			}
			if n%3 == 2 {
				if _, err := here.Affairs(t.Context(), in("s1"), true); err != nil {
					t.Fatal(err)
				}
			}
			for range 2 {
				if err := w.carryOut(t.Context(), here, st.thread, true); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if diff := cmp.Diff(want, dump(t, w.store)); diff != "" {
					t.Fatalf("%s: (-uncrashed +repaired)\n%s", name, diff)
				}
				w.log.thread(st.thread).carried = 0 // as if nobody knew
			}
			for _, p := range []*memory.Memory{m, here, w.memory(t, nil)} {
				if a := named(t, p, in("s1"), "Garden"); a.Status != state.Active || a.Messages != 1 {
					t.Errorf("%s: %+v", name, a)
				}
			}
		}
		if died < 6 {
			t.Errorf("died %d times only", died)
		}
	}
}

// What a step decided is seen by this process at once and by others when it is carried out, and it counts once.
func TestDecidedIsSeenAtOnceAndCountedOnce(t *testing.T) {
	t.Parallel()
	w, m, st := unfinished(t, &dying{left: 1000})
	there := w.memory(t, nil)
	look := func(m *memory.Memory) string {
		t.Helper()
		affairs, err := m.Affairs(t.Context(), in("s1"), true)
		if err != nil {
			t.Fatal(err)
		}
		list := []string{}
		for _, a := range affairs {
			list = append(list, fmt.Sprint(a.Title, " ", a.Status, " ", a.Messages))
		}
		slices.Sort(list)
		v, err := m.Load(t.Context(), state.Input{Scope: in("s1"), Seq: 4})
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(list, " window ", len(v.Window), " found ", texts(t, m, memory.Query{Scope: in("s1"), Text: "gate green", In: memory.InKB}))
	}
	before := "[Boat ACTIVE 2 Taxes PARKED 2] window 2 found []"
	after := "[Boat PARKED 2 Garden ACTIVE 1 Taxes PARKED 2] window 1 found [the gate is green]"
	if got := look(m); got != after {
		t.Errorf("here, decided: %s", got)
	}
	if got := look(there); got != before {
		t.Errorf("there, decided: %s", got)
	}
	w.turn(t, there, in("s2"), judges(state.Continue, "", "", 0.9), "more about taxes") // a foreign change beneath what is pending
	after = strings.Replace(after, "Taxes PARKED 2", "Taxes PARKED 4", 1)
	if got := look(m); got != after {
		t.Errorf("here, after a foreign change: %s", got)
	}
	r := write(t, m, in("s1"), memory.Change{Content: "the gate is green", Affair: named(t, m, in("s1"), "Garden").ID})
	if !r.Durable || len(texts(t, m, memory.Query{Scope: in("s1"), Text: "gate green", In: memory.InKB})) != 1 {
		t.Errorf("said again: %+v", r)
	}
	if err := w.carryOut(t.Context(), m, st.thread, false); err != nil {
		t.Fatal(err)
	}
	for name, p := range map[string]*memory.Memory{"here": m, "there": there, "new": w.memory(t, nil)} {
		if got := look(p); got != after {
			t.Errorf("%s, carried out: %s", name, got)
		}
	}
}

func TestDroppedIsForgotten(t *testing.T) {
	t.Parallel()
	w, m, st := unfinished(t, &dying{left: 1000})
	m.Dropped("c1/u1/other")
	if got := named(t, m, in("s1"), "Garden"); got.Status != state.Active {
		t.Errorf("another's turn was dropped: %+v", got)
	}
	m.Dropped(st.thread)
	affairs, err := m.Affairs(t.Context(), in("s1"), true)
	if got := titles(affairs); err != nil || !slices.Contains(got, "Boat ACTIVE") || len(got) != 2 {
		t.Errorf("dropped: %v, %v", got, err)
	}
	if got := texts(t, m, memory.Query{Scope: in("s1"), Text: "gate green"}); len(got) != 0 {
		t.Errorf("dropped, but found: %q", got)
	}
	w.log.thread(st.thread).steps = w.log.thread(st.thread).steps[:1]
	w.turn(t, m, in("s1"), judges(state.Continue, "", "", 0.9), "on with the boat")
}

// An affair that a turn has opened is edited by another session whose turn ends first.
func TestAnAffairIsUsedBeforeItsTurnEnds(t *testing.T) {
	t.Parallel()
	for _, crashed := range []bool{false, true} {
		w, m, st := unfinished(t, &dying{left: 1000})
		garden := named(t, m, in("s1"), "Garden")
		s := w.begin(t.Context(), m, judges(state.AdHoc, "Garden", "", 0.95))
		msg, err := m.Admit(s.ctx, in("s2"), state.Message{Text: "The fence of the garden has number 98-76543-21098", Turn: "t2"})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.commit(); err != nil {
			t.Fatal(err)
		}
		v, err := m.Load(s.ctx, state.Input{Scope: in("s2"), Seq: msg.Seq})
		if err == nil {
			var d state.Decision
			if v, d, _, err = decide(s.ctx, m, v, true); err == nil {
				_, err = m.Flush(s.ctx, v, d)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := s.commit(); err != nil {
			t.Fatal(err)
		}
		if crashed {
			m = w.memory(t, nil)
		}
		for _, thread := range []string{s.thread, st.thread} {
			if err := w.carryOut(t.Context(), m, thread, crashed); err != nil {
				t.Fatal(err)
			}
		}
		for _, p := range []*memory.Memory{m, w.memory(t, nil)} {
			if a := named(t, p, in("s1"), "Garden"); a.ID != garden.ID || a.Status != state.Active || a.Messages != 2 || len(a.KeyFacts) != 2 {
				t.Errorf("crashed %t: %+v", crashed, a)
			}
			if err := pointers(t.Context(), p, "s1", "s2"); err != nil {
				t.Error(err)
			}
		}
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
	if err != nil || len(feed) != 1+2*sessions*turns {
		t.Errorf("%d entries in the feed, want %d, %v", len(feed), 1+2*sessions*turns, err)
	}
}

func TestATurnReadsOnce(t *testing.T) {
	t.Parallel()
	w := newServer()
	counting := &store.Counting{Store: w.store}
	own := w.process(counting)
	m := own.memory(t, func(c *memory.Config) { c.Store = counting })
	there := w.memory(t, nil)
	own.turn(t, m, in("s1"), opens("Garden"), "about the garden")
	own.turn(t, m, in("s1"), opens("Boat"), "about the boat")
	turn := func(text string) store.Counts {
		t.Helper()
		before := counting.Counts()
		if _, err := own.try(memory.ContextWithTurn(t.Context()), m, in("s1"), judges(state.Switch, "Garden", "", 0.95), text); err != nil {
			t.Fatal(err)
		}
		return counting.Counts().Minus(before)
	}
	if got := turn("The garden has number 07-14244-53150"); got.Scans != 1 || got.Gets != 0 || got.Writes != 2 {
		t.Errorf("nobody else wrote: %+v", got)
	}
	w.turn(t, there, in("s2"), judges(state.Continue, "", "", 0.9), "hello")
	if got := turn("and on"); got.Scans != 1 || got.Gets != 3 || got.Writes != 2 { // two messages and a session
		t.Errorf("another process wrote: %+v", got)
	}
	if got := turn("and on and on"); got.Scans != 1 || got.Gets != 0 || got.Writes != 2 {
		t.Errorf("nobody else wrote again: %+v", got)
	}
}

// A mind with what the store has not yet is not dropped for want of room.
func TestDecidedOutlivesManyUsers(t *testing.T) {
	t.Parallel()
	w, m, st := unfinished(t, &dying{left: 10000})
	for i := range 150 {
		if _, err := m.Affairs(t.Context(), state.Scope{Client: "c1", User: fmt.Sprintf("v%d", i), Session: "s1"}, true); err != nil {
			t.Fatal(err)
		}
	}
	if got := named(t, m, in("s1"), "Garden"); got.Status != state.Active {
		t.Errorf("got %+v", got)
	}
	if err := w.carryOut(t.Context(), m, st.thread, false); err != nil {
		t.Fatal(err)
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
		key := w.insert(t.Context(), m, fmt.Sprintf("c1/u1/t%d", i), []state.Effect{{Scope: in("s1"), Affair: &state.AffairEdit{ID: id, Messages: 1}}})
		if err := w.carryOut(t.Context(), m, key, false); err != nil {
			t.Fatal(err)
		}
	}
	docs, err := m.Apply(t.Context(), []state.Effect{{Scope: in("s1"), Affair: &state.AffairEdit{ID: id, Messages: 1}}})
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
	if err := bson.Unmarshal(docs[0].Body, &got); err != nil {
		t.Fatal(err)
	}
	if got.Messages != 23 || len(got.Applied) != 16 || got.Applied[0].Thread != "c1/u1/t4" || got.Applied[15].Thread != "c1/u1/t19" {
		t.Errorf("got %+v", got)
	}
}
