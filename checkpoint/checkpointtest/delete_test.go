package checkpointtest

import (
	"context"
	"fmt"
	"strings"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
)

func deleteCases() []check {
	return []check{
		{"nothing of the thread is left", deleteAll},
		{"an unfinished turn is refused until it is finished or given up", deleteUnfinished},
		{"snapshots go too", deleteSnapshots},
		{"threads beside and below it stay", deleteOthers},
		{"a thread that does not exist is no error", deleteUnknown},
		{"what was deleted can begin anew", deleteAnew},
		{"a thread whose turn runs is refused", deleteRunning},
		{"an id that looks like a query selects nothing", deleteQuery},
		{"going on with a deleted turn is not found", deleteThenResume},
	}
}

// erase removes a thread.
func (b *bench) erase(th state.Thread) {
	if err := b.log(b.config(b.store)).Delete(context.WithoutCancel(b.Context()), th); err != nil {
		b.Errorf("Delete: %v", err)
	}
}

// giveUp cancels the unfinished turn of a thread.
func (b *bench) giveUp(th state.Thread) {
	b.Helper()
	g := b.graph(plan{})
	b.wantErr("Cancel", g.Cancel(b.Context(), th), nil)
	b.tidy(g, th)
}

func deleteAll(b *bench) {
	g, th := b.graph(plan{}), b.thread("x")
	b.turns(g, th, "t1", "t2")
	b.later()
	b.erase(th)
	b.want("steps", []string(nil), b.documents(state.Steps))
	b.want("open", []string(nil), b.documents(state.Open))
	b.want("history", 0, len(b.history(g, th, checkpoint.Which{})))
	b.want("state", int64(0), b.state(g, th, 0).Seq)
}

func deleteUnfinished(b *bench) {
	g, th := b.graph(plan{do: fails("c")}), b.thread("x")
	b.broken(g, th, "t1")
	b.later()
	before := b.everything(g, th)
	err := b.log(b.config(b.store)).Delete(b.Context(), th)
	b.wantErr("Delete", err, checkpoint.ErrUnfinished)
	if text := err.Error(); !strings.Contains(text, "t1") || !strings.Contains(text, "resume") || !strings.Contains(text, "cancel") {
		b.Errorf("Delete = %q, want the turn and the ways out", text)
	}
	b.want("left", before, b.everything(g, th))
	b.giveUp(th)
	b.erase(th)
	b.want("steps", []string(nil), b.documents(state.Steps))
	b.want("open", []string(nil), b.documents(state.Open))

	asks := b.graph(asking())
	_, err = asks.Invoke(b.Context(), th, "t2", story{})
	b.wantErr("Invoke", err, state.ErrWaits)
	b.wantErr("Delete of one that waits", b.log(b.config(b.store)).Delete(b.Context(), th), checkpoint.ErrUnfinished)
}

func deleteSnapshots(b *bench) {
	g, th := b.graph(plan{nodes: "a", flow: flow.Config[story]{SnapshotEvery: 2}}), b.thread("x")
	b.turns(g, th, "t1", "t2", "t3", "t4", "t5", "t6")
	b.later()
	b.erase(th)
	b.want("steps", []string(nil), b.documents(state.Steps))
}

func deleteOthers(b *bench) {
	g := b.graph(plan{})
	others := []string{"w", "x/child", "xy", "y"}
	for _, id := range append([]string{"x"}, others...) {
		b.turns(g, b.thread(id), "t1")
	}
	b.broken(b.graph(plan{do: fails("b")}), b.thread("y"), "t2")
	b.later()
	b.erase(b.thread("x"))
	for _, id := range others {
		b.want(id, "1 t1 input [a] b", line(b.history(g, b.thread(id), checkpoint.Which{Turn: "t1"})[2]))
	}
	end, err := b.graph(plan{}).Resume(b.Context(), b.thread("y"), nil)
	b.wantErr("Resume of y", err, nil)
	b.want("y", told{"a b c a b c", 6, "t2"}, tell(end))
}

