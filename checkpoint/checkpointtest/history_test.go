package checkpointtest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
)

func historyCases() []check {
	return []check{
		{"all steps come, newest first", historyAll},
		{"a thread that does not exist has none", historyUnknown},
		{"source selects what made the step", historySource},
		{"done selects the ends of turns", historyDone},
		{"filters that nothing fits give none", historyNothing},
		{"before is strictly older", historyBefore},
		{"a limit takes the newest", historyLimit},
		{"all filters together are the filters one by one", historyCross},
		{"steps of an unfinished turn are there with what is to run next", historyPending},
		{"threads below and beside are not included", historyApart},
		{"a negative number is refused", historyNegative},
		{"paging meets every step once", historyPaging},
		{"paging is stable while turns commit", historyStable},
		{"deleted turns are not included", historyDeleted},
		{"a long thread is read whole", historyLong},
	}
}

// eventful makes a thread whose steps have all sources but that of a deletion, in finished turns and an unfinished one.
func (b *bench) eventful(th state.Thread) *graph {
	b.Helper()
	g := b.graph(plan{})
	b.turns(g, th, "t1")
	b.broken(b.graph(plan{do: fails("c")}), th, "t2")
	b.later()
	_, err := b.graph(plan{}).Resume(b.Context(), th, nil)
	b.wantErr("Resume", err, nil)
	b.wantErr("Update", g.Update(b.Context(), th, "t3", noted("set"), ""), nil)
	p := plan{ask: map[string]state.Question{"b": {Text: "really?"}}}
	asks := b.graph(p)
	_, err = asks.Invoke(b.Context(), th, "t4", noted("t4"))
	b.wantErr("Invoke", err, state.ErrConflict)
	waits := b.state(asks, th, 0).Waits
	_, err = asks.Answer(b.Context(), th, map[string]state.Answer{waits[0].ID: {Choice: state.Reject}})
	b.wantErr("Answer", err, nil)
	b.wantErr("Rewind", g.Rewind(b.Context(), th, 3), nil)
	b.broken(b.graph(plan{do: fails("b")}), th, "t5")
	b.later()
	b.wantErr("Cancel", b.graph(plan{}).Cancel(b.Context(), th), nil)
	b.broken(b.graph(plan{do: fails("c")}), th, "t6")
	return g
}

func historyAll(b *bench) {
	th := b.thread("x")
	g := b.eventful(th)
	got := lines(b.history(g, th, checkpoint.Which{}))
	want := []string{
		"20 t6 loop [b] c", "19 t6 input [a] b",
		"18 t5 cancel []", "17 t5 takeover [] b", "16 t5 input [a] b",
		"15 t1 fork []",
		"14 t4 loop [c]", "13 t4 loop [b] c", "12 t4 resume [] b", "11 t4 takeover [] b", "10 t4 loop [] b", "9 t4 input [a] b",
		"8 t3 update []",
	}
	b.want("history", want, got[:len(want)])
	b.want("number of steps", 20, len(got))
}

func historyUnknown(b *bench) {
	g := b.graph(plan{})
	b.want("history", 0, len(b.history(g, b.thread("nobody"), checkpoint.Which{})))
	b.want("history", 0, len(b.history(g, b.thread("nobody"), checkpoint.Which{Source: checkpoint.SourceLoop, Limit: 1, Before: 7})))
}

// only checks that a query selects what the predicate does among all steps.
func (b *bench) only(g *graph, th state.Thread, w checkpoint.Which, fits func(flow.Checkpoint) bool) {
	b.Helper()
	var want []string
	for _, c := range b.history(g, th, checkpoint.Which{}) {
		if fits(c) && (w.Limit == 0 || len(want) < w.Limit) {
			want = append(want, line(c))
		}
	}
	b.want(fmt.Sprintf("%+v", w), want, lines(b.history(g, th, w)))
}

func historySource(b *bench) {
	th := b.thread("x")
	g := b.eventful(th)
	for _, s := range []checkpoint.Source{
		checkpoint.SourceInput, checkpoint.SourceLoop, checkpoint.SourceTakeover, checkpoint.SourceUpdate, checkpoint.SourceFork,
		checkpoint.SourceResume, checkpoint.SourceCancel,
	} {
		if len(b.history(g, th, checkpoint.Which{Source: s})) == 0 {
			b.Errorf("no step of source %s", s)
		}
		b.only(g, th, checkpoint.Which{Source: s}, func(c flow.Checkpoint) bool { return c.Source == s })
	}
}

func historyDone(b *bench) {
	th := b.thread("x")
	g := b.eventful(th)
	b.only(g, th, checkpoint.Which{Done: true}, func(c flow.Checkpoint) bool { return c.Done })
	for _, c := range b.history(g, th, checkpoint.Which{Done: true}) {
		if len(c.Next) > 0 {
			b.Errorf("step %d ends its turn and is followed by %v", c.Seq, c.Next)
		}
	}
}

func historyNothing(b *bench) {
	th := b.thread("x")
	g := b.eventful(th)
	for _, w := range []checkpoint.Which{
		{Turn: "t99"}, {Source: "dream"}, {Turn: "t3", Source: checkpoint.SourceLoop}, {Turn: "t6", Done: true}, {Before: 1}, {Turn: `{"$ne":""}`},
	} {
		b.want(fmt.Sprintf("%+v", w), 0, len(b.history(g, th, w)))
	}
}

func historyBefore(b *bench) {
	th := b.thread("x")
	g := b.eventful(th)
	for before := int64(1); before <= 22; before++ {
		b.only(g, th, checkpoint.Which{Before: before}, func(c flow.Checkpoint) bool { return c.Seq < before })
	}
}

