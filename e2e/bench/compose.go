package bench

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/state"
)

// composing measures one prompt from a conversation of many messages and a hundred affairs: what it costs to choose
// and count within the budget. The messages are handed over whole; the pipeline hands over a window of them.
func composing(ctx context.Context, r *run) error {
	const affairs = 100
	c := compose.New(compose.Config{})
	for _, messages := range []int{100, 10000} {
		// The input is made as it would be gathered for a turn, and is not timed.
		in := compose.Input{Now: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), Question: message(messages)}
		for i := range affairs {
			in.Parked = append(in.Parked, &state.Affair{
				ID: "a" + strconv.Itoa(i), Title: topic(i) + " for " + place(i), Status: state.Parked, PendingActions: []string{"call " + place(i)},
			})
		}
		in.Active, in.Parked = in.Parked[0], in.Parked[1:]
		for i := range messages {
			in.History = append(in.History, message(i))
		}

		// Only composing is timed.
		n := r.times(30, 300)
		took, err := r.clock(ctx, n, func(int) error {
			_, err := c.Compose(in)
			return err
		})
		if err != nil {
			return err
		}
		labels := map[string]string{"messages": strconv.Itoa(messages), "affairs": strconv.Itoa(affairs)}
		r.figure("compose.p50_ms", "ms", ms(percentile(took, 0.5)), n, labels)
	}
	return nil
}

func message(i int) state.Message {
	role := state.RoleUser
	if i%2 == 1 {
		role = state.RoleAssistant
	}
	return state.Message{
		ID: "m" + strconv.Itoa(i), Seq: int64(i + 1), Role: role,
		Text: fmt.Sprintf("Message %d says that the %s for %s are on their way and what they cost.", i, topic(i), place(i)),
	}
}
