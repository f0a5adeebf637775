package isolation_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/memory/index/local"
	"github.com/mneme-graph/mneme/memory/index/milvus"
	"github.com/mneme-graph/mneme/memory/index/milvus/milvustest"
	"github.com/mneme-graph/mneme/state"
)

// Whoever asks, and whatever for: nothing of another client's or user's is in the answer.
func TestNobodySeesAnother(t *testing.T) {
	t.Parallel()
	c := setup(t, nil)
	for n := range 50 {
		c.join(t, n, "anna", 200)
	}
	for n := range 5 {
		c.join(t, 10*n, "ben", 200)
	}
	least := 20_000
	if testing.Short() {
		least = 15_000
	}
	if n := c.tried(t, 30); n < least {
		t.Errorf("only %d probes", n)
	}
}

// The same with the vectors on a server, where all owners share a collection.
func TestNobodySeesAnotherOnMilvus(t *testing.T) {
	t.Parallel()
	server := milvustest.Start(t)
	shelf, err := milvus.Open(t.Context(), milvus.Config{Address: server.Address, Prefix: "isolation"})
	must(t, err)
	c := setup(t, shelf)
	for n := range 6 {
		c.join(t, n, []string{"anna", "ben"}[n/4], 30)
	}
	c.join(t, 1, "ben", 30)
	if n := c.tried(t, 5); n < 500 {
		t.Errorf("only %d probes", n)
	}
}

// tried takes pictures, lets every owner try and compares. It returns how many probes there were. An owner tries the nasty
// things of the next one, with MNEME_LONG=1 all of them; every so many owners somebody unknown asks too.
func (c *crowd) tried(t *testing.T, each int) int {
	t.Helper()
	tr := &trial{crowd: c, find: marks()}
	for _, o := range c.owners {
		o.alone = c.picture(t, o)
		for part, text := range o.alone { // all owners ask the same there
			tr.try(t, o.number, probe{"picture: " + part, []string{o.scope.Client}, func(context.Context) (any, error) { return text, nil }})
		}
	}
	vectors := c.vectors(t)
	for i, o := range c.owners {
		other := c.owners[(i+1)%len(c.owners)]
		about := "when is the invoice of the brake pads due, says " + asked(other.number)
		list, err := vectors.List(t.Context(), index.Of(o.scope))
		must(t, err)
		for _, p := range c.whole(vectors, o.scope) {
			tr.try(t, o.number, p)
		}
		tr.counts(t, vectors, o, len(list))
		tr.all(t, o.number, c.inStepOf(other, o.scope, about))
		for k, v := range nasty(other) {
			if (i+k)%share(k) > 0 {
				continue
			}
			for _, p := range c.ofMemory(o.scope, about, v) {
				tr.try(t, o.number, p)
			}
			if (i+k)%3 == 0 || long() {
				tr.all(t, o.number, c.ofTools(o.scope, about, v), c.ofGraph(o.scope, v), c.ofIndex(vectors, o.scope, v))
			}
		}
		if i%each == 0 {
			tr.asNobody(t, vectors, o, about)
		}
	}
	for _, o := range c.owners {
		if diff := cmp.Diff(o.alone, c.picture(t, o)); diff != "" {
			t.Fatalf("%s/%s sees something else than before (-before +after):\n%.3000s", o.scope.Client, o.scope.User, diff)
		}
	}
	for i, o := range c.owners {
		tr.turn(t, o, c.owners[(i+1)%len(c.owners)])
	}
	c.reopened(t, vectors)
	t.Logf("%d probes by %d owners, %d of them answered without an error, %d leaks", tr.probes, len(c.owners), tr.answered, tr.leaks)
	return tr.probes
}

// share says of how many owners one tries the k-th nasty thing: ids of others every second, wildcards every eighth; with -short every sixteenth any.
func share(k int) int {
	switch {
	case long():
		return 1
	case testing.Short():
		return 16
	case k < 11:
		return 2
	}
	return 8
}

// long reports whether every owner is to try everything.
func long() bool { return os.Getenv("MNEME_LONG") != "" }

// reopened looks at the local index as the next process does, which has nothing of it in memory: each owner has what he had.
func (c *crowd) reopened(t *testing.T, vectors index.Vectors) {
	t.Helper()
	if _, ok := c.shelf.(*local.Shelf); !ok {
		return
	}
	fresh, err := local.New(local.Config{Store: c.store})
	must(t, err)
	next := (&crowd{shelf: fresh}).vectors(t)
	for _, o := range c.owners {
		want, err := vectors.List(t.Context(), index.Of(o.scope))
		must(t, err)
		got, err := next.List(t.Context(), index.Of(o.scope))
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Fatalf("after a restart the index of %s/%s is another (-before +after), %v:\n%.2000s", o.scope.Client, o.scope.User, err, diff)
		}
	}
}

