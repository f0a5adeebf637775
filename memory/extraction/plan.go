package extraction

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/mneme-graph/mneme/memory/sessions"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/jobs"
)

// errEnough ends the planning of jobs.
var errEnough = errors.New("no more jobs are sent now")

// plan sends jobs of the parts that wait and that no open job asks about, and returns them.
func (p *pass) plan(ctx context.Context, known []kept) ([]kept, error) {
	under := map[string]bool{}
	for _, job := range known {
		for _, part := range job.Parts {
			under[part.Item] = true
		}
	}
	var next draft
	err := sessions.EachWaiting(ctx, p.c.Store, "", func(part sessions.WaitingPart) error {
		if under[itemOf(part)] {
			return nil
		}
		if next.client != part.Scope.Client {
			if err := p.send(ctx, &next); err != nil {
				return err
			}
			next.client = part.Scope.Client
		}
		if err := p.hold(ctx); err != nil {
			return err
		}
		q, ok, err := p.c.Memory.Sessions().Waiting().Ask(ctx, part)
		switch {
		case err != nil && ctx.Err() == nil && state.CodeOf(err) == state.Invalid: // no pass can ask about it
			p.note(fmt.Sprintf("part %s is left out: %v", part.Scope.Key(part.ID), err))
			return nil
		case err != nil || !ok:
			return err
		}
		next.add(part, q)
		if len(next.items) >= p.c.Most || next.bytes >= mostBytes {
			return p.send(ctx, &next)
		}
		return nil
	})
	if err == nil {
		err = p.send(ctx, &next)
	}
	switch {
	case errors.Is(err, errEnough) && p.late != nil:
		return next.sent, nil //nolint:nilerr // the next pass looks what became of it, and sends the rest
	case err != nil && !errors.Is(err, errEnough):
		return next.sent, err
	}
	p.lease.Planned = p.c.Now()
	p.report.Due = p.lease.Planned.Add(p.c.Interval)
	return next.sent, p.renew(ctx)
}

// draft is a job that is put together.
type draft struct {
	client string
	parts  []jobs.Part
	items  []Item
	bytes  int
	sent   []kept // jobs before it
}

func (d *draft) add(part sessions.WaitingPart, q sessions.Question) {
	item := itemOf(part)
	d.parts = append(d.parts, jobs.Part{Item: item, User: part.Scope.User, ID: part.ID, Words: q.Words, Try: part.Tries + 1})
	d.items = append(d.items, Item{ID: item, Prompt: q.Prompt})
	d.bytes += len(q.Prompt)
}

// itemOf returns the custom id of a part at a service. It is the same in each job, and tells nobody whose part it is.
func itemOf(part sessions.WaitingPart) string {
	sum := sha256.Sum256([]byte(part.Scope.Key(part.ID)))
	return hex.EncodeToString(sum[:16])
}

// send writes a job down and sends it. A service that does not answer may have it: the job stays planned, and the next pass looks.
func (p *pass) send(ctx context.Context, d *draft) error {
	if len(d.items) == 0 {
		return nil
	}
	set := p.c.Memory.Settings().Known(state.Scope{})
	job := kept{Job: jobs.Job{
		ID: p.c.NewID(), Client: d.client, Provider: set.ExtractionProvider, Model: set.ExtractionModel, State: jobs.Planned,
		Items: len(d.items), Parts: d.parts, At: p.c.Now(),
	}}
	items := d.items
	*d = draft{client: d.client, sent: d.sent}
	if err := p.save(ctx, &job); err != nil {
		return err
	}
	if err := p.renew(ctx); err != nil { // the call must not outlast it
		return err
	}
	b := batchOf(job)
	b.Items = items
	remote, err := p.c.Service.Submit(ctx, b)
	switch {
	case err == nil:
		job.State, job.Remote, job.SeenAt = jobs.Submitted, remote, p.c.Now()
		p.report.Sent, p.report.Asked = p.report.Sent+1, p.report.Asked+len(items)
		p.c.Progress(p.report)
		err := p.save(ctx, &job)
		d.sent = append(d.sent, job)
		return err
	case ctx.Err() != nil:
		return err
	case passes(err):
		p.late, p.report.Open = err, p.report.Open+1
		job.Error = err.Error()
		if err := p.save(ctx, &job); err != nil {
			return err
		}
		return errEnough
	}
	p.no = err
	if err := p.end(ctx, &job, jobs.Failed, err.Error()); err != nil {
		return err
	}
	return errEnough // it would refuse the next one too
}

// batchOf returns a job as a service is asked for it.
func batchOf(job kept) Batch {
	return Batch{ID: job.ID, Model: job.Model, At: job.At, Count: job.Items}
}

// passes reports whether an error of a service may pass by itself.
func passes(err error) bool { return state.CodeOf(err) == state.Unavailable }
