package words_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/mneme-graph/mneme/memory/index/words"
)

func drawDoc(t *rapid.T) words.Doc {
	word := rapid.SampledFrom([]string{"order", "school", "train", "07-14", "invoice", "the", "Prague", "car", "doctor", "orders"})
	sentence := func(label string, most int) string {
		return strings.Join(rapid.SliceOfN(word, 0, most).Draw(t, label), " ")
	}
	return words.Doc{
		ID:     fmt.Sprintf("d%d", rapid.IntRange(0, 15).Draw(t, "id")),
		Text:   sentence("text", 8),
		Head:   sentence("head", 2),
		Group:  rapid.SampledFrom([]string{"", "s1", "s2", "s3"}).Draw(t, "group"),
		Order:  int64(rapid.IntRange(0, 6).Draw(t, "order")),
		Affair: rapid.SampledFrom([]string{"", "a1", "a2"}).Draw(t, "affair"),
	}
}

func drawQuery(t *rapid.T) words.Query {
	q := words.Query{
		Text:   rapid.SampledFrom([]string{"order", "train school", "07-14 order the order", "prague", "the", "", "doctor car invoice"}).Draw(t, "query"),
		Limit:  rapid.IntRange(0, 5).Draw(t, "limit"),
		Around: rapid.Bool().Draw(t, "around"),
	}
	if rapid.Bool().Draw(t, "keep") {
		q.Keep = func(d *words.Doc) bool { return d.Affair != "a2" }
	}
	return q
}

// TestSearchIsItsDefinition compares with a search written without an index, after any sequence of writes, and bit for
// bit with an index that was given the living documents only, in another order.
func TestSearchIsItsDefinition(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		x, docs := words.New(), brute{}
		for range rapid.IntRange(0, 40).Draw(t, "writes") {
			d := drawDoc(t)
			if rapid.IntRange(0, 3).Draw(t, "delete") == 0 {
				_, was := docs[d.ID]
				if got := x.Delete(d.ID); got != was {
					t.Errorf("Delete(%s) = %t, want %t", d.ID, got, was)
				}
				delete(docs, d.ID)
				continue
			}
			x.Put(d)
			docs[d.ID] = d
		}
		if x.Len() != len(docs) {
			t.Errorf("Len = %d, want %d", x.Len(), len(docs))
		}
		fresh := words.New()
		for _, d := range docs { // map order: any
			fresh.Put(d)
		}
		for range 4 {
			q := drawQuery(t)
			got := x.Search(q)
			close := cmpopts.EquateApprox(0, 1e-9)
			if diff := cmp.Diff(docs.search(q), got, close, cmpopts.IgnoreFields(words.Hit{}, "Terms"), cmpopts.EquateEmpty()); diff != "" && !tied(got) {
				t.Errorf("%+v: (-definition +index):\n%s", q, diff)
			}
			if diff := cmp.Diff(fresh.Search(q), got); diff != "" {
				t.Errorf("%+v: (-fresh +index):\n%s", q, diff)
			}
		}
	})
}

// tied reports whether two scores are so near that rounding may decide their order.
func tied(hits []words.Hit) bool {
	for i := 1; i < len(hits); i++ {
		if d := hits[i-1].Score - hits[i].Score; d != 0 && math.Abs(d) < 1e-9 {
			return true
		}
	}
	return false
}

func ids(hits []words.Hit) []string {
	var out []string
	for _, h := range hits {
		out = append(out, h.ID)
	}
	return out
}

func fill(docs ...words.Doc) *words.Index {
	x := words.New()
	for _, d := range docs {
		x.Put(d)
	}
	return x
}

