package batch

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/memory/extraction"
	"github.com/mneme-graph/mneme/state"
)

// Bounds of what is read.
const (
	maxAnswer  = 64 << 20 // bytes of an answer that is read whole
	maxResults = 256 << 20
	maxLine    = 4 << 20
	maxError   = 64 << 10
	maxWords   = 300 // of what a service says of an error
	maxPages   = 20  // of a list that is looked through
)

// client calls one service.
type client struct {
	Config
	op     string
	base   string
	vendor vendor
	http   *http.Client
}

// newClient fills in the defaults.
func newClient(c Config, base string, v vendor) *client {
	c.Timeout, c.MaxWait, c.MaxTokens = cmp.Or(c.Timeout, time.Minute), cmp.Or(c.MaxWait, 30*time.Second), cmp.Or(c.MaxTokens, 4000)
	c.Retries = max(cmp.Or(c.Retries, 2), 0)
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Sleep == nil {
		c.Sleep = sleep
	}
	client := &client{Config: c, op: "batch " + c.Provider, base: base, vendor: v}
	client.http = &http.Client{CheckRedirect: sameHost}
	if c.HTTPClient != nil {
		client.http.Transport = c.HTTPClient.Transport
	}
	return client
}

// sameHost keeps a redirect from taking the key elsewhere.
func sameHost(to *http.Request, via []*http.Request) error {
	const most = 5
	if to.URL.Host != via[0].URL.Host || to.URL.Scheme != via[0].URL.Scheme || len(via) > most {
		return errors.New("it redirects elsewhere")
	}
	return nil
}

