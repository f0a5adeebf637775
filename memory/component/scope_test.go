package component_test

import (
	"context"
	"slices"
	"testing"

	"github.com/cloudwego/eino/components/retriever"
	"github.com/cloudwego/eino/schema"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mneme-graph/mneme/checkpoint/checkpointtest"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/component"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// durable is a memory together with the store under it.
func durable(t *testing.T) (*memory.Memory, store.Store) {
	t.Helper()
	s := ram.New()
	m, err := open(func(c *memory.Config) { c.Store = s })
	must(t, err)
	return m, s
}

// turn is a turn of a scope at its third message, and what its step decides.
func turn(ctx context.Context, scope state.Scope, call string) (context.Context, *state.Effects) {
	sink := &state.Effects{}
	ctx = state.ContextWithEffects(state.ContextWithScope(ctx, scope), sink)
	return memory.ContextWithOrigin(ctx, memory.Origin{Scope: scope, Affair: "a1", Turn: "t1", Message: "m3", Seq: 3, Tool: "rag", Call: call}), sink
}

// commit makes what a step decided durable.
func commit(t *testing.T, m *memory.Memory, s store.Store, sink *state.Effects) {
	t.Helper()
	must(t, checkpointtest.Append(t.Context(), s, m.Turn().Commits(), sink.Take()...))
}

// affairs opens parked affairs of alice's.
func affairs(t *testing.T, m *memory.Memory, s store.Store, ids ...string) {
	t.Helper()
	sink := &state.Effects{}
	for _, id := range ids {
		sink.Add(state.Effect{Scope: alice(), Affair: &state.AffairEdit{ID: id, Create: &state.Affair{
			ID: id, Client: "c1", User: "alice", Title: "About " + id, Status: state.Parked,
		}}})
	}
	commit(t, m, s, sink)
}

// people are users of three clients, each with one record that all queries for "kettle" find.
func people() []state.Scope {
	return []state.Scope{
		alice(), {Client: "c1", User: "bob", Session: "s1"}, {Client: "c1", User: "shelf", Session: "s1"},
		{Client: "c2", User: "alice", Session: "s1"}, {Client: "shared", User: "shelf", Session: "s1"},
	}
}

// owns is the content of a person's record.
func owns(s state.Scope) string { return "the kettle of " + s.User + " at " + s.Client }

func inhabited(t *testing.T) (*memory.Memory, store.Store) {
	t.Helper()
	m, s := durable(t)
	for _, p := range people() {
		write(t, m, p, memory.Change{Content: owns(p)})
	}
	return m, s
}

func TestWhoseMemory(t *testing.T) {
	t.Parallel()
	bob, other := state.Scope{Client: "c1", User: "bob", Session: "s1"}, state.Scope{Client: "c2", User: "alice", Session: "s1"}
	for _, c := range []struct {
		name   string
		config state.Scope
		turn   state.Scope // zero = outside a turn
		want   string      // the one thing found
		code   state.Code
	}{
		{"the config's, outside a turn", alice(), state.Scope{}, owns(alice()), ""},
		{"nobody's outside a turn", state.Scope{}, state.Scope{}, "", state.Invalid},
		{"no session outside a turn", state.Scope{Client: "c1", User: "alice"}, state.Scope{}, "", state.Invalid},
		{"the turn's", state.Scope{}, bob, owns(bob), ""},
		{"the turn's within the client", state.Scope{Client: "c1"}, bob, owns(bob), ""},
		{"the turn's of the named user", state.Scope{Client: "c1", User: "bob"}, bob, owns(bob), ""},
		{"the config's session, the turn's user", state.Scope{Session: "s9"}, bob, owns(bob), ""},
		{"a named shelf in another's turn", state.Scope{Client: "shared", User: "shelf", Session: "s1"}, bob, "the kettle of shelf at shared", ""},
		{"another client's turn fills in no user", state.Scope{Client: "c1"}, other, "", state.Denied},
		{"another user's turn fills in no session", state.Scope{Client: "c1", User: "shelf"}, bob, "", state.Denied},
		{"a turn with ids that reach other keys", state.Scope{Client: "c1"}, state.Scope{Client: "c1", User: "bob/s1", Session: "x"}, "", state.Invalid},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m, _ := inhabited(t)
			ctx := t.Context()
			if c.turn != (state.Scope{}) {
				ctx, _ = turn(ctx, c.turn, "")
			}
			docs, err := newRetriever(t, component.RetrieverConfig{Memory: m, Scope: c.config}).Retrieve(ctx, "kettle")
			code(t, err, c.code)
			if got := contents(docs); err == nil && !slices.Equal(got, []string{c.want}) {
				t.Errorf("want %q alone, got %q", c.want, got)
			}
			_, err = newIndexer(t, component.IndexerConfig{Memory: m, Scope: c.config}).Store(ctx, []*schema.Document{said("a new kettle")})
			code(t, err, c.code)
		})
	}
}

