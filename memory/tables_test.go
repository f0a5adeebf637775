package memory

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"
	"pgregory.net/rapid"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// Tables answer as a store does, and a copy keeps what it had.
func TestTablesReadAsAStore(t *testing.T) {
	t.Parallel()
	ids := []string{"c/u/a", "c/u/b", "c/u/b/1", "c/u/b/2", "c/u/c", "c/v/a", "d/u/a"}
	rapid.Check(t, func(rt *rapid.T) {
		have, s := newTables(), ram.New()
		for i, id := range rapid.SliceOfDistinct(rapid.SampledFrom(ids), rapid.ID[string]).Draw(rt, "ids") {
			body, err := bson.Marshal(bson.M{"n": i})
			if err == nil {
				err = s.Write(t.Context(), store.Doc{Collection: state.Affairs, ID: id, Body: body})
			}
			if err != nil {
				rt.Fatal(err)
			}
			have.put(store.Doc{Collection: state.Affairs, ID: id, Rev: 1, Body: body})
		}
		before := have.copy()
		q := store.Query{
			Collection: state.Affairs, Prefix: rapid.SampledFrom([]string{"", "c/", "c/u/", "c/u/b/", "x"}).Draw(rt, "prefix"),
			After: rapid.SampledFrom(append(ids, "", "c/u/aa")).Draw(rt, "after"), Limit: rapid.IntRange(0, 3).Draw(rt, "limit"),
			Reverse: rapid.Bool().Draw(rt, "reverse"),
		}
		want, err := s.Scan(t.Context(), q)
		if err != nil {
			rt.Fatal(err)
		}
		got, err := have.Scan(t.Context(), q)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			rt.Fatalf("%+v (-store +tables): %v\n%s", q, err, diff)
		}
		have.drop(feedRef{state.Affairs, ids[0]})
		have.put(store.Doc{Collection: state.Affairs, ID: "c/u/aaa", Rev: 1})
		if got, _ = before.Scan(t.Context(), q); !cmp.Equal(want, got) {
			rt.Fatalf("a copy changed with its original: %v", got)
		}
		if _, err := have.Get(t.Context(), state.Affairs, ids[0]); state.CodeOf(err) != state.NotFound {
			rt.Fatalf("a dropped document: %v", err)
		}
	})
}

func TestMarks(t *testing.T) {
	t.Parallel()
	body, err := bson.Marshal(state.Affair{ID: "a1", Title: "Garden"})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 3 {
		var marks []mark
		for i := range n {
			marks = remember(marks, mark{fmt.Sprint("t", i), int64(i + 1)})
		}
		raw, err := marked(append([]byte(nil), body...), marks)
		if err != nil || raw.Validate() != nil {
			t.Fatalf("%d marks: %v, %v", n, err, raw.Validate())
		}
		doc := store.Doc{Collection: state.Affairs, ID: "c/u/a1", Body: raw}
		got, err := marksOf(doc)
		if diff := cmp.Diff(marks, got); diff != "" || err != nil {
			t.Errorf("%d marks come back as (-want +got): %v\n%s", n, err, diff)
		}
		if a, err := decode[state.Affair](doc); err != nil || a.Title != "Garden" {
			t.Errorf("%d marks hide the document: %+v, %v", n, a, err)
		}
	}
	marks := remember(remember(remember(nil, mark{"a", 5}), mark{"b", 1}), mark{"a", 3})
	if diff := cmp.Diff([]mark{{"b", 1}, {"a", 5}}, marks); diff != "" {
		t.Errorf("a mark never goes back, and the last writer is last (-want +got):\n%s", diff)
	}
	if !reaches(marks, state.Mark{Thread: "a", Seq: 5}) || reaches(marks, state.Mark{Thread: "a", Seq: 6}) || reaches(marks, state.Mark{Thread: "c"}) {
		t.Error("reaches")
	}
	broken, err := bson.Marshal(bson.M{"applied": "x"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := marksOf(store.Doc{Collection: state.Affairs, ID: "c/u/a1", Body: broken}); state.CodeOf(err) != state.Internal {
		t.Errorf("damaged marks: %v", err)
	}
}
