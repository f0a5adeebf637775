package hooks

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Config says what Hooks works with. Targets, Graph and Store are required; the zero value of the rest is the default.
type Config struct {
	Targets Targets
	Graph   *graph.Graph // whose turns may wait
	Store   store.Store  // the graph's

	Skip    func(graph.Question) bool  // questions of which nobody is told; default none
	Leads   func(context.Context) bool // whether this process tells, of several on the store; default it does
	Timeout time.Duration              // for an address to answer; default 10 s
	Meter   metric.Meter               // is told what becomes of messages; default: nobody is
	Logger  *slog.Logger               // default silent
	Version string                     // of the program, for User-Agent

	Now   func() time.Time                     // default time.Now in UTC
	After func(time.Duration) <-chan time.Time // how it waits; default time.After
}

// Hooks tells addresses what waits. Nudge is safe for concurrent use; Run and Pass are for one goroutine.
type Hooks struct {
	c      Config
	rounds []*round // by target
	tidied bool     // what is of other addresses is gone
	nudged chan struct{}
	told   metric.Int64Counter

	mu     sync.Mutex
	unread map[string]string // what is wrong with sessions that cannot be read, by user
}

// New makes Hooks. It does no I/O.
func New(c Config) (*Hooks, error) {
	if c.Graph == nil || c.Store == nil || c.Targets.Empty() {
		return nil, state.Errorf(state.Invalid, "hooks", "Config needs Targets, a Graph and its Store")
	}
	if c.Leads == nil {
		c.Leads = func(context.Context) bool { return true }
	}
	if c.Timeout <= 0 {
		c.Timeout = 10 * time.Second
	}
	if c.Meter == nil {
		c.Meter = noop.Meter{}
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = func() time.Time { return time.Now().UTC() }
	}
	if c.After == nil {
		c.After = time.After
	}
	h := &Hooks{c: c, nudged: make(chan struct{}, 1), unread: map[string]string{}}
	for _, t := range c.Targets.list {
		h.rounds = append(h.rounds, &round{h: h, target: t, client: newClient(t, c.Targets.inside, c.Timeout), known: map[string]known{}, reached: map[string]string{}})
	}
	var err error
	h.told, err = c.Meter.Int64Counter("mneme.webhook.messages", metric.WithUnit("{message}"), metric.WithDescription("Messages that were sent to webhooks, by what came of it"))
	return h, err
}

// How often it looks by itself, and how long it may take over it at a time.
const (
	lookEvery = time.Minute
	lookFor   = time.Minute
)

// Run tells what waits until its context ends: at once, every minute, when it is nudged and when something is due.
func (h *Hooks) Run(ctx context.Context) {
	defer func() {
		for _, r := range h.rounds {
			r.client.CloseIdleConnections()
		}
	}()
	for {
		began, next := h.c.Now(), time.Time{}
		if h.c.Leads(ctx) {
			var err error
			if next, err = h.Pass(ctx); err != nil && ctx.Err() == nil {
				h.c.Logger.WarnContext(ctx, "webhooks: a look at what waits ended early", "error", err)
			}
		}

		// However often it is nudged, it looks a twentieth of the time at most.
		now := h.c.Now()
		rest := max(time.Second, 20*now.Sub(began)) //nolint:mnd // as the line above says
		wait := lookEvery
		if !next.IsZero() {
			wait = min(wait, next.Sub(now))
		}
		select {
		case <-ctx.Done():
			return
		case <-h.c.After(rest):
		}
		select {
		case <-ctx.Done():
			return
		case <-h.nudged:
		case <-h.c.After(max(wait-rest, 0)):
		}
	}
}

// Nudge says that something may wait that did not before.
func (h *Hooks) Nudge() {
	select {
	case h.nudged <- struct{}{}:
	default: // it is said already
	}
}

// Pass tells once all that is to be told now, as far as it gets in a minute; the next one goes on where it ended. It returns when there is something to tell next that is
// known of already; zero = it does not know of any.
func (h *Hooks) Pass(ctx context.Context) (next time.Time, err error) {
	ctx, cancel := context.WithTimeout(ctx, lookFor)
	defer cancel()
	users, err := memory.Owners(ctx, h.c.Store)
	if err != nil {
		return next, err
	}
	standing, err := readStanding(ctx, h.c.Store)
	if err != nil {
		return next, err
	}
	if !h.tidied {
		if err := h.dropOthers(ctx, users, standing); err != nil {
			return next, err
		}
		h.tidied = true
	}

	// Addresses side by side, each with its messages one after the other.
	var all sync.WaitGroup
	errs := make([]error, len(h.rounds))
	for i, r := range h.rounds {
		all.Go(func() { errs[i] = r.tell(ctx, users, standing[r.target.id]) })
	}
	all.Wait()
	for _, r := range h.rounds {
		next = sooner(next, r.next)
	}
	return next, errors.Join(errs...)
}

// sooner returns the earlier of two times, of which zero is never.
func sooner(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
