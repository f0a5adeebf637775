package isolation_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/memory/sessions"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/tools"
)

// Ten thousand calls with ids, scopes and texts made of wildcards, operators, others' names and noise: nothing of anybody
// else changes, nothing panics, and every refusal is one that a host can tell from others.
func TestInjection(t *testing.T) {
	t.Parallel()
	c := setup(t, nil)
	for n := range 6 {
		c.join(t, n/2, []string{"anna", "ben"}[n%2], 20)
	}
	seed, err := strconv.ParseUint(cmp.Or(os.Getenv("MNEME_SEED"), "1"), 10, 64)
	must(t, err)
	before, err := sums(t.Context(), c.store)
	must(t, err)
	listed := c.listed(t)
	a := &attack{crowd: c, random: rand.New(rand.NewPCG(seed, seed)), used: map[string]bool{}, codes: map[state.Code]int{}}
	a.words = append(wildcards(), nasty(c.owners[0])...)
	a.words = append(a.words, nasty(c.owners[5])...)
	for n := range 10_000 {
		a.strike(t, n)
		if n%1000 == 999 && !c.untouched(t, before, a.used) {
			t.Fatalf("after %d calls of seed %d", n+1, seed)
		}
	}
	if diff := gocmp.Diff(listed, c.listed(t)); diff != "" {
		t.Errorf("the index holds something else of others (-before +after):\n%s", diff)
	}
	for _, o := range c.owners {
		trace := &state.Trace{}
		hits, err := c.memory.Recall(state.ContextWithTrace(t.Context(), trace), memory.Query{Scope: o.scope, Text: "which invoice of the brake pads"})
		if err != nil || len(hits) == 0 || len(trace.Notes()) > 0 {
			t.Errorf("afterwards %s/%s recalls %d, %v, %q", o.scope.Client, o.scope.User, len(hits), err, trace.Notes())
		}
	}
	t.Logf("seed %d: %v by %d users", seed, a.codes, len(a.used))
}

// listed is what the index holds of the owners.
func (c *crowd) listed(t *testing.T) map[string][]index.Entry {
	t.Helper()
	out := map[string][]index.Entry{}
	for _, o := range c.owners {
		must(t, c.memory.Vectors().Settle(t.Context(), o.scope))
		list, err := c.vectors(t).List(t.Context(), index.Of(o.scope))
		must(t, err)
		out[o.scope.UserPrefix()] = list
	}
	return out
}

// untouched reports whether documents are as they were, but for those of scopes that were used.
func (c *crowd) untouched(t *testing.T, before map[string]uint64, used map[string]bool) bool {
	t.Helper()
	after, err := sums(t.Context(), c.store)
	must(t, err)
	ok := true
	for key, sum := range after {
		if was, there := before[key]; (!there || was != sum) && !used[key] {
			ok = false
			t.Errorf("documents of %q have changed (there before: %v); nobody wrote in that scope", key, there)
		}
	}
	for key := range before {
		if _, there := after[key]; !there {
			ok = false
			t.Errorf("documents of %q are gone", key)
		}
	}
	return ok
}

// attack makes calls at random.
type attack struct {
	*crowd
	random *rand.Rand
	words  []string
	used   map[string]bool // users in whose scope something was called
	codes  map[state.Code]int
}

// strike makes one call.
func (a *attack) strike(t *testing.T, n int) {
	t.Helper()
	scope := a.scope()
	own := slices.ContainsFunc(a.owners, func(o *owner) bool { return o.scope.UserPrefix() == scope.UserPrefix() })
	if own {
		scope.User += "'"
	}
	a.used[scope.Default().UserPrefix()] = true
	name, call := a.call(scope)
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("call %d, %s in %q: panic: %v\n%s", n, name, scope, p, debug.Stack())
		}
	}()
	err := call(t.Context())
	a.codes[cmp.Or(state.CodeOf(err), "none")]++
	var typed *state.Error
	switch {
	case err == nil:
	case !errors.As(err, &typed):
		t.Errorf("call %d, %s in %q: the error has no code: %v", n, name, scope, err)
	case state.CodeOf(err) == state.Internal, state.CodeOf(err) == state.Unavailable:
		t.Errorf("call %d, %s in %q: %s, but it is the caller who is wrong: %v", n, name, scope, state.CodeOf(err), err)
	}
}

