package storetest

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

func scanCases() []check {
	return []check{
		{"an empty collection gives an empty slice", scanEmpty},
		{"ids come in the order of their bytes", scanOrder},
		{"reverse is the same backwards", scanReverse},
		{"documents come whole", scanWhole},
		{"a prefix that is itself an id includes it", prefixIsID},
		{"a, a/, ab and b are told apart", prefixNeighbours},
		{"a prefix of no id gives an empty slice", prefixNone},
		{"the greatest character ends a prefix", prefixGreatest},
		{"after an id that exists", afterExisting},
		{"after an id that does not exist", afterAbsent},
		{"after an id before the prefix", afterBefore},
		{"after an id behind the prefix", afterBehind},
		{"after the last id gives an empty slice", afterLast},
		{"limits", limits},
		{"limit with prefix, after and reverse", limitEverything},
		{"paging meets every document once", paging},
		{"the head of a thread is a reverse scan of one", head},
		{"a scan sees replacements and deletions", scanChanges},
	}
}

func scanEmpty(t *testing.T, s store.Store) {
	wantIDs(t, s, store.Query{})
	wantIDs(t, s, store.Query{Reverse: true})
	wantIDs(t, s, store.Query{Prefix: "a", Limit: 3})
	wantIDs(t, s, store.Query{Prefix: "a", Limit: 3, Reverse: true})
}

func scanOrder(t *testing.T, s store.Store) {
	fill(t, s, "b", "a/2", "a/10", "B", "č", "a", "a!", "🚗", "ž")
	wantIDs(t, s, store.Query{}, "B", "a", "a!", "a/10", "a/2", "b", "č", "ž", "🚗")
}

func scanReverse(t *testing.T, s store.Store) {
	fill(t, s, "b", "a/2", "a/10", "B", "č", "a")
	wantIDs(t, s, store.Query{Reverse: true}, "č", "b", "a/2", "a/10", "a", "B")
	wantIDs(t, s, store.Query{Reverse: true, Prefix: "a"}, "a/2", "a/10", "a")
}

func scanWhole(t *testing.T, s store.Store) {
	fill(t, s, "a", "b")
	write(t, s, doc("b", 1, 9))
	got, err := s.Scan(t.Context(), store.Query{Collection: state.Affairs})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]store.Doc{doc("a", 1, 0), doc("b", 2, 9)}, got); diff != "" {
		t.Errorf("Scan (-want +got):\n%s", diff)
	}
}

func prefixIsID(t *testing.T, s store.Store) {
	fill(t, s, "c/u", "c/u/1", "c/u/2", "c/v")
	wantIDs(t, s, store.Query{Prefix: "c/u"}, "c/u", "c/u/1", "c/u/2")
	wantIDs(t, s, store.Query{Prefix: "c/u", Reverse: true}, "c/u/2", "c/u/1", "c/u")
	wantIDs(t, s, store.Query{Prefix: "c/u/2"}, "c/u/2")
}

func prefixNeighbours(t *testing.T, s store.Store) {
	fill(t, s, "a", "a/1", "a/2", "a0", "ab", "ab/1", "b")
	wantIDs(t, s, store.Query{Prefix: "a/"}, "a/1", "a/2")
	wantIDs(t, s, store.Query{Prefix: "a/", Reverse: true}, "a/2", "a/1")
	wantIDs(t, s, store.Query{Prefix: "ab"}, "ab", "ab/1")
	wantIDs(t, s, store.Query{Prefix: "ab/"}, "ab/1")
	wantIDs(t, s, store.Query{Prefix: "a"}, "a", "a/1", "a/2", "a0", "ab", "ab/1")
}

func prefixNone(t *testing.T, s store.Store) {
	fill(t, s, "a/1", "c/1")
	for _, p := range []string{"b", "0", "d", "a/11", "a/0", "a/1/"} {
		wantIDs(t, s, store.Query{Prefix: p})
		wantIDs(t, s, store.Query{Prefix: p, Reverse: true})
	}
}

