package forget_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/forget"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

func begins() time.Time { return time.Date(2026, 11, 24, 9, 0, 0, 0, time.UTC) }

// TestHistories erases something of random histories, and looks for it.
func TestHistories(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"sqlite", "mongo"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			n := tries(10, 30, 100)
			if kind == "mongo" && !long() {
				n = 2
			}
			for seed := firstSeed(t); seed < firstSeed(t)+n; seed++ {
				t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
					t.Parallel()
					tryHistory(t, kind, seed)
				})
			}
		})
	}
}

// aim is what is to be erased, and the words that are to be gone and those that are to stay.
type aim struct {
	name  string
	scope state.Scope
	what  forget.What
	gone  []string
	stays []*thing
}

// aims are the ways to erase a thing.
func aims(w *world, things []*thing, r *rand.Rand) aim {
	th := things[r.IntN(len(things))]
	a := aim{scope: in(th.user, th.session)}
	its := func(of *thing) bool { return of == th }
	switch r.IntN(5) {
	case 0:
		a.name, a.what = "user", forget.What{User: true}
		its = func(of *thing) bool { return of.user == th.user }
	case 1:
		a.name, a.what = "session", forget.What{Session: th.session}
		its = func(of *thing) bool { return of.user == th.user && of.session == th.session }
	case 2:
		a.name, a.what = "topic", forget.What{Topic: th.canary}
	case 3:
		a.name, a.what = "record", forget.What{Record: th.record}
		if th.record == "" {
			a.name, a.what = "topic", forget.What{Topic: th.canary}
		}
	case 4:
		a.name, a.what = "affair", forget.What{}
		all, err := w.Memory().Affairs().List(context.Background(), a.scope, true)
		if err != nil || len(all) == 0 {
			a.name, a.what = "session", forget.What{Session: th.session}
			its = func(of *thing) bool { return of.user == th.user && of.session == th.session }
			break
		}
		filed := map[string][]string{} // by affair, in whatever session
		for _, session := range []string{"s0", "s1", "s2"} {
			messages, err := w.Memory().Messages(context.Background(), in(th.user, session))
			if err != nil {
				panic(err)
			}
			for _, msg := range messages {
				if msg.Role == state.RoleUser { // a tool may quote what is filed elsewhere
					filed[msg.Affair] = append(filed[msg.Affair], msg.Text)
				}
			}
		}
		picked := all[r.IntN(len(all))]
		a.what.Affair = picked.ID
		its = func(of *thing) bool {
			return of.user == th.user && strings.Contains(strings.Join(filed[picked.ID], "\n"), "my "+of.subject+": it is "+of.canary)
		}
	}
	for _, of := range things {
		if its(of) {
			a.gone = append(a.gone, of.canary)
		} else {
			a.stays = append(a.stays, of)
		}
	}
	return a
}

// prove has each order of a user proved.
func prove(t *testing.T, w *world, a aim) {
	t.Helper()
	orders, err := w.Memory().Forget().Orders(t.Context(), a.scope)
	must(t, err)
	for _, o := range orders {
		if p, err := w.Memory().Forget().Prove(t.Context(), a.scope, o.ID, true); err != nil || !p.Proves() {
			t.Errorf("forget %s is not proved: %+v, %v", a.name, p.Layers, err)
		}
	}
}

