package checkpointtest

import (
	"fmt"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
)

func pruneCases() []check {
	return []check{
		{"keeping one turn leaves the latest", pruneLatest},
		{"every step that is kept can be rebuilt as before", pruneRebuild},
		{"a step that is gone is not found", pruneNotFound},
		{"turns before a time go", pruneTime},
		{"one thread is pruned, the others stay", pruneOthers},
		{"an unfinished turn stays and goes on", pruneUnfinished},
		{"a thread that is short enough stays", pruneShort},
		{"a thread that does not exist is no error", pruneUnknown},
		{"to keep everything, nothing or a negative number is refused", pruneInvalid},
		{"numbers go on", pruneGoOn},
		{"pruning again and again", pruneOften},
		{"with fresh states nothing of the old turns is left", pruneFresh},
		{"a large state survives", pruneLarge},
		{"from the middle of a turn is refused", pruneMiddle},
		{"while a turn runs is refused", pruneRunning},
	}
}

func (b *bench) prune(g *graph, th state.Thread, turns int) {
	b.Helper()
	_, err := g.Prune(b.Context(), th, flow.Keep{Turns: turns})
	b.wantErr("Prune", err, nil)
}

func pruneLatest(b *bench) {
	g, th := b.graph(plan{}), b.thread("x")
	b.turns(g, th, "t1", "t2", "t3")
	b.prune(g, th, 1)
	b.want("history", []string{"9 t3 loop [c]", "8 t3 loop [b] c", "7 t3 input [a] b"}, lines(b.history(g, th, checkpoint.Which{})))
	b.want("state", told{"a b c a b c a b c", 9, "t3"}, tell(b.state(b.graph(plan{}), th, 0).State))
	for _, id := range b.documents(state.Steps) {
		if !strings.Contains(id, "!") && id < "x/$"+state.SeqKey(7) {
			b.Errorf("document %s is left", id)
		}
	}
}

func pruneRebuild(b *bench) {
	for _, unfolded := range []bool{false, true} {
		for keep := 1; keep <= 5; keep++ {
			g := b.graph(plan{log: func(c *checkpoint.Config) { c.Unfolded = unfolded }})
			th := b.thread(fmt.Sprint("x", keep, unfolded))
			b.turns(g, th, "t1", "t2", "t3", "t4", "t5")
			before := b.everything(g, th)
			b.prune(g, th, keep)
			b.want(fmt.Sprint("keeping ", keep), before[:3*keep], b.everything(b.graph(plan{}), th))
		}
	}
}

func pruneNotFound(b *bench) {
	g, th := b.graph(plan{}), b.thread("x")
	b.turns(g, th, "t1", "t2")
	b.prune(g, th, 1)
	for at := int64(1); at <= 3; at++ {
		_, err := g.State(b.Context(), th, at)
		b.wantErr(fmt.Sprint("State at ", at), err, state.ErrNotFound)
	}
}

func pruneTime(b *bench) {
	g, th := b.graph(plan{nodes: "a"}), b.thread("x")
	var at []time.Time
	for i := range 4 {
		at = append(at, b.clock.Now())
		b.turns(g, th, fmt.Sprint("t", i))
		b.clock.Pass(time.Hour)
	}
	before := b.everything(g, th)
	_, err := g.Prune(b.Context(), th, flow.Keep{Before: at[2]})
	b.wantErr("Prune", err, nil)
	b.want("left", before[:2], b.everything(g, th))
	_, err = g.Prune(b.Context(), th, flow.Keep{Before: b.clock.Now()})
	b.wantErr("Prune", err, nil)
	b.want("left", before[:1], b.everything(g, th))
}

func pruneOthers(b *bench) {
	g := b.graph(plan{})
	others := []string{"w", "x/child", "xy"}
	want := map[string][]string{}
	for _, id := range append([]string{"x"}, others...) {
		b.turns(g, b.thread(id), "t1", "t2")
		want[id] = b.everything(g, b.thread(id))
	}
	b.prune(g, b.thread("x"), 1)
	for _, id := range others {
		b.want(id, want[id], b.everything(g, b.thread(id)))
	}
	b.want("x", want["x"][:3], b.everything(g, b.thread("x")))
}

func pruneUnfinished(b *bench) {
	g, th := b.graph(plan{}), b.thread("x")
	b.turns(g, th, "t1", "t2")
	b.broken(b.graph(plan{do: fails("c")}), th, "t3")
	b.later()
	before := b.everything(g, th)
	b.prune(g, th, 1)
	b.want("left", before[:5], b.everything(g, th))
	end, err := b.graph(plan{do: fails("a", "b")}).Resume(b.Context(), th, nil)
	b.wantErr("Resume", err, nil)
	b.want("state", told{"a b c a b c a b c", 9, "t3"}, tell(end))
}

