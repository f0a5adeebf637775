package memory_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/history"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// touches reports whether a change is one of the field.
func touches(a history.Change, field string) bool {
	return slices.ContainsFunc(a.Fields, func(f history.Field) bool { return f.Name == field })
}

// contents is everything that the store has of records and affairs, as it stands there.
func contents(t *testing.T, w *world) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, c := range []state.Collection{state.Records, state.Affairs, state.Suggestions} {
		docs, err := w.store.Scan(t.Context(), store.Query{Collection: c})
		must(t, err)
		for _, d := range docs {
			var body bson.D
			must(t, bson.Unmarshal(d.Body, &body))
			body = slices.DeleteFunc(body, func(e bson.E) bool { return e.Key == "applied" || e.Key == "wrote" })
			text, err := bson.MarshalExtJSON(body, true, false)
			must(t, err)
			out[string(c)+" "+d.ID] = string(text)
		}
	}
	return out
}

// changer makes random changes of one user's memory, as a person, tools and turns do.
type changer struct {
	w   *world
	m   *memory.Memory
	r   *rand.Rand
	rng int
}

func (c *changer) pick(list ...string) string { return list[c.r.IntN(len(list))] }

// change makes one; some of them come to nothing.
func (c *changer) change(t *testing.T) {
	t.Helper()
	ctx, scope := t.Context(), in(c.pick("s1", "s2"))
	c.w.pass(time.Minute)
	c.rng++
	affairs, err := c.m.Affairs().List(ctx, scope, true)
	must(t, err)
	id := ""
	if len(affairs) > 0 {
		id = affairs[c.r.IntN(len(affairs))].ID
	}
	town := c.pick("Brno", "Tula", "Gdynia", "Leeds")
	switch n := c.r.IntN(10); {
	case n < 3:
		_, err = c.m.Write(ctx, scope, memory.Change{Subject: "home", Content: "lives in " + town, About: state.AboutUser})
	case n < 4:
		_, err = c.m.Write(ctx, scope, memory.Change{Subject: fmt.Sprint("note ", c.rng), Content: fmt.Sprint("the note of day ", c.rng), Pinned: c.r.IntN(2) == 0})
	case n < 6:
		_, err = c.m.Amend(ctx, scope, memory.Amendment{Action: memory.Action(c.pick("forget", "pin", "unpin")), Match: c.pick("home", "note")})
	case n < 7:
		_, err = c.m.Amend(ctx, scope, memory.Amendment{Action: memory.CorrectRecord, Match: "home", Content: "lives in " + town})
	case n < 8 || id == "":
		_, err = c.m.Affairs().Create(ctx, scope, fmt.Sprint("affair ", c.rng), memory.AffairChange{Facts: state.Facts{{Label: "price", Value: fmt.Sprint(c.rng)}}})
	case n < 9:
		pending := []string{c.pick("call", "write", "wait")}
		_, err = c.m.Affairs().Edit(ctx, scope, id, memory.AffairChange{Facts: state.Facts{{Label: c.pick("price", "colour"), Value: town}}, Pending: &pending})
	default:
		_, err = c.m.Affairs().Move(ctx, scope, id, state.Status(c.pick("ACTIVE", "PARKED", "RESOLVED")), "")
	}
	if err != nil && !errors.Is(err, state.ErrNotFound) && !errors.Is(err, state.ErrInvalid) && !errors.Is(err, state.ErrConflict) {
		t.Fatal(err)
	}
}

// head is the number of the last change.
func head(t *testing.T, m *memory.Memory) int64 {
	t.Helper()
	last, err := m.History().Audit(t.Context(), in("s1"), history.Query{Limit: 1})
	must(t, err)
	if len(last) == 0 {
		return 0
	}
	return last[0].Seq
}

// Each of 200 changes, undone at once, leaves records and affairs as they were, to the byte; the undoing undone leaves them as the change did.
func TestUndoRestoresTheBytes(t *testing.T) {
	t.Parallel()
	for name, w := range map[string]*world{"transactions": newWorld(), "none": newServer()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := w.memory(t, nil)
			c := changer{w: w, m: m, r: rand.New(rand.NewPCG(1, 2))}
			for undone := 0; undone < 200; {
				was, before := head(t, m), contents(t, w)
				c.change(t)
				seq, after := head(t, m), contents(t, w)
				if seq == was {
					continue
				}
				undone++
				if err := m.History().UndoChange(t.Context(), in("s1"), seq); err != nil {
					t.Fatalf("change %d: %v", seq, err)
				}
				if diff := cmp.Diff(before, contents(t, w)); diff != "" {
					t.Fatalf("change %d undone (-before +after):\n%s", seq, diff)
				}
				if c.r.IntN(2) == 0 {
					continue
				}
				if err := m.History().UndoChange(t.Context(), in("s1"), head(t, m)); err != nil {
					t.Fatalf("undoing change %d again: %v", seq, err)
				}
				if diff := cmp.Diff(after, contents(t, w)); diff != "" {
					t.Fatalf("change %d done again (-first +again):\n%s", seq, diff)
				}
			}
		})
	}
}

