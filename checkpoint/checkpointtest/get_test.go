package checkpointtest

import (
	"fmt"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/state"
)

func getCases() []check {
	return []check{
		{"a thread that does not exist is new", getUnknownThread},
		{"without a number it is the newest", getNewest},
		{"with a number it is that step", getByNumber},
		{"a step says thread position, turn and schema version", getFields},
		{"the end of a turn is told from its middle", getNext},
		{"parts of an unfinished turn are in the state", getPending},
		{"a thread below another is not mixed up with it", getBelow},
		{"a number that does not exist is not found", getUnknownStep},
		{"a carried over field is rebuilt by number and as newest", getCarriedOver},
		{"reading changes nothing", getReadsOnly},
	}
}

func getUnknownThread(b *bench) {
	g := b.graph(plan{})
	s := b.state(g, b.thread("nobody"), 0)
	if s.Seq != 0 || s.Next != nil || s.Turn != "" {
		b.Errorf("state = %+v", s)
	}
	_, err := g.State(b.Context(), b.thread("nobody"), 1)
	b.wantErr("State at 1", err, state.ErrNotFound)
	_, err = g.Resume(b.Context(), b.thread("nobody"), nil)
	b.wantErr("Resume", err, state.ErrNotFound)
}

func getNewest(b *bench) {
	g, th := b.graph(plan{}), b.thread("x")
	b.turns(g, th, "t1", "t2")
	s := b.state(g, th, 0)
	if s.Seq != 6 || s.Turn != "t2" || !s.Done {
		b.Errorf("step = %+v", s.Step)
	}
}

func getByNumber(b *bench) {
	g, th := b.graph(plan{}), b.thread("x")
	b.turns(g, th, "t1", "t2")
	for at, want := range []told{{"a", 1, "t1"}, {"a b", 2, "t1"}, {"a b c", 3, "t1"}, {"a b c a", 4, "t2"}, {"a b c a b", 5, "t2"}, {"a b c a b c", 6, "t2"}} {
		s := b.state(g, th, int64(at+1))
		b.want(fmt.Sprint("step ", at+1), want, tell(s.State))
		if s.Seq != int64(at+1) {
			b.Errorf("step %d says it is %d", at+1, s.Seq)
		}
	}
}

func getFields(b *bench) {
	g, th := b.graph(plan{}), b.thread("x")
	b.turns(g, th, "t1")
	s := b.state(g, th, 2)
	if s.Version < 1 || s.Seq != 2 || s.Base != 1 || s.Turn != "t1" || s.Source != checkpoint.SourceLoop || s.At.IsZero() {
		b.Errorf("step = %+v", s.Step)
	}
}

func getNext(b *bench) {
	g, th := b.graph(plan{}), b.thread("x")
	b.turns(g, th, "t1")
	for at, want := range [][]string{{"b"}, {"c"}, nil} {
		b.want(fmt.Sprint("next after ", at+1), want, b.state(g, th, int64(at+1)).Next)
	}
}

func getPending(b *bench) {
	g, th := b.graph(plan{do: fails("b")}), b.thread("x")
	b.broken(g, th, "t1")
	s := b.state(g, th, 0)
	b.want("state", told{"a", 1, "t1"}, tell(s.State))
	if s.Done || s.Seq != 1 {
		b.Errorf("step = %+v", s.Step)
	}
}

func getBelow(b *bench) {
	g := b.graph(plan{})
	b.turns(g, b.thread("x"), "t1")
	b.turns(g, b.thread("x/y"), "t2", "t3")
	if s := b.state(g, b.thread("x"), 0); s.Turn != "t1" {
		b.Errorf("x: %+v", s.Step)
	}
	if s := b.state(g, b.thread("x/y"), 0); s.Turn != "t3" {
		b.Errorf("x/y: %+v", s.Step)
	}
}

func getUnknownStep(b *bench) {
	g, th := b.graph(plan{}), b.thread("x")
	b.turns(g, th, "t1")
	for _, at := range []int64{4, 100, -1, 1 << 60} {
		_, err := g.State(b.Context(), th, at)
		b.wantErr(fmt.Sprint("State at ", at), err, state.ErrNotFound)
	}
}

func getCarriedOver(b *bench) {
	g, th := b.graph(plan{nodes: "a"}), b.thread("x")
	b.turns(g, th, "t1")
	for _, id := range []string{"t2", "t3"} {
		b.turn(g, th, id, story{})
	}
	for _, at := range []int64{0, 2, 3} {
		b.want(fmt.Sprint("note at ", at), "t1", b.state(g, th, at).State.Note.Get())
	}
}

func getReadsOnly(b *bench) {
	g, th := b.graph(plan{}), b.thread("x")
	b.turns(g, th, "t1")
	b.wantErr("Close", b.log(b.config(b.store)).Close(), nil)
	before := b.everything(g, th)
	for range 3 {
		b.want("again", before, b.everything(g, th))
	}
}
