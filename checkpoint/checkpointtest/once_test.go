package checkpointtest

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/storetest"
)

func onceCases() []check {
	return []check{
		{"a finished turn returns its end, and nothing runs or is written", onceFinished},
		{"a turn that a node failed goes on", onceUnfinished},
		{"a turn that waits goes on waiting", onceWaiting},
		{"a turn that was given up is finished", onceGivenUp},
		{"a turn that runs is busy, and says when to try again", onceRuns},
		{"a finished turn is known while another is unfinished", onceBesideUnfinished},
		{"a turn whose state was pruned is done", oncePruned},
		{"deleted turns and threads are not known", onceDeleted},
		{"a fork does not know the turns of its thread", onceForked},
		{"a turn gone back into ends anew", onceRewound},
		{"an id that can be no key is refused", onceInvalid},
		{"a fresh turn is neither looked for nor kept", onceFresh},
		{"it costs one read, and one write where there are no transactions", onceCost},
		raced("of two attempts at one turn at once one runs", onceRaced),
		raced("an attempt that comes late leaves the end of another there", onceLate),
		raced("a place taken by another turn leaves no end behind", onceOvertaken),
	}
}

// again invokes a turn that must come back with its end, and checks that this changes nothing.
func (b *bench) again(g *graph, th state.Thread, id string, want told) {
	b.Helper()
	reader := b.graph(plan{})
	before := b.everything(reader, th)
	end, err := g.Invoke(b.Context(), th, id, noted("again"))
	b.wantErr("Invoke of "+id+" again", err, nil)
	b.want("the end of "+id, want, tell(end))
	b.want("history", before, b.everything(reader, th))
}

func onceFinished(b *bench) {
	th := b.thread("x")
	b.turns(b.graph(plan{}), th, "t1", "t2", "t3")
	g := b.graph(plan{do: fails("a")})
	for id, want := range map[string]told{"t1": {"a b c", 3, "t1"}, "t2": {"a b c a b c", 6, "t2"}, "t3": {"a b c a b c a b c", 9, "t3"}} {
		b.again(g, th, id, want)
	}
	b.want("ends", []string{"x/$t1", "x/$t2", "x/$t3"}, b.documents(state.Turns))
	b.turns(b.graph(plan{}), th, "t4")
	b.again(g, th, "t3", told{"a b c a b c a b c", 9, "t3"})
}

func onceUnfinished(b *bench) {
	th := b.thread("x")
	b.turns(b.graph(plan{}), th, "t1")
	b.broken(b.graph(plan{do: fails("c")}), th, "t2")
	b.later()
	g := b.graph(plan{do: fails("a", "b"), write: func(s *story, node string) { s.Words.Add(node + s.View.Get()) }})
	_, err := g.Invoke(b.Context(), th, "t3", story{})
	b.wantErr("Invoke of another turn", err, checkpoint.ErrUnfinished)
	again := noted("again")
	again.View.Set("!")
	end, err := g.Invoke(b.Context(), th, "t2", again)
	b.wantErr("Invoke", err, nil)
	b.want("state", told{"a b c a b c!", 5, "t2"}, tell(end))
	b.again(g, th, "t2", told{"a b c a b c!", 5, "t2"})
}

func onceWaiting(b *bench) {
	th := b.thread("x")
	p := asking()
	g := b.graph(p)
	for range 2 {
		_, err := g.Invoke(b.Context(), th, "t1", noted("t1"))
		b.wantErr("Invoke", err, state.ErrWaits)
	}
	g = b.graph(p)
	waits := b.state(g, th, 0).Waits
	b.want("questions", 1, len(waits))
	_, err := g.Answer(b.Context(), th, map[string]state.Answer{waits[0].ID: {Choice: state.Approve}})
	b.wantErr("Answer", err, nil)
	b.again(g, th, "t1", told{"a approve b c", 3, "t1"})
}

func onceGivenUp(b *bench) {
	th := b.thread("x")
	b.broken(b.graph(plan{do: fails("c")}), th, "t1")
	b.later()
	b.giveUp(th)
	b.again(b.graph(plan{}), th, "t1", told{"a b", 2, "t1"})
}