func TestSearch(t *testing.T) {
	t.Parallel()
	chat := fill(
		words.Doc{ID: "m1", Group: "s1", Order: 1, Head: "Ann 8 may 2023", Text: "I ordered a wiper for the Jeep, number 07-14244-53150.", Affair: "car"},
		words.Doc{ID: "m2", Group: "s1", Order: 2, Head: "Ben 8 may 2023", Text: "Nice! How much was it?", Affair: "car"},
		words.Doc{ID: "m3", Group: "s1", Order: 3, Head: "Ann 8 may 2023", Text: "Thirty eight dollars.", Affair: "car"},
		words.Doc{ID: "m4", Group: "s2", Order: 4, Head: "Ann 9 june 2023", Text: "Přihlásila jsem se na univerzitu, zápis je v září.", Affair: "school"},
		words.Doc{ID: "m5", Group: "s2", Order: 5, Head: "Ben 9 june 2023", Text: "Jaké dokumenty potřebuješ?", Affair: "school"},
		words.Doc{ID: "r1", Order: 6, Text: "The dentist is Dr Novák", Kind: "contact"},
	)
	for _, c := range []struct {
		name  string
		query words.Query
		want  []string
	}{
		{"one word", words.Query{Text: "wiper"}, []string{"m1"}},
		{"an identifier is one word", words.Query{Text: "what about 07-14244-53150?"}, []string{"m1"}},
		{"another identifier is nothing", words.Query{Text: "07-14244-53151"}, nil},
		{"the speaker is found in the head, the shorter text first", words.Query{Text: "Ben"}, []string{"m2", "m5"}},
		{"stop words", words.Query{Text: "what is the"}, nil},
		{"nothing", words.Query{}, nil},
		{"limit", words.Query{Text: "Ben Ann", Limit: 2}, []string{"m2", "m5"}},
		{"case and diacritics", words.Query{Text: "PRIHLASILA"}, []string{"m4"}},
		{"a typing error", words.Query{Text: "wipper"}, []string{"m1"}},
		{"letters swapped", words.Query{Text: "univerzti"}, []string{"m4"}},
		{"an inflection the stemmer does not know", words.Query{Text: "dentistry"}, []string{"r1"}},
		{"a short word does not widen", words.Query{Text: "jeer"}, nil},
		{"filtered", words.Query{Text: "Ann", Keep: func(d *words.Doc) bool { return d.Affair == "school" }}, []string{"m4"}},
		{"by kind", words.Query{Text: "novák wiper", Keep: func(d *words.Doc) bool { return d.Kind == "contact" }}, []string{"r1"}},
		{"the answer stands next to the words", words.Query{Text: "what did the wiper cost", Around: true}, []string{"m1", "m2", "m3"}},
		{"no neighbours outside the session", words.Query{Text: "dentist", Around: true}, []string{"r1"}},
		{"what is refused lends nothing", words.Query{Text: "wiper", Around: true, Keep: func(d *words.Doc) bool { return d.ID != "m1" }}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, ids(chat.Search(c.query))); diff != "" {
				t.Errorf("hits (-want +got):\n%s", diff)
			}
		})
	}
}

// TestLimit checks that a limit is the beginning of the whole, with more hits than a ranking keeps at once.
func TestLimit(t *testing.T) {
	t.Parallel()
	x := corpus(3000)
	for i := range 20 {
		q := words.Query{Text: "bababa" + sentence(uint64(i)+1<<40, 5), Around: i%2 == 0} // the commonest word and five
		all := x.Search(q)
		if len(all) < 200 {
			t.Fatalf("%q finds %d documents, too few to tell", q.Text, len(all))
		}
		for _, q.Limit = range []int{1, 7, 100, len(all) + 1} {
			if diff := cmp.Diff(all[:min(q.Limit, len(all))], x.Search(q)); diff != "" {
				t.Errorf("%+v (-beginning +limited):\n%s", q, diff)
			}
		}
	}
}

// TestSearchLeavesNoTrace checks that one search does not change the next, whatever was refused or spread.
func TestSearchLeavesNoTrace(t *testing.T) {
	t.Parallel()
	x := corpus(500)
	rapid.Check(t, func(t *rapid.T) {
		q := words.Query{Text: sentence(rapid.Uint64().Draw(t, "seed"), 4), Around: rapid.Bool().Draw(t, "around"), Limit: 20}
		want := x.Search(q)
		other := q
		other.Text, other.Around = sentence(rapid.Uint64().Draw(t, "other"), 6), !q.Around
		other.Keep = func(d *words.Doc) bool { return d.Order%3 != 0 }
		x.Search(other)
		if diff := cmp.Diff(want, x.Search(q)); diff != "" {
			t.Errorf("%q after %q (-before +after):\n%s", q.Text, other.Text, diff)
		}
	})
}

func TestHit(t *testing.T) {
	t.Parallel()
	x := fill(
		words.Doc{ID: "a", Order: 1, Text: "train to Prague"},
		words.Doc{ID: "b", Order: 2, Text: "train to Brno"},
		words.Doc{ID: "c", Order: 2, Text: "train to Brno"},
	)
	hits := x.Search(words.Query{Text: "train Prague tomorrow"})
	if diff := cmp.Diff([]string{"a", "b", "c"}, ids(hits)); diff != "" {
		t.Fatalf("the newer first, then by id (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"train", "pragu"}, hits[0].Terms, cmpopts.SortSlices(strings.Compare)); len(hits[0].Terms) != 2 {
		t.Errorf("terms:\n%s", diff)
	}
	if hits[0].Score != 2 || hits[0].Fields != (words.Fields{Text: 1, Own: 1}) {
		t.Errorf("best = %+v, want score 2 of fields 1 and 1", hits[0])
	}
	if c := hits[0].Coverage; c <= hits[1].Coverage || c >= 1 {
		t.Errorf("coverage %v of two terms of three, %v of one", c, hits[1].Coverage)
	}
	if exact, near := x.Search(words.Query{Text: "Prague"}), x.Search(words.Query{Text: "Praguee"}); len(near) != 1 || near[0].Coverage > exact[0].Coverage/2 {
		t.Errorf("a nearby word covers %+v, the word itself %+v", near, exact)
	}
}

func TestReplaceAndDelete(t *testing.T) {
	t.Parallel()
	x := fill(words.Doc{ID: "a", Group: "s", Order: 1, Text: "old words"}, words.Doc{ID: "b", Group: "s", Order: 2, Text: "other"})
	x.Put(words.Doc{ID: "a", Group: "s", Order: 3, Text: "new words"})
	if got := x.Search(words.Query{Text: "old"}); got != nil {
		t.Errorf("replaced words are found: %+v", got)
	}
	if got := ids(x.Search(words.Query{Text: "new", Around: true})); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("hits %v, want a and its neighbour b", got)
	}
	if !x.Delete("a") || x.Delete("a") || x.Len() != 1 {
		t.Errorf("a was not deleted once; %d documents", x.Len())
	}
	if got := x.Search(words.Query{Text: "new", Around: true}); got != nil {
		t.Errorf("deleted words are found: %+v", got)
	}
}

