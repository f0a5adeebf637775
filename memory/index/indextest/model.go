package indextest

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mneme-graph/mneme/memory/index"
)

func (s Suite) modelCases() []check {
	return []check{
		{"random calls compared with a map", s.likeMap},
		{"the same entries by other ways have the same answers", s.sameAnswers},
	}
}

// check runs a property up to s.Sequences times, and as often as rapid likes once it has failed: the way a failure is made
// small. The number is the suite's, not the flag's, because a driver on a server is slow.
func (s Suite) check(t *testing.T, property func(rt *rapid.T, run int)) {
	t.Helper()
	run, failed := 0, false
	rapid.Check(t, func(rt *rapid.T) {
		if run >= s.Sequences && !failed {
			return
		}
		run++
		defer func() { failed = failed || rt.Failed() }()
		property(rt, run)
	})
}

// book is what a driver is compared with: the entries of some owners.
type book map[index.Owner]map[string]index.Entry

func (b book) put(o index.Owner, entries []index.Entry) {
	if b[o] == nil {
		b[o] = map[string]index.Entry{}
	}
	for _, e := range entries {
		b[o][e.ID] = e
	}
}

func (b book) list(o index.Owner) []index.Entry {
	entries := []index.Entry{}
	for _, e := range b[o] {
		entries = append(entries, e)
	}
	slices.SortFunc(entries, func(x, y index.Entry) int { return cmp.Compare(x.ID, y.ID) })
	return entries
}

// search returns the meaning of index.Query, in the plainest words.
func (b book) search(o index.Owner, q index.Query) []index.Hit {
	hits := []index.Hit{}
	for _, e := range b.list(o) {
		ms := e.At.UnixMilli()
		if (len(q.Kinds) == 0 || slices.Contains(q.Kinds, e.Kind)) && (q.Session == "" || q.Session == e.Session) &&
			(q.From.IsZero() || ms >= q.From.UnixMilli()) && (q.To.IsZero() || ms < q.To.UnixMilli()) &&
			(q.IDs == nil || slices.Contains(q.IDs, e.ID)) {
			hits = append(hits, index.Hit{ID: e.ID, Cosine: float32(cosine(q.Vector, e.Vector))})
		}
	}
	slices.SortStableFunc(hits, func(x, y index.Hit) int { return cmp.Compare(y.Cosine, x.Cosine) })
	return hits[:min(len(hits), q.Limit)]
}

// exact draws a direction whose cosines are multiples of a quarter, at a length that is a power of two.
func exact() *rapid.Generator[[]float32] {
	return rapid.Custom(func(rt *rapid.T) []float32 {
		length := rapid.SampledFrom([]float32{1, 1, 2, .25, -1, -8}).Draw(rt, "length")
		if at := rapid.IntRange(0, dim-1).Draw(rt, "axis"); rapid.Bool().Draw(rt, "one") {
			return times(axis(at), length)
		}
		first := rapid.IntRange(0, dim-4).Draw(rt, "first")
		return times(four(first, first+1, first+2, first+3), length)
	})
}

