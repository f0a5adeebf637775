package extraction

import (
	"context"
	"errors"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/jobs"
	"github.com/mneme-graph/mneme/state/store"
)

// leaseKey is the key of the document that says whose turn it is.
const leaseKey = "$/batch"

// lease is that document.
type lease struct {
	Holder  string    `bson:"holder"`
	Until   time.Time `bson:"until"`
	Planned time.Time `bson:"planned"` // when jobs were sent last
}

// kept is a job as it stands in the store.
type kept struct {
	jobs.Job
	rev int64
}

// begin takes the lease.
func (r *Runner) begin(ctx context.Context) (*pass, error) {
	p := &pass{Runner: r}
	doc, err := r.c.Store.Get(ctx, state.Jobs, leaseKey)
	switch {
	case errors.Is(err, state.ErrNotFound):
	case err != nil:
		return nil, err
	default:
		p.rev = doc.Rev
		if p.lease, err = ledger.Decode[lease](doc); err != nil {
			p.lease = lease{} // it gives way
		}
	}
	if p.lease.Until.After(r.c.Now()) {
		return nil, busy(p.lease.Until)
	}
	p.lease.Holder = r.c.NewID()
	return p, p.renew(ctx)
}

// busy returns the error of who finds another process at work.
func busy(until time.Time) error {
	return state.Errorf(state.Conflict, "batch", "another process works on it; try again, at the latest after %s", until.UTC().Format(time.TimeOnly))
}

// renew makes the lease last again. Who has lost it may do nothing more.
func (p *pass) renew(ctx context.Context) error {
	p.lease.Until = p.c.Now().Add(p.c.Lease)
	return p.writeLease(ctx)
}

// hold renews the lease when much of it is over.
func (p *pass) hold(ctx context.Context) error {
	if p.lease.Until.Sub(p.c.Now()) > p.c.Lease*2/3 {
		return nil
	}
	return p.renew(ctx)
}

// release lets others work at once.
func (p *pass) release(ctx context.Context) error {
	const most = 10 * time.Second
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), most)
	defer cancel()
	p.lease.Holder, p.lease.Until = "", time.Time{}
	if err := p.writeLease(ctx); !errors.Is(err, state.ErrConflict) {
		return err
	}
	return nil // another one has it
}

func (p *pass) writeLease(ctx context.Context) error {
	body, err := bson.Marshal(p.lease)
	if err != nil {
		return err
	}
	err = p.c.Store.Write(ctx, store.Doc{Collection: state.Jobs, ID: leaseKey, Rev: p.rev, Body: body})
	switch {
	case errors.Is(err, state.ErrConflict):
		return state.Errorf(state.Conflict, "batch", "another process has taken over; what this one did so far stands")
	case err == nil:
		p.rev++
	}
	return err
}

// jobs returns all jobs there are.
func (p *pass) jobs(ctx context.Context) ([]kept, error) { return jobsIn(ctx, p.c.Store) }

func jobsIn(ctx context.Context, s store.Store) (out []kept, err error) {
	docs, err := s.Scan(ctx, store.Query{Collection: state.Jobs})
	for _, doc := range docs {
		if !strings.Contains(doc.ID, "/"+jobs.KeyPart+"/") {
			continue
		}
		job, err := ledger.Decode[jobs.Job](doc)
		if err != nil {
			continue // its parts still wait: they are asked about in another one
		}
		out = append(out, kept{job, doc.Rev})
	}
	return out, err
}

// save writes a job.
func (p *pass) save(ctx context.Context, job *kept) error {
	body, err := bson.Marshal(job.Job)
	if err != nil {
		return err
	}
	err = p.c.Store.Write(ctx, store.Doc{Collection: state.Jobs, ID: job.Key(), Rev: job.rev, Body: body})
	if err == nil {
		job.rev++
	}
	return err
}

// end closes a job. It names no part any more.
func (p *pass) end(ctx context.Context, job *kept, as jobs.State, problem string) error {
	job.State, job.EndedAt, job.Parts = as, p.c.Now(), nil
	if problem != "" {
		job.Error = problem
		p.note("job " + job.ID + ": " + problem)
	}
	return p.save(ctx, job)
}

// keepJobs is how long a job that is over is kept to be looked at.
const keepJobs = 30 * 24 * time.Hour

// sweep deletes jobs that are over for long.
func (p *pass) sweep(ctx context.Context, known []kept) error {
	for _, job := range known {
		if job.Open() || p.c.Now().Sub(job.EndedAt) < keepJobs {
			continue
		}
		if err := p.drop(ctx, &job); err != nil {
			return err
		}
	}
	return nil
}

// drop deletes a job.
func (p *pass) drop(ctx context.Context, job *kept) error {
	job.State, job.Parts = jobs.Failed, nil
	err := p.c.Store.Write(ctx, store.Doc{Collection: state.Jobs, ID: job.Key(), Rev: job.rev})
	if errors.Is(err, state.ErrConflict) {
		return nil // another one has it
	}
	return err
}
