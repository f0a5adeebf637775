package extraction

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/mneme-graph/mneme/memory/sessions"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/jobs"
)

// advance goes on with an open job. Again says that its parts were never asked about and need not wait for the next time.
func (p *pass) advance(ctx context.Context, job *kept) (again bool, err error) {
	if err := p.hold(ctx); err != nil {
		return false, err
	}
	if set := p.c.Memory.Settings().Known(state.Scope{}); job.Provider != set.ExtractionProvider {
		p.note(fmt.Sprintf("job %s was given to %s, and memory_extraction_provider is %s: set it back, or run mneme batch cancel --anyway",
			job.ID, job.Provider, set.ExtractionProvider))
		return false, nil
	}
	if job.State == jobs.Planned {
		remote, err := p.c.Service.Find(ctx, batchOf(*job))
		switch {
		case errors.Is(err, state.ErrNotFound):
			p.note("job " + job.ID + " was not sent, its parts are asked about in another one: " + cmp.Or(job.Error, "the process that planned it ended before"))
			return true, p.drop(ctx, job)
		case err != nil:
			return false, p.blocked(ctx, job, err)
		}
		job.State, job.Remote, job.Error = jobs.Submitted, remote, ""
		if err := p.save(ctx, job); err != nil {
			return false, err
		}
	}

	// How does it stand?
	status, err := p.c.Service.Status(ctx, job.Remote)
	switch {
	case errors.Is(err, state.ErrNotFound):
		return true, p.end(ctx, job, jobs.Failed, "the service has it no more")
	case err != nil:
		return false, p.blocked(ctx, job, err)
	case status.Unknown:
		p.note(fmt.Sprintf("job %s: the service says %q, which is not known; it is waited on", job.ID, status.Said))
	}
	job.Said, job.SeenAt, job.Error = status.Said, p.c.Now(), ""
	if status.Phase == Running {
		return false, p.save(ctx, job)
	}
	return false, p.collect(ctx, job, status)
}

// blocked keeps with a job what stands in its way. An error that may pass is the pass's; any other only somebody can mend.
func (p *pass) blocked(ctx context.Context, job *kept, err error) error {
	if ctx.Err() != nil {
		return err
	}
	if passes(err) {
		p.late = errors.Join(p.late, err)
	} else {
		p.note(fmt.Sprintf("job %s: %v", job.ID, err))
	}
	if job.Error == err.Error() {
		return nil
	}
	job.Error = err.Error()
	return p.save(ctx, job)
}

// collect takes what came of a job. It may be done again, after a crash: what was taken is not taken twice.
func (p *pass) collect(ctx context.Context, job *kept, status Status) error {
	left, known := map[string]jobs.Part{}, map[string]bool{}
	for _, part := range job.Parts {
		left[part.Item], known[part.Item] = part, true
	}
	job.Counts = jobs.Counts{}
	var ours error // what went wrong here, and not at the service
	err := p.c.Service.Results(ctx, job.Remote, func(r Result) error {
		part, ok := left[r.ID]
		switch {
		case known[r.ID] && !ok: // each counts once
			return nil
		case !ok:
			p.count(job, jobs.Counts{Strange: 1})
			return nil
		}
		delete(left, r.ID)
		ours = p.take(ctx, job, part, r)
		return ours
	})
	switch {
	case ours != nil:
		return ours
	case err != nil:
		return p.blocked(ctx, job, err) // what was taken was read before, the next time
	}

	// What is missing failed, unless nothing was asked about.
	nothing := status.Phase == Cancelled || status.Phase == Failed && len(left) == len(job.Parts)
	for _, part := range job.Parts {
		switch _, missing := left[part.Item]; {
		case !missing:
		case nothing:
			p.count(job, jobs.Counts{Back: 1})
		default:
			if err := p.take(ctx, job, part, Result{Problem: "there is no answer"}); err != nil {
				return err
			}
		}
	}
	return p.end(ctx, job, endOf(status.Phase), problemOf(status, job.Counts))
}

