package parity_test

import (
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// lists makes the same random changes on both sides. Whenever all is settled, both indexes must hold exactly the documents of
// the store, user by user.
func lists(t *testing.T, p *pair) {
	seeds, users, outcomes := uint64(3), []string{"anna", "ben"}, map[state.Outcome]int{}
	if os.Getenv("MNEME_LONG") != "" {
		seeds = 20
	}
	for seed := range seeds {
		c := changes{t: t, pair: p, draw: rand.New(rand.NewPCG(seed, 0)), talks: talks(t), users: users, outcomes: outcomes}
		for step := range 40 {
			c.step()
			if step%10 == 9 {
				c.settle()
				for _, user := range users {
					p.holdsAll(t, user)
				}
			}
			if t.Failed() {
				t.Fatalf("seed %d, step %d", seed, step)
			}
		}
	}
	t.Logf("writes: %v", outcomes)
}

// changes draws changes and makes them on both sides.
type changes struct {
	*pair
	t     *testing.T
	draw  *rand.Rand
	talks []talk
	users []string

	written  []memory.Change
	said     []state.Message
	outcomes map[state.Outcome]int // of writes
	behind   bool                  // something was deleted that the memories have not been told of
}

func (c *changes) step() {
	scope := of(c.users[c.draw.IntN(len(c.users))], []string{"s1", "s2"}[c.draw.IntN(2)])
	switch n := c.draw.IntN(10); {
	case n < 3:
		part := c.talks[c.draw.IntN(len(c.talks))].sessions[0].messages
		from := c.draw.IntN(len(part))
		c.say(scope, part[from:min(from+1+c.draw.IntN(3), len(part))]...)
	case n < 4 && len(c.said) > 0:
		c.say(scope, c.said[c.draw.IntN(len(c.said))])
	case n < 7:
		notes := c.talks[c.draw.IntN(len(c.talks))].notes
		c.note(scope, notes[c.draw.IntN(len(notes))])
	case n < 9 && len(c.written) > 0:
		again := c.written[c.draw.IntN(len(c.written))]
		if c.draw.IntN(2) == 0 {
			again.Content += " 42" // another value of the same
		}
		c.note(scope, again)
	default:
		c.forget(scope)
	}
}

func (c *changes) say(scope state.Scope, messages ...state.Message) {
	c.t.Helper()
	for _, s := range c.sides() {
		must(c.t, s.m.Turn().Ingest(c.t.Context(), scope, messages...))
	}
	c.said = append(c.said, messages...)
}

func (c *changes) note(scope state.Scope, change memory.Change) {
	c.t.Helper()
	c.outcomes[c.pair.note(c.t, scope, change).Outcome]++
	c.written = append(c.written, change)
}

// forget deletes a document of the user from both stores, past the memories.
func (c *changes) forget(scope state.Scope) {
	c.t.Helper()
	documents := c.local.documents(c.t, scope.User)
	if len(documents) == 0 {
		return
	}
	collection, key, _ := strings.Cut(documents[c.draw.IntN(len(documents))], "/")
	for _, s := range c.sides() {
		n, err := s.store.Delete(c.t.Context(), state.Collection(collection), scope.UserPrefix()+key)
		if must(c.t, err); n != 1 {
			c.t.Fatalf("%s: %d documents %s/%s were deleted", s.name, n, collection, key)
		}
	}
	c.behind = true
}

// settle waits for all vectors. What was deleted is noticed by Reindex, or by a process that has just started.
func (c *changes) settle() {
	c.t.Helper()
	start := c.draw.IntN(2) == 0
	for _, s := range c.sides() {
		switch {
		case c.behind && start:
			s.stop(c.t)
			s.start(c.t)
		case c.behind:
			_, err := s.m.Vectors().Reindex(c.t.Context(), nil)
			must(c.t, err)
		}
		for _, user := range c.users {
			s.indexed(c.t, of(user, "1"))
		}
	}
	c.behind = false
}

// documents are the ids of all that a user's index should hold, in order.
func (s *side) documents(t *testing.T, user string) []string {
	t.Helper()
	var out []string
	prefix := of(user, "1").UserPrefix()
	for _, c := range []state.Collection{state.Affairs, state.Messages, state.Records} {
		docs, err := s.store.Scan(t.Context(), store.Query{Collection: c, Prefix: prefix})
		must(t, err)
		for _, d := range docs {
			out = append(out, string(c)+"/"+strings.TrimPrefix(d.ID, prefix))
		}
	}
	slices.Sort(out)
	return out
}

// holdsAll compares the indexes with each other, entry by entry, and with the store.
func (p *pair) holdsAll(t *testing.T, user string) {
	t.Helper()
	ours, theirs := p.local.list(t, user), p.milvus.list(t, user)
	if diff := gocmp.Diff(ours, theirs); diff != "" {
		t.Errorf("entries of %s (-local +milvus):\n%s", user, diff)
	}
	var held []string
	for _, e := range ours {
		held = append(held, e.ID)
	}
	if diff := gocmp.Diff(p.local.documents(t, user), held); diff != "" {
		t.Errorf("entries of %s (-store +local):\n%s", user, diff)
	}
}

// list is what the index has of a user, read past the memory.
func (s *side) list(t *testing.T, user string) []index.Entry {
	t.Helper()
	_, _, v, leave := s.open(t)
	defer leave()
	entries, err := v.List(t.Context(), index.Of(of(user, "1")))
	must(t, err)
	return entries
}
