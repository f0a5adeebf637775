package extraction

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/memory/sessions"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/jobs"
	"github.com/mneme-graph/mneme/state/store"
)

// Standing is how extraction in batches stands in a store.
type Standing struct {
	Waiting int        `json:"waiting"`          // parts that no model has read yet, those of open jobs among them
	Since   time.Time  `json:"since,omitzero"`   // when the oldest of them ended
	Asked   int        `json:"asked"`            // parts of open jobs
	Planned time.Time  `json:"planned,omitzero"` // when jobs were sent last
	Jobs    []jobs.Job `json:"jobs"`             // the newest first
}

// Look says how extraction stands for a client, "" = for all. It reads every summary of a session and writes nothing; no service is asked.
func Look(ctx context.Context, s store.Store, client string) (out Standing, err error) {
	// The jobs, and the parts that open ones have asked about; the latest first.
	all, err := jobsIn(ctx, s)
	if err != nil {
		return out, err
	}
	out.Jobs = []jobs.Job{}
	for _, job := range all {
		if client != "" && job.Client != client {
			continue
		}
		out.Jobs = append(out.Jobs, job.Job)
		if job.Open() {
			out.Asked += len(job.Parts)
		}
	}
	slices.SortFunc(out.Jobs, func(a, b jobs.Job) int { return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.ID, b.ID)) })

	// When jobs were sent last, if any were.
	doc, err := s.Get(ctx, state.Jobs, leaseKey)
	switch {
	case errors.Is(err, state.ErrNotFound):
	case err != nil:
		return out, err
	default:
		if l, err := ledger.Decode[lease](doc); err == nil {
			out.Planned = l.Planned
		}
	}

	// The parts that wait.
	return out, sessions.EachWaiting(ctx, s, client, func(p sessions.WaitingPart) error {
		out.Waiting++
		if out.Since.IsZero() || p.Since.Before(out.Since) {
			out.Since = p.Since
		}
		return nil
	})
}

// Find returns a job of a client by its id. One that is not there, or another client's, is state.ErrNotFound.
func Find(ctx context.Context, s store.Store, client, id string) (jobs.Job, error) {
	if err := state.ValidateID("job", id); err != nil {
		return jobs.Job{}, err
	}
	doc, err := s.Get(ctx, state.Jobs, jobs.Job{Client: client, ID: id}.Key())
	if errors.Is(err, state.ErrNotFound) {
		err = state.Errorf(state.NotFound, "job "+id, "is not there")
	}
	if err != nil {
		return jobs.Job{}, err
	}
	return ledger.Decode[jobs.Job](doc)
}
