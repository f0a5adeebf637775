package mongo_test

import (
	"os"
	"testing"

	"github.com/mneme-graph/mneme/checkpoint/checkpointtest"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/mongo"
	"github.com/mneme-graph/mneme/state/store/mongo/mongotest"
)

// Each case has a database of its own: the server that the tests start looks through all of a collection to find a range.
func TestDurableSteps(t *testing.T) {
	t.Parallel()
	if os.Getenv("MNEME_LONG") == "" {
		t.Skip("the conformance suite of durable steps takes two minutes on a server; set MNEME_LONG=1 to run it")
	}
	checkpointtest.Run(t, func(t *testing.T) store.Store {
		s, err := mongo.Open(t.Context(), mongo.Config{URI: mongotest.Shared(t)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		return s
	})
}
