package score

import (
	"fmt"
	"strconv"

	"github.com/mneme-graph/mneme/memory/internal/detect"
	"github.com/mneme-graph/mneme/state"
)

// Pace makes a conversation of so many messages about so many affairs, and returns what judges the i-th question put to it by the
// rules alone: what a bench times.
func Pace(messages, affairs int, topic, place func(i int) string) func(i int) {
	d, h := detect.New(detect.Config{}), detect.NewHistory()
	for i := range messages {
		h.Add(detect.Message{
			Role: state.RoleUser, Affair: "a" + strconv.Itoa(i%affairs),
			Text: fmt.Sprintf("The order of %s for %s number %d is late.", topic(i%affairs), place(i%affairs), i%affairs),
		})
	}
	h.SetCurrent("a0")
	return func(i int) { d.Classify(h, fmt.Sprintf("When do the %s for %s arrive?", topic(i), place(i))) }
}
