package tools_test

import (
	"context"
	"fmt"

	"github.com/cloudwego/eino/components/tool/utils"

	"github.com/mneme-graph/mneme/state"
)

// A tool that pays keeps the key of the call beside the payment. When the process dies before the result is kept, the turn
// makes the call again under the same key, and the payment is not made twice.
func Example_idempotencyKey() {
	type invoice struct {
		Number string `json:"number"`
	}
	payments := map[string]string{} // of the bank: what was paid, by key
	pay, err := utils.InferTool("pay", "Pay an invoice.", func(ctx context.Context, in invoice) (string, error) {
		key := state.IdempotencyKey(ctx)
		if _, done := payments[key]; !done {
			payments[key] = in.Number
		}
		return "invoice " + payments[key] + " is paid", nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}

	ctx := state.ContextWithIdempotencyKey(context.Background(), "acme/ann/s1/turn7/2/call-1") // a turn sets it
	for range 2 {
		fmt.Println(pay.InvokableRun(ctx, `{"number":"2026-07"}`))
	}
	fmt.Println(len(payments), "payment")
	// Output:
	// invoice 2026-07 is paid <nil>
	// invoice 2026-07 is paid <nil>
	// 1 payment
}
