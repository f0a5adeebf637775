package local_test

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/memory/index/indextest"
	"github.com/mneme-graph/mneme/memory/index/local"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// TestBytesAreHonest compares what a shelf says it takes with what the runtime says. It runs alone.
func TestBytesAreHonest(t *testing.T) {
	for _, size := range []struct{ n, dim int }{{200, 384}, {12_000, 64}, {12_000, 8}} {
		s := ram.New()
		o, space := me(), index.Space{Model: "m", Dim: size.dim}
		{
			var entries []index.Entry
			for i := range size.n {
				v := make([]float32, size.dim)
				v[i%size.dim] = 1
				entries = append(entries, index.Entry{
					ID: fmt.Sprintf("message-%d", i), Hash: strings.Repeat("h", 32), Kind: "message", Session: fmt.Sprint("session ", i/100), Vector: v,
				})
			}
			must(t, openSpace(t, openOn(t, s), space).Put(t.Context(), o, entries...))
		}
		shelf, err := local.New(local.Config{Store: s})
		must(t, err)
		v := openSpace(t, shelf, space)
		before := heap()
		_, err = v.Search(t.Context(), o, index.Query{Vector: append(make([]float32, size.dim-1), 1), Limit: 1})
		must(t, err)
		took, says := heap()-before, shelf.Usage().Bytes
		if q := float64(says) / float64(took); q < .8 || q > 1.25 {
			t.Errorf("%d entries of %d numbers take %d bytes, Usage says %d", size.n, size.dim, took, says)
		}
		if u := shelf.Usage(); u.Entries != size.n || u.Blocks != 1 || u.Loads != 1 {
			t.Errorf("Usage = %+v", u)
		}
		runtime.KeepAlive(v)
	}
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestBoundHolds lets owners of different sizes take turns in a narrow memory. After each call the blocks are within the bound, or
// there is only the one used last; and every answer is as if there were no bound.
func TestBoundHolds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		const bound = 24 << 10
		shelf, err := local.New(local.Config{Store: ram.New(), Bytes: bound})
		must(rt, err)
		space := index.Space{Model: "m", Dim: 32}
		v, err := shelf.Open(rt.Context(), space)
		must(rt, err)
		have := map[string]int{}
		for range rapid.IntRange(5, 25).Draw(rt, "calls") {
			user := rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}).Draw(rt, "user")
			o := index.Owner{Client: "c", User: user}
			if rapid.Bool().Draw(rt, "put") {
				var entries []index.Entry
				for range rapid.SampledFrom([]int{1, 20, 100}).Draw(rt, "entries") {
					x := make([]float32, 32)
					x[have[user]%32] = 1
					entries = append(entries, index.Entry{ID: fmt.Sprint(have[user]), Vector: x})
					have[user]++
				}
				must(rt, v.Put(rt.Context(), o, entries...))
			} else if got, err := v.List(rt.Context(), o); err != nil || len(got) != have[user] {
				rt.Fatalf("%s has %d entries (%v), want %d", user, len(got), err, have[user])
			}
			if u := shelf.Usage(); u.Bytes > bound && u.Blocks > 1 {
				rt.Fatalf("%+v exceeds the bound of %d", u, bound)
			}
		}
	})
}

func TestBlocksComeBack(t *testing.T) {
	t.Parallel()
	shelf, err := local.New(local.Config{Store: ram.New(), Bytes: 1})
	must(t, err)
	v := openSpace(t, shelf, eight())
	a, b := index.Owner{Client: "c", User: "a"}, index.Owner{Client: "c", User: "b"}
	must(t, v.Put(t.Context(), a, entry("1", 1)))
	must(t, v.Put(t.Context(), b, entry("2", 1)))
	for range 3 {
		if got := append(found(t, v, a), found(t, v, b)...); !slices.Equal(got, []string{"1", "2"}) {
			t.Errorf("Search found %q, want 1 and 2", got)
		}
	}
	found(t, v, b)
	if u := shelf.Usage(); u.Blocks != 1 || u.Loads != 8 || u.Drops != 7 {
		t.Errorf("Usage = %+v, want one block, 8 loads, 7 drops", u)
	}
	must(t, shelf.Close())
	if u := shelf.Usage(); u.Blocks != 0 || u.Bytes != 0 {
		t.Errorf("Usage after Close = %+v, want nothing", u)
	}
}