func tryHistory(t *testing.T, kind string, seed uint64) {
	ctx, r, p := t.Context(), rand.New(rand.NewPCG(seed, 7)), places(t, kind)
	vectors := r.IntN(2) == 0
	w, err := openWorld(ctx, p, begins(), "a", vectors)
	must(t, err)
	things, err := w.history(ctx, r)
	must(t, err)
	a := aims(w, things, r)
	must(t, w.Memory().Vectors().Settle(ctx, a.scope))
	if r.IntN(2) == 0 || kind == "mongo" { // by another process; on MongoDB the first one is still folding its last turns
		w.close(t)
		if w, err = openWorld(ctx, p, w.now, "b", vectors); err != nil {
			t.Fatal(err)
		}
	}
	before := documents(t, w.store)
	for _, word := range a.gone {
		n := 0
		for _, doc := range before {
			n += bytes.Count(doc.Body, []byte(word))
		}
		if n < 2 {
			t.Fatalf("%s is in the store %d times: nothing is to be looked for", word, n)
		}
	}
	tried := a.what
	tried.Try = true
	if _, err := w.Memory().Forget().Erase(ctx, a.scope, tried); err != nil {
		t.Fatalf("%s, tried: %v", a.name, err)
	}
	same(t, before, documents(t, w.store), func(name string) bool { return !strings.HasPrefix(name, string(state.Vectors)) }) // they are made behind
	receipt, err := w.Memory().Forget().Erase(ctx, a.scope, a.what)
	if err != nil {
		t.Fatalf("forget %s: %v", a.name, err)
	}
	for _, l := range receipt.Layers {
		if l.Left != 0 {
			t.Errorf("layer %s: %d are left", l.Name, l.Left)
		}
	}

	prove(t, w, a)

	// What has nothing to do with it is as it was.
	others := func(name string) bool {
		if !ofUser(name, a.scope.User) {
			return !strings.HasPrefix(name, string(state.Meta)) && !strings.HasPrefix(name, string(state.Snapshots)) && !strings.HasPrefix(name, string(state.Vectors))
		}
		record := strings.HasPrefix(name, string(state.Records)+" ") && a.name == "record"
		return record && !slices.ContainsFunc(a.gone, func(word string) bool { return bytes.Contains(before[name].Body, []byte(word)) }) &&
			!bytes.Contains(before[name].Body, []byte("span"))
	}
	same(t, before, documents(t, w.store), others)

	// The user goes on, and says it again.
	w.now = w.now.Add(time.Minute)
	if _, err := w.say(ctx, a.scope, "hello, what do you know of me?"); err != nil {
		t.Errorf("the next turn: %v", err)
	}
	for _, th := range a.stays {
		records, err := w.Memory().Records(ctx, in(th.user, th.session))
		must(t, err)
		if slices.ContainsFunc(records, func(r state.Record) bool { return r.ID == th.record && r.EndedIn != "" }) {
			continue // its user has had it forgotten in the conversation
		}
		hits, err := w.Memory().Recall(ctx, memory.Query{Scope: in(th.user, th.session), Text: th.subject + " " + th.canary, Limit: 10})
		if err != nil || len(hits) == 0 || !slices.ContainsFunc(hits, func(h memory.Hit) bool { return strings.Contains(h.Text, th.canary) }) {
			t.Errorf("forget %s of %s/%s: what stays is found no more: %s, %v", a.name, a.scope.User, a.scope.Session, th.canary, err)
		}
	}
	w.close(t)
	left := everything(t, p)
	for _, word := range a.gone {
		if at := holding(left, word); len(at) > 0 {
			t.Errorf("forget %s of %s/%s: %s is left in %q", a.name, a.scope.User, a.scope.Session, word, at)
		}
	}
	if w, err = openWorld(ctx, p, w.now.Add(time.Hour), "c", vectors); err != nil {
		t.Fatal(err)
	}
	defer w.close(t)
	for _, th := range things {
		if slices.Contains(a.gone, th.canary) {
			if err := w.tell(ctx, th); err != nil {
				t.Errorf("said again: %v", err)
			}
			prove(t, w, a)
			hits, err := w.Memory().Recall(ctx, memory.Query{Scope: in(th.user, th.session), Text: th.canary})
			if err != nil || !slices.ContainsFunc(hits, func(h memory.Hit) bool { return strings.Contains(h.Text, th.canary) }) {
				t.Errorf("what was said again is not found: %v, %v", hits, err)
			}
			break
		}
	}
	if _, err := w.Memory().Forget().Erase(ctx, a.scope, forget.What{}); err != nil && !errors.Is(err, state.ErrNotFound) {
		t.Error(err)
	}
}

// same compares documents that are to be the same.
func same(t *testing.T, before, after map[string]store.Doc, which func(name string) bool) {
	t.Helper()
	for name, doc := range before {
		if now := after[name]; which(name) && (!bytes.Equal(doc.Body, now.Body) || doc.Rev != now.Rev) {
			t.Errorf("%s was changed: revision %d, now %d", name, doc.Rev, now.Rev)
		}
	}
	for name := range after {
		if _, was := before[name]; !was && which(name) {
			t.Errorf("%s was not there before", name)
		}
	}
}
