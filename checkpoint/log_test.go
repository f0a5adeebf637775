package checkpoint_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"
	"pgregory.net/rapid"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/field"
	"github.com/mneme-graph/mneme/state/statetest"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// line is a step in short.
func line(s checkpoint.Step) string {
	var nodes []string
	for _, p := range s.Parts {
		nodes = append(nodes, p.Node)
	}
	done := ""
	if s.Done {
		done = " done"
	}
	return fmt.Sprintf("%d from %d: %s %s by %s [%s]%s", s.Seq, s.Base, s.Turn, s.Source, s.Attempt, strings.Join(nodes, " "), done)
}

func lines(t *testing.T, l *checkpoint.Log, id string) []string {
	t.Helper()
	steps, err := l.Steps(t.Context(), thread(id), 1)
	must(t, err)
	var out []string
	for _, s := range steps {
		out = append(out, line(s))
	}
	return out
}

func TestLog(t *testing.T) {
	t.Parallel()
	s, w := ram.New(), newWatch()
	l := process("p", s, w, false)
	first := begin(t, l, "x", "t1")
	commit(t, first, checkpoint.Commit{Parts: []checkpoint.Part{said("a", "1")}})
	commit(t, first, checkpoint.Commit{Parts: []checkpoint.Part{said("b", "2"), said("c", "3")}})
	commit(t, first, checkpoint.Commit{Done: true})
	first.Release()

	second := begin(t, l, "x", "t2")
	if prev := second.Prev(); prev.Seq != 3 || !prev.Done {
		t.Errorf("Prev = %+v", prev)
	}
	commit(t, second, checkpoint.Commit{Parts: []checkpoint.Part{said("a", "4")}})
	second.Release()

	l = process("q", s, w, false) // the first process has died
	resumed, steps := take(t, l, "x")
	if len(steps) != 4 || resumed.ID() != "t2" {
		t.Errorf("Take: turn %s with %d steps", resumed.ID(), len(steps))
	}
	commit(t, resumed, checkpoint.Commit{Done: true})
	resumed.Release()

	third := begin(t, l, "x", "t3")
	commit(t, third, checkpoint.Commit{Whole: true, Done: true})
	third.Release()

	want := []string{
		"1 from 1: t1 input by p-2 [a]", "2 from 1: t1 loop by p-2 [b c]", "3 from 1: t1 loop by p-2 [] done",
		"4 from 1: t2 input by p-3 [a]", "5 from 1: t2 takeover by q-2 []", "6 from 1: t2 loop by q-2 [] done",
		"7 from 7: t3 input by q-3 [] done",
	}
	same(t, "steps", want, lines(t, l, "x"))
	if open, err := l.Unfinished(t.Context(), state.Thread{Client: "c"}); err != nil || len(open) != 0 {
		t.Errorf("Unfinished = %v, %v", open, err)
	}
}

func TestUnfinished(t *testing.T) {
	t.Parallel()
	l := process("p", ram.New(), newWatch(), false)
	for _, th := range []state.Thread{thread("b"), thread("a/sub"), {Client: "cc", ID: "other"}} {
		turn, err := l.Begin(t.Context(), th, "t")
		must(t, err)
		commit(t, turn, checkpoint.Commit{})
		turn.Release()
	}
	got, err := l.Unfinished(t.Context(), state.Thread{Client: "c"})
	must(t, err)
	var threads []state.Thread
	for _, open := range got {
		threads = append(threads, open.Thread)
	}
	same(t, "got", []state.Thread{thread("a/sub"), thread("b")}, threads)
	if _, err := l.Unfinished(t.Context(), state.Thread{Client: "c/a"}); !errors.Is(err, state.ErrInvalid) {
		t.Errorf("a client with a slash: %v, want invalid", err)
	}
	if _, err := l.Begin(t.Context(), thread("b"), "t2"); !errors.Is(err, checkpoint.ErrUnfinished) || !errors.Is(err, state.ErrConflict) {
		t.Errorf("Begin = %v, want unfinished", err)
	}
}

func TestInvalid(t *testing.T) {
	t.Parallel()
	l := process("p", ram.New(), newWatch(), false)
	if _, err := l.Begin(t.Context(), thread("a//b"), "t"); !errors.Is(err, state.ErrInvalid) {
		t.Errorf("Begin = %v", err)
	}
	if _, err := l.Begin(t.Context(), thread("a"), ""); !errors.Is(err, state.ErrInvalid) {
		t.Errorf("Begin without turn = %v", err)
	}
	if _, _, err := l.Take(t.Context(), thread("")); !errors.Is(err, state.ErrInvalid) {
		t.Errorf("Take = %v", err)
	}
	if _, _, err := l.Take(t.Context(), thread("new")); !errors.Is(err, state.ErrNotFound) {
		t.Errorf("Take of a new thread = %v", err)
	}
}