func prefixGreatest(t *testing.T, s store.Store) {
	const last = "\U0010FFFF"
	fill(t, s, "a", "a"+last, "a"+last+last, "a"+last+"x", "b", last, last+last)
	wantIDs(t, s, store.Query{Prefix: "a" + last}, "a"+last, "a"+last+"x", "a"+last+last)
	wantIDs(t, s, store.Query{Prefix: "a" + last, Reverse: true}, "a"+last+last, "a"+last+"x", "a"+last)
	wantIDs(t, s, store.Query{Prefix: last}, last, last+last)
	wantIDs(t, s, store.Query{Prefix: last, Reverse: true}, last+last, last)
	wantIDs(t, s, store.Query{Prefix: "\u007f"})
}

func afterExisting(t *testing.T, s store.Store) {
	fill(t, s, "a", "b", "b/", "c", "d")
	wantIDs(t, s, store.Query{After: "b"}, "b/", "c", "d")
	wantIDs(t, s, store.Query{After: "b/", Reverse: true}, "b", "a")
}

func afterAbsent(t *testing.T, s store.Store) {
	fill(t, s, "a", "b", "d", "e")
	wantIDs(t, s, store.Query{After: "c"}, "d", "e")
	wantIDs(t, s, store.Query{After: "c", Reverse: true}, "b", "a")
}

func afterBefore(t *testing.T, s store.Store) {
	fill(t, s, "a", "p/1", "p/2", "z")
	wantIDs(t, s, store.Query{Prefix: "p/", After: "a"}, "p/1", "p/2")
	wantIDs(t, s, store.Query{Prefix: "p/", After: "a", Reverse: true})
	wantIDs(t, s, store.Query{Prefix: "p/", After: "p"}, "p/1", "p/2")
	wantIDs(t, s, store.Query{Prefix: "p/", After: "p/", Reverse: true})
}

func afterBehind(t *testing.T, s store.Store) {
	fill(t, s, "a", "p/1", "p/2", "z")
	wantIDs(t, s, store.Query{Prefix: "p/", After: "z"})
	wantIDs(t, s, store.Query{Prefix: "p/", After: "z", Reverse: true}, "p/2", "p/1")
	wantIDs(t, s, store.Query{Prefix: "p/", After: "p0", Reverse: true}, "p/2", "p/1")
}

func afterLast(t *testing.T, s store.Store) {
	fill(t, s, "a", "b")
	wantIDs(t, s, store.Query{After: "b"})
	wantIDs(t, s, store.Query{After: "a", Reverse: true})
	wantIDs(t, s, store.Query{Prefix: "b", After: "b"})
	wantIDs(t, s, store.Query{Prefix: "b", After: "b", Reverse: true})
}

func limits(t *testing.T, s store.Store) {
	fill(t, s, "a", "b", "c")
	wantIDs(t, s, store.Query{Limit: 0}, "a", "b", "c")
	wantIDs(t, s, store.Query{Limit: 1}, "a")
	wantIDs(t, s, store.Query{Limit: 2, Reverse: true}, "c", "b")
	wantIDs(t, s, store.Query{Limit: 3}, "a", "b", "c")
	wantIDs(t, s, store.Query{Limit: 100, Reverse: true}, "c", "b", "a")
}

func limitEverything(t *testing.T, s store.Store) {
	fill(t, s, "o", "p/1", "p/2", "p/3", "p/4", "q")
	wantIDs(t, s, store.Query{Prefix: "p/", After: "p/1", Limit: 2}, "p/2", "p/3")
	wantIDs(t, s, store.Query{Prefix: "p/", After: "p/4", Limit: 2, Reverse: true}, "p/3", "p/2")
}

