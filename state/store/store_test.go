package store_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"pgregory.net/rapid"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
)

func TestRange(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		q         store.Query
		low, high string
	}{
		{"everything", store.Query{}, "", ""},
		{"prefix", store.Query{Prefix: "a/"}, "a/", "a0"},
		{"prefix ending in the greatest byte", store.Query{Prefix: "a\xff\xff"}, "a\xff\xff", "b"},
		{"prefix of greatest bytes only", store.Query{Prefix: "\xff"}, "\xff", ""},
		{"after", store.Query{After: "b"}, "b\x00", ""},
		{"after in reverse", store.Query{After: "b", Reverse: true}, "", "b"},
		{"after inside the prefix", store.Query{Prefix: "a/", After: "a/5"}, "a/5\x00", "a0"},
		{"after inside the prefix in reverse", store.Query{Prefix: "a/", After: "a/5", Reverse: true}, "a/", "a/5"},
		{"after before the prefix", store.Query{Prefix: "b", After: "a"}, "b", "c"},
		{"after behind the prefix in reverse", store.Query{Prefix: "b", After: "x", Reverse: true}, "b", "c"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			low, high := tt.q.Range()
			if low != tt.low || high != tt.high {
				t.Errorf("Range = %q, %q, want %q, %q", low, high, tt.low, tt.high)
			}
		})
	}
}

// TestRangeMeansTheQuery compares the range with the words of the query's comment.
func TestRangeMeansTheQuery(t *testing.T) {
	t.Parallel()
	word := rapid.StringOfN(rapid.SampledFrom([]rune{'a', 'b', '/', 'ÿ', '\U0010FFFF'}), 0, 4, -1)
	rapid.Check(t, func(rt *rapid.T) {
		q := store.Query{Prefix: word.Draw(rt, "prefix"), After: word.Draw(rt, "after"), Reverse: rapid.Bool().Draw(rt, "reverse")}
		id := word.Draw(rt, "id")
		behind := q.After == "" || !q.Reverse && id > q.After || q.Reverse && id < q.After
		low, high := q.Range()
		if got, want := low <= id && (high == "" || id < high), strings.HasPrefix(id, q.Prefix) && behind; got != want {
			rt.Fatalf("%+v selects %q: %t, want %t", q, id, got, want)
		}
	})
}

func TestValidationNames(t *testing.T) {
	t.Parallel()
	ok, err := bson.Marshal(bson.D{{Key: "n", Value: 1}})
	must(t, err)
	tests := []struct {
		name string
		err  error
		want string
	}{
		{"valid", store.ValidateWrite([]store.Doc{{Collection: state.Affairs, ID: "a", Body: ok}, {Collection: state.Steps, ID: "a", Body: ok}}), "<nil>"},
		{"twice", store.ValidateWrite([]store.Doc{{Collection: state.Affairs, ID: "a", Body: ok}, {Collection: state.Affairs, ID: "a", Rev: 1}}),
			"write affairs a: is in this write twice; give its last form only"},
		{"unknown collection", store.ValidateKey("afairs", "a"), "collection afairs: is unknown; the collections are [steps open turns sessions messages affairs records suggestions feed hosts vectors snapshots jobs orders deliveries settings meta]"},
		{"control character", store.ValidateWrite([]store.Doc{{Collection: state.Affairs, ID: "a\nb"}}),
			`write affairs "a\nb": has no body; a deletion names the revision it deletes`},
		{"long", store.ValidateKey(state.Affairs, strings.Repeat("x", 2000)), "id affairs " + strings.Repeat("x", 80) + "...: has 2000 bytes, at most 1024 are allowed"},
		{"bytes behind", store.ValidateWrite([]store.Doc{{Collection: state.Affairs, ID: "a", Body: append(append([]byte{}, ok...), 1, 2)}}),
			"write affairs a: its body is not one BSON document: 2 bytes follow it"},
		{"empty prefix", store.ValidatePrefix(state.Feed, ""), "delete from feed: the prefix is empty, which would delete every client's documents; name one"},
		{"not found", store.NotFound(state.Affairs, "c/u/a"), "affairs c/u/a: does not exist"},
		{"conflict", &store.ConflictError{Collection: state.Steps, ID: "c/t/1"}, "steps c/t/1: another writer was first"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			same(t, "got", tt.want, fmt.Sprint(tt.err))
		})
	}
}

func TestCounting(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	c := &store.Counting{Store: ram.New()}
	body, err := bson.Marshal(bson.D{})
	must(t, err)
	d := store.Doc{Collection: state.Affairs, ID: "a", Body: body}
	must(t, errors.Join(c.Write(ctx, d), c.Write(ctx)))
	before := c.Counts()
	if err := c.Write(ctx, d); !errors.Is(err, state.ErrConflict) {
		t.Errorf("Write = %v, want a conflict", err)
	}
	if _, err := c.Get(ctx, state.Affairs, "b"); !errors.Is(err, state.ErrNotFound) {
		t.Errorf("Get = %v, want not found", err)
	}
	if docs, err := c.Scan(ctx, store.Query{Collection: state.Affairs}); len(docs) != 1 || err != nil {
		t.Errorf("Scan = %v, %v, want one document", docs, err)
	}
	if n, err := c.Delete(ctx, state.Affairs, "a"); n != 1 || err != nil {
		t.Errorf("Delete = %d, %v, want 1", n, err)
	}
	same(t, "Counts", store.Counts{Writes: 2, Docs: 2, Gets: 1, Scans: 1, Deletes: 1}, c.Counts())
	same(t, "Minus", store.Counts{Writes: 1, Docs: 1, Gets: 1, Scans: 1, Deletes: 1}, c.Counts().Minus(before))
}

func ExampleStore() {
	ctx := context.Background()
	var s store.Store = ram.New()
	body := func(title string) bson.Raw {
		b, _ := bson.Marshal(bson.D{{Key: "title", Value: title}})
		return b
	}
	_ = s.Write(ctx,
		store.Doc{Collection: state.Affairs, ID: "c1/u1/a1", Body: body("car part")},
		store.Doc{Collection: state.Affairs, ID: "c1/u1/a2", Body: body("university")},
	)
	a1, _ := s.Get(ctx, state.Affairs, "c1/u1/a1")
	a1.Body = body("car part from eBay")
	fmt.Println(s.Write(ctx, a1)) // replaces revision 1
	fmt.Println(s.Write(ctx, a1)) // revision 1 is gone

	docs, _ := s.Scan(ctx, store.Query{Collection: state.Affairs, Prefix: "c1/u1/", Reverse: true})
	for _, d := range docs {
		fmt.Println(d.ID, d.Rev, d.Body)
	}
	// Output:
	// <nil>
	// affairs c1/u1/a1: another writer was first
	// c1/u1/a2 1 {"title": "university"}
	// c1/u1/a1 2 {"title": "car part from eBay"}
}

var must, same = statetest.Must, statetest.Same
