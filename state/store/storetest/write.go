package storetest

import (
	"errors"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

func writeCases() []check {
	return []check{
		{"an absent document is not found", absent},
		{"an inserted document stands at revision 1", inserted},
		{"a replaced document stands one revision higher", replaced},
		{"ten replacements count to eleven", counted},
		{"a deleted document is not found", deleted},
		{"after a deletion revisions begin anew", reinserted},
		{"inserting what exists is a conflict", insertTwice},
		{"replacing at an old revision is a conflict", replaceStale},
		{"replacing at a future revision is a conflict", replaceFuture},
		{"replacing what is absent is a conflict", replaceAbsent},
		{"deleting at an old revision is a conflict", deleteStale},
		{"deleting what is absent is a conflict", deleteAbsent},
		{"an empty write does nothing", emptyWrite},
		{"collections are independent", independent},
		{"one write may touch every collection", everyCollection},
		{"ids in any script", scripts},
		{"an id of the greatest length", longestID},
		{"ids differ by case, space and accent", similarIDs},
	}
}

func absent(t *testing.T, s store.Store) {
	wantAbsent(t, s, "a")
	_, err := s.Get(t.Context(), state.Affairs, "c1/u1/a17")
	if err == nil || !strings.Contains(err.Error(), "c1/u1/a17") {
		t.Errorf("error %v does not name the document", err)
	}
}

func inserted(t *testing.T, s store.Store) {
	write(t, s, doc("a", 0, 7))
	want(t, s, doc("a", 1, 7))
}

func replaced(t *testing.T, s store.Store) {
	write(t, s, doc("a", 0, 7))
	write(t, s, doc("a", 1, 8))
	want(t, s, doc("a", 2, 8))
}

func counted(t *testing.T, s store.Store) {
	for i := range 11 {
		write(t, s, doc("a", int64(i), i))
	}
	want(t, s, doc("a", 11, 10))
}

func deleted(t *testing.T, s store.Store) {
	write(t, s, doc("a", 0, 7))
	write(t, s, gone("a", 1))
	wantAbsent(t, s, "a")
	wantIDs(t, s, store.Query{})
}

func reinserted(t *testing.T, s store.Store) {
	write(t, s, doc("a", 0, 7))
	write(t, s, gone("a", 1))
	write(t, s, doc("a", 0, 9))
	want(t, s, doc("a", 1, 9))
}

func insertTwice(t *testing.T, s store.Store) {
	write(t, s, doc("a", 0, 7))
	wantConflict(t, s.Write(t.Context(), doc("a", 0, 8)), "a")
	want(t, s, doc("a", 1, 7))
}

func replaceStale(t *testing.T, s store.Store) {
	write(t, s, doc("a", 0, 7))
	write(t, s, doc("a", 1, 8))
	wantConflict(t, s.Write(t.Context(), doc("a", 1, 9)), "a")
	want(t, s, doc("a", 2, 8))
}

func replaceFuture(t *testing.T, s store.Store) {
	write(t, s, doc("a", 0, 7))
	wantConflict(t, s.Write(t.Context(), doc("a", 2, 9)), "a")
	want(t, s, doc("a", 1, 7))
}

func replaceAbsent(t *testing.T, s store.Store) {
	wantConflict(t, s.Write(t.Context(), doc("a", 1, 9)), "a")
	wantAbsent(t, s, "a")
}

func deleteStale(t *testing.T, s store.Store) {
	write(t, s, doc("a", 0, 7))
	write(t, s, doc("a", 1, 8))
	wantConflict(t, s.Write(t.Context(), gone("a", 1)), "a")
	want(t, s, doc("a", 2, 8))
}

func deleteAbsent(t *testing.T, s store.Store) {
	wantConflict(t, s.Write(t.Context(), gone("a", 1)), "a")
}

func emptyWrite(t *testing.T, s store.Store) {
	write(t, s)
	wantIDs(t, s, store.Query{})
}

func independent(t *testing.T, s store.Store) {
	a, b := doc("a", 0, 1), doc("a", 0, 2)
	b.Collection = state.Records
	write(t, s, a)
	write(t, s, b)
	write(t, s, gone("a", 1))
	b.Rev = 1
	want(t, s, b)
	wantIDs(t, s, store.Query{Collection: state.Records}, "a")
	if n, err := s.Delete(t.Context(), state.Feed, "a"); n != 0 || err != nil {
		t.Errorf("Delete in an empty collection = %d, %v, want 0, nil", n, err)
	}
}

func everyCollection(t *testing.T, s store.Store) {
	var docs []store.Doc
	for i, c := range store.Collections() {
		d := doc("x/y", 0, i)
		d.Collection = c
		docs = append(docs, d)
	}
	write(t, s, docs...)
	for _, d := range docs {
		d.Rev = 1
		want(t, s, d)
	}
}

func scripts(t *testing.T, s store.Store) {
	ids := []string{"c/Objednávka", "c/Ёлка", "c/żółć", "c/注文", "c/🚗", "c/e\u0301", "c/\u00e9"}
	fill(t, s, ids...)
	for i, id := range ids {
		want(t, s, doc(id, 1, i))
	}
	wantIDs(t, s, store.Query{Prefix: "c/ż"}, "c/żółć")
	wantIDs(t, s, store.Query{Prefix: "c/🚗"}, "c/🚗")
}

func longestID(t *testing.T, s store.Store) {
	id := strings.Repeat("č", store.MaxIDBytes/2)
	write(t, s, doc(id, 0, 1))
	want(t, s, doc(id, 1, 1))
	wantIDs(t, s, store.Query{Prefix: id}, id)
	wantIDs(t, s, store.Query{After: id})
}

func similarIDs(t *testing.T, s store.Store) {
	ids := []string{" a", "A", "a", "a ", "a\t", "á"}
	fill(t, s, ids...)
	for i, id := range ids {
		want(t, s, doc(id, 1, i))
	}
}

func refuseCases() []check {
	// What no driver may write, whatever else is in the same write.
	ok := body(bson.D{{Key: "n", Value: 1}})
	long := strings.Repeat("x", store.MaxIDBytes+1)
	refused := map[string][]store.Doc{
		"the same id twice in one write":     {doc("a", 0, 1), doc("b", 0, 1), doc("a", 1, 2)},
		"a deletion without revision":        {gone("a", 0)},
		"a negative revision":                {doc("a", -1, 1)},
		"an empty id":                        {doc("", 0, 1)},
		"an id over the limit":               {doc(long, 0, 1)},
		"an id that is not valid UTF-8":      {doc("a\xff", 0, 1)},
		"an empty collection":                {{ID: "a", Body: ok}},
		"an unknown collection":              {{Collection: "unknown", ID: "a", Body: ok}},
		"an empty body":                      {{Collection: state.Affairs, ID: "a", Body: bson.Raw{}}},
		"a body that is text":                {{Collection: state.Affairs, ID: "a", Body: bson.Raw(`{"n":1}`)}},
		"a body cut short":                   {{Collection: state.Affairs, ID: "a", Body: ok[:len(ok)-2]}},
		"a body with bytes behind it":        {{Collection: state.Affairs, ID: "a", Body: append(append(bson.Raw{}, ok...), 0)}},
		"the last of three documents is bad": {doc("a", 0, 1), doc("b", 0, 1), doc("c", -1, 1)},
	}

	cases := []check{
		{"reading a bad id", readBadID},
		{"scanning badly", scanBadly},
		{"deleting without prefix", deleteWithoutPrefix},
		{"an invalid write names what is wrong", invalidNames},
	}

	// Nothing of a write that is refused may be there.
	for name, docs := range refused {
		cases = append(cases, check{name, func(t *testing.T, s store.Store) {
			if err := s.Write(t.Context(), docs...); !errors.Is(err, state.ErrInvalid) {
				t.Errorf("Write = %v, want an error that is ErrInvalid", err)
			}
			wantIDs(t, s, store.Query{})
		}})
	}
	return cases
}

func readBadID(t *testing.T, s store.Store) {
	for _, id := range []string{"", "\xff", strings.Repeat("x", store.MaxIDBytes+1)} {
		if _, err := s.Get(t.Context(), state.Affairs, id); !errors.Is(err, state.ErrInvalid) {
			t.Errorf("Get %.10q = %v, want an error that is ErrInvalid", id, err)
		}
	}
	for _, c := range []state.Collection{"", "unknown"} {
		if _, err := s.Get(t.Context(), c, "a"); !errors.Is(err, state.ErrInvalid) {
			t.Errorf("Get from %q = %v, want an error that is ErrInvalid", c, err)
		}
	}
}

func scanBadly(t *testing.T, s store.Store) {
	for _, q := range []store.Query{
		{}, {Collection: "unknown"}, {Collection: state.Affairs, Limit: -1},
		{Collection: state.Affairs, Prefix: "a\xff"}, {Collection: state.Affairs, After: "\xff"},
	} {
		if docs, err := s.Scan(t.Context(), q); !errors.Is(err, state.ErrInvalid) || docs != nil {
			t.Errorf("Scan %+v = %v, %v, want nil and an error that is ErrInvalid", q, docs, err)
		}
	}
}

func deleteWithoutPrefix(t *testing.T, s store.Store) {
	fill(t, s, "a", "b")
	if n, err := s.Delete(t.Context(), state.Affairs, ""); n != 0 || !errors.Is(err, state.ErrInvalid) {
		t.Errorf("Delete = %d, %v, want 0 and an error that is ErrInvalid", n, err)
	}
	if _, err := s.Delete(t.Context(), "unknown", "a"); !errors.Is(err, state.ErrInvalid) {
		t.Errorf("Delete from an unknown collection = %v, want an error that is ErrInvalid", err)
	}
	if _, err := s.Delete(t.Context(), state.Affairs, "a\xff"); !errors.Is(err, state.ErrInvalid) {
		t.Errorf("Delete of a prefix that is not UTF-8 = %v, want an error that is ErrInvalid", err)
	}
	wantIDs(t, s, store.Query{}, "a", "b")
}

func invalidNames(t *testing.T, s store.Store) {
	err := s.Write(t.Context(), doc("c1/u1/good", 0, 1), gone("c1/u1/bad", 0))
	if err == nil || !strings.Contains(err.Error(), "c1/u1/bad") {
		t.Errorf("error %v does not name the document", err)
	}
}
