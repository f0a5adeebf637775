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

// ledger adds each effect's importance to the account named by its record, once per step: where the store has no transactions the
// account keeps the marks of what it has taken in.
type ledger struct{ store store.Store }

func (b *bench) ledger(s store.Store) checkpoint.Memory { return Merge(ledger{s}.merge) }

func (l ledger) merge(ctx context.Context, effects []state.Effect) (docs []store.Doc, err error) {
	for _, e := range effects {
		key := e.Scope.Key(e.Record.ID)
		i := slices.IndexFunc(docs, func(d store.Doc) bool { return d.ID == key })
		if i < 0 {
			d, err := l.store.Get(ctx, state.Records, key)
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
		c.Memory = b.ledger(s)
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
