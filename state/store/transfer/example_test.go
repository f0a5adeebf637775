package transfer_test

import (
	"context"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
	"github.com/mneme-graph/mneme/state/store/transfer"
)

func ExampleCopy() {
	ctx := context.Background()
	from, to := ram.New(), ram.New() // any two: a folder (sqlite), a server
	body, _ := bson.Marshal(bson.D{{Key: "title", Value: "car part"}})
	if err := from.Write(ctx, store.Doc{Collection: state.Affairs, ID: "c1/u1/a1", Body: body}); err != nil {
		fmt.Println(err)
	}

	report, err := transfer.Copy(ctx, transfer.Config{From: from, To: to})
	fmt.Println(err, report.Written, report.Skipped, report.From == report.To)

	report, err = transfer.Copy(ctx, transfer.Config{From: from, To: to}) // once more changes nothing
	fmt.Println(err, report.Written, report.Skipped, report.From == report.To)
	// Output:
	// <nil> 1 0 true
	// <nil> 0 1 true
}
