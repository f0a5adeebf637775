package checkpoint

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.mongodb.org/mongo-driver/v2/bson"
	"pgregory.net/rapid"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/field"
	"github.com/mneme-graph/mneme/state/statetest"
	"github.com/mneme-graph/mneme/state/store"
)

// FuzzDecodeStep feeds stored bytes of any kind: a typed error or a step, and of bytes that a Log could have
// written the step that bson reads.
func FuzzDecodeStep(f *testing.F) {
	whole, err := bson.Marshal(Step{
		Version: 1, Seq: 1, Base: 1, Turn: "t", Attempt: "a", Source: SourceInput, At: time.Unix(0, 0).UTC(),
		Parts: []Part{{Node: "n", Visit: 1, Next: []string{"m"}, Fields: bson.Raw("\x05\x00\x00\x00\x00")}},
	})
	must(f, err)
	f.Add(whole)
	f.Add(whole[:len(whole)-3])
	f.Add([]byte("\x05\x00\x00\x00\x00"))
	f.Add([]byte{})
	id := state.Thread{Client: "c", ID: "x"}.StepKey(1)
	f.Fuzz(func(t *testing.T, body []byte) {
		s, err := decodeStep(store.Doc{Collection: state.Steps, ID: id, Body: body})
		if err != nil {
			if state.CodeOf(err) != state.Internal {
				t.Errorf("error = %v, want internal", err)
			}
			return
		}
		for _, p := range s.Parts {
			_ = p.Apply(nil) // must not panic
		}
		var want Step
		if err := bson.Unmarshal(body, &want); err != nil {
			return
		}
		if written, err := bson.Marshal(want); err != nil || !bytes.Equal(written, body) {
			return // nothing that a Log writes; bson also takes other spellings of names
		}
		if diff := cmp.Diff(want, s, cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(Step{})); diff != "" {
			t.Errorf("(-bson +ours):\n%s", diff)
		}
	})
}

// What is written is read back as it was.
func TestStepSurvives(t *testing.T) {
	t.Parallel()
	word := rapid.StringN(0, 8, -1)
	part := rapid.Custom(func(r *rapid.T) Part {
		p := Part{Node: word.Draw(r, "node"), Visit: rapid.Int().Draw(r, "visit"), Partial: rapid.Bool().Draw(r, "partial")}
		p.Item, p.Of = rapid.IntRange(0, 3).Draw(r, "item"), rapid.Int().Draw(r, "of")
		p.Next = rapid.SliceOfN(word, 0, 2).Draw(r, "next")
		if rapid.Bool().Draw(r, "fields") {
			f := field.Of(word.Draw(r, "value"))
			must(r, p.Deltas([]field.Named{{Name: "f", Field: &f}}))
		}
		return p
	})
	rapid.Check(t, func(r *rapid.T) {
		want := Step{
			Version: 1, Seq: rapid.Int64Range(1, 1e12).Draw(r, "seq"), Base: rapid.Int64().Draw(r, "base"),
			Turn: word.Draw(r, "turn"), Attempt: word.Draw(r, "attempt"), Source: Source(word.Draw(r, "source")),
			Parts: rapid.SliceOfN(part, 0, 3).Draw(r, "parts"), Done: rapid.Bool().Draw(r, "done"),
			At: time.UnixMilli(rapid.Int64Range(-1e13, 1e13).Draw(r, "at")).UTC(),
		}
		body, err := bson.Marshal(want)
		must(r, err)
		if written, err := want.encode(); err != nil || !bytes.Equal(written, body) {
			r.Fatalf("encode = %v, %v, bson writes %v", written, err, bson.Raw(body))
		}
		got, err := decodeStep(store.Doc{ID: state.Thread{Client: "c", ID: "x"}.StepKey(want.Seq), Body: body})
		must(r, err)
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(Step{})); diff != "" {
			r.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

var must = statetest.Must