func deleteUnknown(b *bench) {
	l := b.log(b.config(b.store))
	for range 2 {
		b.wantErr("Delete", l.Delete(b.Context(), b.thread("nobody")), nil)
	}
}

func deleteAnew(b *bench) {
	g, th := b.graph(plan{}), b.thread("x")
	b.turns(g, th, "t1", "t2")
	b.later()
	b.erase(th)
	b.turns(g, th, "t3")
	b.want("state", told{"a b c", 3, "t3"}, tell(b.state(g, th, 0).State))
	b.turns(g, th, "t4")
	b.want("state", told{"a b c a b c", 6, "t4"}, tell(b.state(g, th, 0).State))
}

func deleteRunning(b *bench) {
	th := b.thread("x")
	l := b.log(b.config(b.store))
	other := b.log(b.config(b.store))
	g := b.graph(plan{over: l, do: map[string]func() error{"b": func() error {
		b.wantErr("Delete in its own process", l.Delete(b.Context(), th), state.ErrConflict)
		if b.store.Features().Shared {
			b.wantErr("Delete in another process", other.Delete(b.Context(), th), state.ErrConflict)
		}
		return nil
	}}})
	b.turns(g, th, "t1")
	b.want("state", told{"a b c", 3, "t1"}, tell(b.state(g, th, 0).State))
}

func deleteQuery(b *bench) {
	g := b.graph(plan{})
	b.turns(g, b.thread("x"), "t1")
	l := b.log(b.config(b.store))
	for _, id := range []string{`{"$ne":""}`, "$", "x/$", "", "/", "*", ".*", "x\x00"} {
		th := b.thread(id)
		err := l.Delete(b.Context(), th)
		if err == nil && th.Validate() == nil {
			continue
		}
		b.wantErr(fmt.Sprintf("Delete of %q", id), err, state.ErrInvalid)
		_, err = g.Invoke(b.Context(), th, "t1", story{})
		b.wantErr(fmt.Sprintf("Invoke of %q", id), err, state.ErrInvalid)
		_, err = g.State(b.Context(), th, 0)
		b.wantErr(fmt.Sprintf("State of %q", id), err, state.ErrInvalid)
		_, err = g.History(b.Context(), th, checkpoint.Which{})
		b.wantErr(fmt.Sprintf("History of %q", id), err, state.ErrInvalid)
		_, err = g.Resume(b.Context(), th, nil)
		b.wantErr(fmt.Sprintf("Resume of %q", id), err, state.ErrInvalid)
		b.wantErr(fmt.Sprintf("Fork to %q", id), g.Fork(b.Context(), b.thread("x"), 0, th), state.ErrInvalid)
		_, err = g.Prune(b.Context(), th, flow.Keep{Turns: 1})
		b.wantErr(fmt.Sprintf("Prune of %q", id), err, state.ErrInvalid)
		_, err = g.DeleteTurns(b.Context(), th, "t1")
		b.wantErr(fmt.Sprintf("DeleteTurns of %q", id), err, state.ErrInvalid)
	}
	b.want("x", told{"a b c", 3, "t1"}, tell(b.state(g, b.thread("x"), 0).State))
}

func deleteThenResume(b *bench) {
	th := b.thread("x")
	g := b.graph(plan{do: fails("c")})
	b.broken(g, th, "t1")
	b.later()
	b.giveUp(th)
	b.erase(th)
	_, err := g.Resume(b.Context(), th, nil)
	b.wantErr("Resume", err, state.ErrNotFound)
	b.wantErr("Cancel", g.Cancel(b.Context(), th), state.ErrNotFound)
	b.wantErr("Rewind", g.Rewind(b.Context(), th, 1), state.ErrNotFound)
	b.wantErr("Fork", g.Fork(b.Context(), th, 0, b.thread("y")), state.ErrNotFound)
}
