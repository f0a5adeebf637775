package mongo_test

import (
	"testing"

	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/mongo"
	"github.com/mneme-graph/mneme/state/store/mongo/mongotest"
	"github.com/mneme-graph/mneme/state/store/storetest"
)

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) store.Store { return open(t, mongo.Config{URI: mongotest.Shared(t)}) })
}

// open opens a store and closes it when the test ends.
func open(t testing.TB, cfg mongo.Config) *mongo.Store {
	t.Helper()
	s, err := mongo.Open(t.Context(), cfg)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s
}
