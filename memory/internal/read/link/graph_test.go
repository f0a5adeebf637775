package link

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// thing is a thing as the model knows it.
type thing struct {
	affair string
	keys   []string
}

// model is the graph as its documentation says it, without any index.
type model map[string]thing

func (m model) labels(id string) []string {
	var out []string
	for _, k := range m[id].keys {
		if k != "" && !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	slices.Sort(out)
	if m[id].affair != "" {
		out = append(out, "affair:"+m[id].affair)
	}
	return out
}

func (m model) sharing(label string) (n int) {
	for id := range m {
		if slices.Contains(m.labels(id), label) {
			n++
		}
	}
	return n
}

func (m model) weight(label string) float64 {
	n := m.sharing(label)
	if n < 2 || n > 20 && float64(n) > 0.05*float64(len(m)) {
		return 0
	}
	w := 1 / (1 + math.Log(float64(n-1)))
	if strings.HasPrefix(label, "affair:") {
		w = 0.5 * w
	}
	return w
}

func (m model) common(a, b string) (shared []string, sum float64) {
	for _, l := range m.labels(a) {
		if slices.Contains(m.labels(b), l) && m.weight(l) > 0 {
			shared = append(shared, l)
			sum += m.weight(l)
		}
	}
	slices.SortFunc(shared, func(x, y string) int {
		return cmp.Or(cmp.Compare(m.weight(y), m.weight(x)), strings.Compare(x, y))
	})
	return shared, sum
}

func heaviest(list []Neighbour) []Neighbour {
	slices.SortFunc(list, func(x, y Neighbour) int { return cmp.Or(cmp.Compare(y.Weight, x.Weight), strings.Compare(x.ID, y.ID)) })
	return list
}

func (m model) near(id string, steps, limit int) []Neighbour {
	if _, ok := m[id]; !ok || steps < 1 || limit < 1 {
		return nil
	}
	var first, second []Neighbour
	one := map[string]bool{id: true}
	for other := range m {
		if shared, sum := m.common(id, other); other != id && sum > 0 {
			first = append(first, Neighbour{other, shared, sum})
			one[other] = true
		}
	}
	heaviest(first)
	for other := range m {
		if steps < 2 || one[other] {
			continue
		}
		var paths []Neighbour
		for _, mid := range first[:min(8, len(first))] {
			for _, l := range m.labels(mid.ID) {
				if w := m.weight(l); w > 0 && m.sharing(l) <= 12 && slices.Contains(m.labels(other), l) {
					paths = append(paths, Neighbour{other, []string{mid.Via[0], mid.ID, l}, w * (0.25 * min(mid.Weight, 1))})
				}
			}
		}
		slices.SortFunc(paths, func(x, y Neighbour) int {
			return cmp.Or(cmp.Compare(y.Weight, x.Weight), strings.Compare(x.Via[1], y.Via[1]), strings.Compare(x.Via[2], y.Via[2]))
		})
		if len(paths) > 0 {
			second = append(second, paths[0])
		}
	}
	all := heaviest(append(first, second...))
	if len(all) == 0 {
		return nil
	}
	return all[:min(limit, len(all))]
}

// TestGraphIsItsDefinition drives graph and model through the same random writes and compares every answer.
func TestGraphIsItsDefinition(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g, m := NewGraph(), model{}
		ids := rapid.Custom(func(t *rapid.T) string { return fmt.Sprintf("records/r%d", rapid.IntRange(0, 39).Draw(t, "id")) })
		key := rapid.Custom(func(t *rapid.T) string {
			n := rapid.IntRange(0, 20).Draw(t, "key")
			return []string{"", fmt.Sprintf("name:n%d", n/2), fmt.Sprintf("topic:t%d", n/8), fmt.Sprintf("id:%d", n)}[rapid.IntRange(0, 3).Draw(t, "sort")]
		})
		for range rapid.IntRange(1, 120).Draw(t, "writes") {
			id := ids.Draw(t, "id")
			if rapid.IntRange(0, 4).Draw(t, "delete") == 0 {
				g.Delete(id)
				delete(m, id)
				continue
			}
			x := thing{rapid.SampledFrom([]string{"", "a1", "a2", "a3"}).Draw(t, "affair"), rapid.SliceOfN(key, 0, 6).Draw(t, "keys")}
			g.Put(id, x.affair, x.keys)
			m[id] = x
		}
		if g.Len() != len(m) {
			t.Fatalf("%d things, want %d", g.Len(), len(m))
		}
		for range 5 {
			id, steps, limit := ids.Draw(t, "near"), rapid.IntRange(0, 3).Draw(t, "steps"), rapid.IntRange(0, 30).Draw(t, "limit")
			if diff := gocmp.Diff(m.near(id, steps, limit), g.Near(id, steps, limit)); diff != "" {
				t.Fatalf("Near(%s, %d, %d) (-want +got):\n%s", id, steps, limit, diff)
			}
		}
		sameOrder(t, g, m)
		for id := range m {
			g.Delete(id)
		}
		if g.Bytes() != 0 || g.Len() != 0 {
			t.Fatalf("empty again, but %d bytes", g.Bytes())
		}
	})
}

