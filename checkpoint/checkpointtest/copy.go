package checkpointtest

import (
	"context"
	"fmt"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

func copyCases() []check {
	return []check{
		{"the copy has all steps, not only the latest, with their states", copyAll},
		{"turn, attempt, source, graph and time are copied", copyMetadata},
		{"snapshots are copied", copySnapshots},
		{"an unfinished turn goes on in both, and finished nodes run in neither again", copyUnfinished},
		{"open questions are copied and answered apart", copyQuestion},
		{"the source is unchanged", copySource},
		{"threads below the source are not copied", copyBelow},
		{"what the source does later is not in the copy, and the other way round", copyApart},
		{"a source that does not exist is not found and leaves nothing", copyUnknown},
		{"a thread that is there is not written over", copyOver},
		{"effects that are decided are carried out once", copyEffects},
		{"a deleted thread can be copied to", copyToDeleted},
	}
}

// copied copies x to y in a process of its own.
func (b *bench) copied() {
	b.Helper()
	b.wantErr("Copy", b.log(b.config(b.store)).Copy(b.Context(), b.thread("x"), b.thread("y")), nil)
}

func copyAll(b *bench) {
	g := b.eventful(b.thread("x"))
	b.later()
	b.copied()
	b.want("copy", b.everything(g, b.thread("x")), b.everything(g, b.thread("y")))
}

func copyMetadata(b *bench) {
	g := b.eventful(b.thread("x"))
	b.later()
	b.copied()
	x, y := b.history(g, b.thread("x"), checkpoint.Which{}), b.history(g, b.thread("y"), checkpoint.Which{})
	for i := range x {
		a, c := x[i].Step, y[i].Step
		if a.Turn != c.Turn || a.Attempt != c.Attempt || a.Source != c.Source || a.Graph != c.Graph || !a.At.Equal(c.At) ||
			a.Parent != c.Parent || a.Base != c.Base || a.Done != c.Done || a.Version != c.Version {
			b.Errorf("step %d: %+v became %+v", a.Seq, a, c)
		}
	}
}

func copySnapshots(b *bench) {
	g := b.graph(plan{nodes: "a", flow: flow.Config[story]{SnapshotEvery: 2}})
	for i := range 9 {
		b.turns(g, b.thread("x"), fmt.Sprint("t", i))
	}
	b.copied()
	want := b.everything(g, b.thread("x"))
	b.erase(b.thread("x"))
	b.want("copy", want, b.everything(g, b.thread("y")))
	b.turns(g, b.thread("y"), "t9")
	b.want("sum", count(10), b.state(g, b.thread("y"), 0).State.Sum.Get())
}

func copyUnfinished(b *bench) {
	b.broken(b.graph(plan{do: fails("c")}), b.thread("x"), "t1")
	b.later()
	b.copied()
	for _, id := range []string{"y", "x"} {
		g := b.graph(plan{do: fails("a", "b")})
		end, err := g.Resume(b.Context(), b.thread(id), nil)
		b.wantErr("Resume of "+id, err, nil)
		b.want(id, told{"a b c", 3, "t1"}, tell(end))
	}
}

func copyQuestion(b *bench) {
	p := plan{ask: map[string]state.Question{"b": {Text: "go on?"}}}
	g := b.graph(p)
	_, err := g.Invoke(b.Context(), b.thread("x"), "t1", story{})
	b.wantErr("Invoke", err, state.ErrConflict)
	b.copied()
	for id, choice := range map[string]state.Choice{"x": state.Approve, "y": state.Reject} {
		waits := b.state(g, b.thread(id), 0).Waits
		if len(waits) != 1 {
			b.Fatalf("%s waits for %+v", id, waits)
		}
		end, err := b.graph(p).Answer(b.Context(), b.thread(id), map[string]state.Answer{waits[0].ID: {Choice: choice}})
		b.wantErr("Answer", err, nil)
		b.want(id, told{"a " + string(choice) + " b c", 3, ""}, tell(end))
	}
}

func copySource(b *bench) {
	g := b.eventful(b.thread("x"))
	before := b.everything(g, b.thread("x"))
	b.later()
	b.copied()
	b.want("source", before, b.everything(g, b.thread("x")))
	end, err := b.graph(plan{}).Resume(b.Context(), b.thread("x"), nil)
	b.wantErr("Resume", err, nil)
	b.want("note", "t6", end.Note.Get())
}

func copyBelow(b *bench) {
	g := b.graph(plan{})
	b.turns(g, b.thread("x"), "t1")
	b.turns(g, b.thread("x/child"), "t1")
	b.copied()
	b.want("y/child", int64(0), b.state(g, b.thread("y/child"), 0).Seq)
}

func copyApart(b *bench) {
	g := b.graph(plan{nodes: "a"})
	b.turns(g, b.thread("x"), "t1")
	b.copied()
	b.turns(g, b.thread("x"), "t2")
	b.turns(g, b.thread("y"), "t3", "t4")
	b.want("x", told{"a a", 2, "t2"}, tell(b.state(g, b.thread("x"), 0).State))
	b.want("y", told{"a a a", 3, "t4"}, tell(b.state(g, b.thread("y"), 0).State))
}

func copyUnknown(b *bench) {
	err := b.log(b.config(b.store)).Copy(b.Context(), b.thread("x"), b.thread("y"))
	b.wantErr("Copy", err, state.ErrNotFound)
	b.want("steps", []string(nil), b.documents(state.Steps))
	b.want("open", []string(nil), b.documents(state.Open))
}

func copyOver(b *bench) {
	g := b.graph(plan{})
	b.turns(g, b.thread("x"), "t1")
	b.turns(g, b.thread("y"), "t2")
	before := b.everything(g, b.thread("y"))
	l := b.log(b.config(b.store))
	b.wantErr("Copy", l.Copy(b.Context(), b.thread("x"), b.thread("y")), state.ErrConflict)
	b.wantErr("Copy to itself", l.Copy(b.Context(), b.thread("x"), b.thread("x")), state.ErrConflict)
	b.wantErr("Fork", g.Fork(b.Context(), b.thread("x"), 1, b.thread("y")), state.ErrConflict)
	b.want("y", before, b.everything(g, b.thread("y")))
}

// ledger is an Apply that adds each effect's importance to the account named by its record, once per step: where the
// store has no transactions the account keeps the marks of what it has taken in.
func (b *bench) ledger(s store.Store) func(context.Context, []state.Effect) ([]store.Doc, error) {
	return func(ctx context.Context, effects []state.Effect) (docs []store.Doc, err error) {
		for _, e := range effects {
			key := e.Scope.Key(e.Record.ID)
			i := slices.IndexFunc(docs, func(d store.Doc) bool { return d.ID == key })
			if i < 0 {
				d, err := s.Get(ctx, state.Records, key)
				if err != nil && state.CodeOf(err) != state.NotFound {
					return nil, err
				}
				d.Collection, d.ID = state.Records, key
				docs, i = append(docs, d), len(docs)
			}
			a, err := account(docs[i].Body)
			if err != nil {
				return nil, err
			}
			mark := fmt.Sprint(e.From.Thread, " ", e.From.Seq)
			if e.From.Thread != "" && slices.Contains(a.Marks, mark) {
				continue
			}
			a.N, a.Marks = a.N+e.Record.Importance, append(a.Marks, mark)
			if docs[i].Body, err = bson.Marshal(a); err != nil {
				return nil, err
			}
		}
		return slices.DeleteFunc(docs, func(d store.Doc) bool { return d.Body == nil }), nil
	}
}

// balance is an account of the ledger.
type balance struct {
	N     int      `bson:"n"`
	Marks []string `bson:"marks"`
}

func account(body bson.Raw) (a balance, err error) {
	if body != nil {
		err = bson.Unmarshal(body, &a)
	}
	return a, err
}

// paid reads an account.
func (b *bench) paid(id string) int {
	b.Helper()
	d, err := b.store.Get(context.WithoutCancel(b.Context()), state.Records, b.scope().Key(id))
	if err != nil && state.CodeOf(err) != state.NotFound {
		b.Fatal(err)
	}
	a, err := account(d.Body)
	if err != nil {
		b.Fatal(err)
	}
	return a.N
}

func (b *bench) scope() state.Scope { return state.Scope{Client: b.client}.Default() }

// paying is a plan whose nodes each add one to the account of their name.
func (b *bench) paying(p plan) plan {
	s := p.store
	if s == nil {
		s = b.store
	}
	log := p.log
	p.log = func(c *checkpoint.Config) {
		c.Apply = b.ledger(s)
		if log != nil {
			log(c)
		}
	}
	tune := p.tune
	p.tune = func(n *flow.Node[story]) {
		if tune != nil {
			tune(n)
		}
		name, run := n.Name, n.Run
		n.Run = func(ctx context.Context, s story) (story, error) {
			s, err := run(ctx, s)
			if err == nil {
				state.EffectsFrom(ctx).Add(state.Effect{Scope: b.scope(), Record: &state.Record{ID: name, Importance: 1}})
			}
			return s, err
		}
	}
	return p
}

func (b *bench) accounts() map[string]int {
	b.Helper()
	return map[string]int{"a": b.paid("a"), "b": b.paid("b"), "c": b.paid("c")}
}

func copyEffects(b *bench) {
	b.broken(b.graph(b.paying(plan{do: fails("c")})), b.thread("x"), "t1")
	b.later()
	b.copied()
	for i, id := range []string{"y", "x"} {
		_, err := b.graph(b.paying(plan{})).Resume(b.Context(), b.thread(id), nil)
		b.wantErr("Resume of "+id, err, nil)
		b.want("paid for c", i+1, b.paid("c"))
	}
	b.want("accounts", map[string]int{"a": 1, "b": 1, "c": 2}, b.accounts())
}

func copyToDeleted(b *bench) {
	g := b.graph(plan{})
	b.turns(g, b.thread("x"), "t1")
	b.turns(g, b.thread("y"), "t2", "t3")
	b.later()
	b.erase(b.thread("y"))
	b.copied()
	b.want("copy", b.everything(g, b.thread("x")), b.everything(g, b.thread("y")))
}