func anyID() *rapid.Generator[string] {
	return rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f", "g", "h", "A", "a b", `"`, "%", "ž"})
}

func anyEntry() *rapid.Generator[index.Entry] {
	return rapid.Custom(func(rt *rapid.T) index.Entry {
		return index.Entry{
			ID: anyID().Draw(rt, "id"), Hash: rapid.StringMatching("[0-9a-f]{4}").Draw(rt, "hash"),
			Kind: rapid.SampledFrom([]string{"", "message", "fact"}).Draw(rt, "kind"), Session: rapid.SampledFrom([]string{"", "s1", "s2"}).Draw(rt, "session"),
			At: anyTime().Draw(rt, "at"), Vector: exact().Draw(rt, "vector"),
		}
	})
}

func anyTime() *rapid.Generator[time.Time] {
	return rapid.Map(rapid.IntRange(0, 5), func(ms int) time.Time { return noon().Add(time.Duration(ms) * time.Millisecond) })
}

func anyQuery() *rapid.Generator[index.Query] {
	return rapid.Custom(func(rt *rapid.T) index.Query {
		q := index.Query{Vector: exact().Draw(rt, "vector"), Limit: rapid.SampledFrom([]int{1, 2, 5, 20}).Draw(rt, "limit"), Fresh: true}
		for _, filter := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"kinds", "session", "from", "to", "ids"}), 0, 3, rapid.ID).Draw(rt, "filters") {
			switch filter {
			case "kinds":
				q.Kinds = rapid.SliceOfN(rapid.SampledFrom([]string{"", "message", "fact", "note"}), 1, 2).Draw(rt, "kinds")
			case "session":
				q.Session = rapid.SampledFrom([]string{"s1", "s2", "s3"}).Draw(rt, "session")
			case "from":
				q.From = anyTime().Draw(rt, "from")
			case "to":
				q.To = anyTime().Draw(rt, "to")
			case "ids":
				q.IDs = append([]string{}, rapid.SliceOfN(anyID(), 0, 4).Draw(rt, "ids")...)
			}
		}
		return q
	})
}

func (s Suite) likeMap(t *testing.T, o owner) {
	// The same calls go to the index and to a map, which must agree after each of them.
	s.check(t, func(rt *rapid.T, run int) {
		owners := []index.Owner{{Client: "model", User: fmt.Sprint("u", run)}, {Client: "model", User: fmt.Sprint("v", run)}}
		model := book{}
		for range rapid.IntRange(4, 20).Draw(rt, "calls") {
			who := rapid.SampledFrom(owners).Draw(rt, "owner")
			switch rapid.SampledFrom([]string{"put", "put", "delete", "search", "search", "list"}).Draw(rt, "call") {
			case "put":
				entries := rapid.SliceOfN(anyEntry(), 1, 6).Draw(rt, "entries")
				model.put(who, entries)
				if err := o.vectors.Put(t.Context(), who, entries...); err != nil {
					rt.Fatalf("Put: %v", err)
				}
			case "delete":
				ids := rapid.SliceOfN(anyID(), 1, 4).Draw(rt, "ids")
				for _, id := range ids {
					delete(model[who], id)
				}
				if err := o.vectors.Delete(t.Context(), who, ids...); err != nil {
					rt.Fatalf("Delete: %v", err)
				}
			case "search":
				q := anyQuery().Draw(rt, "query")
				sameHits(rt, o.vectors, who, q, model.search(who, q))
			case "list":
				sameList(rt, o.vectors, who, model.list(who))
			}
		}
		for _, who := range owners {
			sameList(rt, o.vectors, who, model.list(who))
		}
	})
}

func sameList(rt *rapid.T, v index.Vectors, who index.Owner, want []index.Entry) {
	entries, err := v.List(rt.Context(), who)
	if err != nil {
		rt.Fatalf("List: %v", err)
	}
	if diff := gocmp.Diff(plain(want), plain(entries)); diff != "" {
		rt.Fatalf("List of %v (-map +driver):\n%s", who, diff)
	}
}

func sameHits(rt *rapid.T, v index.Vectors, who index.Owner, q index.Query, want []index.Hit) {
	hits, err := v.Search(rt.Context(), who, q)
	if err != nil {
		rt.Fatalf("Search: %v", err)
	}
	alike := gocmp.Comparer(func(a, b float32) bool { return near(a, float64(b)) })
	if diff := gocmp.Diff(want, append([]index.Hit{}, hits...), alike); diff != "" {
		rt.Fatalf("Search of %v for %+v (-want +got):\n%s", who, q, diff)
	}
}

// sameAnswers gives one owner a set of entries in one call, another the same ones by a detour: in another order, some put
// twice, with others that are deleted again.
func (s Suite) sameAnswers(t *testing.T, o owner) {
	s.check(t, func(rt *rapid.T, run int) {
		// The detour puts other entries first, then those that count in another order, and deletes what is left over.
		straight, detour := index.Owner{Client: "same", User: fmt.Sprint("u", run)}, index.Owner{Client: "same", User: fmt.Sprint("v", run)}
		final := book{}
		final.put(straight, rapid.SliceOfN(anyEntry(), 1, 10).Draw(rt, "entries"))
		entries := final.list(straight)
		ctx := rt.Context()
		first := append(rapid.SliceOfN(anyEntry(), 1, 6).Draw(rt, "earlier"), entry("extra", axis(0)))
		for _, err := range []error{
			o.vectors.Put(ctx, straight, entries...),
			o.vectors.Put(ctx, detour, first...),
			o.vectors.Put(ctx, detour, rapid.Permutation(entries).Draw(rt, "order")...),
			o.vectors.Delete(ctx, detour, leftOver(first, entries)...),
		} {
			if err != nil {
				rt.Fatal(err)
			}
		}

		// The way by which the entries came makes no difference.
		sameList(rt, o.vectors, detour, entries)
		for range 3 {
			q := anyQuery().Draw(rt, "query")
			want := final.search(straight, q)
			sameHits(rt, o.vectors, straight, q, want)
			sameHits(rt, o.vectors, detour, q, want)
		}
	})
}

// leftOver returns the ids among earlier entries that the final ones do not have.
func leftOver(earlier, final []index.Entry) (ids []string) {
	for _, e := range earlier {
		if !slices.ContainsFunc(final, func(f index.Entry) bool { return f.ID == e.ID }) {
			ids = append(ids, e.ID)
		}
	}
	return ids
}