// take has one answer taken.
func (p *pass) take(ctx context.Context, job *kept, of jobs.Part, r Result) (err error) {
	if err := p.hold(ctx); err != nil {
		return err
	}
	part := sessions.WaitingPart{Scope: state.Scope{Client: job.Client, User: of.User}, ID: of.ID, Tries: of.Try}
	name := part.Scope.Key(part.ID)
	var taken sessions.Taken
	if r.Problem != "" {
		taken, err = p.c.Memory.Sessions().Waiting().Fail(ctx, part)
	} else {
		taken, err = p.c.Memory.Sessions().Waiting().Answer(ctx, part, of.Words, r.Text)
	}
	if code := state.CodeOf(err); code == state.Invalid || code == state.Internal { // of this part alone: the others go on
		p.note(fmt.Sprintf("part %s: its answer is not taken: %v", name, err))
		taken, err = sessions.TakenBack, nil
	}
	if err != nil {
		return fmt.Errorf("take the answer about %s: %w", name, err)
	}
	switch taken {
	case sessions.TakenLearnt:
		p.count(job, jobs.Counts{Learnt: 1})
	case sessions.TakenBefore:
		p.count(job, jobs.Counts{Read: 1})
	case sessions.TakenBack:
		p.count(job, jobs.Counts{Back: 1})
	case sessions.TakenByRules:
		p.count(job, jobs.Counts{ByRules: 1})
		p.note(fmt.Sprintf("part %s was asked about in vain in %d batches, and the rules have read it; the last time: %s",
			name, of.Try, cmp.Or(r.Problem, "its answer cannot be read")))
	}
	return nil
}

// count adds to what became of a job's parts, and tells whom it may concern.
func (p *pass) count(job *kept, c jobs.Counts) {
	for _, sum := range []*jobs.Counts{&job.Counts, &p.report.Counts} {
		sum.Learnt, sum.Read, sum.Back, sum.ByRules, sum.Strange = sum.Learnt+c.Learnt, sum.Read+c.Read, sum.Back+c.Back, sum.ByRules+c.ByRules, sum.Strange+c.Strange
	}
	p.c.Progress(p.report)
}

// endOf returns the state of a job that is over.
func endOf(phase Phase) jobs.State {
	switch phase {
	case Failed:
		return jobs.Failed
	case Expired:
		return jobs.Expired
	case Cancelled:
		return jobs.Cancelled
	}
	return jobs.Done
}

// problemOf says what went otherwise with a job; "" for nothing.
func problemOf(status Status, counts jobs.Counts) string {
	switch {
	case status.Problem != "":
		return status.Problem
	case status.Phase != Ended:
		return "the service ended it: " + status.Said
	case counts.Back+counts.ByRules > 0:
		return fmt.Sprintf("%d of its parts have no answer that can be taken", counts.Back+counts.ByRules)
	}
	return ""
}

// cancel ends a job. Its parts wait for the next one.
func (p *pass) cancel(ctx context.Context, job *kept, anyway bool) error {
	if err := p.renew(ctx); err != nil {
		return err
	}
	err := p.recall(ctx, job)
	switch {
	case err == nil || errors.Is(err, state.ErrNotFound):
		return p.giveBack(ctx, job, "")
	case !anyway:
		return fmt.Errorf("cancel job %s: %w; --anyway gives its parts back without the service", job.ID, err)
	}
	return p.giveBack(ctx, job, "cancelled here only: "+err.Error())
}

// recall asks the service to end a job.
func (p *pass) recall(ctx context.Context, job *kept) (err error) {
	if provider := p.c.Memory.Settings().Known(state.Scope{}).ExtractionProvider; job.Provider != provider {
		return state.Errorf(state.Conflict, "batch", "it was given to %s, and memory_extraction_provider is %s", job.Provider, provider)
	}
	if job.State == jobs.Planned {
		if job.Remote, err = p.c.Service.Find(ctx, batchOf(*job)); err != nil {
			return err
		}
	}
	return p.c.Service.Cancel(ctx, job.Remote)
}

func (p *pass) giveBack(ctx context.Context, job *kept, problem string) error {
	job.Counts.Back = len(job.Parts)
	return p.end(ctx, job, jobs.Cancelled, problem)
}