// trial counts.
type trial struct {
	*crowd
	find                    *regexp.Regexp
	probes, answered, leaks int
}

func (tr *trial) all(t *testing.T, owner int, groups ...[]probe) {
	t.Helper()
	for _, group := range groups {
		for _, p := range group {
			tr.try(t, owner, p)
		}
	}
}

// try makes one probe and searches all that it gave.
func (tr *trial) try(t *testing.T, owner int, p probe) {
	t.Helper()
	trace := &state.Trace{}
	answer, err := p.ask(state.ContextWithTrace(t.Context(), trace))
	tr.probes++
	text := jsonOf(answer)
	if err == nil {
		tr.answered++
	} else {
		text += " " + err.Error()
		var typed *state.Error
		if !errors.As(err, &typed) || typed.Code == state.Internal {
			t.Errorf("%s, saying %.60q: the error is %v, no typed one of the caller's", p.name, p.said, err)
		}
	}
	notes := strings.Join(trace.Notes(), "\n")
	if strings.Contains(notes, "words alone") {
		t.Errorf("%s, saying %.60q, went without vectors: %s", p.name, p.said, notes)
	}
	if seen := foreign(tr.find, owner, text+notes, p.said...); len(seen) > 0 {
		tr.leaks++
		t.Errorf("owner %d, %s, saying %.60q: sees %v of others in %.1500s", owner, p.name, p.said, seen, text)
		if tr.leaks == 20 {
			t.Fatal("that is enough")
		}
	}
}

// turn has an owner ask for what is another's: neither the answer nor any prompt on the way has it.
func (tr *trial) turn(t *testing.T, o, other *owner) {
	t.Helper()
	said := "What is the order number of the brake pads that " + asked(other.number) + " ordered?"
	tr.try(t, o.number, probe{"Invoke", []string{said, o.scope.Client, asked(other.number)}, func(ctx context.Context) (any, error) {
		reply, err := tr.graph.Invoke(ctx, graph.Request{Scope: o.scope, Text: said})
		return []any{reply, reply.Message, reply.Trace.Context, reply.Trace.Prompts}, err
	}})
}

// counts asks the index for all there is: so many hits as the owner has documents, and those.
func (tr *trial) counts(t *testing.T, vectors index.Vectors, o *owner, listed int) {
	t.Helper()
	query := index.Query{Vector: make([]float32, dim), Limit: 16384}
	query.Vector[1] = 1
	hits, err := vectors.Search(t.Context(), index.Of(o.scope), query)
	must(t, err)
	if len(hits) != listed {
		tr.leaks++
		t.Errorf("owner %d: a search for everything has %d hits, the owner has %d documents", o.number, len(hits), listed)
	}
}

// asNobody asks in scopes that belong to nobody. They are empty, or refused.
func (tr *trial) asNobody(t *testing.T, vectors index.Vectors, o *owner, about string) {
	t.Helper()
	const nobody = -1
	for _, scope := range strangers(o) {
		// The client of a stranger may be that of an owner: said, as all of the scope is.
		said := func(ps []probe) []probe {
			for i := range ps {
				ps[i].said = append(ps[i].said, scope.Client, scope.User, scope.Session)
			}
			return ps
		}
		v := o.own("rec", 3)
		tr.all(t, nobody, said(tr.ofMemory(scope, about, v)), said(tr.ofTools(scope, about, v)), said(tr.ofGraph(scope, v)), said(tr.whole(vectors, scope)))
		tr.empty(t, scope)
	}
}

// empty checks that a scope has nothing, not even a number of it.
func (tr *trial) empty(t *testing.T, scope state.Scope) {
	t.Helper()
	ctx := t.Context()
	records, err := tr.memory.Records(ctx, scope)
	affairs, err2 := tr.memory.Affairs().List(ctx, scope, true)
	messages, err3 := tr.memory.Messages(ctx, scope)
	session, err4 := tr.memory.Sessions().Get(ctx, scope)
	if err := errors.Join(err, err2, err3, err4); err != nil {
		if scope.Validate() == nil {
			t.Errorf("%+v: %v", scope, err)
		}
		return
	}
	if n := len(records) + len(affairs) + len(messages) + int(session.Messages); n > 0 {
		tr.leaks++
		t.Errorf("%+v is nobody's and has %s", scope, fmt.Sprint(len(records), len(affairs), len(messages), session))
	}
}