// put overwrites a document as it stands.
func put(t *testing.T, s store.Store, c state.Collection, id string, body any) {
	t.Helper()
	raw, err := bson.Marshal(body)
	must(t, err)
	doc, err := s.Get(t.Context(), c, id)
	if err != nil && state.CodeOf(err) != state.NotFound {
		t.Fatal(err)
	}
	must(t, s.Write(t.Context(), store.Doc{Collection: c, ID: id, Rev: doc.Rev, Body: raw}))
}

func TestDamage(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		harm func(t *testing.T, s store.Store)
		want string
	}{
		{"a newer version", func(t *testing.T, s store.Store) {
			put(t, s, state.Steps, thread("x").StepKey(2), bson.D{{Key: "v", Value: 99}, {Key: "seq", Value: "two"}})
		}, "schema version 99"},
		{"another type", func(t *testing.T, s store.Store) {
			put(t, s, state.Steps, thread("x").StepKey(2), bson.D{{Key: "v", Value: 1}, {Key: "seq", Value: "two"}})
		}, "is damaged"},
		{"something else", func(t *testing.T, s store.Store) {
			put(t, s, state.Steps, thread("x").StepKey(2), bson.D{{Key: "hello", Value: 1}})
		}, "is damaged"},
		{"another's step", func(t *testing.T, s store.Store) {
			put(t, s, state.Steps, thread("x").StepKey(2), checkpoint.Step{Version: 1, Seq: 7})
		}, "it says it is step 7"},
		{"a step is missing", func(t *testing.T, s store.Store) {
			if _, err := s.Delete(t.Context(), state.Steps, thread("x").StepKey(1)); err != nil {
				t.Fatal(err)
			}
		}, "step 1 is missing"},
		{"the open document", func(t *testing.T, s store.Store) {
			put(t, s, state.Open, thread("x").Key(), bson.D{{Key: "until", Value: "tomorrow"}})
		}, "open turn of c/x: is damaged"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := ram.New()
			l := process("p", s, newWatch(), false)
			turn := begin(t, l, "x", "t")
			commit(t, turn, checkpoint.Commit{})
			commit(t, turn, checkpoint.Commit{})
			turn.Release()
			tt.harm(t, s)
			_, _, err := l.Take(t.Context(), thread("x"))
			if !errors.Is(err, state.ErrInternal) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Take = %v, want internal, %q", err, tt.want)
			}
			if _, _, err := l.Take(t.Context(), thread("x")); errors.Is(err, state.ErrConflict) {
				t.Errorf("the failed Take holds the thread: %v", err)
			}
		})
	}
}

// A store without transactions may die between a step and its open document, or between the last step and
// the open document's removal. The steps alone count.
func TestOpenDocumentAstray(t *testing.T) {
	t.Parallel()
	s := ram.New()
	w := newWatch()
	l := process("p", s, w, true)
	turn := begin(t, l, "x", "t1")
	commit(t, turn, checkpoint.Commit{})
	turn.Release()
	kept, err := s.Get(t.Context(), state.Open, thread("x").Key())
	must(t, err)
	if _, err := s.Delete(t.Context(), state.Open, thread("x").Key()); err != nil {
		t.Fatal(err)
	}
	w.Pass(time.Hour) // another process could be at work
	turn, _ = take(t, l, "x")
	commit(t, turn, checkpoint.Commit{Done: true})
	turn.Release()

	put(t, s, state.Open, thread("x").Key(), kept.Body)
	put(t, s, state.Open, thread("x").Key(), kept.Body)
	if _, _, err := l.Take(t.Context(), thread("x")); !errors.Is(err, state.ErrNotFound) {
		t.Errorf("Take of a finished turn = %v, want not found", err)
	}
	turn = begin(t, l, "x", "t2")
	commit(t, turn, checkpoint.Commit{})
	commit(t, turn, checkpoint.Commit{Done: true})
	turn.Release()
	if open, err := l.Unfinished(t.Context(), state.Thread{Client: "c"}); err != nil || len(open) != 0 {
		t.Errorf("Unfinished = %v, %v, want the astray document to be gone", open, err)
	}
}