// scope is one that belongs to none of the owners: mostly valid, so that something is written.
func (a *attack) scope() state.Scope {
	s := state.Scope{Client: "client-" + idMark(0), User: fmt.Sprintf("eve%d", a.random.IntN(20)), Session: "s1", Agent: "main"}
	for _, part := range []*string{&s.Client, &s.User, &s.Session, &s.Agent, &s.Project} {
		switch a.random.IntN(24) {
		case 0:
			*part = a.text()
		case 1, 2, 3, 4:
			*part = strings.Map(func(r rune) rune {
				if r < ' ' || strings.ContainsRune("/$", r) {
					return -1
				}
				return r
			}, strings.ToValidUTF8(a.text(), "")) + "x"
		}
	}
	return s
}

// text is a word of the list, several of them, or noise.
func (a *attack) text() string {
	word := func() string { return a.words[a.random.IntN(len(a.words))] }
	switch a.random.IntN(5) {
	case 0:
		return word() + a.noise() + word()
	case 1:
		return a.noise()
	case 2:
		return word() + "/" + word()
	}
	return word()
}

// noise is a few characters of any kind, some of them no UTF-8.
func (a *attack) noise() string {
	const signs = "\"'`\\/$%_*?.[](){}<>=!&|;:,~^\x00\n\t "
	var b strings.Builder
	for range a.random.IntN(12) {
		switch a.random.IntN(4) {
		case 0:
			b.WriteByte(byte(a.random.IntN(256)))
		case 1:
			b.WriteRune(rune(a.random.IntN(0x10FFFF)))
		case 2:
			b.WriteByte(signs[a.random.IntN(len(signs))])
		default:
			b.WriteByte(byte('a' + a.random.IntN(26)))
		}
	}
	return b.String()
}

// call chooses one of those that read or write.
func (a *attack) call(scope state.Scope) (name string, call func(context.Context) error) {
	m := a.memory
	switch a.random.IntN(8) {
	case 0, 1:
		changes := make([]memory.Change, 1+a.random.IntN(2))
		for i := range changes {
			changes[i] = a.change()
		}
		return fmt.Sprintf("Write %+v", changes), func(ctx context.Context) error { _, err := m.Write(ctx, scope, changes...); return err }
	case 2:
		q := memory.Query{
			Scope: scope, Text: a.text() + " brake pads", In: a.where(), Affair: a.text(), Limit: a.random.IntN(40) - 2, Tokens: a.random.IntN(100), Before: int64(a.random.IntN(9)) - 3,
		}
		return fmt.Sprintf("Recall %q", q.Text), func(ctx context.Context) error { _, err := m.Recall(ctx, q); return err }
	case 3:
		msgs := make([]state.Message, 1+a.random.IntN(2))
		for i := range msgs {
			msgs[i] = a.message()
		}
		return fmt.Sprintf("Ingest %+v", msgs), func(ctx context.Context) error { return m.Turn().Ingest(ctx, scope, msgs...) }
	case 4, 5:
		return a.tool(scope)
	case 6:
		moves := []state.Status{state.Parked, state.Active, state.Resolved, state.Archived}
		at, id := a.random.IntN(len(moves)+1), a.text()
		return fmt.Sprintf("an affair call %q", id), func(ctx context.Context) (err error) {
			if at == len(moves) {
				_, err = m.Affairs().Get(ctx, scope, id)
			} else {
				_, err = m.Affairs().Move(ctx, scope, id, moves[at], "")
			}
			return err
		}
	}
	return a.rarer(scope)
}

