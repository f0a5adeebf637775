package words

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/mneme-graph/mneme/state"
)

func drawDoc(t *rapid.T) Doc {
	word := rapid.SampledFrom([]string{"order", "school", "train", "07-14", "invoice", "the", "Prague", "car", "doctor", "orders", "yesterday", "Ann?", "always.", "list"})
	d := Doc{
		ID:      fmt.Sprintf("d%d", rapid.IntRange(0, 15).Draw(t, "id")),
		Text:    strings.Join(rapid.SliceOfN(word, 0, 8).Draw(t, "text"), " "),
		Speaker: rapid.SampledFrom([]string{"", "Ann", "Ben Smith"}).Draw(t, "speaker"),
		Role:    rapid.SampledFrom([]state.Role{"", "user", "assistant"}).Draw(t, "role"),
		Group:   rapid.SampledFrom([]string{"", "s1", "s2", "s3"}).Draw(t, "group"),
		Order:   int64(rapid.IntRange(0, 6).Draw(t, "order")),
		Weight:  rapid.SampledFrom([]float64{0, .1, 1.5}).Draw(t, "weight"),
		Affair:  rapid.SampledFrom([]string{"", "a1", "a2"}).Draw(t, "affair"),
	}
	if day := rapid.IntRange(0, 90).Draw(t, "day"); day > 0 {
		d.At = time.Date(2025, 3, day, 12, 0, 0, 0, time.UTC)
	}
	return d
}

func drawQuery(t *rapid.T) Query {
	q := Query{
		Text: rapid.SampledFrom([]string{
			"order", "train school", "07-14 order the order", "prague", "the", "", "doctor car invoice",
			"when did Ann order?", "how much was the train in May 2025", "list the cars", "Ben's doctor on 8 May",
		}).Draw(t, "query"),
		Limit:  rapid.IntRange(0, 5).Draw(t, "limit"),
		Around: rapid.Bool().Draw(t, "around"),
	}
	if rapid.Bool().Draw(t, "keep") {
		q.Keep.Affair = func(affair string) bool { return affair != "a2" }
	}
	if rapid.Bool().Draw(t, "keep some") {
		q.Keep.Doc = func(d *Doc) bool { return d.Order%4 != 1 }
	}
	if rapid.Bool().Draw(t, "now") {
		q.Now = time.Date(2025, 5, 1, 0, 0, 0, 0, time.UTC)
	}
	for range rapid.IntRange(0, 4).Draw(t, "near") {
		if q.Near == nil {
			q.Near = map[string]float32{}
		}
		q.Near[fmt.Sprintf("d%d", rapid.IntRange(0, 20).Draw(t, "nearest"))] = float32(rapid.IntRange(-2, 8).Draw(t, "cosine")) / 8
	}
	return q
}

// TestSearchIsItsDefinition compares with a search written without an index, after any sequence of writes, and bit for
// bit with an index that was given the living documents only, in another order.
func TestSearchIsItsDefinition(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		x, docs := New(), brute{}
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
		fresh := New()
		for _, d := range docs { // map order: any
			fresh.Put(d)
		}
		if fresh.t.stats != x.t.stats {
			t.Errorf("statistics %+v, of a fresh index %+v", x.t.stats, fresh.t.stats)
		}
		p := blend(x.t.people(), essays(), rapid.SampledFrom([]float64{.1, .5, .9}).Draw(t, "share"))
		p.kin, p.concept, p.alike = 0, 0, 0
		for range 4 {
			q := drawQuery(t)
			got := x.search(q, p)
			close := cmpopts.EquateApprox(0, 1e-9)
			if diff := cmp.Diff(docs.search(q, p), got, close, cmpopts.IgnoreFields(Hit{}, "Terms"), cmpopts.EquateEmpty()); diff != "" && !tied(got) {
				t.Errorf("%+v: (-definition +index):\n%s", q, diff)
			}
			if diff := cmp.Diff(fresh.Search(q), x.Search(q)); diff != "" {
				t.Errorf("%+v: (-fresh +index):\n%s", q, diff)
			}
		}
	})
}

// tied reports whether two scores are so near that rounding may decide their order.
func tied(hits []Hit) bool {
	for i := 1; i < len(hits); i++ {
		if d := hits[i-1].Score - hits[i].Score; d != 0 && math.Abs(d) < 1e-9 {
			return true
		}
	}
	return false
}

func ids(hits []Hit) []string {
	var out []string
	for _, h := range hits {
		out = append(out, h.ID)
	}
	return out
}

