package local

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/viterin/vek/vek32"
	"pgregory.net/rapid"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
)

func TestDot(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for _, dim := range []int{1, 2, 7, 8, 9, 31, 32, 33, 63, 384, 1000, 1536, 3072} {
		for range 20 {
			a, b := make([]float32, dim), make([]float32, dim)
			for i := range a {
				a[i], b[i] = float32(r.NormFloat64()), float32(r.NormFloat64())
			}
			a, b = index.Unit(a), index.Unit(b)
			want := 0.0
			for i := range a {
				want += float64(a[i]) * float64(b[i])
			}
			for name, got := range map[string]float32{"here": dot(a, b), "vek": vek32.Dot(a, b)} {
				if math.Abs(float64(got)-want) > float64(slack(dim))/2 {
					t.Errorf("dot product of %d numbers, %s = %v, want %v", dim, name, got, want)
				}
			}
		}
	}
}

// TestDotIsTheSameAnywhere moves two vectors about in memory: the sum must not depend on where they lie.
func TestDotIsTheSameAnywhere(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	const dim = 77
	memory := make([]float32, 3*dim+40)
	a, b := make([]float32, dim), make([]float32, dim)
	for i := range a {
		a[i], b[i] = r.Float32()-.5, r.Float32()-.5
	}
	for name, dot := range map[string]func(a, b []float32) float32{"here": dot, "vek": vek32.Dot} {
		want := dot(a, b)
		for shift := range 20 {
			x, y := memory[shift:shift+dim], memory[2*dim+shift/2:][:dim]
			copy(x, a)
			copy(y, b)
			if got := dot(x, y); math.Float32bits(got) != math.Float32bits(want) {
				t.Fatalf("%s: %v at %d, %v at 0", name, got, shift, want)
			}
		}
	}
}

// TestBestKeepsWhatIsClose offers rows in any order: the best must be among those kept, and with them exactly those that are no
// further than slack behind the last of them.
func TestBestKeepsWhatIsClose(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		cosines := rapid.SliceOfN(rapid.SampledFrom([]float32{-1, -.5, 0, .25, .5, .75, 1, 1.0000001}), 0, 400).Draw(rt, "cosines")
		limit := rapid.IntRange(1, 70).Draw(rt, "limit")
		slack := rapid.SampledFrom([]float32{0, .25, .5}).Draw(rt, "slack")
		all := make([]found, len(cosines))
		for i, cosine := range cosines {
			all[i] = found{min(cosine, 1), int32(i)}
		}
		order := func(x, y found) int { return cmp.Or(cmp.Compare(y.cosine, x.cosine), cmp.Compare(x.row, y.row)) }
		slices.SortFunc(all, order)
		want := all
		if len(all) > limit {
			want = slices.DeleteFunc(slices.Clone(all), func(f found) bool { return f.cosine < all[limit-1].cosine-slack })
		}
		top := newBest(limit, len(cosines), slack)
		for i, cosine := range cosines {
			top.offer(cosine, i)
		}
		got := slices.SortedFunc(slices.Values(top.rows()), order)
		if !slices.Equal(want, got) {
			rt.Fatalf("kept %v, want %v", got, want)
		}
	})
}

// TestProbesKeepTheirView asks at many moments of a block that grows, is sketched, loses rows and is compacted, and searches only at
// the end: each probe must answer as the block was when it was asked.
func TestProbesKeepTheirView(t *testing.T) {
	t.Parallel()
	shelf, err := New(Config{Store: ram.New()})
	if err != nil {
		t.Fatal(err)
	}
	shelf.SketchFrom(100, 1)
	b := newBlock(place{index.Owner{Client: "c", User: "u"}, "space"}, 8)
	if err := b.load(t.Context(), shelf, 0); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(6, 7))
	model := map[string][]float32{}
	type moment struct {
		probe *probe
		want  []string
	}
	var moments []moment
	for step := range 60 {
		var entries []index.Entry
		for range 10 {
			e := index.Entry{ID: fmt.Sprint(r.IntN(250)), Kind: fmt.Sprint(step % 7), Vector: make([]float32, 8)}
			e.Vector[r.IntN(8)] = 1
			if slices.ContainsFunc(entries, func(other index.Entry) bool { return other.ID == e.ID }) {
				continue
			}
			model[e.ID], entries = e.Vector, append(entries, e)
		}
		b.publish(shelf, entries, nil)
		if step%3 == 0 {
			gone := slices.Sorted(maps.Keys(model))[:5]
			for _, id := range gone {
				delete(model, id)
			}
			b.publish(shelf, nil, gone)
		}
		p, _ := b.ask(index.Query{Vector: []float32{1, 0, 0, 0, 0, 0, 0, 0}, Limit: 300})
		want := slices.SortedFunc(maps.Keys(model), func(x, y string) int { return cmp.Or(cmp.Compare(model[y][0], model[x][0]), cmp.Compare(x, y)) })
		moments = append(moments, moment{p, want})
	}
	for i, m := range moments {
		if sketched := m.probe.view.sketch != nil; sketched != (m.probe.view.living >= 100) {
			t.Errorf("moment %d: %d rows are sketched: %t", i, m.probe.view.living, sketched)
		}
		hits, err := m.probe.search(t.Context(), shelf)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]string, len(hits))
		for j, h := range hits {
			got[j] = h.ID
		}
		if diff := gocmp.Diff(m.want, got); diff != "" {
			t.Fatalf("moment %d (-as it was +found):\n%s", i, diff)
		}
	}
}