// TestDeadRowsGo replaces everything many times: memory must not grow with the number of writes.
func TestDeadRowsGo(t *testing.T) {
	t.Parallel()
	shelf := openOn(t, ram.New())
	v := openSpace(t, shelf, eight())
	var first int64
	for round := range 20 {
		var entries []index.Entry
		for i := range 300 {
			entries = append(entries, entry(fmt.Sprintf("%03d", i), float32(i+1), float32(round)))
		}
		must(t, v.Put(t.Context(), me(), entries...))
		if round == 0 {
			first = shelf.Usage().Bytes
		}
	}
	if u := shelf.Usage(); u.Bytes > 2*first || u.Entries != 300 {
		t.Errorf("after 20 rounds %+v, after one %d bytes", u, first)
	}
	list, err := v.List(t.Context(), me())
	must(t, err)
	if len(list) != 300 || list[7].ID != "007" || list[7].Session != "s" || list[7].Hash != "h" {
		t.Errorf("List has %d entries, one of them %+v", len(list), list[min(7, len(list)-1)])
	}
}

// TestSuiteThroughSigns runs the suite where even one entry goes through the pre-filter, which must not show.
func TestSuiteThroughSigns(t *testing.T) {
	t.Parallel()
	indextest.Run(t, func(t *testing.T) index.Shelf {
		shelf := openOn(t, ram.New())
		shelf.SketchFrom(1, 1)
		return shelf
	})
}

// TestSignsFind compares the pre-filter with the exact search where neighbourhoods have all sizes.
func TestSignsFind(t *testing.T) {
	t.Parallel()
	n, dim := 21_000, 128
	switch {
	case os.Getenv("MNEME_LONG") != "":
		n, dim = 100_000, 384
	case testing.Short():
		t.Skip("computes 21,000 vectors")
	}
	all := neighbourhoods(n+questions, dim, 1)
	exact, o, asked := filled(t, all, true)
	signs, _, _ := filled(t, all, false)
	for limit, want := range map[int]float64{10: .99, 100: .99, 1000: .985} {
		both, total := 0, 0
		for _, question := range asked {
			q := index.Query{Vector: question, Limit: limit}
			near, err := exact.Search(t.Context(), o, q)
			must(t, err)
			cosines := map[string]float32{}
			for _, h := range near {
				cosines[h.ID] = h.Cosine
			}
			found, err := signs.Search(t.Context(), o, q)
			must(t, err)
			for _, h := range found {
				if cosine, ok := cosines[h.ID]; ok {
					both++
					if cosine != h.Cosine {
						t.Errorf("cosine of %s is %v by signs, %v without", h.ID, h.Cosine, cosine)
					}
				}
			}
			total += limit
		}
		t.Logf("%d entries, best %d: recall %.4f", n, limit, float64(both)/float64(total))
		if float64(both) < want*float64(total) {
			t.Errorf("%d entries: %d of the best %d are found in %d searches, want %.1f %%", n, both, limit, len(asked), 100*want)
		}
	}
	fewThrough(t, exact, signs, o, asked)
}

// fewThrough filters down to less than the signs let through, where the answers must be equal.
func fewThrough(t *testing.T, exact, signs index.Vectors, o index.Owner, asked [][]float32) {
	t.Helper()
	for _, question := range asked[:5] {
		q := index.Query{Vector: question, Limit: 300, Session: "s7"}
		want, err := exact.Search(t.Context(), o, q)
		must(t, err)
		got, err := signs.Search(t.Context(), o, q)
		must(t, err)
		if diff := cmp.Diff(want, got); diff != "" || len(got) != 200 {
			t.Errorf("Search in a session found %d (-exact +signs):\n%s", len(got), diff)
		}
	}
}

// TestSignsKeepUp grows a block past the size of its sketch, deletes from it and moves entries, and compares with the exact search.
func TestSignsKeepUp(t *testing.T) {
	t.Parallel()
	const dim = 64
	s := ram.New()
	signs, exact := openOn(t, s), openOn(t, ram.New())
	signs.SketchFrom(500, 1)
	space := index.Space{Model: "m", Dim: dim}
	a, b := openSpace(t, signs, space), openSpace(t, exact, space)
	vectors := neighbourhoods(2600, dim, 9)
	for step := range 13 {
		var entries []index.Entry
		var gone []string
		for i := range 200 {
			entries = append(entries, index.Entry{ID: fmt.Sprint(step*150 + i), Vector: vectors[step*200+i]})
			if i%3 == 0 {
				gone = append(gone, fmt.Sprint(step*100+i))
			}
		}
		for _, v := range []index.Vectors{a, b} {
			must(t, v.Put(t.Context(), me(), entries...))
			must(t, v.Delete(t.Context(), me(), gone...))
		}
		q := index.Query{Vector: vectors[step], Limit: 50}
		got, err := a.Search(t.Context(), me(), q)
		must(t, err)
		want, err := b.Search(t.Context(), me(), q)
		must(t, err)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("step %d (-exact +signs):\n%s", step, diff)
		}
	}
}