// TestNothingCrossesTheConfig mixes configs and turns: whatever they are, what is found is of one person, of the Config's client and
// user where it names them, and of the turn's where it does not.
func TestNothingCrossesTheConfig(t *testing.T) {
	t.Parallel()
	m, _ := inhabited(t)
	rapid.Check(t, func(rt *rapid.T) {
		id := rapid.SampledFrom([]string{"", "c1", "c2", "shared"})
		user := rapid.SampledFrom([]string{"", "alice", "bob", "shelf"})
		session := rapid.SampledFrom([]string{"", "s1"})
		config := state.Scope{Client: id.Draw(rt, "client"), User: user.Draw(rt, "user"), Session: session.Draw(rt, "session")}
		at := rapid.SampledFrom(people()).Draw(rt, "turn")
		r, err := component.NewRetriever(component.RetrieverConfig{Memory: m, Scope: config})
		if err != nil {
			if config.User == "" || config.Client != "" {
				rt.Fatalf("config %+v: %v", config, err)
			}
			return
		}
		ctx, _ := turn(t.Context(), at, "")
		docs, err := r.Retrieve(ctx, "kettle")
		if err != nil {
			if code := state.CodeOf(err); code != state.Denied {
				rt.Fatalf("config %+v in a turn of %+v: %v", config, at, err)
			}
			return
		}
		whose := at.Merge(state.Scope{Client: config.Client, User: config.User})
		var want []string
		if slices.ContainsFunc(people(), func(p state.Scope) bool { return p.UserPrefix() == whose.UserPrefix() }) {
			want = []string{owns(whose)}
		}
		if got := contents(docs); !slices.Equal(got, want) {
			rt.Fatalf("config %+v in a turn of %+v: want %q, got %q", config, at, want, got)
		}
	})
}

func TestInsideATurnTheStepDecides(t *testing.T) {
	t.Parallel()
	m, s := durable(t)
	x, r := newIndexer(t, component.IndexerConfig{Memory: m}), newRetriever(t, component.RetrieverConfig{Memory: m})
	ctx, sink := turn(t.Context(), alice(), "3/call-1")
	ids := keep(ctx, t, x, said("the kettle is blue"), said("the stove is black"))
	if got := contents(retrieve(ctx, t, r, "kettle")); !slices.Equal(got, []string{"the kettle is blue"}) {
		t.Errorf("in the step: got %q", got)
	}
	outside := state.ContextWithScope(t.Context(), alice())
	if got := contents(retrieve(outside, t, r, "kettle")); len(got) != 0 {
		t.Errorf("found before it is durable: %q", got)
	}
	commit(t, m, s, sink)
	if got := retrieve(outside, t, r, "kettle"); len(got) != 1 || got[0].ID != ids[0] || got[0].MetaData[component.MetaTurn] != "t1" ||
		got[0].MetaData[component.MetaAffair] != "a1" {
		t.Errorf("once it is durable: got %+v", got)
	}
}

// What the step has decided comes first and passes any threshold that its like allows, because it is scored by itself.
func TestThresholdWithinAStep(t *testing.T) {
	t.Parallel()
	m, _ := durable(t)
	write(t, m, alice(), memory.Change{Content: "the red enamel kettle whistles"}, memory.Change{Content: "Norway is far from here, kettle or not"})
	ctx, _ := turn(t.Context(), alice(), "")
	keep(ctx, t, newIndexer(t, component.IndexerConfig{Memory: m}), said("Eva ordered a kettle"))
	docs := retrieve(ctx, t, newRetriever(t, component.RetrieverConfig{Memory: m}), question, retriever.WithScoreThreshold(1))
	if got := contents(docs); !slices.Equal(got, []string{"Eva ordered a kettle", "the red enamel kettle whistles"}) {
		t.Errorf("got %q", got)
	}
}

