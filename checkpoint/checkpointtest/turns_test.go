package checkpointtest

import (
	"strings"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
)

func deleteTurnsCases() []check {
	return []check{
		{"one turn goes, the others can be rebuilt as before", deleteOneTurn},
		{"several turns go", deleteSeveralTurns},
		{"the first turn goes", deleteFirstTurn},
		{"the last turn goes, and its state with it", deleteLastTurn},
		{"what a turn said is nowhere left when its successors do not hold it", deleteTurnsText},
		{"no turns are no error", deleteNoTurns},
		{"a turn the thread does not have is no error", deleteUnknownTurn},
		{"a turn of the same id on another thread stays", deleteTurnElsewhere},
		{"an unfinished turn is refused", deleteUnfinishedTurn},
		{"a turn before an unfinished one goes, which goes on", deleteBeforeUnfinished},
		{"a turn in several places goes, what lies between them stays", deleteScatteredTurn},
		{"a turn that the thread was taken back to is refused until it has gone on", deleteTurnGoneBackTo},
		{"the thread goes on behind it", deleteTurnsGoOn},
		{"turns of a graph with fresh states go", deleteTurnsFresh},
		{"a deleted step is not found", deleteTurnsNotFound},
	}
}

// deleteTurns deletes turns and checks how many that were.
func (b *bench) deleteTurns(g *graph, th state.Thread, n int, ids ...string) {
	b.Helper()
	got, err := g.DeleteTurns(b.Context(), th, ids...)
	b.wantErr("DeleteTurns", err, nil)
	b.want("turns deleted", n, got)
}

// without leaves the lines of some turns out.
func without(lines []string, turns ...string) (out []string) {
	for _, l := range lines {
		if id := strings.Fields(l)[1]; !strings.Contains(" "+strings.Join(turns, " ")+" ", " "+id+" ") {
			out = append(out, l)
		}
	}
	return out
}

func deleteOneTurn(b *bench) {
	g, th := b.graph(plan{}), b.thread("x")
	b.turns(g, th, "t1", "t2", "t3", "t4")
	before := b.everything(g, th)
	b.deleteTurns(g, th, 1, "t2")
	b.want("left", without(before, "t2"), b.everything(b.graph(plan{}), th))
	b.deleteTurns(g, th, 0, "t2")
	b.want("left", without(before, "t2"), b.everything(g, th))
}

func deleteSeveralTurns(b *bench) {
	g, th := b.graph(plan{}), b.thread("x")
	b.turns(g, th, "t1", "t2", "t3", "t4", "t5")
	before := b.everything(g, th)
	b.deleteTurns(g, th, 3, "t4", "t2", "none", "t3")
	b.want("left", without(before, "t2", "t3", "t4"), b.everything(g, th))
}

func deleteFirstTurn(b *bench) {
	g, th := b.graph(plan{}), b.thread("x")
	b.turns(g, th, "t1", "t2", "t3")
	before := b.everything(g, th)
	b.deleteTurns(g, th, 1, "t1")
	b.want("left", without(before, "t1"), b.everything(g, th))
}

func deleteLastTurn(b *bench) {
	g, th := b.graph(plan{}), b.thread("x")
	b.turns(g, th, "t1", "t2")
	b.deleteTurns(g, th, 1, "t2")
	b.want("state", told{"a b c", 3, "t1"}, tell(b.state(g, th, 0).State))
	b.turns(g, th, "t3")
	b.want("state", told{"a b c a b c", 6, "t3"}, tell(b.state(g, th, 0).State))
	b.deleteTurns(g, th, 2, "t1", "t3")
	b.want("history", 0, len(b.history(g, th, checkpoint.Which{})))
	b.want("state", told{}, tell(b.state(g, th, 0).State))
}

func deleteTurnsText(b *bench) {
	g, th := b.graph(plan{nodes: "a b", log: func(c *checkpoint.Config) { c.Unfolded = true }, flow: flow.Config[story]{Forgets: true}}), b.thread("x")
	b.turns(g, th, "t1", "secret-turn", "t3")
	b.deleteTurns(g, th, 1, "secret-turn")
	docs := b.dump()
	if len(docs) == 0 || strings.Contains(docs, "secret") {
		b.Errorf("the store still holds %s", docs)
	}
}

func deleteNoTurns(b *bench) {
	g, th := b.graph(plan{}), b.thread("x")
	b.turns(g, th, "t1")
	before := b.everything(g, th)
	b.deleteTurns(g, th, 0)
	b.want("left", before, b.everything(g, th))
}

func deleteUnknownTurn(b *bench) {
	g, th := b.graph(plan{}), b.thread("x")
	b.deleteTurns(g, th, 0, "t1")
	b.turns(g, th, "t1")
	before := b.everything(g, th)
	b.deleteTurns(g, th, 0, "t2", "T1", "t", "t11")
	b.want("left", before, b.everything(g, th))
	_, err := g.DeleteTurns(b.Context(), th, "")
	b.wantErr("DeleteTurns of an empty id", err, state.ErrInvalid)
	b.want("left", before, b.everything(g, th))
}

