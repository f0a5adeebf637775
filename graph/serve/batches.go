package serve

import (
	"context"
	"net/http"

	"github.com/mneme-graph/mneme/graph/serve/access"
	"github.com/mneme-graph/mneme/memory/extraction"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/jobs"
)

// JobInput is a batch job by its address.
type JobInput struct {
	ID string `path:"job" maxLength:"128"`
}

// addBatches adds what is asked of a batch service about sessions that are over.
func (s *Server) addBatches() {
	add(s, operation(http.MethodGet, "/api/v1/batches", "batches", "How many parts of the client's sessions wait to be read, and its batch jobs, the newest first"), access.Admin,
		func(ctx context.Context, _ *struct{}) (*body[extraction.Standing], error) { return s.standing(ctx) })
	add(s, operation(http.MethodGet, "/api/v1/batches/{job}", "batches", "A batch job"), access.Admin,
		func(ctx context.Context, in *JobInput) (*body[jobs.Job], error) {
			return answer(extraction.Find(ctx, s.c.Store, keyFrom(ctx).Client, in.ID))
		})
	op := operation(http.MethodPost, "/api/v1/batches", "batches", "Take what has come back of batch jobs, and send what waits now")
	op.Description = "As mneme batch run: one pass over the whole store, the answer to which is how it stands for the client then. A pass is made beside by itself, when the settings say. " +
		"409: one is under way."
	add(s, op, access.Admin, func(ctx context.Context, _ *struct{}) (*body[extraction.Standing], error) {
		if s.c.Batches == nil {
			return nil, state.Errorf(state.Invalid, "batch", "sessions are read as they end, since there is no model for batches")
		}
		if _, err := s.c.Batches.Pass(ctx, true); err != nil {
			return nil, err
		}
		return s.standing(ctx)
	})
}

func (s *Server) standing(ctx context.Context) (*body[extraction.Standing], error) {
	return answer(extraction.Look(ctx, s.c.Store, keyFrom(ctx).Client))
}
