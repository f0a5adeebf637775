package mongo_test

import (
	"testing"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/mongo"
	"github.com/mneme-graph/mneme/state/store/mongo/mongotest"
)

func TestServerTellsWhatItIs(t *testing.T) {
	t.Parallel()
	for kind, router := range map[string]bool{"standalone": false, "sharded": true} {
		server := mongotest.Start(t, mongotest.Options{Router: router, Wire: 17})
		s, err := mongo.Open(t.Context(), mongo.Config{URI: server.URI(), Name: "mine"})
		must(t, err)
		about, err := s.Server(t.Context())
		if err != nil || about.Kind != kind || about.Version == "" || about.Database != "mine" {
			t.Errorf("Server = %+v, %v, want a version and %s", about, err, kind)
		}
		must(t, s.Close())
		if _, err := s.Server(t.Context()); state.CodeOf(err) != state.Unavailable {
			t.Errorf("Server of a closed store = %v, want unavailable", err)
		}
	}
}
