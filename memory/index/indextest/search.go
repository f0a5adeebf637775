package indextest

import (
	"fmt"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/mneme-graph/mneme/memory/index"
)

func searchCases() []check {
	return []check{
		{"an owner without entries has no hits", searchEmpty},
		{"nearest first", searchOrder},
		{"cosines are those of the angle", searchCosines},
		{"cosines may be negative", searchNegative},
		{"the length of an entry does not matter", searchEntryLength},
		{"the length of a query does not matter", searchQueryLength},
		{"very short and very long vectors have a direction", searchExtremes},
		{"equal cosines are ordered by id", searchTies},
		{"equal cosines are ordered by id, whatever was put first", searchTiesReplaced},
		{"a limit cuts equal cosines by id", searchTiesCut},
		{"a limit", searchLimit},
		{"a limit above what is there", searchLimitAbove},
		{"the greatest limit", searchLimitGreatest},
		{"the same question has the same answer", searchAgain},
		{"a search does not change its query", searchKeepsQuery},
		{"without Fresh nothing is found that is not there", searchNotFresh},
		{"directions of all kinds", searchAnyDirection},
	}
}

func searchEmpty(t *testing.T, o owner) {
	o.want(t, index.Query{Vector: axis(0), Limit: 5})
}

func searchOrder(t *testing.T, o owner) {
	o.put(t, entry("far", axis(-1)), entry("half", four(0, 1, 2, 3)), entry("near", axis(0)), entry("across", axis(5)))
	o.want(t, index.Query{Vector: axis(0), Limit: 9}, "near", "half", "across", "far")
}

func searchCosines(t *testing.T, o owner) {
	o.put(t, entry("a", axis(0)), entry("b", four(0, 1, 2, 3)), entry("c", []float32{3, 4, 0, 0, 0, 0, 0, 0}))
	for _, h := range o.search(t, index.Query{Vector: axis(0), Limit: 9}) {
		if want := map[string]float64{"a": 1, "b": .5, "c": .6}[h.ID]; !near(h.Cosine, want) {
			t.Errorf("cosine of %s = %v, want %v", h.ID, h.Cosine, want)
		}
	}
}

func searchNegative(t *testing.T, o owner) {
	o.put(t, entry("a", axis(-1)), entry("b", times(four(0, 1, 2, 3), -1)), entry("c", axis(1)))
	hits := o.search(t, index.Query{Vector: axis(0), Limit: 9})
	if len(hits) != 3 || hits[0].ID != "c" || !near(hits[0].Cosine, 0) || !near(hits[1].Cosine, -.5) || !near(hits[2].Cosine, -1) {
		t.Errorf("Search = %v, want c 0, b -0.5, a -1", hits)
	}
}

func searchEntryLength(t *testing.T, o owner) {
	o.put(t, entry("a", times(axis(0), 16)), entry("b", axis(0)), entry("c", times(four(0, 1, 2, 3), 512)), entry("d", times(axis(0), .125)))
	o.want(t, index.Query{Vector: axis(0), Limit: 9}, "a", "b", "d", "c")
	for _, h := range o.search(t, index.Query{Vector: axis(0), Limit: 3}) {
		if !near(h.Cosine, 1) {
			t.Errorf("cosine of %s = %v, want 1", h.ID, h.Cosine)
		}
	}
}

func searchQueryLength(t *testing.T, o owner) {
	o.put(t, entry("a", axis(0)), entry("b", four(0, 1, 2, 3)))
	for _, length := range []float32{.0625, 1, 3, 4096} {
		hits := o.search(t, index.Query{Vector: times(axis(0), length), Limit: 9})
		if len(hits) != 2 || hits[0].ID != "a" || !near(hits[0].Cosine, 1) || !near(hits[1].Cosine, .5) {
			t.Errorf("a query of length %v finds %v, want a 1, b 0.5", length, hits)
		}
	}
}

func searchExtremes(t *testing.T, o owner) {
	o.put(t, entry("short", times(axis(0), 1e-25)), entry("long", times(axis(1), 1e25)), entry("far", times(axis(-1), 1e25)))
	for _, length := range []float32{1e-25, 1e25} {
		hits := o.search(t, index.Query{Vector: times(axis(0), length), Limit: 9})
		if len(hits) != 3 || hits[0].ID != "short" || !near(hits[0].Cosine, 1) || !near(hits[1].Cosine, 0) || !near(hits[2].Cosine, -1) {
			t.Errorf("a query of length %v finds %v, want short 1, long 0, far -1", length, hits)
		}
	}
}

func searchTies(t *testing.T, o owner) {
	o.put(t, entry("c", axis(0)), entry("a", axis(0)), entry("z", axis(1)), entry("b", axis(0)), entry("x", axis(2)), entry("B", axis(0)))
	o.want(t, index.Query{Vector: axis(0), Limit: 9}, "B", "a", "b", "c", "x", "z")
}