func TestPart(t *testing.T) {
	t.Parallel()
	text, list, none := field.Of("řeka"), field.Append[int]{}, field.Of(1)
	list.Add(1, 2)
	hidden := field.Volatile[string]{}
	hidden.Set("secret")
	if err := none.Merge(&none); err != nil { // no longer changed
		t.Fatal(err)
	}
	var part checkpoint.Part
	if err := part.Deltas([]field.Named{
		{Name: "text", Field: &text}, {Name: "list", Field: &list}, {Name: "none", Field: &none}, {Name: "hidden", Field: &hidden},
	}); err != nil {
		t.Fatal(err)
	}
	if err := part.Fields.Validate(); err != nil {
		t.Fatalf("not a document: %v", err)
	}
	if got, want := part.Fields.String(), `{"text": "řeka","list": [{"$numberInt":"1"},{"$numberInt":"2"}]}`; got != want {
		t.Errorf("fields = %s, want %s", got, want)
	}
	var again field.Last[string]
	if err := part.Apply([]field.Named{{Name: "text", Field: &again}}); !errors.Is(err, state.ErrConflict) {
		t.Errorf("Apply to fewer fields = %v, want conflict", err)
	}
	if again.Get() != "řeka" {
		t.Errorf("text = %q", again.Get())
	}
	var wrong field.Last[int]
	if err := part.Apply([]field.Named{{Name: "text", Field: &wrong}}); !errors.Is(err, state.ErrInternal) {
		t.Errorf("Apply to another type = %v, want internal", err)
	}
	bad := field.Of(func() {})
	if err := part.Deltas([]field.Named{{Name: "bad", Field: &bad}}); !errors.Is(err, state.ErrInternal) {
		t.Errorf("Deltas of a function = %v, want internal", err)
	}
}

// rig is a set of processes over one shared store, and what was acknowledged to them.
type rig struct {
	store *ram.Store
	watch *statetest.Clock
	logs  []*checkpoint.Log
	turns []*checkpoint.Turn // held by each process, nil = none
	acked []string           // "attempt text" in the order of acknowledgement
	next  int
}

// Whatever processes do on one thread, and however their clock runs: steps are numbered without gaps, each
// acknowledged commit is there once and in order, and nobody writes after having been taken over from.
func TestProcesses(t *testing.T) {
	t.Parallel()
	for name, empty := range map[string]func() *ram.Store{"with transactions": ram.New, "without": ram.NewLoose} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(r *rapid.T) { walk(r, empty()) })
		})
	}
}

func walk(r *rapid.T, s *ram.Store) {
	g := &rig{store: s, watch: newWatch(), turns: make([]*checkpoint.Turn, 3)}
	for i := range g.turns {
		g.logs = append(g.logs, process(fmt.Sprint("p", i), g.store, g.watch, true))
	}
	ctx := context.Background()
	r.Repeat(map[string]func(*rapid.T){
		"act": func(r *rapid.T) { g.act(ctx, r) },
		"wait": func(r *rapid.T) {
			g.watch.Pass(time.Duration(rapid.IntRange(-90, 90).Draw(r, "seconds")) * time.Second)
		},
		"": func(r *rapid.T) { g.check(ctx, r) },
	})
	for i, turn := range g.turns {
		if turn != nil {
			turn.Release()
		}
		must(r, g.logs[i].Close())
	}
	g.check(ctx, r)
}

func (g *rig) act(ctx context.Context, r *rapid.T) {
	i := rapid.IntRange(0, len(g.turns)-1).Draw(r, "process")
	what := rapid.SampledFrom([]string{"hold", "commit", "commit", "done", "die"}).Draw(r, "what")
	var err error
	switch turn := g.turns[i]; {
	case turn == nil:
		g.next++
		if turn, err = g.logs[i].Begin(ctx, thread("x"), fmt.Sprint("t", g.next)); errors.Is(err, checkpoint.ErrUnfinished) {
			turn, _, err = g.logs[i].Take(ctx, thread("x"))
		}
		g.turns[i] = turn
	case what == "commit" || what == "done":
		g.next++
		text := fmt.Sprint(g.next)
		if err = turn.Commit(ctx, checkpoint.Commit{Parts: []checkpoint.Part{said(text, text)}, Done: what == "done"}); err == nil {
			g.acked = append(g.acked, turn.Attempt()+" "+text)
		}
		if err != nil || what == "done" {
			turn.Release()
			g.turns[i] = nil
		}
	case what == "die":
		turn.Release()
		g.turns[i] = nil
	}
	if err != nil && !errors.Is(err, state.ErrConflict) {
		r.Fatalf("%s by %d: %v", what, i, err)
	}
}

func (g *rig) check(ctx context.Context, r *rapid.T) {
	steps, err := process("reader", g.store, g.watch, true).Steps(ctx, thread("x"), 1)
	must(r, err)
	var have []string
	for i, s := range steps {
		if i > 0 && s.Attempt != steps[i-1].Attempt && s.Source != checkpoint.SourceTakeover && !steps[i-1].Done {
			r.Fatalf("%s comes after %s without a takeover", line(s), line(steps[i-1]))
		}
		for _, p := range s.Parts {
			have = append(have, s.Attempt+" "+p.Node)
		}
	}
	if diff := cmp.Diff(g.acked, have); diff != "" {
		r.Fatalf("(-acknowledged +stored):\n%s", diff)
	}
}
