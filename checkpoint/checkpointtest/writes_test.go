package checkpointtest

import (
	"context"
	"fmt"
	"strings"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
)

// sixWords goes round until there are six words.
func sixWords(_ context.Context, s story) (string, error) {
	if s.Words.Len() < 6 {
		return "a", nil
	}
	return flow.End, nil
}

func writesCases() []check {
	return []check{
		{"what a node contributed stands in its part", writesOne},
		{"several fields of a node stand in one part", writesFields},
		{"two nodes that add to one field are both kept", writesTwo},
		{"a part names its node and its visit", writesNode},
		{"a structured value in a part is kept", writesStructured},
		{"a partial part is told from the finished visit", writesPartial},
		{"a finished sibling of a failed node is not run again", writesSibling},
		{"two siblings come back in the order of the graph", writesOrder},
		{"parts are readable before the node after them starts", writesBefore},
		{"a question is kept until it is answered", writesQuestion},
		{"parts of a thread are not seen on another", writesApart},
		{"the next turn starts without finished nodes", writesNext},
		{"going on twice writes nothing twice", writesTwice},
	}
}

// parts are those of a step, by node, with their fields in order.
func parts(c flow.Checkpoint) (out []string) {
	for _, p := range c.Parts {
		var fields []string
		if p.Fields != nil {
			elements, _ := p.Fields.Elements()
			for _, e := range elements {
				fields = append(fields, e.Key()+"="+e.Value().String())
			}
		}
		out = append(out, strings.TrimSpace(p.Node+" "+strings.Join(fields, " ")))
	}
	return out
}

func writesOne(b *bench) {
	g, th := b.graph(plan{write: func(s *story, n string) { s.Words.Add(n) }, do: fails("c")}), b.thread("x")
	if _, err := g.Invoke(b.Context(), th, "t1", story{}); err == nil {
		b.Fatal("the turn went through")
	}
	h := b.history(g, th, checkpoint.Which{})
	b.want("newest", []string{`b words=["b"]`}, parts(h[0]))
	b.want("first", []string{`a words=["a"]`}, parts(h[1]))
}

func writesFields(b *bench) {
	g, th := b.graph(plan{nodes: "a", write: func(s *story, n string) {
		s.Words.Add(n)
		s.Sum.Add(7)
		s.Note.Set("n")
	}}), b.thread("x")
	b.turn(g, th, "t1", story{})
	b.want("parts", []string{`a words=["a"] sum={"$numberLong":"7"} note="n"`}, parts(b.history(g, th, checkpoint.Which{})[0]))
}

func writesTwo(b *bench) {
	g, th := b.graph(plan{beside: true, do: fails("d")}), b.thread("x")
	b.broken(g, th, "t1")
	s := b.state(b.graph(plan{beside: true}), th, 0)
	if words := strings.Join(s.State.Words.Items(), " "); words != "a b c" && words != "a c b" || s.State.Sum.Get() != 3 {
		b.Errorf("state = %+v", tell(s.State))
	}
	b.want("next", []string{"d"}, s.Next)
}

func writesNode(b *bench) {
	g, th := b.graph(plan{do: fails("c")}), b.thread("x")
	b.broken(g, th, "t1")
	p := b.history(g, th, checkpoint.Which{})[0].Parts[0]
	if p.Node != "b" || p.Visit != 1 || p.Partial {
		b.Errorf("part = %+v", p)
	}
}

func writesStructured(b *bench) {
	want := extra{Names: map[string]string{"a.b": "1", "$c": "2"}, Ints: []int64{3}, Deep: map[string]extra{"d": {Text: "e"}}}
	g, th := b.graph(plan{do: fails("c"), write: func(s *story, n string) {
		if n == "b" {
			s.Extra.Set(want)
		}
	}}), b.thread("x")
	b.broken(g, th, "t1")
	b.want("extra", want, b.state(g, th, 0).State.Extra.Get())
}

func writesPartial(b *bench) {
	th := b.thread("x")
	p := plan{nodes: "a b", tune: func(n *flow.Node[story]) {
		if n.Name != "b" {
			return
		}
		n.Run = func(ctx context.Context, s story) (story, error) {
			s.Words.Add("half")
			s, err := flow.Commit(ctx, s)
			if err == nil {
				err = errBoom
			}
			return s, err
		}
	}}
	g := b.graph(p)
	b.broken(g, th, "t1")
	h := b.history(g, th, checkpoint.Which{})
	if part := h[0].Parts[0]; part.Node != "b" || !part.Partial {
		b.Errorf("part = %+v", part)
	}
	b.want("next", []string{"b"}, h[0].Next)
	b.later()
	end, err := b.graph(plan{nodes: "a b"}).Resume(b.Context(), th, nil)
	b.wantErr("Resume", err, nil)
	b.want("state", told{"a half b", 2, "t1"}, tell(end))
}

