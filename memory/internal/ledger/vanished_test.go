package ledger_test

import (
	"testing"

	"github.com/mneme-graph/mneme/memory/internal/ledger"
)

// A document that vanished without an entry in the feed had no version that anybody could tell.
func TestBeforeOfAVanishedDocument(t *testing.T) {
	t.Parallel()
	for _, c := range []ledger.Change{{}, {Fields: []ledger.Field{{Name: "content"}}}} {
		if before, err := c.Before(nil); before != nil || err != nil {
			t.Errorf("before %+v: %v, %v; want none", c, before, err)
		}
	}
}