// sleep waits for pause or until ctx ends, whose error it then returns.
func sleep(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// call is one request. Makes says that it makes something, so that it must not be repeated when its outcome is open.
type call struct {
	method, path string
	kind         string // of the body
	body         []byte
	makes        bool
}

// json calls and reads the answer into out, which may be nil.
func (c *client) json(ctx context.Context, r call, out any) error {
	return c.do(ctx, r, func(body io.Reader) error {
		raw, err := io.ReadAll(io.LimitReader(body, maxAnswer+1))
		switch {
		case err != nil:
			return c.cut(err)
		case len(raw) > maxAnswer:
			return state.Errorf(state.Unavailable, c.op, "its answer is longer than %d MB", maxAnswer>>20)
		case out == nil:
			return nil
		}
		if err := json.Unmarshal(raw, out); err != nil {
			return state.Errorf(state.Unavailable, c.op, "its answer to %s is no JSON that is known: %w", r.path, err)
		}
		return nil
	})
}

// lines reads an answer of JSON lines; yield gets each whole.
func (c *client) lines(ctx context.Context, path string, yield func(line []byte) error) error {
	return c.do(ctx, call{method: http.MethodGet, path: path}, func(body io.Reader) error {
		counted := &io.LimitedReader{R: body, N: maxResults}
		in := bufio.NewReaderSize(counted, 64<<10)
		for {
			line, err := readLine(in)
			if text := bytes.TrimSpace(line); len(text) > 0 && (err == nil || errors.Is(err, io.EOF)) {
				if err := yield(text); err != nil {
					return taken{err}
				}
			}
			switch {
			case errors.Is(err, io.EOF) && counted.N == 0:
				return state.Errorf(state.Invalid, c.op, "its results are longer than %d MB", maxResults>>20)
			case errors.Is(err, io.EOF):
				return nil
			case err != nil:
				return c.cut(err)
			}
		}
	})
}

// readLine reads a line; of one that is too long the beginning, which is no JSON.
func readLine(in *bufio.Reader) (line []byte, err error) {
	for {
		piece, err := in.ReadSlice('\n')
		if len(line) < maxLine {
			line = append(line, piece...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// taken is an error of who takes lines; asking again does not help.
type taken struct{ error }

// Unwrap returns it.
func (t taken) Unwrap() error { return t.error }

// do calls until there is an answer, the service refuses, or it was tried often enough.
func (c *client) do(ctx context.Context, r call, read func(io.Reader) error) error {
	for attempt := 0; ; attempt++ {
		err := c.once(ctx, r, read)
		var own taken
		if errors.As(err, &own) {
			return own.error
		}
		cause, known := err.(*state.Error) //nolint:errorlint // once returns no other that may be repeated
		if err == nil || !known || cause.Code != state.Unavailable || ctx.Err() != nil || attempt >= c.Retries || r.makes && !refused(cause) {
			return err
		}

		const first, doublings = 500 * time.Millisecond, 8
		pause := max(first<<min(attempt, doublings), cause.RetryAfter)
		deadline, ok := ctx.Deadline()
		if pause > c.MaxWait || ok && c.Now().Add(pause).After(deadline) {
			return err // who asked decides
		}
		if c.Sleep(ctx, pause) != nil {
			return err
		}
	}
}

// errBusy says that a service has refused for now, and done nothing.
var errBusy = errors.New("too many requests (429)")

func refused(err *state.Error) bool { return errors.Is(err.Err, errBusy) }

// once makes one attempt. Its time is bounded anew while an answer comes.
func (c *client) once(ctx context.Context, r call, read func(io.Reader) error) error {
	// The watch ends the attempt when nothing comes for the timeout; reading sets it anew.
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	watch := time.AfterFunc(c.Timeout, cancel)
	defer watch.Stop()
	req, err := http.NewRequestWithContext(inner, r.method, c.base+r.path, bytes.NewReader(r.body))
	if err != nil {
		return state.Errorf(state.Invalid, c.op, "%s cannot be asked for: %s", r.path, c.clean(err.Error()))
	}
	if r.body != nil {
		req.Header.Set("Content-Type", cmp.Or(r.kind, "application/json"))
	}
	c.sign(req)

	// Which context has ended says who has given up.
	answer, err := c.http.Do(req)
	if err != nil {
		switch {
		case ctx.Err() != nil:
			return state.Errorf(state.Unavailable, c.op, "given up: %w", ctx.Err())
		case inner.Err() != nil:
			return state.Errorf(state.Unavailable, c.op, "no answer within %s", c.Timeout)
		}
		return state.Errorf(state.Unavailable, c.op, "no answer: %s", c.clean(err.Error()))
	}
	defer answer.Body.Close()

	// A refusal is read for its reason, an answer by the function that the caller gave.
	if answer.StatusCode >= http.StatusMultipleChoices {
		body, _ := io.ReadAll(io.LimitReader(answer.Body, maxError)) // what there is of the reason will do
		return c.refusal(answer, body)
	}
	return read(watched{answer.Body, watch, c.Timeout})
}

// watched is a body that may take any time as long as it keeps coming.
type watched struct {
	io.Reader
	timer   *time.Timer
	timeout time.Duration
}

// Read reads and winds the watch.
func (w watched) Read(p []byte) (int, error) {
	w.timer.Reset(w.timeout)
	n, err := w.Reader.Read(p)
	w.timer.Stop()
	return n, err
}

// sign adds the key, as each provider wants it.
func (c *client) sign(req *http.Request) {
	switch {
	case c.APIKey == "":
	case c.vendor.name == "openai":
		req.Header.Set("Authorization", "Bearer "+c.APIKey)
	case c.vendor.name == "anthropic":
		req.Header.Set("x-api-key", c.APIKey)
	default:
		req.Header.Set("x-goog-api-key", c.APIKey)
	}
	if c.vendor.name == "anthropic" {
		req.Header.Set("anthropic-version", "2023-06-01")
	}
}

// refusal judges an answer whose status says error.
func (c *client) refusal(answer *http.Response, body []byte) error {
	said, status := c.words(body), answer.StatusCode
	switch {
	case status == http.StatusNotFound || status == http.StatusGone:
		return state.Errorf(state.NotFound, c.op, "it knows nothing of that (%d)%s", status, said)
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return state.Errorf(state.Denied, c.op, "it refuses the key (%d)%s; set %s", status, said, strings.Join(c.vendor.variables, " or "))
	case status == http.StatusTooManyRequests:
		err := state.Errorf(state.Unavailable, c.op, "%w%s", errBusy, said)
		return c.after(err, answer.Header)
	case status >= http.StatusInternalServerError || status == http.StatusRequestTimeout || status == http.StatusConflict:
		err := state.Errorf(state.Unavailable, c.op, "it does not answer (%d)%s", status, said)
		return c.after(err, answer.Header)
	}
	return state.Errorf(state.Invalid, c.op, "it refuses the request (%d)%s", status, said)
}

// after keeps how long a service asks to wait, a day at most.
func (c *client) after(err *state.Error, h http.Header) error {
	text := strings.TrimSpace(h.Get("Retry-After"))
	if seconds, no := strconv.Atoi(text); no == nil {
		err.RetryAfter = time.Duration(min(max(seconds, 0), 24*60*60)) * time.Second
	} else if at, no := http.ParseTime(text); no == nil {
		err.RetryAfter = min(max(at.Sub(c.Now()), 0), 24*time.Hour)
	}
	return err
}

// words returns what a service says of an error. All three say it in the same place.
func (c *client) words(body []byte) string {
	var answer struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &answer) != nil || answer.Error.Message == "" {
		return ""
	}
	return ": " + c.clean(answer.Error.Message)
}

// clean is text of a service without the key, on one line and not too long.
func (c *client) clean(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if c.APIKey != "" {
		text = strings.ReplaceAll(text, c.APIKey, "***")
	}
	return strings.ToValidUTF8(text[:min(len(text), maxWords)], "")
}

// cut returns the error of an answer that ends too early.
func (c *client) cut(err error) error {
	return state.Errorf(state.Unavailable, c.op, "its answer was cut: %s", c.clean(err.Error()))
}

// notThere returns the error of Find.
func (c *client) notThere(b extraction.Batch) error {
	return state.Errorf(state.NotFound, c.op, "it has no batch of job %s", b.ID)
}

// escaped returns an id of a service as a part of a path; it may name nothing else.
func (c *client) escaped(remote string) (string, error) {
	for _, r := range remote {
		if !strings.ContainsRune("-_.", r) && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') {
			return "", state.Errorf(state.NotFound, c.op, "it has no batch %.60q", remote)
		}
	}
	if strings.Trim(remote, ".") == "" {
		return "", state.Errorf(state.NotFound, c.op, "it has no batch without a name")
	}
	return remote, nil
}

// made returns the name that a service gave to what was made.
func (c *client) made(remote string) (string, error) {
	if _, err := c.escaped(remote); err != nil {
		return "", state.Errorf(state.Unavailable, c.op, "it made a batch and gives no name that is known for it (%.60q)", remote)
	}
	return remote, nil
}

// problem returns what went wrong with one item.
func problem(c *client, format string, args ...any) string {
	return c.clean(fmt.Sprintf(format, args...))
}