// TestStripKeepsOldViews appends to one view after another and looks that each still has what it had.
func TestStripKeepsOldViews(t *testing.T) {
	t.Parallel()
	s := strip[uint64]{width: 3, shift: 2}
	var views []strip[uint64]
	for i := range uint64(30) {
		s = s.next()
		s.add([]uint64{i, i * i, ^i})
		views = append(views, s)
	}
	for n, v := range views {
		total := 0
		for _, p := range v.pieces {
			total += len(p)
		}
		if total != 3*(n+1) {
			t.Errorf("view %d has %d numbers, want %d", n, total, 3*(n+1))
		}
		for i := range uint64(n + 1) {
			if got := v.row(int(i)); !slices.Equal(got, []uint64{i, i * i, ^i}) {
				t.Errorf("view %d, row %d = %v", n, i, got)
			}
		}
	}
}

func TestPieces(t *testing.T) {
	t.Parallel()
	for width, rows := range map[int]int{1: 8192, 8: 8192, 384: 2048, 1536: 512, 32768: 32} {
		if s := newStrip[float32](width); 1<<s.shift != rows {
			t.Errorf("a piece of vectors of %d numbers has %d rows, want %d", width, 1<<s.shift, rows)
		}
	}
}

func TestNormalised(t *testing.T) {
	t.Parallel()
	for name, v := range map[string][]float32{
		"usual": {3, 4}, "short": {3e-40, 4e-40}, "long": {3e38, 3e38}, "one": {-7}, "unequal": {1e30, 1e-30},
	} {
		sum := 0.0
		for _, x := range index.Unit(v) {
			sum += float64(x) * float64(x)
		}
		if math.Abs(sum-1) > 1e-6 {
			t.Errorf("%s: %v has length %v after normalising", name, v, math.Sqrt(sum))
		}
	}
}

func TestKeysOfSpaces(t *testing.T) {
	t.Parallel()
	keys := map[string]index.Space{}
	for _, s := range []index.Space{
		{Model: "a", Dim: 8}, {Model: "a", Dim: 8, Version: 1}, {Model: "a", Dim: 88}, {Model: "a8", Dim: 8}, {Model: "a\x008", Dim: 1}, {Model: "A", Dim: 8},
	} {
		key := keyOf(s)
		if other, taken := keys[key]; taken || len(key) != 12 {
			t.Errorf("%v and %v have the key %s", s, other, key)
		}
		keys[key] = s
	}
	if got := keyOf(index.Space{Model: "a", Dim: 8}); got != keyOf(index.Space{Model: "a", Dim: 8}) {
		t.Errorf("a space has two keys, one of them %s", got)
	}
}

// FuzzDecode reads documents that nobody wrote: an error or an entry, never a panic, and what was encoded comes back.
func FuzzDecode(f *testing.F) {
	p := place{index.Owner{Client: "c", User: "u"}, "space"}
	good, err := encode(p, index.Entry{ID: "a/b", Hash: "h", Kind: "k", Session: "s", At: time.UnixMilli(-5), Vector: []float32{.6, .8}}, 3)
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(good.Body))
	f.Add([]byte(good.Body[:len(good.Body)/2]))
	f.Add([]byte{5, 0, 0, 0, 0})
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, body []byte) {
		v := make([]float32, 2)
		e, err := decode(p, store.Doc{ID: good.ID, Body: body}, v)
		if err != nil {
			if !errors.Is(err, state.ErrInternal) {
				t.Fatalf("decode = %v, want state.ErrInternal", err)
			}
			return
		}
		d, err := encode(p, e, 3)
		if err != nil {
			t.Fatal(err)
		}
		again, err := decode(p, d, make([]float32, 2))
		if diff := gocmp.Diff(asBits(e), asBits(again)); err != nil || diff != "" {
			t.Fatalf("an entry written again: %v (-first +second):\n%s", err, diff)
		}
	})
}

// asBits is an entry with its vector as comparable bits: NaN is not equal to itself.
func asBits(e index.Entry) any {
	out := []uint32{}
	for _, x := range e.Vector {
		out = append(out, math.Float32bits(x))
	}
	e.Vector = nil
	return struct {
		Entry  index.Entry
		Vector []uint32
	}{e, out}
}
