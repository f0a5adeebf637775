package checkpointtest

import (
	"errors"
	"fmt"
	"testing"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/storetest"
)

func faultCases() []check {
	cases := []check{
		{"an error of the store surfaces", faultSurfaces},
		{"a commit whose reply is lost is done once", faultLostReply},
	}
	for _, o := range operations() {
		cases = append(cases, check{o.name + " cut short at any call and repeated is complete", func(b *bench) { b.cutShort(o) }})
	}
	return cases
}

// operation is something that takes several calls, repeated by a new process after the one that did it has died.
type operation struct {
	name  string
	ready func(b *bench, g *graph)
	do    func(b *bench, g *graph, l *checkpoint.Log) error
}

func operations() []operation {
	three := func(b *bench, g *graph) { b.turns(g, b.thread("x"), "t1", "t2", "t3") }
	unfinished := func(b *bench, g *graph) {
		three(b, g)
		p := b.paying(plan{nodes: "a b c", do: fails("c"), flow: flow.Config[story]{SnapshotEvery: 4}})
		b.broken(b.graph(p), b.thread("x"), "t4")
		b.later()
	}
	var question string
	return []operation{
		{"a turn", three, func(b *bench, g *graph, _ *checkpoint.Log) error { return b.once(g, b.thread("x"), "t4") }},
		{"a turn delivered again", three, func(b *bench, g *graph, _ *checkpoint.Log) error {
			_, err := g.Invoke(b.Context(), b.thread("x"), "t4", noted("t4"))
			return err
		}},
		{"a turn of one step delivered again", three, func(b *bench, _ *graph, l *checkpoint.Log) error {
			p := b.paying(plan{nodes: "a"})
			p.over = l
			_, err := b.graph(p).Invoke(b.Context(), b.thread("x"), "t4", noted("t4"))
			return err
		}},
		{"going on", unfinished, func(b *bench, g *graph, _ *checkpoint.Log) error { return b.once(g, b.thread("x"), "t4") }},
		{"an answer", func(b *bench, g *graph) {
			three(b, g)
			asks := b.graph(b.paying(asking()))
			_, err := asks.Invoke(b.Context(), b.thread("x"), "t4", noted("t4"))
			b.wantErr("Invoke", err, state.ErrWaits)
			question = b.state(asks, b.thread("x"), 0).Waits[0].ID
			b.later()
		}, func(b *bench, _ *graph, l *checkpoint.Log) error {
			p := b.paying(asking())
			p.over = l
			_, err := b.graph(p).Answer(b.Context(), b.thread("x"), map[string]state.Answer{question: {Choice: state.Approve}})
			return err
		}},
		{"a fork", three, func(b *bench, g *graph, _ *checkpoint.Log) error {
			return unless(g.Fork(b.Context(), b.thread("x"), 5, b.thread("y")), state.Conflict)
		}},
		{"a prune", three, func(b *bench, g *graph, _ *checkpoint.Log) error {
			_, err := g.Prune(b.Context(), b.thread("x"), flow.Keep{Turns: 1})
			return err
		}},
		{"a prune before an unfinished turn", unfinished, func(b *bench, g *graph, _ *checkpoint.Log) error {
			_, err := g.Prune(b.Context(), b.thread("x"), flow.Keep{Turns: 1})
			return err
		}},
		{"a deletion of turns", three, func(b *bench, g *graph, _ *checkpoint.Log) error {
			_, err := g.DeleteTurns(b.Context(), b.thread("x"), "t1", "t2")
			return err
		}},
		{"a deletion of the last turn", three, func(b *bench, g *graph, _ *checkpoint.Log) error {
			_, err := g.DeleteTurns(b.Context(), b.thread("x"), "t3")
			return err
		}},
		{"a deletion", three, func(b *bench, _ *graph, l *checkpoint.Log) error { return l.Delete(b.Context(), b.thread("x")) }},
		{"a deletion of a turn given up", unfinished, func(b *bench, g *graph, l *checkpoint.Log) error {
			err := unless(g.Cancel(b.Context(), b.thread("x")), state.NotFound)
			if err == nil {
				err = l.Delete(b.Context(), b.thread("x"))
			}
			return err
		}},
		{"giving a turn up", unfinished, func(b *bench, g *graph, _ *checkpoint.Log) error {
			return unless(g.Cancel(b.Context(), b.thread("x")), state.NotFound)
		}},
		{"a sweep", func(b *bench, g *graph) { unfinished(b, g) }, func(b *bench, _ *graph, l *checkpoint.Log) error {
			_, err := l.Sweep(b.Context(), b.client)
			return err
		}},
	}
}

// unless forgives an error that says that the operation was done before.
func unless(err error, code state.Code) error {
	if state.CodeOf(err) == code {
		return nil
	}
	return err
}

// once runs a turn, or goes on with it, unless it is there.
func (b *bench) once(g *graph, th state.Thread, id string) error {
	_, err := g.Resume(b.Context(), th, nil)
	if !errors.Is(err, state.ErrNotFound) {
		return err
	}
	s, err := g.State(b.Context(), th, 0)
	if err != nil || s.Turn == id {
		return err
	}
	_, err = g.Invoke(b.Context(), th, id, noted(id))
	return err
}

// outcome is all that readers see of a client.
type outcome struct {
	Threads  map[string][]string
	Accounts map[string]int
}

