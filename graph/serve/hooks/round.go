package hooks

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
)

// patience is how waits grow between tries.
func patience() flow.Retry { return flow.Retry{First: 5 * time.Second, Max: 15 * time.Minute} }

// failsAtOnce is after how many failures in a row an address is left for a while.
const failsAtOnce = 3

// tellOne keeps a message, sends it and notes what came of it. It returns when the message is to be looked at again; zero = it was taken. A message that another
// process has written meanwhile is that one's.
func (r *round) tellOne(ctx context.Context, x untold) (again time.Time, err error) {
	m, now := x.kept, r.h.c.Now()
	key := x.about.key(x.id)
	if len(m.Body) == 0 {
		body, err := x.body(now)
		if err != nil {
			return now, err
		}
		m.Target, m.Body = r.target.id, body
		if err := r.h.put(ctx, key, &m); err != nil {
			return now, unlessConflict(err)
		}
	}

	status, sendErr := r.send(ctx, x.id, m.Body)
	if ctx.Err() != nil { // it was we who ended it
		return now, nil //nolint:nilerr // it is sent again
	}
	outcome := "delivered"
	switch {
	case status == http.StatusGone:
		outcome = "gone"
	case sendErr != nil:
		outcome = "failed"
		m.Tries++
		m.Next = r.h.c.Now().Add(patience().Wait(key, m.Tries, sendErr)).UTC()
	default:
		m.Sent, m.Body, m.Next = r.h.c.Now().UTC(), nil, time.Time{}
	}
	r.h.told.Add(ctx, 1, metric.WithAttributes(attribute.String("type", string(x.kind)), attribute.String("outcome", outcome)))
	return m.Next, errors.Join(unlessConflict(r.h.put(ctx, key, &m)), r.note(ctx, status, sendErr))
}

func unlessConflict(err error) error {
	if errors.Is(err, state.ErrConflict) {
		return nil
	}
	return err
}

// note keeps how the address stands, if that has changed.
func (r *round) note(ctx context.Context, status int, err error) error {
	s := &r.stand
	now, log := r.h.c.Now().UTC(), r.h.c.Logger
	switch {
	case err == nil && s.Tries == 0:
		return nil
	case err == nil:
		log.InfoContext(ctx, "webhook answers again", "host", r.target.url.Host, "failing_since", s.Since)
		s.Tries, s.Next, s.Since = 0, time.Time{}, now
	default:
		if s.Tries == 0 {
			s.Since = now
		}
		s.Tries++
		s.Gone = status == http.StatusGone
		s.Host, s.Answer = r.target.url.Host, err.Error()
		if s.Tries >= failsAtOnce || state.RetryAfter(err) > 0 {
			s.Next = now.Add(patience().Wait(r.target.id, max(s.Tries-failsAtOnce+1, 1), err))
		}
		log.WarnContext(ctx, "webhook fails", "host", s.Host, "error", s.Answer, "tries", s.Tries, "gone", s.Gone)
	}
	return unlessConflict(r.h.putStanding(ctx, r.target.id, s))
}

// mostAnswer is how much of an answer is read, so that its line can be used again; nothing of it is kept.
const mostAnswer = 4 << 10

// send posts a message. An error says in a few words what came instead of a 2xx, without the address: that may hold a secret.
func (r *round) send(ctx context.Context, id string, body []byte) (status int, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.target.url.String(), bytes.NewReader(body))
	if err != nil {
		return 0, state.Errorf(state.Invalid, "", "it cannot be asked")
	}
	now := r.h.c.Now()
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", strings.TrimSuffix("mneme/"+r.h.c.Version, "/"))
	req.Header.Set("Webhook-Id", id)
	req.Header.Set("Webhook-Timestamp", strconv.FormatInt(now.Unix(), 10))
	req.Header.Set("Webhook-Signature", r.h.c.Targets.sign(id, now, body))
	answer, err := r.client.Do(req)
	if err != nil {
		var of *url.Error
		if errors.As(err, &of) {
			err = of.Err
		}
		return 0, state.Errorf(state.Unavailable, "", "%w", err)
	}
	_, _ = io.CopyN(io.Discard, answer.Body, mostAnswer) // what it says besides is nothing to us
	_ = answer.Body.Close()
	if answer.StatusCode >= 200 && answer.StatusCode < 300 {
		return answer.StatusCode, nil
	}
	failed := state.Errorf(state.Unavailable, "", "it answers %d", answer.StatusCode)
	failed.RetryAfter = retryAfter(answer.Header, now)
	return answer.StatusCode, failed
}

// retryAfter reads how long an address asks to wait, a day at most.
func retryAfter(h http.Header, now time.Time) time.Duration {
	const day = 24 * time.Hour
	text := strings.TrimSpace(h.Get("Retry-After"))
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return min(time.Duration(seconds)*time.Second, day)
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	return min(max(at.Sub(now), 0), day)
}
