package provider

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/state"
)

// Bounds of what is read into memory.
const (
	maxAnswerBytes = 32 << 20 // a plain answer
	maxErrorBytes  = 64 << 10 // an error's body
)

const firstPause = 500 * time.Millisecond // before the first repeat; doubles with each

// transport asks, asks again where that helps, and answers with bodies that are whole: a plain body is
// read and checked before it is handed on, a stream is an eventStream. All its errors are *state.Error.
type transport struct {
	next    http.RoundTripper
	blame   blame
	check   check
	events  events
	newSeal func() Seal
	unseal  func(request []byte, back map[string]string) ([]byte, error)
	timeout time.Duration
	retries int
	maxWait time.Duration
	now     func() time.Time
	sleep   func(context.Context, time.Duration) error
}

// RoundTrip sends the request until it is answered, refused for good or out of repeats.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		defer req.Body.Close()
	}
	req, err := t.restore(req)
	if err != nil {
		return nil, err
	}
	for attempt := 0; ; attempt++ {
		resp, no := t.once(req)
		if no == nil {
			return resp, nil
		}
		pause := max(firstPause<<min(attempt, 10), no.err.RetryAfter)
		if !no.again || attempt >= t.retries || req.GetBody == nil || !t.fits(req.Context(), pause, no.err) {
			return nil, no.err
		}
		if err := t.sleep(req.Context(), min(pause, t.maxWait)); err != nil {
			return nil, t.blame.lost(req.Context(), nil, err).err
		}
	}
}

// fits reports whether a pause is worth waiting: not when the server asks for more than maxWait, nor when
// the caller's deadline comes first.
func (t *transport) fits(ctx context.Context, pause time.Duration, err *state.Error) bool {
	if err.RetryAfter > t.maxWait {
		return false
	}
	deadline, ok := ctx.Deadline()
	return !ok || t.now().Add(min(pause, t.maxWait)).Before(deadline)
}

// once makes one attempt. The attempt has a context of its own, which a silent server gets cancelled.
func (t *transport) once(req *http.Request) (*http.Response, *refusal) {
	ctx, cancel := context.WithCancelCause(req.Context())
	attempt := req.Clone(ctx)
	if req.GetBody != nil {
		body, err := req.GetBody()
		if err != nil {
			cancel(nil)
			return nil, t.blame.broken("request cannot be sent again: %w", err)
		}
		attempt.Body = body
	}

	// Whoever is silent too long is given up.
	w := &watched{
		timeout: t.timeout, cancel: cancel, timer: time.AfterFunc(t.timeout, func() { cancel(errSilent) }),
		lost: func(err error) *refusal { return t.blame.lost(req.Context(), context.Cause(ctx), err) },
	}
	resp, err := t.next.RoundTrip(attempt)
	if err != nil {
		no := w.lost(err)
		w.stop()
		return nil, no
	}

	// The answer, as far as it can be taken.
	w.body = resp.Body
	resp.Body, resp.Request = w, req
	no := t.take(resp, callFrom(req.Context()))
	if no != nil {
		w.Close() //nolint:errcheck // the refusal says what is wrong
		return nil, no
	}
	return resp, nil
}

// take makes the body of an answer whole, or says why it cannot be taken.
func (t *transport) take(resp *http.Response, asked *call) *refusal {
	wantStream, seal := asked.streams, asked.begin(t.newSeal)
	// Refusals and streams.
	isJSON := strings.HasPrefix(resp.Header.Get("Content-Type"), "application/json")
	switch {
	case resp.StatusCode >= 300 && resp.StatusCode < 400 && resp.Header.Get("Location") != "":
		return t.blame.moved(resp)
	case resp.StatusCode >= 400:
		body, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBytes)) // what was read of the reason will do
		return t.blame.status(resp.StatusCode, resp.Header, body)
	case strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html"):
		return t.blame.broken("is answered with a web page by %s; check the base URL, whose path may lack /v1", resp.Request.URL.Host)
	case wantStream && !isJSON:
		stream := newEventStream(resp.Body, t.blame, t.events, seal)
		resp.Body = stream
		return stream.prime()
	}

	// A plain answer, whole.
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswerBytes+1))
	if err != nil {
		return refusalOf(err, t.blame)
	}
	if len(body) > maxAnswerBytes {
		return &refusal{err: state.Errorf(state.Unavailable, t.blame.op, "answer is longer than %d MB", maxAnswerBytes>>20)}
	}
	body, no := t.check(t.blame, body, resp.Header)
	if no != nil {
		return no
	}
	if wantStream {
		return &refusal{err: state.Errorf(state.Invalid, t.blame.op, "%s answered without streaming; ask for whole answers", t.blame.at.provider)}
	}
	if seal != nil {
		seal.Add(body)
	}
	resp.Body.Close()
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return nil
}

// check refuses a plain answer, or returns it as the caller is to see it.
type check func(b blame, body []byte, header http.Header) ([]byte, *refusal)

// refusalOf returns the refusal behind an error that a body's Read returned.
func refusalOf(err error, b blame) *refusal {
	var no *readError
	if errors.As(err, &no) {
		return no.refusal
	}
	return b.broken("answer was cut: %w", err)
}

// watched is a body whose Read is given up when nothing came for timeout; a reader that takes its time
// between two reads harms nothing. Its errors other than io.EOF are *readError.
type watched struct {
	body    io.ReadCloser
	timeout time.Duration
	timer   *time.Timer
	cancel  context.CancelCauseFunc
	lost    func(error) *refusal
}

// readError carries a refusal through Read.
type readError struct{ *refusal }

// Error returns that of the typed error inside.
func (e *readError) Error() string { return e.err.Error() }

// Unwrap returns the typed error.
func (e *readError) Unwrap() error { return e.err }

// Read reads under the watch.
func (w *watched) Read(p []byte) (int, error) {
	w.timer.Reset(w.timeout)
	n, err := w.body.Read(p)
	w.timer.Stop()
	if err != nil && !errors.Is(err, io.EOF) {
		err = &readError{w.lost(err)}
	}
	return n, err
}

// Close closes the body and ends the attempt.
func (w *watched) Close() error {
	err := w.body.Close()
	w.stop()
	return err
}

// stop ends the watch and the attempt's context.
func (w *watched) stop() {
	w.timer.Stop()
	w.cancel(nil)
}