// TestCompaction checks that an index which is rewritten over and over neither grows nor changes its answers.
func TestCompaction(t *testing.T) {
	t.Parallel()
	x := words.New()
	write := func() {
		for i := range 300 {
			x.Put(words.Doc{ID: fmt.Sprint(i), Group: fmt.Sprint(i / 50), Order: int64(i), Text: sentence(uint64(i), 12)})
		}
	}
	write()
	once, before := x.Bytes(), x.Search(words.Query{Text: sentence(7, 3), Around: true})
	for range 20 {
		write()
	}
	if x.Len() != 300 || x.Bytes() > 3*once {
		t.Errorf("%d documents in %d bytes, after one writing %d", x.Len(), x.Bytes(), once)
	}
	if diff := cmp.Diff(before, x.Search(words.Query{Text: sentence(7, 3), Around: true})); diff != "" {
		t.Errorf("hits changed (-before +after):\n%s", diff)
	}
	for i := range 300 {
		x.Delete(fmt.Sprint(i))
	}
	if x.Len() != 0 || x.Bytes() > once {
		t.Errorf("emptied: %d documents in %d bytes", x.Len(), x.Bytes())
	}
}

// TestBytes holds the estimate against what the runtime says.
func TestBytes(t *testing.T) {
	heap := func() int64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	words.New().Put(words.Doc{ID: "x", Text: "loads the stemmers"})
	before := heap()
	x := corpus(5000)
	real := heap() - before
	if got := x.Bytes(); got < real*2/3 || got > real*3/2 {
		t.Errorf("Bytes = %d, the heap grew by %d", got, real)
	}
	runtime.KeepAlive(x)
}

func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	x := corpus(200)
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := range 200 {
				switch (i + w) % 4 {
				case 0:
					x.Put(words.Doc{ID: fmt.Sprint(i), Group: "s", Order: int64(i), Text: sentence(uint64(i), 8)})
				case 1:
					x.Delete(fmt.Sprint(i))
				default:
					x.Search(words.Query{Text: sentence(uint64(i), 3), Around: true, Limit: 5})
					x.Bytes()
				}
			}
		})
	}
	wg.Wait()
}

// sentence makes n words that follow Zipf's law as speech does.
func sentence(seed uint64, n int) string {
	r := rand.New(rand.NewPCG(seed, 1))
	zipf := rand.NewZipf(r, 1.1, 8, 20_000)
	var b strings.Builder
	for range n {
		v := zipf.Uint64()
		b.WriteByte(' ')
		for range 3 { // syllables
			b.WriteString([]string{"ba", "ko", "mi", "tru", "le", "sna", "po", "dvi", "ru", "ke", "zo", "fa", "ni", "gle", "hu", "ja", "we", "xo", "ty", "va", "cho", "pri", "stu", "del", "mor", "ban", "sil", "ter"}[v%28])
			v /= 28
		}
	}
	return b.String()
}

func corpus(n int) *words.Index {
	x := words.New()
	for i := range n {
		x.Put(words.Doc{ID: fmt.Sprintf("m%d", i), Group: fmt.Sprintf("s%d", i/40), Order: int64(i), Head: "Ann 8 may 2023", Text: sentence(uint64(i), 15)})
	}
	return x
}

func BenchmarkPut(b *testing.B) {
	x := corpus(1000)
	docs := make([]string, 1000)
	for i := range docs {
		docs[i] = sentence(uint64(i), 15)
	}
	i := 0
	for b.Loop() {
		x.Put(words.Doc{ID: fmt.Sprintf("n%d", i), Group: "s", Order: int64(i), Head: "Ann 8 may 2023", Text: docs[i%len(docs)]})
		i++
	}
	b.ReportMetric(float64(i)/b.Elapsed().Seconds(), "puts/s")
}

func BenchmarkSearch(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		x := corpus(n)
		queries := make([]string, 100)
		for i := range queries {
			queries[i] = sentence(uint64(i)+1<<40, 6)
		}
		for name, q := range map[string]words.Query{
			"direct": {Limit: 50}, "around": {Limit: 50, Around: true},
		} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					q.Text = queries[i%len(queries)]
					x.Search(q)
					i++
				}
			})
		}
	}
}
