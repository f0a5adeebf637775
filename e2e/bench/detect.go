package bench

import (
	"context"
	"fmt"
	"strconv"

	"github.com/mneme-graph/mneme/memory/detect"
	"github.com/mneme-graph/mneme/state"
)

// detection measures one judgement of the rules in a conversation of many messages and a hundred affairs.
func detection(ctx context.Context, r *run) error {
	const affairs = 100
	d := detect.New(detect.Config{})
	for _, messages := range []int{100, 10000} {
		h := detect.NewHistory()
		for i := range messages {
			h.Add(detect.Message{
				Role: state.RoleUser, Affair: "a" + strconv.Itoa(i%affairs),
				Text: fmt.Sprintf("The order of %s for %s number %d is late.", topic(i%affairs), place(i%affairs), i%affairs),
			})
		}
		h.SetCurrent("a0")
		n := r.times(100, 1000)
		took, err := r.clock(ctx, n, func(i int) error {
			d.Classify(h, fmt.Sprintf("When do the %s for %s arrive?", topic(i), place(i)))
			return nil
		})
		if err != nil {
			return err
		}
		labels := map[string]string{"messages": strconv.Itoa(messages), "affairs": strconv.Itoa(affairs)}
		r.figure("detect.p50_ms", "ms", ms(percentile(took, 0.5)), n, labels)
	}
	return nil
}