// Several nodes of one tool call may store; a repeated attempt of the call writes the same records.
func TestStoresOfOneToolCall(t *testing.T) {
	t.Parallel()
	m, _ := durable(t)
	x := newIndexer(t, component.IndexerConfig{Memory: m})
	attempt := func() []string {
		ctx, _ := turn(t.Context(), alice(), "3/call-1")
		return append(keep(ctx, t, x, said("the kettle is blue")), keep(ctx, t, x, said("the stove is black"))...)
	}
	first, second := attempt(), attempt()
	if len(first) != 2 || first[0] == first[1] {
		t.Errorf("want two records, got %v", first)
	}
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("ids of the second attempt (-first +second):\n%s", diff)
	}
}

// What a turn decides about its own user stays out of a shelf that it also works with, and the other way round.
func TestAnotherMemoryIsNoPartOfTheStep(t *testing.T) {
	t.Parallel()
	m, s := durable(t)
	affairs(t, m, s, "a1")
	shelf := state.Scope{Client: "c1", User: "shelf", Session: "s1"}
	mine, theirs := component.IndexerConfig{Memory: m}, component.IndexerConfig{Memory: m, Scope: shelf}
	ctx, sink := turn(t.Context(), alice(), "3/call-1")
	keep(ctx, t, newIndexer(t, mine), about("kettle", "the price is 40 EUR"))
	keep(ctx, t, newIndexer(t, theirs), about("kettle", "the price is 50 EUR"))
	r := newRetriever(t, component.RetrieverConfig{Memory: m, Scope: shelf})
	for when, ctx := range map[string]context.Context{"outside the turn, at once": t.Context(), "inside the turn": ctx} {
		if got := contents(retrieve(ctx, t, r, "kettle price")); !slices.Equal(got, []string{"kettle: the price is 50 EUR"}) {
			t.Errorf("on the shelf %s: got %q", when, got)
		}
	}
	commit(t, m, s, sink)
	for scope, want := range map[state.Scope]string{alice(): "the price is 40 EUR", shelf: "the price is 50 EUR"} {
		records, err := m.Records(t.Context(), scope)
		if err != nil || len(records) != 1 || records[0].Content != want || records[0].Replaces != "" {
			t.Errorf("%s: want %q alone, got %+v, %v", scope.User, want, records, err)
		}
		if scope == shelf && (records[0].Affair != "" || records[0].Source.Turn != "") {
			t.Errorf("the shelf tells of another user's turn: %+v", records[0])
		}
	}
}

// The question of a turn is a message already. It is no answer, whichever session the Config names; the message before it is.
func TestTheQuestionIsNoAnswer(t *testing.T) {
	t.Parallel()
	for _, session := range []string{"", "s1", "s7"} {
		t.Run("session "+session, func(t *testing.T) {
			t.Parallel()
			m, s := durable(t)
			sink := &state.Effects{}
			for seq, text := range []string{"the kettle is blue", "noted", "which colour has the kettle?"} {
				sink.Add(state.Effect{Scope: alice(), Message: &state.Message{ID: text, Seq: int64(seq) + 1, Role: state.RoleUser, Text: text}})
			}
			commit(t, m, s, sink)
			ctx, _ := turn(t.Context(), alice(), "")
			r := newRetriever(t, component.RetrieverConfig{Memory: m, Scope: state.Scope{Session: session}})
			if got := contents(retrieve(ctx, t, r, "kettle")); !slices.Equal(got, []string{"the kettle is blue", "noted"}) {
				t.Errorf("want what was said before the question, got %q", got)
			}
		})
	}
}

func TestTheCurrentAffair(t *testing.T) {
	t.Parallel()
	m, s := durable(t)
	affairs(t, m, s, "a1", "a2")
	write(t, m, alice(), memory.Change{Content: "the kettle whistles", Affair: "a1"}, memory.Change{Content: "Eva ordered a kettle", Affair: "a2"},
		memory.Change{Content: "no kettle without a lid"})
	inside, _ := turn(t.Context(), alice(), "")
	for _, c := range []struct {
		name   string
		ctx    context.Context
		affair string
		want   string
	}{
		{"the turn's", inside, "", "the kettle whistles"},
		{"the config's", inside, "a2", "Eva ordered a kettle"},
		{"none outside a turn", t.Context(), "", "no kettle without a lid"},
	} {
		r := newRetriever(t, component.RetrieverConfig{
			Memory: m, Scope: alice(), In: memory.InCurrent, Affair: c.affair, Kinds: []state.RecordKind{state.FactRecord},
		})
		if got := contents(retrieve(c.ctx, t, r, "kettle")); !slices.Equal(got, []string{c.want}) {
			t.Errorf("%s: want %q, got %q", c.name, c.want, got)
		}
	}
}
