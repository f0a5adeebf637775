package serve_test

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/serve"
)

// Of editors who saw the same one edits; the others are told that it has changed.
func TestOneOfManyEditorsWins(t *testing.T) {
	t.Parallel()
	s := begin(t, graph.Config{}, serve.Limits{})
	made := s.must(t, http.StatusCreated, "POST", "/api/v1/affairs", object{"title": "Car"})
	var a struct{ ID string }
	made.into(t, &a)
	var won, lost atomic.Int64
	var all sync.WaitGroup
	for n := range 16 {
		all.Go(func() {
			switch got := s.ask(t, "PUT", "/api/v1/affairs/"+a.ID, object{"summary": fmt.Sprint("the editor ", n)}, "If-Match", made.header.Get("Etag")); got.status {
			case http.StatusOK:
				won.Add(1)
			case http.StatusPreconditionFailed:
				lost.Add(1)
			default:
				t.Errorf("%d: %s", got.status, got.body)
			}
		})
	}
	if all.Wait(); won.Load() != 1 || lost.Load() != 15 {
		t.Errorf("%d edits passed, %d were told", won.Load(), lost.Load())
	}
}
