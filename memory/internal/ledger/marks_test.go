package ledger

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
	"github.com/mneme-graph/mneme/state/store"
)

func TestMarks(t *testing.T) {
	t.Parallel()
	body, err := bson.Marshal(state.Affair{ID: "a1", Title: "Garden"})
	must(t, err)
	for n := range 3 {
		var marks []mark
		for i := range n {
			marks = addMark(marks, mark{fmt.Sprint("t", i), int64(i + 1)})
		}
		raw, err := addMarks(append([]byte(nil), body...), marks)
		if err != nil || raw.Validate() != nil {
			t.Fatalf("%d marks: %v, %v", n, err, raw.Validate())
		}
		doc := store.Doc{Collection: state.Affairs, ID: "c/u/a1", Body: raw}
		got, err := marksOf(doc)
		if diff := cmp.Diff(marks, got); diff != "" || err != nil {
			t.Errorf("%d marks come back as (-want +got): %v\n%s", n, err, diff)
		}
		if a, err := Decode[state.Affair](doc); err != nil || a.Title != "Garden" {
			t.Errorf("%d marks hide the document: %+v, %v", n, a, err)
		}
	}
	marks := addMark(addMark(addMark(nil, mark{"a", 5}), mark{"b", 1}), mark{"a", 3})
	if diff := cmp.Diff([]mark{{"b", 1}, {"a", 5}}, marks); diff != "" {
		t.Errorf("a mark never goes back, and the last writer is last (-want +got):\n%s", diff)
	}
	if !reaches(marks, state.Mark{Thread: "a", Seq: 5}) || reaches(marks, state.Mark{Thread: "a", Seq: 6}) || reaches(marks, state.Mark{Thread: "c"}) {
		t.Error("reaches")
	}
	broken, err := bson.Marshal(bson.M{"applied": "x"})
	must(t, err)
	if _, err := marksOf(store.Doc{Collection: state.Affairs, ID: "c/u/a1", Body: broken}); state.CodeOf(err) != state.Internal {
		t.Errorf("damaged marks: %v", err)
	}
}

var must = statetest.Must
