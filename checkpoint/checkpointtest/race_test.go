package checkpointtest

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

func strayNode(set bool) flow.NodeFunc[stray] {
	return func(_ context.Context, s stray) (stray, error) {
		s.Words.Add("word")
		if set {
			s.Func.Set(func() {})
		}
		return s, nil
	}
}

func raceCases() []check {
	return []check{
		raced("of two turns begun on one step one is kept", raceBegin),
		raced("of two first turns one is kept", raceFirst),
		raced("of many turns at once each is whole or refused", raceMany),
		raced("a holder that was taken over from is fenced", raceFenced),
		raced("of two that take a turn over one wins", raceTake),
		raced("a turn begun before the thread was deleted leaves no orphan", raceDelete),
		raced("a turn that slept while the thread was deleted leaves no orphan", raceDeleteAsleep),
		raced("one of two answers counts", raceAnswers),
		raced("a commit is the step and its effects or neither", raceEffects),
	}
}

// among lets the store say that other processes have it open too, as far as that is not so anyway: what several do to
// one thread can be tried on any store.
type among struct{ store.Store }

// Features are those of a server.
func (s among) Features() store.Features {
	return store.Features{Atomic: s.Store.Features().Atomic, Shared: true}
}

// raced is a case with several processes.
func raced(name string, run func(*bench)) check {
	return check{name, func(b *bench) {
		b.store = among{b.store}
		run(b)
	}}
}

// begin begins a turn in a process of its own.
func (b *bench) begin(l *checkpoint.Log, th state.Thread, id string) *checkpoint.Turn {
	b.Helper()
	t, err := l.Begin(b.Context(), th, id)
	b.wantErr("Begin", err, nil)
	b.Cleanup(t.Release)
	return t
}

func word(node, text string) checkpoint.Commit {
	var s story
	s.Words.Add(text)
	part := checkpoint.Part{Node: node, Visit: 1}
	if err := part.Deltas(s.Fields()); err != nil {
		panic(err) // the suite's own value
	}
	return checkpoint.Commit{Parts: []checkpoint.Part{part}}
}

func raceBegin(b *bench) {
	th := b.thread("x")
	b.turns(b.graph(plan{nodes: "a"}), th, "t1")
	b.twoBegin(th, "a")
}

func raceFirst(b *bench) { b.twoBegin(b.thread("x"), "") }

func (b *bench) twoBegin(th state.Thread, before string) {
	first, second := b.begin(b.log(b.config(b.store)), th, "t2"), b.begin(b.log(b.config(b.store)), th, "t3")
	b.wantErr("the first", first.Commit(b.Context(), word("a", "first")), nil)
	err := second.Commit(b.Context(), word("a", "second"))
	if !errors.Is(err, state.ErrConflict) || errors.Is(err, state.ErrFenced) {
		b.Fatalf("the second = %v, want a conflict that is not a fence", err)
	}
	b.wantErr("the second again", second.Commit(b.Context(), word("b", "second")), state.ErrConflict)
	second.Release()
	b.wantErr("the first", first.Commit(b.Context(), checkpoint.Commit{Done: true}), nil)
	first.Release()
	words := b.state(b.graph(plan{}), th, 0).State.Words.Items()
	b.want("words", append([]string{before}, "first")[btoi(before == ""):], words)
}

func raceMany(b *bench) {
	th := b.thread("x")
	var wg sync.WaitGroup
	var mu sync.Mutex
	kept := 0
	graphs := []*graph{b.graph(plan{}), b.graph(plan{})}
	for i := range 8 {
		wg.Go(func() {
			for n := range 5 {
				_, err := graphs[i%2].Invoke(b.Context(), th, fmt.Sprint("t", i, n), story{})
				switch {
				case err == nil:
					mu.Lock()
					kept++
					mu.Unlock()
				case !errors.Is(err, state.ErrConflict):
					b.Errorf("Invoke = %v, want a conflict", err)
				}
			}
		})
	}
	wg.Wait()
	got := b.state(b.graph(plan{}), th, 0)
	if kept == 0 || got.State.Sum.Get() != count(3*kept) || got.Seq != int64(3*kept) || !got.Done {
		b.Errorf("%d turns were kept, the thread has %d steps and the sum %d", kept, got.Seq, got.State.Sum.Get())
	}
}

func raceFenced(b *bench) {
	th := b.thread("x")
	old := b.begin(b.log(b.config(b.store)), th, "t1")
	b.wantErr("Commit", old.Commit(b.Context(), word("a", "a")), nil)
	b.later()
	end, err := b.graph(plan{}).Resume(b.Context(), th, nil)
	b.wantErr("Resume", err, nil)
	for range 2 {
		b.wantErr("the old holder", old.Commit(b.Context(), word("b", "late")), state.ErrFenced)
	}
	b.want("state", told{"a b c", 2, ""}, tell(end))
	b.want("stored", told{"a b c", 2, ""}, tell(b.state(b.graph(plan{}), th, 0).State))
}

