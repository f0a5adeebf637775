package limits_test

import (
	"fmt"
	"runtime"
	"strconv"
	"testing"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/state"
)

// TestSessionsShareWhatIsKnownOfAUser compares as many turns in few sessions and each in its own. It runs alone.
func TestSessionsShareWhatIsKnownOfAUser(t *testing.T) {
	turns := 1200
	if testing.Short() {
		turns = 300
	}
	few, many := heapOf(t, turns, 12), heapOf(t, turns, turns)
	t.Logf("%d turns take %d KB in 12 sessions, %d KB in a session each", turns, few>>10, many>>10)
	if each := (many - few) / int64(turns-12); each > 3<<10 {
		t.Errorf("%d turns take %d KB in 12 sessions and %d KB in a session each: %d bytes a session more, want at most 3 KB", turns, few>>10, many>>10, each)
	}
}

// heapOf is what the heap grows by with so many turns of one user.
func heapOf(t *testing.T, turns, sessions int) int64 {
	t.Helper()
	g := open(t)
	say := func(session, i int) {
		text := fmt.Sprintf("The %s is %s near %s.", word(i), word(7*i), word(13*i))
		if _, err := g.Invoke(t.Context(), graph.Request{Scope: state.Scope{Session: strconv.Itoa(session)}, Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	say(0, 0)
	before := heap()
	for i := range turns {
		say(i%sessions, i)
	}
	grown := heap() - before
	runtime.KeepAlive(g)
	return grown
}

// word is one of a thousand.
func word(i int) string {
	parts := [...]string{"ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu"}
	return parts[i%10] + parts[i/10%10] + parts[i/100%10]
}

func heap() int64 {
	for range 4 { // pools and cleanups take several
		runtime.GC()
	}
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc)
}