func fill(docs ...Doc) *Index {
	x := New()
	for _, d := range docs {
		x.Put(d)
	}
	return x
}

// chat is a conversation in two sessions, and a record.
func chat() *Index {
	return fill(
		Doc{ID: "m1", Group: "s1", Order: 1, Speaker: "Ann", At: time.Date(2023, 5, 8, 9, 0, 0, 0, time.UTC), Text: "I ordered a wiper for the Jeep, number 07-14244-53150.", Affair: "car"},
		Doc{ID: "m2", Group: "s1", Order: 2, Speaker: "Ben", At: time.Date(2023, 5, 8, 9, 0, 0, 0, time.UTC), Text: "Nice! How much was it?", Affair: "car"},
		Doc{ID: "m3", Group: "s1", Order: 3, Speaker: "Ann", At: time.Date(2023, 5, 8, 9, 0, 0, 0, time.UTC), Text: "Thirty eight dollars.", Affair: "car"},
		Doc{ID: "m4", Group: "s2", Order: 4, Speaker: "Ann", At: time.Date(2023, 6, 9, 9, 0, 0, 0, time.UTC), Text: "Přihlásila jsem se na univerzitu, zápis je v září.", Affair: "school"},
		Doc{ID: "m5", Group: "s2", Order: 5, Speaker: "Ben", At: time.Date(2023, 6, 9, 9, 0, 0, 0, time.UTC), Text: "Jaké dokumenty potřebuješ?", Affair: "school"},
		Doc{ID: "r1", Order: 6, Text: "The dentist is Dr Novák", Kind: "contact"},
	)
}

func TestSearch(t *testing.T) {
	t.Parallel()
	chat := chat()
	for _, c := range []struct {
		name  string
		query Query
		want  []string
	}{
		{"one word", Query{Text: "wiper"}, []string{"m1"}},
		{"an identifier is one word", Query{Text: "what about 07-14244-53150?"}, []string{"m1"}},
		{"another identifier is nothing", Query{Text: "07-14244-53151"}, nil},
		{"the speaker is found", Query{Text: "Ben"}, []string{"m2", "m5"}},
		{"stop words", Query{Text: "what is the"}, nil},
		{"nothing", Query{}, nil},
		{"limit", Query{Text: "Ben Ann", Limit: 2}, []string{"m1", "m4"}},
		{"case and diacritics", Query{Text: "PRIHLASILA"}, []string{"m4"}},
		{"a typing error", Query{Text: "wipper"}, []string{"m1"}},
		{"letters swapped", Query{Text: "univerzti"}, []string{"m4"}},
		{"an inflection the stemmer does not know", Query{Text: "dentistry"}, []string{"r1"}},
		{"a short word does not widen", Query{Text: "jeer"}, nil},
		{"filtered", Query{Text: "Ann", Keep: Filter{Doc: func(d *Doc) bool { return d.Affair == "school" }}}, []string{"m4"}},
		{"by kind", Query{Text: "novák wiper", Keep: Filter{Doc: func(d *Doc) bool { return d.Kind == "contact" }}}, []string{"r1"}},
		{"the answer stands next to the words", Query{Text: "what did the wiper cost", Around: true}, []string{"m1", "m3", "m2"}},
		{"no neighbours outside the session", Query{Text: "dentist", Around: true}, []string{"r1"}},
		{"what is refused lends nothing", Query{Text: "wiper", Around: true, Keep: Filter{Doc: func(d *Doc) bool { return d.ID != "m1" }}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			same(t, "hits", c.want, ids(chat.Search(c.query)))
		})
	}
}

// TestLimit checks that a limit is the beginning of the whole, with more hits than a ranking keeps at once.
func TestLimit(t *testing.T) {
	t.Parallel()
	x := corpus(3000)
	for i := range 20 {
		q := Query{Text: "bababa" + sentence(uint64(i)+1<<40, 5), Around: i%2 == 0} // the commonest word and five
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
		q := Query{Text: sentence(rapid.Uint64().Draw(t, "seed"), 4), Around: rapid.Bool().Draw(t, "around"), Limit: 20}
		want := x.Search(q)
		other := q
		other.Text, other.Around = sentence(rapid.Uint64().Draw(t, "other"), 6), !q.Around
		other.Keep.Doc = func(d *Doc) bool { return d.Order%3 != 0 }
		x.Search(other)
		if diff := cmp.Diff(want, x.Search(q)); diff != "" {
			t.Errorf("%q after %q (-before +after):\n%s", q.Text, other.Text, diff)
		}
	})
}

