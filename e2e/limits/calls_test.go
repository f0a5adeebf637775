package limits_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/state"
)

// TestTimeOfAnAnswerIsLinearInItsCalls has a model store many things in one answer.
func TestTimeOfAnAnswerIsLinearInItsCalls(t *testing.T) {
	const (
		calls = 120
		ratio = 6 // for four times the calls
		least = 20 * time.Millisecond
		tries = 5
	)
	small, large := time.Hour, time.Hour
	for range tries { // the shortest of some: the machine may be busy
		small, large = max(min(small, storing(t, calls/4)), least), min(large, storing(t, calls))
		t.Log(small, large)
		if large <= ratio*small {
			return
		}
	}
	t.Errorf("%d calls took %v, a quarter of them %v", calls, large, small)
}

// storing is the time of a turn with so many calls of memory_store.
func storing(t *testing.T, calls int) time.Duration {
	t.Helper()
	g := open(t)
	list := make([]state.ToolCall, calls)
	for i := range list {
		what := fmt.Sprintf("Item %d, a %s, lies on shelf %d with %s.", i, word(7*i), i, word(13*i))
		list[i] = state.ToolCall{Name: "memory_store", Arguments: fmt.Sprintf(`{"subject":"item %d","content":%q,"category":"fact"}`, i, what)}
	}
	model := scripted.New([]scripted.Step{scripted.Calls(list...), scripted.Say("Noted.")}, nil)
	start := time.Now()
	if _, err := g.Invoke(t.Context(), graph.Request{Text: "Note the stock.", Model: model}); err != nil {
		t.Fatal(err)
	}
	return time.Since(start)
}