func raceTake(b *bench) {
	th := b.thread("x")
	b.broken(b.graph(plan{do: fails("c")}), th, "t1")
	b.later()
	logs := []*checkpoint.Log{b.log(b.config(b.store)), b.log(b.config(b.store))}
	var wg sync.WaitGroup
	won := make([]*checkpoint.Turn, 2)
	for i, l := range logs {
		wg.Go(func() {
			t, _, err := l.Take(b.Context(), th)
			if err != nil && !errors.Is(err, state.ErrConflict) {
				b.Errorf("Take = %v, want a conflict", err)
			}
			won[i] = t
		})
	}
	wg.Wait()
	if (won[0] == nil) == (won[1] == nil) {
		b.Fatalf("winners: %v", won)
	}
	for _, t := range won {
		if t != nil {
			b.wantErr("Commit", t.Commit(b.Context(), checkpoint.Commit{Done: true}), nil)
			t.Release()
		}
	}
	b.want("steps", 4, len(b.history(b.graph(plan{}), th, checkpoint.Which{})))
}

func raceDelete(b *bench) {
	th, l := b.thread("x"), b.log(b.config(b.store))
	b.turns(b.graph(plan{}), th, "t1")
	b.later()
	late := b.begin(b.log(b.config(b.store)), th, "t2")
	b.wantErr("Delete", l.Delete(b.Context(), th), nil)
	b.wantErr("the late commit", late.Commit(b.Context(), word("a", "late")), state.ErrConflict)
	late.Release()
	b.want("steps", []string(nil), b.documents(state.Steps))
	b.turns(b.graph(plan{}), th, "t3")
	b.want("state", told{"a b c", 3, "t3"}, tell(b.state(b.graph(plan{}), th, 0).State))
}

func raceDeleteAsleep(b *bench) {
	th, l := b.thread("x"), b.log(b.config(b.store))
	late := b.begin(b.log(b.config(b.store)), th, "t1")
	b.wantErr("Commit", late.Commit(b.Context(), word("a", "a")), nil)
	b.later()
	b.giveUp(th)
	b.wantErr("Delete", l.Delete(b.Context(), th), nil)
	b.wantErr("the late commit", late.Commit(b.Context(), word("b", "late")), state.ErrConflict)
	late.Release()
	b.want("steps", []string(nil), b.documents(state.Steps))
	b.turns(b.graph(plan{}), th, "t3")
	b.want("state", told{"a b c", 3, "t3"}, tell(b.state(b.graph(plan{}), th, 0).State))
}

func raceAnswers(b *bench) {
	th := b.thread("x")
	p := asking()
	g := b.graph(p)
	_, err := g.Invoke(b.Context(), th, "t1", story{})
	b.wantErr("Invoke", err, state.ErrConflict)
	id := b.state(g, th, 0).Waits[0].ID
	graphs := []*graph{b.graph(p), b.graph(p)}
	var wg sync.WaitGroup
	for i, choice := range []state.Choice{state.Approve, state.Reject} {
		wg.Go(func() {
			_, err := graphs[i].Answer(b.Context(), th, map[string]state.Answer{id: {Choice: choice}})
			if err != nil && !errors.Is(err, state.ErrConflict) && !errors.Is(err, state.ErrNotFound) {
				b.Errorf("Answer = %v", err)
			}
		})
	}
	wg.Wait()
	got := tell(b.state(g, th, 0).State)
	if got != (told{"a approve b c", 3, ""}) && got != (told{"a reject b c", 3, ""}) {
		b.Errorf("state = %+v", got)
	}
}

func raceEffects(b *bench) {
	th, c := b.thread("x"), b.config(b.store)
	c.Memory = b.ledger(b.store)
	old := b.begin(b.log(c), th, "t1")
	b.wantErr("Commit", old.Commit(b.Context(), word("a", "a")), nil)
	b.later()
	_, err := b.graph(b.paying(plan{})).Resume(b.Context(), th, nil)
	b.wantErr("Resume", err, nil)
	late := word("b", "late")
	late.Effects = []state.Effect{{Scope: b.scope(), Record: &state.Record{ID: "b", Importance: 100}}}
	late.Done = true
	b.wantErr("the old holder", old.Commit(b.Context(), late), state.ErrConflict)
	b.want("accounts", map[string]int{"a": 0, "b": 1, "c": 1}, b.accounts())
}