// rarer are the calls that sessions are handled with.
func (a *attack) rarer(scope state.Scope) (name string, call func(context.Context) error) {
	m, v := a.memory, a.text()
	switch a.random.IntN(5) {
	case 0:
		change := sessions.Change{Clear: a.random.IntN(2) == 0, End: a.random.IntN(2) == 0, Title: v}
		return "EditSession", func(ctx context.Context) error { _, err := m.Sessions().Edit(ctx, scope, change); return err }
	case 1:
		return fmt.Sprintf("Undo %q", v), func(ctx context.Context) error { return m.History().UndoTurn(ctx, scope, v) }
	case 2:
		return fmt.Sprintf("Fork %q", v), func(ctx context.Context) error { return m.Sessions().Fork(ctx, scope, int64(a.random.IntN(5)), v) }
	case 3:
		return "Load", func(ctx context.Context) error {
			_, err := m.Turn().Load(ctx, state.Input{Scope: scope, Seq: int64(a.random.IntN(9))})
			return err
		}
	}
	return "Indexed", func(ctx context.Context) error { return m.Vectors().Settle(ctx, scope) }
}

// where is a scope of recall, mostly one there is.
func (a *attack) where() memory.Where {
	return []memory.Where{memory.InAll, memory.InCurrent, memory.InKB, "", memory.Where(a.text())}[a.random.IntN(5)]
}

func (a *attack) change() memory.Change {
	c := memory.Change{Subject: a.text(), Content: a.text() + " brake pads " + a.text(), Author: a.text()}
	switch a.random.IntN(8) {
	case 0:
		c.Affair = a.text()
	case 1:
		c.Kind = state.RecordKind(a.text())
	case 2:
		c.Priority = state.Priority(a.text())
	case 3:
		c.Trust = state.Trust(a.text())
	case 4:
		c.Importance = a.random.IntN(24) - 6
	case 5:
		c.ValidFrom = time.Unix(a.random.Int64N(1<<34)-1<<33, 0)
	}
	return c
}

func (a *attack) message() state.Message {
	msg := state.Message{Role: state.RoleUser, Text: a.text() + " brake pads"}
	switch a.random.IntN(8) {
	case 0:
		msg.ID, msg.Turn = a.text(), a.text()
	case 1:
		msg.Affair = a.text()
	case 2:
		msg.Speaker, msg.Role = a.text(), state.Role(a.text())
	case 3:
		msg.Metadata = map[string]string{a.text(): a.text()}
	case 4:
		msg.Parts = []state.Part{{Type: a.text(), Text: a.text(), URL: a.text()}}
	case 5:
		msg.Seq, msg.At = a.random.Int64(), time.Unix(a.random.Int64N(1<<34)-1<<33, 0)
	}
	return msg
}

// tool calls one of the tools: with arguments of its schema and others, or with what is no JSON at all.
func (a *attack) tool(scope state.Scope) (name string, call func(context.Context) error) {
	all := []string{tools.MemoryStore, tools.MemoryStore, tools.MemoryRecall, tools.ListAffairs, tools.RecallAffair, tools.ResolveAffair}
	x := all[a.random.IntN(len(all))]
	args := map[string]any{
		"subject": a.text(), "content": a.text() + " brake pads", "category": "fact", "query": a.text() + " pads", "client": a.text(), "user": "anna", "session": a.text(),
	}
	if a.random.IntN(2) == 0 {
		args["affair_id"], args["scope"] = a.text(), a.text()
	}
	raw, err := json.Marshal(args)
	text := string(raw)
	if err != nil || a.random.IntN(8) == 0 {
		text = a.text() + text[:a.random.IntN(len(text)+1)]
	}
	origin := memory.Origin{Scope: scope, Turn: a.text(), Message: a.text(), Call: a.text(), Seq: int64(a.random.IntN(9)), Tool: x}
	return fmt.Sprintf("%s %q", x, text), func(ctx context.Context) error {
		_, err := a.tools[x].InvokableRun(memory.ContextWithOrigin(state.ContextWithScope(ctx, scope), origin), text)
		return err
	}
}