func TestHit(t *testing.T) {
	t.Parallel()
	x := fill(
		Doc{ID: "a", Order: 1, Text: "train to Prague"},
		Doc{ID: "b", Order: 2, Text: "train to Brno"},
		Doc{ID: "c", Order: 2, Text: "train to Brno"},
	)
	hits := x.Search(Query{Text: "train Prague tomorrow"})
	if diff := cmp.Diff([]string{"a", "b", "c"}, ids(hits)); diff != "" {
		t.Fatalf("the newer first, then by id (-want +got):\n%s", diff)
	}
	same(t, "terms", []Match{{"train", "train", Exact}, {"pragu", "pragu", Exact}}, hits[0].Terms, cmpopts.SortSlices(func(a, b Match) bool { return a.Term > b.Term }))
	if f := hits[0].Fields; f.Text != 1 || f.Own != 1 || hits[0].Score <= hits[1].Score || hits[1].Score != hits[2].Score {
		t.Errorf("fields %+v, scores %v, %v, %v", f, hits[0].Score, hits[1].Score, hits[2].Score)
	}
	if c := hits[0].Coverage; c <= hits[1].Coverage || c >= 1 {
		t.Errorf("coverage %v of two terms of three, %v of one", c, hits[1].Coverage)
	}
	if exact, near := x.Search(Query{Text: "Prague"}), x.Search(Query{Text: "Praguee"}); len(near) != 1 || near[0].Coverage > exact[0].Coverage/2 || near[0].Terms[0].Via != Nearby {
		t.Errorf("a nearby word covers %+v, the word itself %+v", near, exact)
	}
}

func TestReplaceAndDelete(t *testing.T) {
	t.Parallel()
	x := fill(Doc{ID: "a", Group: "s", Order: 1, Text: "old words"}, Doc{ID: "b", Group: "s", Order: 2, Text: "other"})
	x.Put(Doc{ID: "a", Group: "s", Order: 3, Text: "new words"})
	if got := x.Search(Query{Text: "old"}); got != nil {
		t.Errorf("replaced words are found: %+v", got)
	}
	if got := ids(x.Search(Query{Text: "new", Around: true})); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("hits %v, want a and its neighbour b", got)
	}
	if !x.Delete("a") || x.Delete("a") || x.Len() != 1 {
		t.Errorf("a was not deleted once; %d documents", x.Len())
	}
	if got := x.Search(Query{Text: "new", Around: true}); got != nil {
		t.Errorf("deleted words are found: %+v", got)
	}
}

// TestCompaction checks that an index which is rewritten over and over neither grows nor changes its answers.
func TestCompaction(t *testing.T) {
	t.Parallel()
	x := New()
	write := func() {
		for i := range 300 {
			x.Put(Doc{ID: fmt.Sprint(i), Group: fmt.Sprint(i / 50), Order: int64(i), Text: sentence(uint64(i), 12)})
		}
	}
	write()
	once, before := x.Bytes(), x.Search(Query{Text: sentence(7, 3), Around: true})
	for range 20 {
		write()
	}
	if x.Len() != 300 || x.Bytes() > 3*once {
		t.Errorf("%d documents in %d bytes, after one writing %d", x.Len(), x.Bytes(), once)
	}
	if diff := cmp.Diff(before, x.Search(Query{Text: sentence(7, 3), Around: true})); diff != "" {
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
	New().Put(Doc{ID: "x", Text: "loads the stemmers"})
	before := heap()
	x := corpus(5000)
	real := heap() - before
	t.Logf("Bytes = %d, the heap grew by %d, %d a document", x.Bytes(), real, real/5000)
	if got := x.Bytes(); got < real*4/5 || got > real*5/4 {
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
					x.Put(Doc{ID: fmt.Sprint(i), Group: "s", Order: int64(i), Text: sentence(uint64(i), 8)})
				case 1:
					x.Delete(fmt.Sprint(i))
				default:
					x.Search(Query{Text: sentence(uint64(i), 3), Around: true, Limit: 5})
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

func corpus(n int) *Index {
	x := New()
	for i := range n {
		x.Put(Doc{ID: fmt.Sprintf("m%d", i), Group: fmt.Sprintf("s%d", i/40), Order: int64(i), Speaker: "Ann", At: time.Date(2023, 5, 8, 9, 0, 0, 0, time.UTC), Text: sentence(uint64(i), 15)})
	}
	return x
}