func onceRuns(b *bench) {
	th := b.thread("x")
	l := b.log(b.config(b.store))
	g := b.graph(plan{over: l})
	turn := b.begin(l, th, "t1")
	b.wantErr("Commit", turn.Commit(b.Context(), word("a", "a")), nil)
	busy := func(g *graph, least, most int) {
		_, err := g.Invoke(b.Context(), th, "t1", story{})
		b.wantErr("Invoke", err, checkpoint.ErrBusy)
		if after := int(state.RetryAfter(err).Milliseconds()); after < least || after > most {
			b.Errorf("RetryAfter = %d ms, want %d to %d", after, least, most)
		}
	}
	busy(g, 1, 1000)
	if b.store.Features().Shared {
		whole := int(lease.Milliseconds())
		busy(b.graph(plan{}), whole, whole)
	}
}

func onceBesideUnfinished(b *bench) {
	th := b.thread("x")
	b.turns(b.graph(plan{}), th, "t1")
	b.broken(b.graph(plan{do: fails("c")}), th, "t2")
	b.later()
	b.again(b.graph(plan{}), th, "t1", told{"a b c", 3, "t1"})
}

func oncePruned(b *bench) {
	g, th := b.graph(plan{}), b.thread("x")
	b.turns(g, th, "t1", "t2", "t3")
	b.prune(g, th, 1)
	_, err := g.Invoke(b.Context(), th, "t1", story{})
	b.wantErr("Invoke of a turn that was pruned", err, checkpoint.ErrDone)
	b.wantErr("Invoke of a turn that was pruned", err, state.ErrConflict)
	b.again(g, th, "t3", told{"a b c a b c a b c", 9, "t3"})
}

func onceDeleted(b *bench) {
	g, th, other := b.graph(plan{}), b.thread("x"), b.thread("x/child")
	b.turns(g, th, "t1", "t2", "t3")
	b.turns(g, other, "t1")
	b.deleteTurns(g, th, 1, "t2", "no/key")
	b.want("ends", []string{"x/$t1", "x/$t3", "x/child/$t1"}, b.documents(state.Turns))
	b.turns(g, th, "t2")
	b.want("state", told{"a b c a b c a b c a b c", 12, "t2"}, tell(b.state(g, th, 0).State))
	b.later()
	b.erase(th)
	b.want("ends", []string{"x/child/$t1"}, b.documents(state.Turns))
	b.turns(g, th, "t1")
	b.want("state", told{"a b c", 3, "t1"}, tell(b.state(g, th, 0).State))
}

func onceForked(b *bench) {
	l := b.log(b.config(b.store))
	g, th := b.graph(plan{over: l}), b.thread("x")
	b.turns(g, th, "t1")
	b.wantErr("Fork", g.Fork(b.Context(), th, 0, b.thread("z")), nil)
	b.want("ends", []string{"x/$t1"}, b.documents(state.Turns))
	b.turns(g, b.thread("z"), "t1")
	b.want("z", told{"a b c a b c", 6, "t1"}, tell(b.state(g, b.thread("z"), 0).State))
}

// Back in the middle of a turn that had ended, it is unfinished again, and may end in another way.
func onceRewound(b *bench) {
	g, th := b.graph(plan{}), b.thread("x")
	b.turns(g, th, "t1", "t2")
	b.wantErr("Rewind", g.Rewind(b.Context(), th, 1), nil)
	b.later()
	loud := b.graph(plan{write: func(s *story, node string) { s.Words.Add(strings.ToUpper(node)) }})
	end, err := loud.Invoke(b.Context(), th, "t1", story{})
	b.wantErr("Invoke", err, nil)
	b.want("state", told{"a B C", 1, "t1"}, tell(end))
	b.tidy(loud, th)
	b.again(g, th, "t1", told{"a B C", 1, "t1"})
	b.again(g, th, "t2", told{"a b c a b c", 6, "t2"})
}

func onceInvalid(b *bench) {
	g, th := b.graph(plan{}), b.thread("x")
	for _, id := range []string{"", "a/b", "$a", "a\nb", strings.Repeat("a", 129), "\xff"} {
		_, err := g.Invoke(b.Context(), th, id, story{})
		b.wantErr("Invoke of "+id, err, state.ErrInvalid)
	}
	b.want("steps", []string(nil), b.documents(state.Steps))
}