func historyLimit(b *bench) {
	th := b.thread("x")
	g := b.eventful(th)
	for _, n := range []int{1, 2, 19, 20, 21, 1000} {
		b.only(g, th, checkpoint.Which{Limit: n}, func(flow.Checkpoint) bool { return true })
	}
}

func historyCross(b *bench) {
	threads := []state.Thread{b.thread("x"), b.thread("x/child"), b.thread("empty")}
	g := b.eventful(threads[0])
	b.turns(g, threads[1], "t1", "t2")
	for _, th := range threads {
		for _, limit := range []int{0, 1, 2} {
			for _, before := range []int64{0, 3, 6} {
				for _, source := range []checkpoint.Source{"", checkpoint.SourceInput, checkpoint.SourceLoop} {
					for _, turn := range []string{"", "t1", "t2", "none"} {
						for _, done := range []bool{false, true} {
							w := checkpoint.Which{Before: before, Limit: limit, Turn: turn, Source: source, Done: done}
							b.only(g, th, w, func(c flow.Checkpoint) bool {
								return (before == 0 || c.Seq < before) && (source == "" || c.Source == source) &&
									(turn == "" || c.Turn == turn) && (!done || c.Done)
							})
						}
					}
				}
			}
		}
	}
}

func historyPending(b *bench) {
	g, th := b.graph(halfway()), b.thread("x")
	b.broken(g, th, "t1")
	h := b.history(g, th, checkpoint.Which{})
	b.want("newest", "2 t1 loop [b] c", line(h[0]))
	b.want("oldest", "1 t1 input [a] b c", line(h[len(h)-1]))
}

func historyApart(b *bench) {
	g := b.graph(plan{nodes: "a"})
	for _, id := range []string{"x", "x/child", "xy", "w"} {
		name := strings.ReplaceAll(id, "/", ":")
		b.turns(g, b.thread(id), name+"1", name+"2")
	}
	for _, id := range []string{"x", "x/child", "xy", "w"} {
		name := strings.ReplaceAll(id, "/", ":")
		b.want(id, []string{"2 " + name + "2 input [a]", "1 " + name + "1 input [a]"}, lines(b.history(g, b.thread(id), checkpoint.Which{})))
	}
}

func historyNegative(b *bench) {
	g, th := b.graph(plan{}), b.thread("x")
	for _, w := range []checkpoint.Which{{Limit: -1}, {Before: -1}} {
		_, err := g.History(b.Context(), th, w)
		b.wantErr(fmt.Sprintf("%+v", w), err, state.ErrInvalid)
	}
}

func historyPaging(b *bench) {
	th := b.thread("x")
	g := b.eventful(th)
	all := lines(b.history(g, th, checkpoint.Which{}))
	for _, size := range []int{1, 2, 5, 7} {
		var met []string
		for w := (checkpoint.Which{Limit: size}); ; {
			page := b.history(g, th, w)
			met = append(met, lines(page)...)
			if len(page) < size {
				break
			}
			w.Before = page[len(page)-1].Seq
		}
		b.want(fmt.Sprint("pages of ", size), all, met)
	}
}

// Between the pages the unfinished turn goes on and ends, so that its steps are folded, and others follow it.
func historyStable(b *bench) {
	th := b.thread("x")
	g := b.eventful(th)
	all := lines(b.history(g, th, checkpoint.Which{}))
	var met []string
	w := checkpoint.Which{Limit: 1}
	for n := 0; ; n++ {
		page := b.history(g, th, w)
		if len(page) == 0 {
			break
		}
		met = append(met, lines(page)...)
		w.Before = page[len(page)-1].Seq
		if n == 0 {
			b.later()
			_, err := b.graph(plan{}).Resume(b.Context(), th, nil)
			b.wantErr("Resume", err, nil)
		} else if n < 5 {
			b.turns(g, th, fmt.Sprint("later", n))
		}
	}
	b.want("pages", all, met)
}

func historyDeleted(b *bench) {
	g, th := b.graph(plan{nodes: "a b"}), b.thread("x")
	b.turns(g, th, "t1", "t2", "t3")
	_, err := g.DeleteTurns(b.Context(), th, "t2")
	b.wantErr("DeleteTurns", err, nil)
	b.want("history", []string{"6 t3 loop [b]", "5 t3 input [a] b", "2 t1 loop [b]", "1 t1 input [a] b"}, lines(b.history(g, th, checkpoint.Which{})))
	b.want("limit", []string{"6 t3 loop [b]", "5 t3 input [a] b", "2 t1 loop [b]"}, lines(b.history(g, th, checkpoint.Which{Limit: 3})))
}

// Folded and not, there are more steps than a page of the store has.
func historyLong(b *bench) {
	for _, unfolded := range []bool{false, true} {
		g := b.graph(plan{nodes: "a b", log: func(c *checkpoint.Config) { c.Unfolded = unfolded }})
		th := b.thread(fmt.Sprint("x", unfolded))
		const turns = 150
		for i := range turns {
			b.turns(g, th, fmt.Sprint("t", i))
		}
		h := b.history(g, th, checkpoint.Which{})
		if len(h) != 2*turns || !slices.IsSortedFunc(h, func(x, y flow.Checkpoint) int { return int(y.Seq - x.Seq) }) {
			b.Errorf("unfolded %t: %d steps, want %d in order", unfolded, len(h), 2*turns)
		}
		b.want("half", 2*turns/2, len(b.history(g, th, checkpoint.Which{Before: turns + 1})))
	}
}
