package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/mneme-graph/mneme/graph/batch"
	"github.com/mneme-graph/mneme/memory/extraction"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/jobs"
)

type batchCommand struct {
	Run    batchRun    `cmd:"" help:"Take what has come back, and send what waits."`
	Status batchStatus `cmd:"" help:"How many parts of sessions wait, and how the jobs stand."`
	Cancel batchCancel `cmd:"" help:"End the jobs under way; their parts wait for the next one."`
}

// Help is printed by mneme batch --help.
func (batchCommand) Help() string {
	return `With memory_extraction_model set, what finished sessions say of their users is read in batches, for about half the price and hours
later, by memory_extraction_provider: openai, anthropic, google, or local, which asks the small model one after the other. Until a session is
read its summary is made by rules. A part of a session that was asked about three times in vain is read by rules.

run makes one pass and sends what waits at once; --loop goes on until Ctrl-C and sends every memory_extraction_interval_hours. One process works
at a time: another one is told so (status 4). A pass that is cut off is gone on with by the next one, and nothing is learnt twice.

Keys are MNEME_OPENAI_API_KEY, MNEME_ANTHROPIC_API_KEY and MNEME_GOOGLE_API_KEY, or the providers' own names; another address is
MNEME_MEMORY_EXTRACTION_BASE_URL.

Examples:
  MNEME_MEMORY_EXTRACTION_MODEL=gpt-4o-mini mneme batch run
  mneme batch run --set memory_extraction_provider=anthropic --set memory_extraction_model=NAME --loop
  mneme batch status --json
  mneme batch cancel --anyway`
}

type batchFlags struct {
	place
	JSON bool `name:"json" help:"One JSON object."`
}

// extraction makes the runner that the configuration names.
func (o *opened) extraction(c extraction.Config) (*extraction.Runner, error) {
	set := o.config.settings
	if !set.Batched() {
		return nil, state.Errorf(state.Invalid, "batch", "sessions are read as they end, since there is no model for batches; "+
			"set MNEME_MEMORY_EXTRACTION_MODEL=NAME, or MNEME_MEMORY_EXTRACTION_PROVIDER=local")
	}
	service, err := batch.Open(batch.Config{
		Provider: set.ExtractionProvider, APIKey: o.config.get("memory_extraction_api_key"), BaseURL: o.config.get("memory_extraction_base_url"),
		Small: o.made.SmallModel,
	})
	if err != nil {
		return nil, err
	}
	c.Memory, c.Store, c.Service = o.Memory(), o.store.Store, service
	return extraction.New(c)
}

// batches makes the runner that the configuration names, nil where it names none or none can be made.
func (c *console) batches(o *opened) *extraction.Runner {
	if !o.config.settings.Batched() {
		return nil
	}
	x, err := o.extraction(extraction.Config{})
	if err != nil {
		c.complain(fmt.Errorf("sessions wait to be read: %w", err))
		return nil
	}
	return x
}

// extractBehind has a runner read sessions in batches while conversations go on, if there is one. The caller calls stop before it closes the graph.
func extractBehind(ctx context.Context, x *extraction.Runner) (stop func()) {
	if x == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { _ = x.Run(ctx) }) // it ends with its context; mneme batch status says how it stands
	return func() { cancel(); running.Wait() }
}

type batchRun struct {
	batchFlags
	Loop bool `help:"Go on until Ctrl-C."`
}

// Run makes one pass, or goes on.
func (b *batchRun) Run(ctx context.Context, con *console) error {
	return with(ctx, con.openThere, func(g *opened) error {
		// Progress goes to stderr, at most once a second.
		due := con.paced()
		x, err := g.extraction(extraction.Config{
			Logger: slog.New(slog.NewTextHandler(con.err, nil)),
			Progress: func(r extraction.Report) {
				if due() {
					fmt.Fprintf(con.err, "%d parts sent, %d learnt, %d back\n", r.Asked, r.Counts.Learnt, r.Counts.Back)
				}
			},
		})
		if err != nil {
			return err
		}

		// With --loop it goes on until it is interrupted.
		if b.Loop {
			return x.Run(ctx)
		}

		// A pass that failed on its way is reported too, beside its error.
		report, err := x.Pass(ctx, true)
		if err != nil && report.Due.IsZero() { // nothing was done
			return err
		}
		if b.JSON {
			return errors.Join(encode(con.out, report), err)
		}
		printReport(con, report)
		return err
	})
}

