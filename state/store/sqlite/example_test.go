package sqlite_test

import (
	"context"
	"fmt"
	"os"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/sqlite"
)

func ExampleOpen() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "store")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)

	for turn := range 2 { // the second finds what the first left
		s, err := sqlite.Open(ctx, sqlite.Config{Dir: dir})
		if err != nil {
			fmt.Println(err)
			return
		}
		body, _ := bson.Marshal(bson.D{{Key: "turn", Value: turn}})
		err = s.Write(ctx,
			store.Doc{Collection: state.Steps, ID: fmt.Sprintf("c1/t1/%012d", turn+1), Body: body},
			store.Doc{Collection: state.Affairs, ID: "c1/u1/a1", Rev: int64(turn), Body: body},
		)
		d, _ := s.Get(ctx, state.Affairs, "c1/u1/a1")
		fmt.Println(err, d.Rev, d.Body)
		if err := s.Close(); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// <nil> 1 {"turn": {"$numberInt":"0"}}
	// <nil> 2 {"turn": {"$numberInt":"1"}}
}