func deleteTurnElsewhere(b *bench) {
	g := b.graph(plan{})
	for _, id := range []string{"x", "x/child", "y"} {
		b.turns(g, b.thread(id), "t1", "t2")
	}
	child, y := b.everything(g, b.thread("x/child")), b.everything(g, b.thread("y"))
	b.deleteTurns(g, b.thread("x"), 1, "t1")
	b.want("x/child", child, b.everything(g, b.thread("x/child")))
	b.want("y", y, b.everything(g, b.thread("y")))
}

func deleteUnfinishedTurn(b *bench) {
	g, th := b.graph(plan{}), b.thread("x")
	b.turns(g, th, "t1")
	b.broken(b.graph(plan{do: fails("b")}), th, "t2")
	b.later()
	_, err := g.DeleteTurns(b.Context(), th, "t2")
	b.wantErr("DeleteTurns", err, state.ErrConflict)
	end, err := g.Resume(b.Context(), th, nil)
	b.wantErr("Resume", err, nil)
	b.want("state", told{"a b c a b c", 6, "t2"}, tell(end))
}

func deleteBeforeUnfinished(b *bench) {
	g, th := b.graph(plan{}), b.thread("x")
	b.turns(g, th, "t1", "t2")
	b.broken(b.graph(plan{do: fails("c")}), th, "t3")
	b.later()
	b.deleteTurns(g, th, 2, "t1", "t2")
	b.later()
	end, err := b.graph(plan{}).Resume(b.Context(), th, nil)
	b.wantErr("Resume", err, nil)
	b.want("state", told{"a b c a b c a b c", 9, "t3"}, tell(end))
	b.turns(g, th, "t4")
	b.want("state", told{"a b c a b c a b c a b c", 12, "t4"}, tell(b.state(g, th, 0).State))
	b.want("a step of t3", told{"a b c a b c a b", 8, "t3"}, tell(b.state(g, th, 8).State))
}

func deleteScatteredTurn(b *bench) {
	g, th := b.graph(plan{}), b.thread("x")
	b.turns(g, th, "t1", "t2", "t3")
	b.wantErr("Rewind", g.Rewind(b.Context(), th, 5), nil)
	_, err := g.Resume(b.Context(), th, nil)
	b.wantErr("Resume", err, nil)
	b.turns(g, th, "t4")
	before := b.everything(g, th)
	b.deleteTurns(g, th, 1, "t2")
	b.want("left", without(before, "t2"), b.everything(g, th))
}

func deleteTurnGoneBackTo(b *bench) {
	g, th := b.graph(plan{}), b.thread("x")
	b.turns(g, th, "t1", "t2", "t3")
	b.wantErr("Rewind", g.Rewind(b.Context(), th, 6), nil)
	_, err := g.DeleteTurns(b.Context(), th, "t2")
	b.wantErr("DeleteTurns", err, state.ErrConflict)
	b.want("state", told{"a b c a b c", 6, "t2"}, tell(b.state(g, th, 0).State))
	b.turns(g, th, "t4")
	b.deleteTurns(g, th, 1, "t2")
	b.want("state", told{"a b c a b c a b c", 9, "t4"}, tell(b.state(g, th, 0).State))
}

func deleteTurnsGoOn(b *bench) {
	g, th := b.graph(plan{flow: flow.Config[story]{SnapshotEvery: 5}}), b.thread("x")
	sum := count(0)
	for i := range 12 {
		id := "t" + string(rune('a'+i))
		b.turns(g, th, id)
		if sum += 3; i%3 == 2 { // always the one before: its successor stands
			b.deleteTurns(g, th, 1, "t"+string(rune('a'+i-1)))
		}
		got := b.state(g, th, 0).State
		if got.Sum.Get() != sum || got.Words.Len() != int(sum) || got.Note.Get() != id {
			b.Fatalf("after %s: %+v, want %d", id, tell(got), sum)
		}
	}
}

func deleteTurnsFresh(b *bench) {
	g, th := b.graph(plan{flow: flow.Config[story]{Fresh: func(s story) story {
		kept := story{}
		kept.Sum.Add(s.Sum.Get())
		return kept
	}}}), b.thread("x")
	b.turns(g, th, "t1", "t2", "t3")
	before := b.everything(g, th)
	b.deleteTurns(g, th, 1, "t2")
	b.want("left", without(before, "t2"), b.everything(g, th))
	b.deleteTurns(g, th, 1, "t3")
	b.want("state", told{"a b c", 3, "t1"}, tell(b.state(g, th, 0).State))
	b.turns(g, th, "t4")
	b.want("state", told{"a b c", 6, "t4"}, tell(b.state(g, th, 0).State))
}

func deleteTurnsNotFound(b *bench) {
	g, th := b.graph(plan{}), b.thread("x")
	b.turns(g, th, "t1", "t2", "t3")
	b.deleteTurns(g, th, 1, "t2")
	for _, at := range []int64{4, 5, 6} {
		_, err := g.State(b.Context(), th, at)
		b.wantErr("State", err, state.ErrNotFound)
		b.wantErr("Rewind", g.Rewind(b.Context(), th, at), state.ErrNotFound)
	}
}
