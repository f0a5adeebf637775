package checkpointtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/sealed"
)

func damageCases() []check {
	return []check{
		{"a step moved to another number is refused", damageMoved},
		{"a step that is missing is not a shorter history", damageMissing},
		{"a step of a newer schema is refused and says so", damageNewer},
		{"a document that is no step is refused", damageOther},
		{"a snapshot's items that are missing are refused", damageItems},
		{"under a seal the suite's story is the same", damageSealed},
		{"under a seal a flipped bit is refused wherever it is", damageFlipped},
		{"under a seal a document moved to another thread is refused", damageCarried},
		{"under a seal another key reads nothing", damageKey},
		{"under a seal a document without a seal is refused", damagePlain},
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

// seal puts a sealed store over one, with a key that seed tells apart.
func (b *bench) seal(below store.Store, id string, seed byte) store.Store {
	b.Helper()
	text, err := sealed.GenerateKey(id, same(seed))
	b.wantErr("GenerateKey", err, nil)
	keys, err := sealed.ParseKeys(text)
	b.wantErr("ParseKeys", err, nil)
	s, err := sealed.New(sealed.Config{Store: below, Keys: keys})
	b.wantErr("New", err, nil)
	return s
}

// boxed is a store that keeps bodies in boxes, so that what is sealed already can be sealed again.
type boxed struct{ store.Store }

// Get opens the box.
// Get hands out what stands there, damaged.
func (s boxed) Get(ctx context.Context, c state.Collection, id string) (store.Doc, error) {
	d, err := s.Store.Get(ctx, c, id)
	if err == nil {
		d.Body = d.Body.Lookup("box").Value[5:]
	}
	return d, err
}

// Scan opens the boxes.
// Scan hands out what stands there, damaged.
func (s boxed) Scan(ctx context.Context, q store.Query) ([]store.Doc, error) {
	docs, err := s.Store.Scan(ctx, q)
	for i := range docs {
		docs[i].Body = docs[i].Body.Lookup("box").Value[5:]
	}
	return docs, err
}

// Write closes the boxes.
func (s boxed) Write(ctx context.Context, docs ...store.Doc) error {
	docs = slices.Clone(docs)
	for i, d := range docs {
		if d.Body != nil {
			docs[i].Body = must(bson.D{{Key: "box", Value: []byte(d.Body)}})
		}
	}
	return s.Store.Write(ctx, docs...)
}

// same reads one byte for ever.
type same byte

var _ io.Reader = same(0)

// Read fills p.
func (s same) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(s)
	}
	return len(p), nil
}

func damageSealed(b *bench) {
	under := *b
	under.store = b.seal(boxed{b.store}, "k", 1)
	th := b.thread("x")
	g := under.eventful(th)
	b.later()
	b.wantErr("Fork", g.Fork(b.Context(), th, 0, b.thread("y")), nil)
	b.want("fork", tell(under.state(g, th, 0).State), tell(under.state(g, b.thread("y"), 0).State))
	if docs := b.dump(); strings.Contains(docs, "takeover") {
		b.Error("the store below can read what is sealed")
	}
	under.giveUp(th)
	under.erase(th)
}

// tampered is a store that reads other bodies than were written.
type tampered struct {
	store.Store
	change func(d store.Doc) store.Doc
}

// Get hands out what stands there, damaged.
func (t tampered) Get(ctx context.Context, c state.Collection, id string) (store.Doc, error) {
	d, err := t.Store.Get(ctx, c, id)
	if err == nil {
		d = t.change(d)
	}
	return d, err
}

// Scan hands out what stands there, damaged.
func (t tampered) Scan(ctx context.Context, q store.Query) ([]store.Doc, error) {
	docs, err := t.Store.Scan(ctx, q)
	for i := range docs {
		docs[i] = t.change(docs[i])
	}
	return docs, err
}

func damageFlipped(b *bench) {
	b.store = boxed{b.store}
	th := b.thread("x")
	b.turns(b.graph(plan{store: b.seal(b.store, "k", 1)}), th, "t1")
	docs, err := b.store.Scan(b.Context(), store.Query{Collection: state.Steps, Prefix: th.StepPrefix()})
	b.wantErr("Scan", err, nil)
	last := docs[len(docs)-1]
	for i := range last.Body {
		flipped := func(d store.Doc) store.Doc {
			if d.ID == last.ID {
				d.Body = slices.Clone(d.Body)
				d.Body[i] ^= 1 << (i % 8)
			}
			return d
		}
		g := b.graph(plan{store: b.seal(tampered{b.store, flipped}, "k", 1)})
		if _, err := g.State(b.Context(), th, 0); !errors.Is(err, state.ErrInternal) && !errors.Is(err, state.ErrDenied) {
			b.Errorf("bit %d of byte %d of %d flipped: %v, want a typed error", i%8, i, len(last.Body), err)
		}
	}
}

func damageCarried(b *bench) {
	b.store = boxed{b.store}
	s := b.seal(b.store, "k", 1)
	g := b.graph(unfolded(plan{store: s}))
	b.turns(g, b.thread("x"), "t1", "t2")
	b.turns(g, b.thread("y"), "t1")
	for seq := int64(1); seq <= 6; seq++ {
		d, err := b.store.Get(b.Context(), state.Steps, b.thread("x").StepKey(seq))
		b.wantErr("Get", err, nil)
		b.put(b.thread("y").StepKey(seq), d.Body)
	}
	b.refuses("carried", g, b.thread("y"), state.ErrInternal)
	b.want("x", "t2", b.state(g, b.thread("x"), 0).State.Note.Get())
}

func damageKey(b *bench) {
	b.store = boxed{b.store}
	th := b.thread("x")
	b.turns(b.graph(plan{store: b.seal(b.store, "k", 1)}), th, "t1")
	b.refuses("a key of another name", b.graph(plan{store: b.seal(b.store, "other", 2)}), th, state.ErrDenied)
	b.refuses("a key of the same name", b.graph(plan{store: b.seal(b.store, "k", 2)}), th, state.ErrInternal)
}

func damagePlain(b *bench) {
	b.store = boxed{b.store}
	th := b.thread("x")
	b.turns(b.graph(plan{}), th, "t1")
	g := b.graph(plan{store: b.seal(b.store, "k", 1), flow: flow.Config[story]{}})
	b.refuses("without a seal", g, th, state.ErrInternal)
}