func writesSibling(b *bench) {
	ran := map[string]int{}
	th := b.thread("x")
	b.broken(b.graph(halfway()), th, "t1")
	b.want("next", []string{"c"}, b.state(b.graph(plan{beside: true}), th, 0).Next)
	b.later()
	do := map[string]func() error{}
	for _, n := range []string{"a", "b", "c", "d"} {
		do[n] = func() error { ran[n]++; return nil }
	}
	end, err := b.graph(plan{beside: true, do: do}).Resume(b.Context(), th, nil)
	b.wantErr("Resume", err, nil)
	b.want("state", told{"a b c d", 4, "t1"}, tell(end))
	b.want("runs", map[string]int{"c": 1, "d": 1}, ran)
}

func writesOrder(b *bench) {
	th, durable := b.thread("x"), make(chan struct{})
	g := b.graph(plan{beside: true, tune: func(n *flow.Node[story]) {
		run := n.Run
		switch n.Name {
		case "b": // ends when c is durable
			n.Run = func(ctx context.Context, s story) (story, error) { <-durable; return run(ctx, s) }
		case "d":
			n.Run = func(ctx context.Context, s story) (story, error) { return s, errBoom }
		}
	}, write: func(s *story, n string) { s.Words.Add(n) }})
	var failed error
	for e, err := range g.Stream(b.Context(), th, "t1", noted("t1"), flow.Checkpoints) {
		if c := e.Checkpoint; c != nil && c.Parts[len(c.Parts)-1].Node == "c" {
			close(durable)
		}
		failed = err
	}
	b.wantErr("Stream", failed, errBoom)
	s := b.state(g, th, 0)
	var order []string
	for _, c := range b.history(g, th, checkpoint.Which{}) {
		order = append([]string{c.Parts[len(c.Parts)-1].Node}, order...)
	}
	b.want("commits", "a c b", strings.Join(order, " "))
	b.want("words", "a b c", strings.Join(s.State.Words.Items(), " "))
}

func writesBefore(b *bench) {
	th, reader := b.thread("x"), b.graph(plan{})
	var seen []string
	look := func() error {
		s, err := reader.State(b.Context(), th, 0)
		seen = append(seen, fmt.Sprint(s.State.Words.Items(), s.Next))
		return err
	}
	b.turns(b.graph(plan{do: map[string]func() error{"a": look, "b": look, "c": look}}), th, "t1")
	b.want("what another process saw before each node", []string{"[] []", "[a] [b]", "[a b] [c]"}, seen)
}

func writesQuestion(b *bench) {
	th := b.thread("x")
	p := plan{ask: map[string]state.Question{"b": {Text: "go on?", Call: "q"}}}
	_, err := b.graph(p).Invoke(b.Context(), th, "t1", noted("t1"))
	b.wantErr("Invoke", err, state.ErrConflict)
	g := b.graph(p)
	s := b.state(g, th, 0)
	if len(s.Waits) != 1 || s.Waits[0].Question.Text != "go on?" || s.Waits[0].Node != "b" {
		b.Fatalf("waits = %+v", s.Waits)
	}
	if h := b.history(g, th, checkpoint.Which{}); len(h[0].Asked) != 1 {
		b.Errorf("the newest step asks %+v", h[0].Asked)
	}
	end, err := g.Answer(b.Context(), th, map[string]state.Answer{s.Waits[0].ID: {Choice: state.Approve}})
	b.wantErr("Answer", err, nil)
	b.want("state", told{"a approve b c", 3, "t1"}, tell(end))
	b.want("waits", 0, len(b.state(g, th, 0).Waits))
	b.want("the answer", 1, len(b.history(g, th, checkpoint.Which{Source: checkpoint.SourceResume})))
}

func writesApart(b *bench) {
	g := b.graph(plan{do: fails("c")})
	b.broken(g, b.thread("x"), "t1")
	b.broken(g, b.thread("x/child"), "t1")
	b.turns(b.graph(plan{}), b.thread("y"), "t1")
	b.later()
	end, err := b.graph(plan{}).Resume(b.Context(), b.thread("x"), nil)
	b.wantErr("Resume", err, nil)
	b.want("x", told{"a b c", 3, "t1"}, tell(end))
	b.want("x/child", []string{"c"}, b.state(g, b.thread("x/child"), 0).Next)
}

func writesNext(b *bench) {
	g, th := b.graph(plan{}), b.thread("x")
	b.turns(g, th, "t1")
	b.broken(b.graph(plan{do: fails("b")}), th, "t2")
	b.want("next", []string{"b"}, b.state(g, th, 0).Next)
	b.later()
	end, err := b.graph(plan{}).Resume(b.Context(), th, nil)
	b.wantErr("Resume", err, nil)
	b.want("state", told{"a b c a b c", 6, "t2"}, tell(end))
}

func writesTwice(b *bench) {
	th := b.thread("x")
	b.broken(b.graph(plan{do: fails("c")}), th, "t1")
	for range 3 {
		b.later()
		_, err := b.graph(plan{do: fails("c")}).Resume(b.Context(), th, nil)
		b.wantErr("Resume", err, errBoom)
	}
	b.want("state", told{"a b", 2, "t1"}, tell(b.state(b.graph(plan{}), th, 0).State))
}
