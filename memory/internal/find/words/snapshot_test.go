package words

import (
	"bytes"
	"encoding/gob"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
)

func written(t testing.TB, x *Index) []byte {
	t.Helper()
	var b bytes.Buffer
	n, err := x.WriteTo(&b)
	if err != nil || n != int64(b.Len()) {
		t.Fatalf("WriteTo = %d, %v of %d bytes", n, err, b.Len())
	}
	return b.Bytes()
}

// TestSnapshot checks that an index read back answers the same, whatever happened to the one written, and after more writes.
func TestSnapshot(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		x := New()
		write := func(to ...*Index) {
			d := drawDoc(t)
			d.Text = strings.Repeat(d.Text+" ", rapid.SampledFrom([]int{1, 1, 30}).Draw(t, "repeat")) // passages too
			d.At = d.At.In(time.FixedZone("", 3600*rapid.IntRange(-5, 5).Draw(t, "zone")))
			for _, x := range to {
				x.Put(d)
			}
		}
		for range rapid.IntRange(0, 30).Draw(t, "writes") {
			write(x)
			if rapid.IntRange(0, 4).Draw(t, "delete") == 0 {
				x.Delete(drawDoc(t).ID)
			}
		}
		y, err := Read(bytes.NewReader(written2(t, x)))
		must(t, err)
		if x.Len() != y.Len() || x.t.stats != y.t.stats {
			t.Errorf("%d documents, %+v; read back %d, %+v", x.Len(), x.t.stats, y.Len(), y.t.stats)
		}
		for range 4 {
			q := drawQuery(t)
			if diff := cmp.Diff(x.Search(q), y.Search(q)); diff != "" {
				t.Errorf("%+v: (-written +read):\n%s", q, diff)
			}
			write(x, y)
		}
		if diff := cmp.Diff(written2(t, x), written2(t, y)); diff != "" && x.Len() == len(x.t.entries) {
			t.Errorf("snapshots of equal indexes differ:\n%s", diff)
		}
	})
}

func written2(t *rapid.T, x *Index) []byte {
	var b bytes.Buffer
	if _, err := x.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	whole := written(t, fill(Doc{ID: "a", Text: "train to Prague", Group: "s", Speaker: "Ann"}, Doc{ID: "b", Text: "doctor", Group: "s"}))
	changed := func(change func(*snapshot)) []byte {
		var s snapshot
		var b bytes.Buffer
		must(t, gob.NewDecoder(bytes.NewReader(whole)).Decode(&s))
		change(&s)
		must(t, gob.NewEncoder(&b).Encode(s))
		return b.Bytes()
	}
	for _, c := range []struct {
		name string
		b    []byte
		want error
	}{
		{"nothing", nil, state.ErrInternal},
		{"something else", []byte("hello, this is no snapshot at all"), state.ErrInternal},
		{"cut short", whole[:len(whole)-7], state.ErrInternal},
		{"another format", changed(func(s *snapshot) { s.Format++ }), state.ErrInvalid},
		{"another analyzer", changed(func(s *snapshot) { s.Analyzer++ }), state.ErrInvalid},
		{"a word that is not there", changed(func(s *snapshot) { s.Strings = s.Strings[1:] }), state.ErrInternal},
		{"a name too few", changed(func(s *snapshot) { s.Docs[0].Names = nil }), state.ErrInternal},
		{"a count too few", changed(func(s *snapshot) { s.Docs[0].Counts = s.Docs[0].Counts[1:] }), state.ErrInternal},
		{"a passage of nothing", changed(func(s *snapshot) { s.Docs[0].Spans = []uint32{0, 9} }), state.ErrInternal},
		{"one document twice", changed(func(s *snapshot) { s.Docs[1].ID = "a" }), state.ErrInternal},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			x, err := Read(bytes.NewReader(c.b))
			if x != nil || !errors.Is(err, c.want) {
				t.Errorf("Read = %v, %v, want %v", x, err, c.want)
			}
		})
	}
	if _, err := Read(bytes.NewReader(whole)); err != nil {
		t.Error(err)
	}
}

// FuzzRead checks that no snapshot does worse than an error.
func FuzzRead(f *testing.F) {
	f.Add(written(f, New()))
	f.Add(written(f, fill(Doc{ID: "a", Text: "train to Prague", Group: "s", Speaker: "Ann", At: time.Unix(1e9, 0)}, Doc{ID: "b", Text: strings.Repeat("doctor on Friday ", 60), Group: "s", Role: state.RoleUser})))
	f.Fuzz(func(t *testing.T, b []byte) {
		x, err := Read(bytes.NewReader(b))
		if err != nil {
			return
		}
		x.Search(Query{Text: "train doctor friday", Around: true})
		x.Put(Doc{ID: "a", Text: "train", Group: "s"})
		x.Delete("b")
	})
}

func BenchmarkRead(b *testing.B) {
	x := New()
	x.Put(talk(10_000)...)
	whole := written(b, x)
	for b.Loop() {
		if _, err := Read(bytes.NewReader(whole)); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(whole))/10_000, "bytes/doc")
	b.ReportMetric(10_000*float64(b.N)/b.Elapsed().Seconds(), "docs/s")
}

var must, same = statetest.Must, statetest.Same