func onceFresh(b *bench) {
	g, th := b.graph(plan{}), b.thread("x")
	ctx := flow.ContextWithFreshTurn(b.Context())
	for range 2 {
		_, err := g.Invoke(ctx, th, "a/b", story{})
		b.wantErr("Invoke", err, nil)
	}
	b.want("sum", count(6), b.state(g, th, 0).State.Sum.Get())
	b.want("ends", []string(nil), b.documents(state.Turns))
}

func onceCost(b *bench) {
	calls := func(ctx context.Context, id string) int {
		th := b.thread(id)
		b.turns(b.graph(plan{}), th, "t1")
		b.later()
		d := storetest.Wrap(b.store, nil)
		g := b.graph(plan{store: d})
		_, err := g.Invoke(ctx, th, "t2", story{})
		b.wantErr("Invoke", err, nil)
		b.tidy(g, th)
		return d.Calls()
	}
	more := 1
	if !b.store.Features().Atomic {
		more = 2
	}
	b.want("calls", calls(flow.ContextWithFreshTurn(b.Context()), "fresh")+more, calls(b.Context(), "named"))
}

func onceRaced(b *bench) {
	th := b.thread("x")
	b.turns(b.graph(plan{}), th, "t1")
	graphs := []*graph{b.graph(plan{nodes: "a"}), b.graph(plan{nodes: "a"}), b.graph(plan{}), b.graph(plan{})}
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			end, err := graphs[i%4].Invoke(context.WithoutCancel(b.Context()), th, "t2", noted("t2"))
			if err != nil && !errors.Is(err, state.ErrConflict) {
				b.Errorf("Invoke = %v, want an end or a conflict", err)
			}
			if got := tell(end); err == nil && got != (told{"a b c a", 4, "t2"}) && got != (told{"a b c a b c", 6, "t2"}) {
				b.Errorf("Invoke = %+v, want t2 once", got)
			}
		})
	}
	wg.Wait()
	b.later()
	end, err := graphs[3].Invoke(b.Context(), th, "t2", noted("t2"))
	b.wantErr("Invoke", err, nil)
	b.again(graphs[2], th, "t2", tell(end))
	b.want("turns", 2, len(b.history(graphs[3], th, checkpoint.Which{Done: true})))
}

// An attempt that comes late with its only step must not take away that the turn was finished by another attempt, in several.
func onceLate(b *bench) {
	th := b.thread("x")
	first, second := b.log(b.config(b.store)), b.log(b.config(b.store))
	late, _, err := first.BeginOnce(b.Context(), th, "t1")
	b.wantErr("BeginOnce", err, nil)
	b.turns(b.graph(plan{over: second}), th, "t1")
	done := word("a", "t1")
	done.Done = true
	b.wantErr("Commit", late.Commit(b.Context(), done), checkpoint.ErrBusy)
	late.Release()
	b.want("ends", []string{"x/$t1"}, b.documents(state.Turns))
	g := b.graph(plan{})
	b.again(g, th, "t1", tell(b.state(g, th, 0).State))
}

// An attempt that loses its first step, which is its last, to another turn must not be taken for finished when that is
// pruned.
func onceOvertaken(b *bench) {
	th := b.thread("x")
	first, second := b.log(b.config(b.store)), b.log(b.config(b.store))
	late, _, err := first.BeginOnce(b.Context(), th, "late")
	b.wantErr("BeginOnce", err, nil)
	b.turns(b.graph(plan{over: second, nodes: "a"}), th, "t1")
	done := word("a", "late")
	done.Done = true
	b.wantErr("Commit", late.Commit(b.Context(), done), checkpoint.ErrBusy)
	late.Release()
	b.want("ends", []string{"x/$t1"}, b.documents(state.Turns))
	g := b.graph(plan{nodes: "a"})
	b.turns(g, th, "t2")
	b.prune(g, th, 1)
	b.turns(g, th, "late")
	b.want("state", told{"a a a", 3, "late"}, tell(b.state(g, th, 0).State))
}