// sameOrder checks that keys, affairs and bytes do not depend on what was written before.
func sameOrder(t *rapid.T, g *Graph, m model) {
	fresh := NewGraph()
	for id, x := range m {
		fresh.Put(id, x.affair, x.keys)
	}
	if fresh.Bytes() != g.Bytes() {
		t.Fatalf("%d bytes, a fresh graph has %d", g.Bytes(), fresh.Bytes())
	}
	for _, affair := range []string{"", "a1", "a2"} {
		if diff := gocmp.Diff(fresh.Around(affair), g.Around(affair)); diff != "" {
			t.Fatalf("Around %s:\n%s", affair, diff)
		}
	}
	for id := range m {
		if diff := gocmp.Diff(fresh.Near(id, 2, 20), g.Near(id, 2, 20)); diff != "" {
			t.Fatalf("Near %s differs after other writes:\n%s", id, diff)
		}
		if diff := gocmp.Diff(fresh.Keys(id), g.Keys(id)); diff != "" {
			t.Fatalf("Keys %s:\n%s", id, diff)
		}
	}
}

func TestCommonKeysLinkNothing(t *testing.T) {
	t.Parallel()
	g := NewGraph()
	for i := range 21 {
		g.Put(fmt.Sprintf("r%02d", i), "", []string{"topic:all"})
	}
	if got := g.Near("r00", 1, 100); len(got) != 0 {
		t.Errorf("a key of all 21 things links %d", len(got))
	}
	for i := range 400 {
		g.Put(fmt.Sprintf("other%d", i), "", nil)
	}
	if got := g.Near("r00", 1, 100); len(got) != 20 {
		t.Errorf("a key of 21 among 421 things links %d, want 20", len(got))
	}
}

// TestNearSideBySide walks from several goroutines at once, which the race detector watches.
func TestNearSideBySide(t *testing.T) {
	t.Parallel()
	g := filled(500)
	want := g.Near("records/r7", 2, 20)
	for range 8 {
		t.Run("reader", func(t *testing.T) {
			t.Parallel()
			for range 50 {
				if diff := gocmp.Diff(want, g.Near("records/r7", 2, 20)); diff != "" {
					t.Fatal(diff)
				}
			}
		})
	}
}

// filled is a graph in which few keys are common and most are rare.
func filled(n int) *Graph {
	g := NewGraph()
	r := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		g.Put(fmt.Sprintf("records/r%d", i), fmt.Sprintf("a%d", i/25), randomKeys(r, n))
	}
	return g
}

func randomKeys(r *rand.Rand, n int) []string {
	keys := make([]string, 0, 6)
	for range 6 {
		share := math.Pow(r.Float64(), 3) // small numbers are common
		keys = append(keys, fmt.Sprintf("name:n%d", int(share*float64(n))))
	}
	return keys
}

func BenchmarkNear(b *testing.B) {
	const n = 10_000
	g := filled(n)
	for _, steps := range []int{1, 2} {
		b.Run(fmt.Sprintf("steps=%d", steps), func(b *testing.B) {
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				g.Near(fmt.Sprintf("records/r%d", i*37%n), steps, 20)
				i++
			}
		})
	}
}

func BenchmarkPut(b *testing.B) {
	const n = 10_000
	g, r := filled(n), rand.New(rand.NewPCG(3, 4))
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		g.Put(fmt.Sprintf("records/r%d", i%n), "a1", randomKeys(r, n))
		i++
	}
	b.ReportMetric(float64(g.Bytes())/n, "bytes/thing")
}