// play does an operation on threads of its own client, in a process whose store dies, and repeats it in others, of which the first
// may die too.
func (b *bench) play(o operation, d *storetest.Faulty, deaths ...storetest.Around) outcome {
	b.Helper()
	own := setup(b.T, b.store)
	defer own.end()
	p := func(s store.Store) plan {
		return own.paying(plan{store: s, flow: flow.Config[story]{SnapshotEvery: 4}})
	}
	g := own.graph(p(own.store))
	own.turns(g, own.thread("neighbour"), "n1", "n2")
	own.turns(g, own.thread("x/child"), "n3")
	o.ready(own, g)
	first := d
	for try := 0; ; try++ {
		c := own.config(first)
		c.Memory = own.ledger(first)
		l := checkpoint.New(c)
		mortal := p(first)
		mortal.over = l
		err := o.do(own, own.graph(mortal), l)
		if cerr := l.Close(); cerr != nil {
			b.Error(cerr)
		}
		own.later()
		if err == nil && try > 0 {
			break
		}
		if err != nil && (try > 3 || !errors.Is(err, state.ErrUnavailable)) {
			b.Fatalf("try %d: %v", try, err)
		}
		first = storetest.Wrap(own.store, nil)
		if try < len(deaths) {
			first.Set(deaths[try])
		}
	}
	c := own.config(own.store)
	c.Memory = own.ledger(own.store)
	_, err := own.log(c).Sweep(b.Context(), own.client) // what is owed still is carried out by whoever comes next
	b.wantErr("Sweep", err, nil)
	out := outcome{Threads: map[string][]string{}, Accounts: own.accounts()}
	reader := own.graph(p(own.store))
	for _, id := range []string{"x", "y", "x/child", "neighbour"} {
		for _, c := range own.history(reader, own.thread(id), checkpoint.Which{}) {
			if c.Source != checkpoint.SourceTakeover { // each attempt adds one
				s := own.state(reader, own.thread(id), c.Seq)
				out.Threads[id] = append(out.Threads[id], fmt.Sprintf("%s %+v %v", c.Turn, tell(s.State), c.Next))
			}
		}
		if _, err := own.graph(p(own.store)).Invoke(own.Context(), own.thread(id), "after", noted("after")); unless(err, state.Conflict) != nil {
			b.Errorf("%s: the next turn: %v", id, err)
		}
	}
	return out
}

func (b *bench) cutShort(o operation) {
	calm := storetest.Wrap(b.store, nil)
	want := b.play(o, calm)
	hows := []storetest.Fault{storetest.Refused, storetest.Lost}
	if !b.store.Features().Atomic {
		hows = append(hows, storetest.Front, storetest.Back)
	}
	calls := calm.Calls()
	if calls > 60 {
		b.Fatalf("%d calls", calls)
	}
	step := 1
	if testing.Short() {
		step = 7
	}
	for at := 1; at <= calls; at += step {
		for _, how := range hows {
			b.want(fmt.Sprintf("%s at call %d %s", o.name, at, how), want, b.play(o, storetest.Wrap(b.store, storetest.From(at, how))))
			if again := 1 + at/2; at%3 == 1 {
				got := b.play(o, storetest.Wrap(b.store, storetest.From(at, how)), storetest.From(again, how))
				b.want(fmt.Sprintf("%s at call %d %s, and the process behind it at call %d", o.name, at, how, again), want, got)
			}
		}
	}
}

func faultSurfaces(b *bench) {
	th := b.thread("x")
	b.turns(b.graph(plan{}), th, "t1")
	g := b.graph(plan{store: storetest.Wrap(b.store, storetest.From(1, storetest.Refused))})
	_, err := g.Invoke(b.Context(), th, "t2", story{})
	b.wantErr("Invoke", err, state.ErrUnavailable)
	_, err = g.State(b.Context(), th, 0)
	b.wantErr("State", err, state.ErrUnavailable)
	_, err = g.History(b.Context(), th, checkpoint.Which{})
	b.wantErr("History", err, state.ErrUnavailable)
	_, err = g.Resume(b.Context(), th, nil)
	b.wantErr("Resume", err, state.ErrUnavailable)
	_, err = g.Prune(b.Context(), th, flow.Keep{Turns: 1})
	b.wantErr("Prune", err, state.ErrUnavailable)
	_, err = g.DeleteTurns(b.Context(), th, "t1")
	b.wantErr("DeleteTurns", err, state.ErrUnavailable)
	b.wantErr("Fork", g.Fork(b.Context(), th, 1, b.thread("y")), state.ErrUnavailable)
	b.wantErr("Rewind", g.Rewind(b.Context(), th, 1), state.ErrUnavailable)
	b.wantErr("Update", g.Update(b.Context(), th, "t2", noted("x"), ""), state.ErrUnavailable)
	_, err = g.Answer(b.Context(), th, nil)
	b.wantErr("Answer", err, state.ErrUnavailable)
}

func faultLostReply(b *bench) {
	th := b.thread("x")
	g := b.graph(plan{})
	b.turns(g, th, "t1")
	l := b.log(b.config(storetest.Wrap(b.store, storetest.Writes(storetest.Lost))))
	turn := b.begin(l, th, "t2")
	for _, n := range []string{"a", "b"} {
		b.wantErr("Commit", turn.Commit(b.Context(), word(n, n)), nil)
	}
	turn.Release()
	b.later()
	end, err := g.Resume(b.Context(), th, nil)
	b.wantErr("Resume", err, nil)
	b.want("words", "a b c a b c", tell(end).Words)
}