// printReport prints what a pass has done.
func printReport(con *console, r extraction.Report) {
	fmt.Fprintf(con.out, "%s sent, about %s of sessions; %s over, %d under way\n", counted(r.Sent, "job"), counted(r.Asked, "part"), counted(r.Ended, "job"), r.Open)
	con.fields("answers", countsText(r.Counts))
	for _, note := range r.Notes {
		con.field("note", note)
	}
}

// countsText says what became of parts.
func countsText(c jobs.Counts) string {
	return strings.Join(amounts(
		amount{c.Learnt, "learnt"}, amount{c.Read, "read before or gone"}, amount{c.Back, "wait for the next job"}, amount{c.ByRules, "read by rules"},
		amount{c.Strange, "lines that are of no part"},
	), ", ")
}

type batchStatus struct{ batchFlags }

// Run prints how it stands.
func (b *batchStatus) Run(ctx context.Context, con *console) error {
	return with(ctx, con.openThere, func(g *opened) error {
		s, err := extraction.Look(ctx, g.store.Store, "")
		switch {
		case err != nil:
			return err
		case b.JSON:
			return encode(con.out, s)
		}

		fmt.Fprintln(con.out, waitingText(s, con.zone()))
		if len(s.Jobs) == 0 {
			return nil
		}

		// Each job has a row; its error is too long for that and comes below.
		short := shortIDs(idsOf(s.Jobs, func(j jobs.Job) string { return j.ID })...)
		rows := [][]string{{"PLANNED", "STATE", "PROVIDER", "PARTS", "SAID", "CAME OF IT", "JOB"}}
		for _, j := range s.Jobs {
			rows = append(rows, []string{con.ago(j.At), string(j.State), j.Provider, fmt.Sprint(j.Items), j.Said, countsText(j.Counts), short[j.ID]})
		}
		table(con.out, rows)

		for _, j := range s.Jobs {
			if j.Open() && j.Error != "" {
				con.field("error", short[j.ID]+": "+j.Error)
			}
		}
		return nil
	})
}

// waitingText says how many parts wait.
func waitingText(s extraction.Standing, zone *time.Location) string {
	if s.Waiting == 0 {
		return "no part of a session waits to be read"
	}
	return fmt.Sprintf("%s of sessions waiting to be read, the oldest since %s; %d of them are asked about", counted(s.Waiting, "part"), atIn(s.Since, zone), s.Asked)
}

type batchCancel struct {
	batchFlags
	Anyway bool `help:"Give the parts back though the service does not answer; what it still does is paid for and not taken."`
}

// Run ends what is under way.
func (b *batchCancel) Run(ctx context.Context, con *console) error {
	return with(ctx, con.openThere, func(g *opened) error {
		x, err := g.extraction(extraction.Config{})
		if err != nil {
			return err
		}
		n, err := x.Cancel(ctx, b.Anyway)
		if err != nil {
			return err
		}
		return con.tell(b.JSON, map[string]int{"cancelled": n}, "%s cancelled", counted(n, "job"))
	})
}

// batchPart returns what doctor says of batches: how many parts wait, which job is under way and since when, and the last error.
func (c config) batchPart(s extraction.Standing) finding {
	f := finding{Kind: "part", Name: "batch", Value: "off: sessions are read as they end"}
	if c.settings.Batched() {
		f.Value = fmt.Sprintf("%s %s, every %d hours", c.settings.ExtractionProvider, c.settings.ExtractionModel, c.settings.ExtractionInterval)
	}
	if s.Waiting > 0 || c.settings.Batched() {
		f.Value += "; " + waitingText(s, zoneOf(c.environ))
	}
	for _, j := range s.Jobs {
		if j.Open() {
			f.Value += fmt.Sprintf("; job %s is under way at %s since %s (%s)", j.ID, j.Provider, atIn(j.At, zoneOf(c.environ)), cmp.Or(j.Said, string(j.State)))
		}
	}
	return f
}

// batchDegraded returns the last error of a job, and what keeps batches from being sent.
func (c config) batchDegraded(s extraction.Standing) (out [][2]string) {
	if len(s.Jobs) > 0 && s.Jobs[0].Error != "" { // of the newest
		j := s.Jobs[0]
		out = append(out, [2]string{"batch", fmt.Sprintf("job %s (%s): %s", j.ID, j.State, j.Error)})
	}
	set := c.settings
	if set.Batched() && set.ExtractionProvider != state.LocalProvider {
		_, err := batch.Open(batch.Config{Provider: set.ExtractionProvider, APIKey: c.get("memory_extraction_api_key"), BaseURL: c.get("memory_extraction_base_url")})
		if err != nil {
			out = append(out, [2]string{"batch", err.Error()})
		}
	}
	return out
}