func pruneShort(b *bench) {
	g, th := b.graph(plan{}), b.thread("x")
	b.turns(g, th, "t1", "t2")
	before := b.everything(g, th)
	n, err := g.Prune(b.Context(), th, flow.Keep{Turns: 2})
	b.wantErr("Prune", err, nil)
	b.want("deleted", 0, n)
	b.want("left", before, b.everything(g, th))
}

func pruneUnknown(b *bench) {
	n, err := b.graph(plan{}).Prune(b.Context(), b.thread("nobody"), flow.Keep{Turns: 1})
	b.wantErr("Prune", err, nil)
	b.want("deleted", 0, n)
}

func pruneInvalid(b *bench) {
	g, th := b.graph(plan{}), b.thread("x")
	b.turns(g, th, "t1", "t2")
	for _, keep := range []flow.Keep{{}, {Turns: -1}} {
		_, err := g.Prune(b.Context(), th, keep)
		b.wantErr(fmt.Sprintf("%+v", keep), err, state.ErrInvalid)
	}
}

func pruneGoOn(b *bench) {
	g, th := b.graph(plan{}), b.thread("x")
	b.turns(g, th, "t1", "t2")
	b.prune(g, th, 1)
	b.turns(b.graph(plan{}), th, "t3")
	s := b.state(g, th, 0)
	b.want("state", told{"a b c a b c a b c", 9, "t3"}, tell(s.State))
	b.want("number", int64(9), s.Seq)
}

func pruneOften(b *bench) {
	g, th := b.graph(plan{flow: flow.Config[story]{SnapshotEvery: 7}}), b.thread("x")
	for i := 1; i <= 20; i++ {
		b.turns(g, th, fmt.Sprint("t", i))
		b.prune(g, th, 1+i%3)
		got := b.state(g, th, 0).State
		if got.Sum.Get() != count(3*i) || got.Words.Len() != 3*i || got.Words.Items()[0] != "a" {
			b.Fatalf("after turn %d: %+v", i, tell(got))
		}
	}
}

func pruneFresh(b *bench) {
	g, th := b.graph(plan{flow: flow.Config[story]{Fresh: func(story) story { return story{} }}, log: func(c *checkpoint.Config) { c.Unfolded = true }}), b.thread("x")
	b.turns(g, th, "secret", "t2", "t3")
	before := b.everything(g, th)
	b.prune(g, th, 2)
	b.want("left", before[:6], b.everything(g, th))
	if docs := b.dump(); strings.Contains(docs, "secret") {
		b.Errorf("the store still holds %s", docs)
	}
}

func pruneLarge(b *bench) {
	g, th := b.graph(plan{nodes: "a b"}), b.thread("x")
	for i := range 3 {
		in := story{}
		in.Words.Add(strings.Repeat(fmt.Sprint(i), 2<<20))
		b.turn(g, th, fmt.Sprint("t", i), in)
	}
	want := tell(b.state(g, th, 0).State)
	b.prune(g, th, 1)
	if got := tell(b.state(g, th, 0).State); got != want {
		b.Errorf("%d bytes became %d", len(want.Words), len(got.Words))
	}
}

func pruneMiddle(b *bench) {
	th := b.thread("x")
	l := b.log(b.config(b.store))
	b.broken(b.graph(plan{over: l, do: fails("c")}), th, "t1")
	_, err := l.Prune(b.Context(), th, 2, nil)
	b.wantErr("Prune", err, state.ErrInvalid)
	b.want("steps", 2, len(b.history(b.graph(plan{}), th, checkpoint.Which{})))
}

func pruneRunning(b *bench) {
	th := b.thread("x")
	l := b.log(b.config(b.store))
	quiet := b.graph(plan{over: l})
	b.turns(quiet, th, "t1", "t2")
	b.turns(b.graph(plan{over: l, do: map[string]func() error{"b": func() error {
		_, err := quiet.Prune(b.Context(), th, flow.Keep{Turns: 1})
		b.wantErr("Prune", err, state.ErrConflict)
		_, err = quiet.DeleteTurns(b.Context(), th, "t1")
		b.wantErr("DeleteTurns", err, state.ErrConflict)
		return nil
	}}}), th, "t3")
	b.want("sum", count(9), b.state(quiet, th, 0).State.Sum.Get())
}
