package checkpointtest

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/storetest"
)

func timeCases() []check {
	return []check{
		{"writers whose clocks differ by an hour do not change the order", timeSkew},
		{"a question can be answered by a process whose clock is an hour late", timeSkewAnswer},
		{"a deletion cut short is finished by a process whose clock is an hour late", timeSkewDelete},
		{"a thread is swept whole and not before its time", timeSweep},
		{"a turn puts the time off", timePutOff},
		{"an unfinished turn is not swept", timeUnfinished},
		{"an unfinished turn that died before its signpost stood is not swept", timeUnsigned},
		{"a thread whose time is over is new to the next turn", timeBegin},
		{"a sweep never cuts a thread in two", timeWhole},
	}
}

// skewed is a process whose clock is off.
func (b *bench) skewed(p plan, off time.Duration) *graph {
	b.Helper()
	log := p.log
	p.log = func(c *checkpoint.Config) {
		c.Now = func() time.Time { return b.clock.Now().Add(off) }
		if log != nil {
			log(c)
		}
	}
	return b.graph(p)
}

func timeSkew(b *bench) {
	th := b.thread("x")
	var want []string
	for i, off := range []time.Duration{time.Hour, -time.Hour, 0, time.Hour, -time.Hour} {
		g := b.skewed(plan{nodes: "a"}, off)
		b.turns(g, th, fmt.Sprint("t", i))
		want = append([]string{fmt.Sprintf("%d t%d input [a]", i+1, i)}, want...)
		b.want("newest", fmt.Sprint("t", i), b.state(b.skewed(plan{}, -off), th, 0).Turn)
	}
	b.want("history", want, lines(b.history(b.graph(plan{}), th, checkpoint.Which{})))
}

func timeSkewAnswer(b *bench) {
	th := b.thread("x")
	p := asking()
	_, err := b.skewed(p, time.Hour).Invoke(b.Context(), th, "t1", story{})
	b.wantErr("Invoke", err, state.ErrConflict)
	g := b.skewed(p, -time.Hour)
	end, err := g.Answer(b.Context(), th, map[string]state.Answer{b.state(g, th, 0).Waits[0].ID: {Choice: state.Approve}})
	b.wantErr("Answer", err, nil)
	b.want("state", told{"a approve b c", 3, ""}, tell(end))
}

func timeSkewDelete(b *bench) {
	th := b.thread("x")
	b.turns(b.graph(plan{}), th, "t1", "t2")
	b.later()
	calls := storetest.Wrap(b.store, nil)
	c := b.config(storetest.Wrap(b.store, storetest.From(b.callsOfDelete(calls)-1, storetest.Refused)))
	c.Now = func() time.Time { return b.clock.Now().Add(time.Hour) }
	b.wantErr("Delete", b.log(c).Delete(b.Context(), th), state.ErrUnavailable)
	g := b.skewed(plan{}, -time.Hour)
	b.turns(g, th, "t3")
	if got := tell(b.state(g, th, 0).State); got.Note != "t3" || got.Sum != 3 && got.Sum != 9 {
		b.Errorf("state = %+v, want that of a thread that is new, or was never deleted", got)
	}
}

// callsOfDelete counts what the deletion of a thread of two turns takes.
func (b *bench) callsOfDelete(d *storetest.Faulty) int {
	b.turns(b.graph(plan{}), b.thread("measure"), "t1", "t2")
	b.wantErr("Delete", b.log(b.config(d)).Delete(b.Context(), b.thread("measure")), nil)
	return d.Calls()
}

// kept is a plan whose threads go after a day.
func kept(p plan) plan {
	p.log = func(c *checkpoint.Config) { c.Keep = 24 * time.Hour }
	return p
}

func (b *bench) sweep() {
	b.Helper()
	c := b.config(b.store)
	c.Keep = 24 * time.Hour
	_, err := b.log(c).Sweep(b.Context(), b.client)
	b.wantErr("Sweep", err, nil)
}

// day runs turns in a process that keeps threads for a day, and ends it.
func (b *bench) day(th state.Thread, every int, ids ...string) {
	b.Helper()
	c := b.config(b.store)
	c.Keep = 24 * time.Hour
	l := checkpoint.New(c)
	b.turns(b.graph(plan{over: l, flow: flow.Config[story]{SnapshotEvery: every}}), th, ids...)
	b.wantErr("Close", l.Close(), nil) // it has tidied up
}

