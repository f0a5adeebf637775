package checkpoint_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// A turn is begun and never finished; another process goes on with it.
func Example() {
	ctx := context.Background()
	s := ram.New()
	open := func(process string) *checkpoint.Log {
		n := 0
		return checkpoint.New(checkpoint.Config{
			Store: s,
			Now:   func() time.Time { return time.Date(2026, 2, 15, 21, 0, 0, 0, time.UTC) },
			NewID: func() string { n++; return fmt.Sprintf("%s-%d", process, n) },
		})
	}
	thread := state.Thread{Client: "acme", ID: "anna/s1"}

	turn, err := open("first").Begin(ctx, thread, "t1")
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := turn.Commit(ctx, checkpoint.Commit{Parts: []checkpoint.Part{{Node: "intake", Visit: 1}}}); err != nil {
		fmt.Println(err)
		return
	}
	// The first process dies here.

	log := open("second")
	if _, err := log.Begin(ctx, thread, "t2"); errors.Is(err, checkpoint.ErrUnfinished) {
		fmt.Println(err)
	}
	turn, past, err := log.Take(ctx, thread)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer turn.Release()
	fmt.Printf("turn %s had got to %s\n", turn.ID(), past.Steps[0].Parts[0].Node)
	if err := turn.Commit(ctx, checkpoint.Commit{Done: true}); err != nil {
		fmt.Println(err)
		return
	}
	steps, err := log.Steps(ctx, thread, 1)
	for _, step := range steps {
		fmt.Println(step.Seq, step.Source, "by", step.Attempt)
	}
	fmt.Println("error:", err)
	// Output:
	// thread acme/anna/s1: the thread has an unfinished turn, t1: resume it, or cancel it to give it up
	// turn t1 had got to intake
	// 1 input by first-2
	// 2 takeover by second-2
	// 3 loop by second-2
	// error: <nil>
}
