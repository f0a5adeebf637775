package words

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// vocabulary is common words of messages, the commonest first; what is rarer is made of syllables.
func vocabulary() []string {
	return strings.Fields(`work car home doctor money school order train dinner weekend mother phone house email meeting price dog bank ticket
		birthday kitchen garden insurance flight hotel invoice project holiday friend water window lunch paper office coffee brother repair delivery parcel
		street number letter morning evening city family table lamp shoes jacket bread cheese medicine tooth appointment passport visa contract salary
		teacher exam lesson book film music guitar piano concert team match ball swimming running bike tyre engine brake garage petrol heating
		boiler pipe leak plumber roof paint wall floor tiles sofa chair bed mattress curtain carpet oven fridge freezer washing machine filter`)
}

// message makes n words that follow Zipf's law as speech does, every other one a function word.
func message(seed uint64, n int) string {
	r := rand.New(rand.NewPCG(seed, 2))
	common, little := vocabulary(), strings.Fields("the a to and of in is it that was for on with at my we you have not but")
	zipf := rand.NewZipf(r, 1.07, 12, 30_000)
	var b strings.Builder
	for i := range n {
		b.WriteByte(' ')
		v := zipf.Uint64()
		switch {
		case i%2 == 1:
			b.WriteString(little[r.IntN(len(little))])
		case v < uint64(len(common)):
			b.WriteString(common[v])
		default:
			for range 3 {
				b.WriteString([]string{"ba", "ko", "mi", "tru", "le", "sna", "po", "dvi", "ru", "ke", "zo", "fa", "ni", "gle", "hu", "ja", "we", "xo", "ty", "va", "cho", "pri", "stu", "del", "mor", "ban", "sil", "ter"}[v%28])
				v /= 28
			}
		}
	}
	return b.String() + "."
}

// talk is a conversation of people in sessions of forty messages, twenty words each.
func talk(n int) []Doc {
	docs := make([]Doc, n)
	for i := range docs {
		docs[i] = Doc{
			ID: fmt.Sprintf("messages:client/user/s%d/%08d", i/40, i%40), Group: fmt.Sprintf("client/user/s%d", i/40), Order: int64(i), Kind: "messages",
			Speaker: []string{"Ann", "Ben"}[i%2], At: time.Date(2025, 1, 1, 0, i, 0, 0, time.UTC), Text: message(uint64(i), 20),
		}
	}
	return docs
}

// wanted are queries of six words, one of them the commonest.
func wanted(docs []Doc) []Query {
	out := make([]Query, 100)
	for i := range out {
		near := make(map[string]float32, 1000)
		r := rand.New(rand.NewPCG(uint64(i), 3))
		for range 1000 {
			near[docs[r.IntN(len(docs))].ID] = r.Float32()
		}
		out[i] = Query{Text: "work " + message(uint64(i)+1<<40, 10), Limit: 10, Around: true, Near: near}
	}
	return out
}

func BenchmarkPut(b *testing.B) {
	docs := talk(20_000)
	for _, batch := range []int{1, 500} {
		b.Run(fmt.Sprint("batch=", batch), func(b *testing.B) {
			b.ReportAllocs()
			x, n := New(), 0
			for b.Loop() {
				if n+batch > len(docs) {
					x, n = New(), 0
				}
				x.Put(docs[n : n+batch]...)
				n += batch
			}
			b.ReportMetric(float64(b.N*batch)/b.Elapsed().Seconds(), "docs/s")
		})
	}
	b.Run("again", func(b *testing.B) { // as a message is when it is filed
		b.ReportAllocs()
		x := New()
		x.Put(docs[:1000]...)
		for b.Loop() {
			x.Put(docs[999])
		}
	})
}

func BenchmarkSearch(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		docs := talk(n)
		x := New()
		x.Put(docs...)
		queries, letters := wanted(docs), make([]string, 20)
		for i := range letters {
			letters[i] = message(uint64(i)+1<<41, 900)
		}
		for _, by := range []string{"words", "both", "letter"} {
			b.Run(fmt.Sprintf("by=%s/docs=%d", by, n), func(b *testing.B) {
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					q := queries[i%len(queries)]
					if by != "both" {
						q.Near = nil
					}
					if by == "letter" {
						q.Text = letters[i%len(letters)]
					}
					x.Search(q)
					i++
				}
				b.ReportMetric(float64(x.Bytes())/float64(n), "bytes/doc")
			})
		}
	}
}
