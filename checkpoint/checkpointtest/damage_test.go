package checkpointtest

import (
	"fmt"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

func damageCases() []check {
	return []check{
		{"a step moved to another number is refused", damageMoved},
		{"a step that is missing is not a shorter history", damageMissing},
		{"a step of a newer schema is refused and says so", damageNewer},
		{"a document that is no step is refused", damageOther},
		{"a snapshot's items that are missing are refused", damageItems},
	}
}

// refuses demands that every way to read a thread is a typed error.
func (b *bench) refuses(what string, g *graph, th state.Thread, want error) {
	b.Helper()
	_, err := g.State(b.Context(), th, 0)
	b.wantErr(what+": State", err, want)
	_, err = g.History(b.Context(), th, checkpoint.Which{})
	b.wantErr(what+": History", err, want)
	_, err = g.Invoke(b.Context(), th, "next", story{})
	b.wantErr(what+": Invoke", err, want)
}

// put overwrites a document.
func (b *bench) put(id string, body bson.Raw) {
	b.Helper()
	d, err := b.store.Get(b.Context(), state.Steps, id)
	if err != nil && state.CodeOf(err) != state.NotFound {
		b.Fatal(err)
	}
	b.wantErr("Write", b.store.Write(b.Context(), store.Doc{Collection: state.Steps, ID: id, Rev: d.Rev, Body: body}), nil)
}

// unfolded is a plan that leaves steps as they are.
func unfolded(p plan) plan {
	p.log = func(c *checkpoint.Config) { c.Unfolded = true }
	return p
}

func damageMoved(b *bench) {
	g, th := b.graph(unfolded(plan{})), b.thread("x")
	b.turns(g, th, "t1")
	d, err := b.store.Get(b.Context(), state.Steps, th.StepKey(2))
	b.wantErr("Get", err, nil)
	for _, id := range []string{th.StepKey(3), th.StepKey(4)} {
		b.put(id, d.Body)
		b.refuses("moved to "+id, g, th, state.ErrInternal)
	}
}

func damageMissing(b *bench) {
	for _, seq := range []int64{1, 2} {
		g, th := b.graph(unfolded(plan{})), b.thread(fmt.Sprint("x", seq))
		b.turns(g, th, "t1")
		_, err := b.store.Delete(b.Context(), state.Steps, th.StepKey(seq))
		b.wantErr("Delete", err, nil)
		b.refuses(fmt.Sprint("without step ", seq), g, th, state.ErrInternal)
	}
}

func damageNewer(b *bench) {
	g, th := b.graph(plan{}), b.thread("x")
	b.turns(g, th, "t1")
	b.put(th.StepKey(4), must(bson.D{{Key: "v", Value: 999}, {Key: "seq", Value: "four"}}))
	b.refuses("newer", g, th, state.ErrInternal)
	_, err := g.State(b.Context(), th, 0)
	if !strings.Contains(err.Error(), "999") {
		b.Errorf("error = %v, want it to name the version", err)
	}
}

func damageOther(b *bench) {
	for i, body := range []bson.D{{}, {{Key: "hello", Value: 1}}, {{Key: "v", Value: 1}, {Key: "seq", Value: "four"}}} {
		g, th := b.graph(plan{}), b.thread(fmt.Sprint("x", i))
		b.turns(g, th, "t1")
		b.put(th.StepKey(4), must(body))
		b.refuses(fmt.Sprint(body), g, th, state.ErrInternal)
	}
}

func must(d bson.D) bson.Raw {
	raw, err := bson.Marshal(d)
	if err != nil {
		panic(err) // the suite's own document
	}
	return raw
}

func damageItems(b *bench) {
	th := b.thread("x")
	g := b.grown(th, nil, 4, 10)
	chunks, err := b.store.Delete(b.Context(), state.Steps, th.StepPrefix()+"!")
	b.wantErr("Delete", err, nil)
	if chunks == 0 {
		b.Fatal("there is no snapshot")
	}
	_, err = g.State(b.Context(), th, 0)
	b.wantErr("State", err, state.ErrInternal)
	_, err = g.Invoke(b.Context(), th, "next", story{})
	b.wantErr("Invoke", err, state.ErrInternal)
}
