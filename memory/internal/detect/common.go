package detect

import (
	"strconv"
	"strings"
	"sync"

	"github.com/mneme-graph/mneme/memory/internal/read/text"
)

// generalWeight is what a word counts that any affair has, against one of its own, and of which no more is known.
const generalWeight = 0.4

// common is what stems count that are said in many conversations, whatever these are about: below 1, which is what any other counts.
var common = sync.OnceValue(func() map[string]float64 { //nolint:gochecknoglobals // a constant that is computed once
	out := map[string]float64{}
	raw, _ := files.ReadFile("data/common.txt") // a test reads it too
	for line := range strings.Lines(string(raw)) {
		stem, count, _ := strings.Cut(strings.TrimSpace(line), " ")
		if weight, err := strconv.ParseFloat(count, 64); err == nil {
			out[stem] = weight
		}
	}
	return out
})

// worth returns how much a stem tells of what a message is about, in (0,1].
func worth(stem string) float64 {
	if w, ok := common()[stem]; ok {
		return w
	}
	if text.General(stem) {
		return generalWeight
	}
	return 1
}
