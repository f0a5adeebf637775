package serve_test

import (
	"context"
	"math"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/serve"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// mortal is a store whose process dies: behind so many writes none reaches it any more.
type mortal struct {
	store.Store
	left atomic.Int64
}

func (s *mortal) Write(ctx context.Context, docs ...store.Doc) error {
	if s.left.Add(-1) < 0 {
		return state.Errorf(state.Unavailable, "store", "is out of reach")
	}
	return s.Store.Write(ctx, docs...)
}

// Wherever the process of a chat dies, the same message in another one is answered, and is said once.
func TestAChatThatIsCutShort(t *testing.T) {
	t.Parallel()
	for n, whole := int64(0), false; !whole; n++ {
		base := ram.New()
		dies := &mortal{Store: base}
		dies.left.Store(math.MaxInt64)
		begun := time.Now()
		serveAt := func(st store.Store, later time.Duration) *service {
			now := func() time.Time { return begun.Add(later + time.Since(begun)).UTC() }
			return begin(t, graph.Config{Store: st, Model: &told{failed: map[string]bool{}}, Now: now}, serve.Limits{})
		}
		first := serveAt(dies, 0)
		t.Cleanup(func() { dies.left.Store(math.MaxInt64) }) // so that it can be closed
		history := []object{says("user", "I ordered a canoe. SAY Noted.")}
		_, session := first.chat(t, http.StatusOK, object{"messages": history})
		body := object{"model": "mneme", "messages": append(history, says("assistant", "Noted."), says("user", "And a paddle, order number 07-14244-53150. SAY Fine."))}
		dies.left.Store(n)
		whole = first.ask(t, "POST", "/v1/chat/completions", body).status == http.StatusOK
		dies.left.Store(0)

		second := serveAt(base, 24*time.Hour)
		got, at := second.chat(t, http.StatusOK, body)
		if got.text() != "Fine." || at != session {
			t.Errorf("behind %d writes: in %s, %q", n, at, got.text())
		}
		if said := second.kept(t, at); count(said, state.RoleUser) != 2 {
			t.Errorf("behind %d writes: shown are %+v", n, said)
		}
		if n > 40 {
			t.Fatal("it never comes to an end")
		}
	}
}