func timeSweep(b *bench) {
	b.day(b.thread("x"), 0, "t1", "t2")
	b.clock.Pass(24*time.Hour - time.Second)
	b.sweep()
	b.want("state", told{"a b c a b c", 6, "t2"}, tell(b.state(b.graph(plan{}), b.thread("x"), 0).State))
	b.clock.Pass(time.Second)
	b.sweep()
	b.want("steps", []string(nil), b.documents(state.Steps))
	b.want("open", []string(nil), b.documents(state.Open))
}

func timePutOff(b *bench) {
	b.day(b.thread("x"), 0, "t1")
	b.clock.Pass(20 * time.Hour)
	b.day(b.thread("x"), 0, "t2")
	b.clock.Pass(20 * time.Hour)
	b.sweep()
	b.want("state", told{"a b c a b c", 6, "t2"}, tell(b.state(b.graph(plan{}), b.thread("x"), 0).State))
	b.clock.Pass(5 * time.Hour)
	b.sweep()
	b.want("steps", []string(nil), b.documents(state.Steps))
}

func timeUnfinished(b *bench) {
	th := b.thread("x")
	b.turns(b.graph(kept(plan{})), th, "t1")
	b.broken(b.graph(kept(plan{do: fails("c")})), th, "t2")
	b.clock.Pass(1000 * time.Hour)
	b.sweep()
	end, err := b.graph(kept(plan{})).Resume(b.Context(), th, nil)
	b.wantErr("Resume", err, nil)
	b.want("state", told{"a b c a b c", 6, "t2"}, tell(end))
}

func timeUnsigned(b *bench) {
	th := b.thread("x")
	b.day(th, 0, "t1")
	before, err := b.store.Get(b.Context(), state.Open, th.Key())
	b.wantErr("Get", err, nil)
	b.broken(b.graph(kept(plan{do: fails("c")})), th, "t2")
	b.later()
	err = state.ErrConflict
	for range 100 { // whoever held the turn may still be tidying up
		if !errors.Is(err, state.ErrConflict) {
			break
		}
		after, gone := b.store.Get(b.Context(), state.Open, th.Key())
		b.wantErr("Get", gone, nil)
		before.Rev = after.Rev
		err = b.store.Write(b.Context(), before)
	}
	b.wantErr("Write", err, nil)
	b.clock.Pass(1000 * time.Hour)
	b.sweep()
	g := b.graph(kept(plan{}))
	_, err = g.Invoke(b.Context(), th, "t3", story{})
	b.wantErr("Invoke of another turn", err, checkpoint.ErrUnfinished)
	end, err := g.Resume(b.Context(), th, nil)
	b.wantErr("Resume", err, nil)
	b.want("state", told{"a b c a b c", 6, "t2"}, tell(end))
}

func timeBegin(b *bench) {
	th := b.thread("x")
	b.day(th, 0, "t1")
	b.clock.Pass(25 * time.Hour)
	b.turns(b.graph(kept(plan{})), th, "t2")
	b.want("state", told{"a b c", 3, "t2"}, tell(b.state(b.graph(plan{}), th, 0).State))
}

// A sweep is cut short at every call; then the thread is there whole, or a next turn finds it new.
func timeWhole(b *bench) {
	for at := 1; at <= 24; at++ {
		th := b.thread(fmt.Sprint("x", at))
		b.day(th, 2, "t1", "t2", "t3", "t4")
		b.clock.Pass(25 * time.Hour)
		how := []storetest.Fault{storetest.Front, storetest.Back}[at%2]
		if b.store.Features().Atomic {
			how = storetest.Refused
		}
		s := b.config(storetest.Wrap(b.store, storetest.From((at+1)/2, how)))
		s.Keep = 24 * time.Hour
		_, _ = b.log(s).Sweep(b.Context(), b.client) // dies
		b.turns(b.graph(kept(plan{nodes: "a"})), th, "t5")
		got := b.state(b.graph(plan{}), th, 0)
		if got.State.Sum.Get() != 1 || !slices.Equal(got.State.Words.Items(), []string{"a"}) {
			b.Errorf("dead at call %d: %+v, want a new thread", at, tell(got.State))
		}
	}
}
