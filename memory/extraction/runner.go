package extraction

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/jobs"
	"github.com/mneme-graph/mneme/state/store"
)

// Config says what a Runner works with. Memory, Store and Service are required; the zero value of the rest is the default.
type Config struct {
	Memory  *memory.Memory // required
	Store   store.Store    // required: the memory's
	Service Service        // required: what memory_extraction_provider names

	Interval time.Duration // from one job to the next; default memory_extraction_interval_hours
	Poll     time.Duration // between two looks at a job; default 5 minutes
	Lease    time.Duration // how long a process that died blocks the others; default 5 minutes; more than a Submit takes
	Most     int           // parts a job; default 200

	Now      func() time.Time                     // default time.Now in UTC
	NewID    func() string                        // default random UUIDs
	After    func(time.Duration) <-chan time.Time // how Run waits; default time.After
	Progress func(Report)                         // told as a pass goes on; default nobody
	Logger   *slog.Logger                         // default silent
}

// Runner has parts of sessions read in batches. Several of them, in any processes, may run over one store.
type Runner struct{ c Config }

// Defaults of Config.
const (
	defaultPoll  = 5 * time.Minute
	defaultLease = 5 * time.Minute
	defaultMost  = 200
	mostBytes    = 16 << 20 // prompts of a job; Google takes 20 MB
)

// New makes a Runner. It does no I/O; a mistake in the Config is state.ErrInvalid.
func New(c Config) (*Runner, error) {
	if c.Memory == nil || c.Store == nil || c.Service == nil {
		return nil, state.Errorf(state.Invalid, "extraction", "Config needs a Memory, a Store and a Service")
	}
	set := c.Memory.Settings().Known(state.Scope{})
	c.Interval = cmp.Or(c.Interval, time.Duration(set.ExtractionInterval)*time.Hour)
	c.Poll, c.Lease, c.Most = cmp.Or(c.Poll, defaultPoll), cmp.Or(c.Lease, defaultLease), cmp.Or(c.Most, defaultMost)
	if c.Now == nil {
		c.Now = func() time.Time { return time.Now().UTC() }
	}
	if c.NewID == nil {
		c.NewID = uuid.NewString
	}
	if c.After == nil {
		c.After = time.After
	}
	if c.Progress == nil {
		c.Progress = func(Report) {}
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return &Runner{c}, nil
}

// Report is what a pass has done.
type Report struct {
	Sent   int         `json:"sent"`  // jobs
	Asked  int         `json:"asked"` // parts of them
	Open   int         `json:"open"`  // jobs that are under way
	Ended  int         `json:"ended"` // jobs that are over
	Counts jobs.Counts `json:"counts"`
	Notes  []string    `json:"notes"` // what went otherwise
	Due    time.Time   `json:"due"`   // when the next job is
}

// Run makes passes until its context ends, whose end is no error. A pass that goes wrong is logged and made again.
func (r *Runner) Run(ctx context.Context) error {
	for {
		report, err := r.Pass(ctx, false)
		if ctx.Err() != nil {
			return nil //nolint:nilerr // to be ended is no error
		}
		for _, note := range report.Notes {
			r.c.Logger.WarnContext(ctx, "batch", "note", note)
		}
		if err != nil {
			r.c.Logger.WarnContext(ctx, "batch: the pass is made again later", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-r.c.After(r.pause(report, err)):
		}
	}
}

// pause returns how long Run waits after a pass.
func (r *Runner) pause(report Report, err error) time.Duration {
	if err != nil || report.Open > 0 || report.Due.IsZero() {
		var cause *state.Error
		if errors.As(err, &cause) {
			return max(r.c.Poll, cause.RetryAfter)
		}
		return r.c.Poll
	}
	return min(max(report.Due.Sub(r.c.Now()), r.c.Poll), time.Hour) // another process may send one before
}

// Pass goes on with each job that is open, and sends a job if it is time for one; now does not wait for the time. While another process works on
// jobs it is state.ErrConflict. An error of the service is kept with the job, and returned when all is done that can be.
func (r *Runner) Pass(ctx context.Context, now bool) (report Report, err error) {
	p, err := r.begin(ctx)
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, p.release(ctx)) }()
	err = p.run(ctx, now)
	return p.report, err
}

// pass is one pass, of who holds the lease.
type pass struct {
	*Runner
	lease  lease
	rev    int64
	report Report
	late   error // what kept the service from answering
	no     error // why it refused a job
}

func (p *pass) run(ctx context.Context, now bool) error {
	jobs, err := p.jobs(ctx)
	if err != nil {
		return err
	}

	// What is under way.
	for i := range jobs {
		if !jobs[i].Open() {
			continue
		}
		again, err := p.advance(ctx, &jobs[i])
		if err != nil {
			return err
		}
		now = now || again
		p.tell(jobs[i])
	}

	// What is due. A service may have done the work already.
	p.report.Due = p.lease.Planned.Add(p.c.Interval)
	set, err := p.c.Memory.Settings().In(ctx, state.Scope{})
	if err != nil {
		return err
	}
	if due := now || !p.c.Now().Before(p.report.Due); due && p.late == nil && set.Batched() {
		sent, err := p.plan(ctx, jobs)
		for i := 0; err == nil && i < len(sent); i++ {
			_, err = p.advance(ctx, &sent[i])
			p.tell(sent[i])
		}
		if err != nil {
			return err
		}
	}
	if err := p.sweep(ctx, jobs); err != nil {
		return err
	}
	return errors.Join(p.late, p.no)
}

// tell tells how a job stands after the pass has looked at it.
func (p *pass) tell(job kept) {
	if job.Open() {
		p.report.Open++
	} else {
		p.report.Ended++
	}
	p.c.Progress(p.report)
}

// mostNotes bounds the notes of a pass.
const mostNotes = 50

// note keeps what went otherwise.
func (p *pass) note(text string) {
	if len(p.report.Notes) < mostNotes && !slices.Contains(p.report.Notes, text) {
		p.report.Notes = append(p.report.Notes, text)
	}
}

// Cancel ends each job that is open; its parts wait for the next one. Anyway gives them back also where the service does not answer. It
// returns how many jobs it ended.
func (r *Runner) Cancel(ctx context.Context, anyway bool) (n int, err error) {
	p, err := r.begin(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, p.release(ctx)) }()
	jobs, err := p.jobs(ctx)
	if err != nil {
		return 0, err
	}
	for _, job := range jobs {
		if !job.Open() {
			continue
		}
		if err := p.cancel(ctx, &job, anyway); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}