func paging(t *testing.T, s store.Store) {
	// Documents on both sides of the prefix must not be met.
	var all []string
	for i := range 23 {
		all = append(all, fmt.Sprintf("p/%02d", i))
	}
	fill(t, s, append([]string{"o", "q"}, all...)...)

	// The pages have five documents, the last one fewer.
	for _, reverse := range []bool{false, true} {
		var met []string
		q := store.Query{Collection: state.Affairs, Prefix: "p/", Limit: 5, Reverse: reverse}
		for {
			docs, err := s.Scan(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range docs {
				met = append(met, d.ID)
			}
			if len(docs) < q.Limit {
				break
			}
			q.After = met[len(met)-1]
		}

		wantIDs(t, s, store.Query{Prefix: "p/", Reverse: reverse}, met...)
		if len(met) != len(all) {
			t.Errorf("paging (reverse %t) met %d documents, want %d", reverse, len(met), len(all))
		}
	}
}

func head(t *testing.T, s store.Store) {
	a, b := state.Thread{Client: "c", ID: "u/s"}, state.Thread{Client: "c", ID: "u/s1"}
	for i := range 12 {
		fill(t, s, a.StepKey(int64(i+1)), b.StepKey(int64(i+101)))
	}
	wantIDs(t, s, store.Query{Prefix: a.Key() + "/", Limit: 1, Reverse: true}, a.StepKey(12))
	wantIDs(t, s, store.Query{Prefix: b.Key() + "/", Limit: 1, Reverse: true}, b.StepKey(112))
}

func scanChanges(t *testing.T, s store.Store) {
	fill(t, s, "a", "b", "c", "d")
	write(t, s, gone("b", 1), doc("c", 1, 9), doc("bb", 0, 5))
	wantIDs(t, s, store.Query{}, "a", "bb", "c", "d")
	wantIDs(t, s, store.Query{Limit: 2}, "a", "bb")
	wantIDs(t, s, store.Query{Limit: 2, After: "a"}, "bb", "c")
	want(t, s, doc("c", 2, 9))
}

func deleteCases() []check {
	return []check{
		{"what begins with the prefix goes", deletePrefix},
		{"neighbours stay", deleteNeighbours},
		{"nothing to delete is zero", deleteNothing},
		{"what was deleted can be inserted again", deleteThenInsert},
		{"a prefix that is an id and half an id", deleteHalf},
		{"many documents", deleteMany},
	}
}

func wantDeleted(t *testing.T, s store.Store, prefix string, n int) {
	t.Helper()
	got, err := s.Delete(t.Context(), state.Affairs, prefix)
	if err != nil || got != n {
		t.Fatalf("Delete %q = %d, %v, want %d", prefix, got, err, n)
	}
}

func deletePrefix(t *testing.T, s store.Store) {
	fill(t, s, "a/1", "a/2", "b/1")
	wantDeleted(t, s, "a/", 2)
	wantIDs(t, s, store.Query{}, "b/1")
	wantAbsent(t, s, "a/1")
}

func deleteNeighbours(t *testing.T, s store.Store) {
	fill(t, s, "a", "a/1", "a/2", "a0", "ab")
	wantDeleted(t, s, "a/", 2)
	wantIDs(t, s, store.Query{}, "a", "a0", "ab")
}

func deleteNothing(t *testing.T, s store.Store) {
	wantDeleted(t, s, "a", 0)
	fill(t, s, "b")
	wantDeleted(t, s, "a", 0)
	wantDeleted(t, s, "c", 0)
	wantIDs(t, s, store.Query{}, "b")
}

func deleteThenInsert(t *testing.T, s store.Store) {
	fill(t, s, "a", "b")
	write(t, s, doc("a", 1, 5))
	wantDeleted(t, s, "a", 1)
	wantConflict(t, s.Write(t.Context(), doc("a", 2, 6)), "a")
	write(t, s, doc("a", 0, 7))
	want(t, s, doc("a", 1, 7))
}

func deleteHalf(t *testing.T, s store.Store) {
	fill(t, s, "ab", "abc", "abd", "ac")
	wantDeleted(t, s, "ab", 3)
	wantDeleted(t, s, "a", 1)
	wantIDs(t, s, store.Query{})
}

func deleteMany(t *testing.T, s store.Store) {
	var docs []store.Doc
	for i := range 3000 {
		docs = append(docs, doc(fmt.Sprintf("%s/%05d", []string{"x", "y", "z"}[i%3], i), 0, i))
	}
	write(t, s, docs...)
	wantDeleted(t, s, "y/", 1000)
	left, err := s.Scan(t.Context(), store.Query{Collection: state.Affairs})
	if err != nil || len(left) != 2000 {
		t.Errorf("%d documents are left, %v, want 2000", len(left), err)
	}
	wantIDs(t, s, store.Query{Prefix: "y"})
}
