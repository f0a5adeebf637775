package sealed_test

import (
	"fmt"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// message is a document of about 2 KB in the given number of fields.
func message(b *testing.B, id string, fields int) store.Doc {
	var d bson.D
	for i := range fields {
		d = append(d, bson.E{Key: fmt.Sprintf("field%02d", i), Value: strings.Repeat("m", 2048/fields-13)})
	}
	return store.Doc{Collection: state.Messages, ID: id, Body: body(b, d)}
}

// stores are a plain store and a sealed one, to see what sealing costs.
func stores(b *testing.B) map[string]store.Store {
	return map[string]store.Store{"plain": ram.New(), "sealed": wrap(b, ram.New(), "k1")}
}

func BenchmarkWrite(b *testing.B) {
	for name, s := range stores(b) {
		for _, fields := range []int{1, 12} {
			b.Run(fmt.Sprintf("%s/fields=%d", name, fields), func(b *testing.B) {
				d := message(b, fmt.Sprint("c/u/s/", fields), fields)
				_, _ = s.Delete(b.Context(), d.Collection, d.ID)
				b.SetBytes(int64(len(d.Body)))
				for d.Rev = 0; b.Loop(); d.Rev++ {
					must(b, s.Write(b.Context(), d))
				}
			})
		}
	}
}

func BenchmarkGet(b *testing.B) {
	for name, s := range stores(b) {
		for _, fields := range []int{1, 12} {
			b.Run(fmt.Sprintf("%s/fields=%d", name, fields), func(b *testing.B) {
				d := message(b, fmt.Sprint("c/u/s/", fields), fields)
				write(b, s, d)
				b.SetBytes(int64(len(d.Body)))
				for b.Loop() {
					if _, err := s.Get(b.Context(), d.Collection, d.ID); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkScan(b *testing.B) {
	for name, s := range stores(b) {
		b.Run(name+"/docs=100", func(b *testing.B) {
			for i := range 100 {
				write(b, s, message(b, fmt.Sprintf("c/u/s/%03d", i), 12))
			}
			for b.Loop() {
				if docs, err := s.Scan(b.Context(), store.Query{Collection: state.Messages}); len(docs) != 100 || err != nil {
					b.Fatal(len(docs), err)
				}
			}
		})
	}
}
