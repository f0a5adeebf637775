package main

import (
	"context"
	"crypto/tls"
	"log/slog"
	"math"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/mneme-graph/mneme/graph/serve"
	"github.com/mneme-graph/mneme/state"
)

// bounds are the options of mneme serve that are read again while it runs, as flags.
type bounds struct {
	Turns        string `option:"serve_turns" help:"Turns at work side by side; one more is told to come again (or MNEME_SERVE_TURNS; default 512)." placeholder:"N"`
	Rate         string `option:"serve_rate" help:"Requests a second of one access key, in the long run (or MNEME_SERVE_RATE; default 200)." placeholder:"N"`
	KeyMinute    string `option:"serve_key_tokens_minute" name:"key-tokens-minute" help:"Tokens of models for one access key within a minute; behind that its turns are refused (default any number)." placeholder:"N"`
	KeyDay       string `option:"serve_key_tokens_day" name:"key-tokens-day" help:"The same within a day." placeholder:"N"`
	ClientMinute string `option:"serve_client_tokens_minute" name:"client-tokens-minute" help:"Tokens of models for all keys of a client within a minute." placeholder:"N"`
	ClientDay    string `option:"serve_client_tokens_day" name:"client-tokens-day" help:"The same within a day." placeholder:"N"`
	Log          string `option:"serve_log" name:"log" help:"What the log has: debug, info, warn or error (or MNEME_SERVE_LOG; default info)." placeholder:"LEVEL"`
}

// reloading is what of a service can be read again.
type reloading struct {
	con   *console
	log   *slog.Logger
	level slog.LevelVar
	began config // as it was read first
	page  bool   // it is one person's

	cert, key string
	pair      atomic.Pointer[tls.Certificate]
}

// begin reads everything for the first time.
func (r *reloading) begin() (serve.Limits, error) {
	c, err := readLayers(r.con.flags, r.con.environ)
	if err != nil {
		return serve.Limits{}, err
	}
	r.began = c
	r.log = slog.New(slog.NewTextHandler(r.con.err, &slog.HandlerOptions{Level: &r.level}))
	return r.take(c)
}

// take takes over what a configuration says, all of it or, where something is wrong, nothing.
func (r *reloading) take(c config) (l serve.Limits, err error) {
	l, err = limitsOf(c)
	if err != nil {
		return l, err
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.get("serve_log"))); err != nil {
		return l, state.Errorf(state.Invalid, c.values["serve_log"].origin, "serve_log is debug, info, warn or error, and not %q", c.get("serve_log"))
	}
	if r.cert != "" {
		pair, err := tls.LoadX509KeyPair(r.cert, r.key)
		if err != nil {
			return l, state.Errorf(state.Invalid, "TLS", "%w", err)
		}
		r.pair.Store(&pair)
	}
	if r.page { // who looks at it reads no log, and asks little at once
		const turns = 8
		level, l.Turns = max(level, slog.LevelWarn), min(l.Turns, turns)
	}
	r.level.Set(level)
	return l, nil
}

// limitsOf reads the limits of a configuration.
func limitsOf(c config) (l serve.Limits, err error) {
	number := func(name string) float64 {
		n, bad := strconv.ParseFloat(c.get(name), 64)
		if err == nil && (bad != nil || n < 0 || n > math.MaxInt32 || math.IsNaN(n)) {
			err = state.Errorf(state.Invalid, c.values[name].origin, "%s takes a number, 0 or more, and not %q", name, c.get(name))
		}
		return n
	}
	l.Turns, l.Rate = int(number("serve_turns")), number("serve_rate")
	l.KeyTokens = serve.Tokens{Minute: int(number("serve_key_tokens_minute")), Day: int(number("serve_key_tokens_day"))}
	l.ClientTokens = serve.Tokens{Minute: int(number("serve_client_tokens_minute")), Day: int(number("serve_client_tokens_day"))}
	return l, err
}

// watch reads everything again at each SIGHUP, until its context ends.
func (r *reloading) watch(ctx context.Context, s *serve.Server, hup <-chan os.Signal) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-hup:
			r.again(ctx, s)
		}
	}
}

// again reads everything again. What is wrong leaves all as it is; what has changed and takes a new start is named in the log.
func (r *reloading) again(ctx context.Context, s *serve.Server) {
	c, err := readLayers(r.con.flags, r.con.environ)
	var l serve.Limits
	if err == nil {
		l, err = r.take(c)
	}
	if err != nil {
		r.log.ErrorContext(ctx, "reload: everything stays as it is", "error", err)
		return
	}
	s.SetLimits(l)
	var late []string
	for name, v := range c.values {
		if !strings.HasPrefix(name, "serve_") && v.text != r.began.get(name) {
			late = append(late, name)
		}
	}
	if slices.Sort(late); len(late) > 0 {
		r.log.WarnContext(ctx, "reload: these take a new start", "names", late)
	}
	r.log.InfoContext(ctx, "reloaded", "turns", l.Turns, "rate", l.Rate, "log", r.level.Level().String())
}

// certificate returns the one that was read last.
func (r *reloading) certificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	return r.pair.Load(), nil
}

// hangups are the signals that have everything read again, until stop is called.
func hangups() (hup chan os.Signal, stop func()) {
	hup = make(chan os.Signal, 1)
	signal.Notify(hup, syscall.SIGHUP)
	return hup, func() { signal.Stop(hup) }
}