func searchTiesReplaced(t *testing.T, o owner) {
	o.put(t, entry("a", axis(0)), entry("b", axis(0)), entry("c", axis(0)))
	o.put(t, entry("b", axis(0)))
	o.delete(t, "a")
	o.put(t, entry("a", axis(0)))
	o.want(t, index.Query{Vector: axis(0), Limit: 9}, "a", "b", "c")
}

func searchTiesCut(t *testing.T, o owner) {
	for _, id := range []string{"f", "b", "e", "a", "d", "c"} {
		o.put(t, entry(id, four(0, 1, 2, 3)))
	}
	o.want(t, index.Query{Vector: axis(0), Limit: 3}, "a", "b", "c")
	o.put(t, entry("g", axis(0)))
	o.want(t, index.Query{Vector: axis(0), Limit: 3}, "g", "a", "b")
}

func searchLimit(t *testing.T, o owner) {
	o.put(t, entry("a", axis(0)), entry("b", four(0, 1, 2, 3)), entry("c", axis(3)))
	o.want(t, index.Query{Vector: axis(0), Limit: 1}, "a")
	o.want(t, index.Query{Vector: axis(0), Limit: 2}, "a", "b")
	o.want(t, index.Query{Vector: axis(3), Limit: 1}, "c")
}

func searchLimitAbove(t *testing.T, o owner) {
	o.put(t, entry("a", axis(0)), entry("b", axis(1)))
	o.want(t, index.Query{Vector: axis(0), Limit: 1000}, "a", "b")
}

func searchLimitGreatest(t *testing.T, o owner) {
	o.put(t, entry("a", axis(0)), entry("b", axis(1)))
	o.want(t, index.Query{Vector: axis(0), Limit: 16384}, "a", "b")
}

func searchAgain(t *testing.T, o owner) {
	for i := range 30 {
		o.put(t, entry(fmt.Sprintf("e%d", i), []float32{float32(i), 3, float32(i % 5), 1, 0, float32(i % 7), 2, 1}))
	}
	q := index.Query{Vector: []float32{7, 1, 2, 0, 5, 3, 1, 1}, Limit: 20}
	first := o.search(t, q)
	for range 3 {
		if diff := gocmp.Diff(first, o.search(t, q)); diff != "" {
			t.Fatalf("the same search again (-first +later):\n%s", diff)
		}
	}
}

func searchKeepsQuery(t *testing.T, o owner) {
	o.put(t, entry("a", axis(0)))
	q := index.Query{Vector: times(four(0, 1, 2, 3), 7), Limit: 3, Kinds: []string{"z", "message", "b"}, IDs: []string{"c", "a", "b"}}
	vector, kinds, ids := slices.Clone(q.Vector), slices.Clone(q.Kinds), slices.Clone(q.IDs)
	o.want(t, q, "a")
	if !slices.Equal(vector, q.Vector) || !slices.Equal(kinds, q.Kinds) || !slices.Equal(ids, q.IDs) {
		t.Errorf("the query is now %v, %q, %q", q.Vector, q.Kinds, q.IDs)
	}
}

func searchNotFresh(t *testing.T, o owner) {
	o.put(t, entry("a", axis(0)), entry("b", axis(1)))
	hits, err := o.vectors.Search(t.Context(), o.name, index.Query{Vector: axis(0), Limit: 9})
	if err != nil || len(hits) > 2 || slices.ContainsFunc(hits, func(h index.Hit) bool { return h.ID != "a" && h.ID != "b" }) {
		t.Errorf("Search = %v, %v, want a and b or less", hits, err)
	}
}

// searchAnyDirection looks at cosines no summation gets exactly: their values, and that the order agrees with them.
func searchAnyDirection(t *testing.T, o owner) {
	// Directions that no two entries share.
	vectors, entries := map[string][]float32{}, []index.Entry{}
	for i := range 60 {
		v := make([]float32, dim)
		for j := range v {
			v[j] = float32((i*37+j*j*11+i*j*5)%41) - 20.3
		}
		id := fmt.Sprintf("e%d", i)
		vectors[id], entries = v, append(entries, entry(id, v))
	}
	o.put(t, entries...)

	for i := range 8 {
		q := index.Query{Vector: entries[i*7].Vector, Limit: 60}
		hits := o.search(t, q)
		if len(hits) != 60 || !near(hits[0].Cosine, 1) {
			t.Fatalf("Search found %d, first %v; want 60, first the entry that was asked for", len(hits), hits[:min(len(hits), 1)])
		}
		for j, h := range hits {
			if want := cosine(q.Vector, vectors[h.ID]); !near(h.Cosine, want) {
				t.Errorf("cosine of %s = %v, want %v", h.ID, h.Cosine, want)
			}
			if j > 0 && (h.Cosine > hits[j-1].Cosine || h.Cosine == hits[j-1].Cosine && h.ID < hits[j-1].ID) {
				t.Errorf("%v stands before %v", hits[j-1], h)
			}
		}
	}
}
