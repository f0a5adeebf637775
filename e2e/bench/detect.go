package bench

import (
	"context"
	"strconv"

	"github.com/mneme-graph/mneme/memory/score"
)

// detection measures one judgement of the rules in a conversation of many messages and a hundred affairs.
func detection(ctx context.Context, r *run) error {
	const affairs = 100
	for _, messages := range []int{100, 10000} {
		judge := score.Pace(messages, affairs, topic, place)
		n := r.times(100, 1000)
		took, err := r.clock(ctx, n, func(i int) error {
			judge(i)
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
