package mind

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"
	"pgregory.net/rapid"

	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// A mind's documents read as the store does, whatever of it is held, and the account of their bytes is kept.
func TestHeldReadsAsTheStore(t *testing.T) {
	t.Parallel()
	scope := state.Scope{Client: "c", User: "u", Session: "s"}
	rapid.Check(t, func(rt *rapid.T) {
		s := ram.New()
		h := newHeld(s)
		write := func(c state.Collection, id string, size int) store.Doc {
			body, err := bson.Marshal(bson.M{"n": strings.Repeat("x", size)})
			doc := store.Doc{Collection: c, ID: id, Body: body}
			if old, e := s.Get(t.Context(), c, id); e == nil {
				doc.Rev = old.Rev
			}
			if err == nil {
				err = s.Write(t.Context(), doc)
			}
			must(rt, err)
			doc.Rev++
			return doc
		}
		// Messages that were there before, then one that the mind begins with, then any.
		before := rapid.IntRange(0, 3).Draw(rt, "before")
		for n := range before {
			write(state.Messages, scope.MessageKey(int64(n+1)), 1)
		}
		last := before + rapid.SampledFrom([]int{0, 1, 5, 40, tailMost + 2}).Draw(rt, "more")
		for n := before; n < last; n++ {
			doc := write(state.Messages, scope.MessageKey(int64(n+1)), 1)
			if n == before {
				h.begin(doc, before == 0)
			} else {
				h.put(doc)
			}
		}
		for range rapid.IntRange(0, 5).Draw(rt, "edits") {
			n := rapid.IntRange(1, last+1).Draw(rt, "edited")
			if n > last {
				continue
			}
			key := scope.MessageKey(int64(n))
			if rapid.Bool().Draw(rt, "read") { // a long one is kept then
				read(rt, s, h, scope.MessageKey(int64(rapid.IntRange(1, last).Draw(rt, "which"))))
			}
			if rapid.IntRange(0, 3).Draw(rt, "drop") > 0 {
				h.put(write(state.Messages, key, rapid.SampledFrom([]int{2, tailBytes / 3}).Draw(rt, "size")))
				continue
			}
			if _, err := s.Delete(t.Context(), state.Messages, key); err != nil {
				rt.Fatal(err)
			}
			h.drop(ledger.Ref{Collection: state.Messages, ID: key})
		}
		hot, cold := write(state.Affairs, "c/u/hot", 9), write(state.Affairs, "c/u/cold", 9)
		h.put(hot)
		h.put(cold)
		h.shorten(ledger.Ref{Collection: cold.Collection, ID: cold.ID})

		for _, id := range []string{"c/u/hot", "c/u/cold", "c/u/none"} {
			want, wantErr := s.Get(t.Context(), state.Affairs, id)
			got, err := h.Get(t.Context(), state.Affairs, id)
			if diff := cmp.Diff(want, got); diff != "" || state.CodeOf(err) != state.CodeOf(wantErr) {
				rt.Fatalf("affair %s (-store +held): %v, want %v\n%s", id, err, wantErr, diff)
			}
		}
		at := scope.MessageKey(int64(rapid.IntRange(0, last+1).Draw(rt, "at")))
		read(rt, s, h, at)
		read(rt, s, h, at)
		q := store.Query{
			Collection: state.Messages, Prefix: scope.SessionKey() + "/", After: rapid.SampledFrom([]string{"", at}).Draw(rt, "after"),
			Limit: rapid.IntRange(0, 40).Draw(rt, "limit"), Reverse: rapid.Bool().Draw(rt, "reverse"),
		}
		wants, err := s.Scan(t.Context(), q)
		must(rt, err)
		gots, err := h.Scan(t.Context(), q)
		if !reflect.DeepEqual(wants, gots) || err != nil {
			rt.Fatalf("%+v (-store +held): %v\n%s", q, err, cmp.Diff(wants, gots))
		}
		h.account(rt)
	})
}

// read compares a message of the store with that of a mind.
func read(rt *rapid.T, s store.Store, h *Held, key string) {
	want, wantErr := s.Get(rt.Context(), state.Messages, key)
	got, err := h.Get(rt.Context(), state.Messages, key)
	if diff := cmp.Diff(want, got); diff != "" || state.CodeOf(err) != state.CodeOf(wantErr) {
		rt.Fatalf("message %s (-store +held): %v, want %v\n%s", key, err, wantErr, diff)
	}
}

// What is read of a long message again and again is read from the store once; several are kept within their bytes, and none longer
// than it stands in the store.
func TestLongMessagesThatAreReadAreKept(t *testing.T) {
	t.Parallel()
	s := &counting{Store: ram.New()}
	h := newHeld(s)
	key := func(n int) string { return state.Scope{Client: "c", User: "u", Session: "s"}.MessageKey(int64(n)) }
	put := func(n, size int) {
		body, err := bson.Marshal(bson.M{"n": strings.Repeat("x", size)})
		if err == nil {
			err = s.Write(t.Context(), store.Doc{Collection: state.Messages, ID: key(n), Body: body})
		}
		must(t, err)
	}
	get := func(n, want int) {
		t.Helper()
		s.gets = 0
		if _, err := h.Get(t.Context(), state.Messages, key(n)); err != nil || s.gets != want {
			t.Errorf("message %d: %d readings, want %d; %v", n, s.gets, want, err)
		}
	}
	put(1, readLeast)
	put(2, 10)
	put(3, readBytes*2/3)
	put(4, readBytes*2/3)
	get(1, 1)
	get(1, 0)
	get(2, 1)
	get(2, 1)
	get(3, 1)
	get(1, 0)
	get(4, 1)
	get(1, 1) // gone for the long ones
	get(4, 0)
	if h.size() > readBytes+4*docBytes+2*readLeast {
		t.Errorf("%d bytes are held", h.size())
	}
	h.drop(ledger.Ref{Collection: state.Messages, ID: key(4)})
	get(4, 1)
	s.meanwhile = func() { h.put(store.Doc{Collection: state.Messages, ID: key(4)}) }
	h.drop(ledger.Ref{Collection: state.Messages, ID: key(4)})
	get(4, 1)
	s.meanwhile = nil
	get(4, 1) // it was written while it was read
}

// counting counts readings, and does something while they are under way.
type counting struct {
	*ram.Store
	gets      int
	meanwhile func()
}

func (c *counting) Get(ctx context.Context, in state.Collection, id string) (store.Doc, error) {
	c.gets++
	doc, err := c.Store.Get(ctx, in, id)
	if c.meanwhile != nil {
		c.meanwhile()
	}
	return doc, err
}

// account compares what is said to be held with what is.
func (h *Held) account(rt *rapid.T) {
	sum := int64(0)
	for _, doc := range h.docs {
		sum += docSize(doc)
	}
	for key, t := range h.said {
		own := int64(0)
		for _, doc := range t.docs {
			own += docSize(doc)
		}
		if own != t.bytes || len(t.docs) == 0 || len(t.docs) > tailMost || len(t.docs) > 1 && own > tailBytes {
			rt.Fatal(fmt.Sprintf("%s: %d messages of %d bytes, said to be %d", key, len(t.docs), own, t.bytes))
		}
		sum += own + tailBase + int64(len(key))
	}
	for _, doc := range h.read {
		sum += docSize(doc)
	}
	if sum != h.bytes {
		rt.Fatalf("%d bytes are held, said to be %d", sum, h.bytes)
	}
}

var must = statetest.Must