// What came after a change in other places stays when it is undone. Where it was changed again it is told which change that was, and nothing is undone.
func TestUndoAmongLaterChanges(t *testing.T) {
	t.Parallel()
	_, m := setup(t)
	ctx, scope := t.Context(), in("s1")
	mustAffair := func(a state.Affair, err error) state.Affair {
		t.Helper()
		must(t, err)
		return a
	}
	a := mustAffair(m.Affairs().Create(ctx, scope, "Boat", memory.AffairChange{}))
	facts := func(label, value string) memory.AffairChange {
		return memory.AffairChange{Facts: state.Facts{{Label: label, Value: value}}}
	}
	mustAffair(m.Affairs().Edit(ctx, scope, a.ID, facts("price", "10")))
	price := head(t, m)
	mustAffair(m.Affairs().Edit(ctx, scope, a.ID, facts("colour", "red")))
	colour := head(t, m)
	mustAffair(m.Affairs().Edit(ctx, scope, a.ID, memory.AffairChange{Title: "Ship"}))
	must(t, m.History().UndoChange(ctx, scope, price))
	got := mustAffair(m.Affairs().Get(ctx, scope, a.ID))
	if _, there := got.KeyFacts.Get("price"); there || got.Title != "Ship" {
		t.Errorf("after the undo: %+v", got)
	}
	if v, _ := got.KeyFacts.Get("colour"); v != "red" {
		t.Errorf("what came later is gone: %+v", got.KeyFacts)
	}
	mustAffair(m.Affairs().Edit(ctx, scope, a.ID, facts("colour", "blue")))
	err := m.History().UndoChange(ctx, scope, colour)
	if !errors.Is(err, state.ErrConflict) || !strings.Contains(err.Error(), "key_facts") {
		t.Errorf("a value that was changed again: %v", err)
	}
	if v, _ := mustAffair(m.Affairs().Get(ctx, scope, a.ID)).KeyFacts.Get("colour"); v != "blue" {
		t.Errorf("a refused undo changed the value to %q", v)
	}
	if err := m.History().UndoChange(ctx, scope, 9999); !errors.Is(err, state.ErrNotFound) {
		t.Errorf("a change that is not there: %v", err)
	}
}

// An undone record is out of what is recalled, and back again when the undo is undone.
func TestUndoReachesRecall(t *testing.T) {
	t.Parallel()
	_, m := setup(t)
	ctx, scope := t.Context(), in("s1")
	write := func(content string) {
		t.Helper()
		if _, err := m.Write(ctx, scope, memory.Change{Subject: "home", Content: content, About: state.AboutUser}); err != nil {
			t.Fatal(err)
		}
	}
	found := func(ctx context.Context) string {
		t.Helper()
		hits, err := m.Recall(ctx, memory.Query{Scope: scope, Text: "home lives"})
		must(t, err)
		var all []string
		for _, h := range hits {
			all = append(all, h.Record.Content)
		}
		return strings.Join(all, "|")
	}
	write("lives in Brno")
	write("lives in Leeds")
	second := head(t, m)
	for _, want := range []string{"lives in Brno", "lives in Leeds"} {
		must(t, m.History().UndoChange(ctx, scope, second))
		if got := found(ctx); got != want {
			t.Errorf("recalled %q, want %q", got, want)
		}
		second = head(t, m)
	}
}

// The audit tells who made a change, by which way and from which words, and finds it by each of them.
func TestAuditTells(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	ctx, scope := t.Context(), in("s1")
	w.turn(t, m, scope, opens("Boat"), "I live in Gdynia. The boat costs 900 zł.")
	if _, err := m.Write(ctx, in("s2"), memory.Change{Content: "the keel is cracked"}); err != nil {
		t.Fatal(err)
	}
	all, err := m.History().Audit(ctx, scope, history.Query{})
	must(t, err)
	ways := map[string]int{}
	for _, a := range all {
		ways[string(a.By.Who)+" "+a.By.Path]++
		if a.By.Who == state.ByPipeline && (a.Words == "" || a.By.Turn == "") {
			t.Errorf("a change of a turn does not say its words: %+v", a)
		}
	}
	for _, way := range []string{"pipeline context_detect", "pipeline memory_flush", "user api"} {
		if ways[way] == 0 {
			t.Errorf("no change by %s: %v", way, ways)
		}
	}
	for name, q := range map[string]history.Query{
		"who": {Who: state.ByUser}, "path": {Path: "api"}, "session": {Session: "s2"}, "limit": {Limit: 1}, "seq": {Seq: all[0].Seq}, "id": {ID: all[0].ID},
	} {
		if got, err := m.History().Audit(ctx, scope, q); err != nil || len(got) != 1 || got[0].ID != all[0].ID {
			t.Errorf("by %s: %d, %v", name, len(got), err)
		}
	}
}

// A turn is taken back whole: what it added to an affair that was there before too. What a later turn went on with is named, and stays.
func TestUndoOfATurnAndLaterOnes(t *testing.T) {
	t.Parallel()
	w, m := setup(t)
	ctx, scope := t.Context(), in("s1")
	w.turn(t, m, scope, opens("Boat"), "The boat costs 900 zł.")
	before := contents(t, w)
	w.pass(time.Minute)
	second := w.turn(t, m, scope, nil, "Its order number is 07-14244-53150. I live in Gdynia.")
	if cmp.Equal(before, contents(t, w)) {
		t.Fatal("the second turn changed nothing")
	}
	must(t, m.History().UndoTurn(ctx, scope, second.view.Turn[0].Turn))
	if diff := cmp.Diff(before, contents(t, w)); diff != "" {
		t.Errorf("a turn taken back (-before +after):\n%s", diff)
	}
	w.pass(time.Minute)
	third := w.turn(t, m, scope, opens("Roof"), "The roof leaks, the roofer asks 400 zł.")
	w.turn(t, m, scope, nil, "The roofer comes on 12 May 2026.")
	err := m.History().UndoTurn(ctx, scope, third.view.Turn[0].Turn)
	if !errors.Is(err, state.ErrConflict) || !strings.Contains(err.Error(), "by change ") {
		t.Errorf("a turn that another went on with: %v", err)
	}
	if a := named(t, m, scope, "roof"); a.Status != state.Active {
		t.Errorf("a refused undo changed the affair: %+v", a)
	}
}
