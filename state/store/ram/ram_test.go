package ram_test

import (
	"context"
	"fmt"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
	"github.com/mneme-graph/mneme/state/store/storetest"
)

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(*testing.T) store.Store { return ram.New() })
}

func ExampleNew() {
	s := ram.New()
	body, _ := bson.Marshal(bson.D{{Key: "title", Value: "car part"}})
	ctx := context.Background()
	fmt.Println(s.Write(ctx, store.Doc{Collection: state.Affairs, ID: "c1/u1/a1", Body: body}))
	fmt.Println(s.Write(ctx, store.Doc{Collection: state.Affairs, ID: "c1/u1/a1", Body: body}))
	// Output:
	// <nil>
	// affairs c1/u1/a1: another writer was first
}

func BenchmarkWrite(b *testing.B) {
	body, err := bson.Marshal(bson.D{{Key: "text", Value: make([]byte, 480)}})
	must(b, err)
	for _, threads := range []int{100, 100_000} {
		b.Run(fmt.Sprint("threads=", threads), func(b *testing.B) {
			s := ram.New()
			for i := range threads {
				must(b, s.Write(b.Context(), store.Doc{Collection: state.Steps, ID: fmt.Sprintf("c/%06d/0", i), Body: body}))
			}
			i := 0
			for b.Loop() {
				i++
				must(b, s.Write(b.Context(), store.Doc{Collection: state.Steps, ID: fmt.Sprintf("c/%06d/%09d", i%threads, i), Body: body}))
			}
		})
	}
}

var must = statetest.Must
