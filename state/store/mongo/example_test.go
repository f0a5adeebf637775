package mongo_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/mongo"
)

// A server that does not answer is an error in good time, and the password stays out of it.
func ExampleOpen() {
	_, err := mongo.Open(context.Background(), mongo.Config{
		URI:     "mongodb://mneme:secret@127.0.0.1:1/mneme",
		Timeout: 100 * time.Millisecond,
	})
	fmt.Println(errors.Is(err, state.ErrUnavailable))
	// Output: true
}

// A span hears which command ran where and how it ended; a tracer's spans begin and end there.
func ExampleConfig_span() {
	_ = mongo.Config{
		URI: "mongodb://127.0.0.1/mneme",
		Span: func(_ context.Context, c mongo.Command) func(code int) {
			fmt.Println("begin", c.Name, c.Collection)
			return func(code int) { fmt.Println("end", code) }
		},
	}
}
