package provider

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/mneme-graph/mneme/state"
)

// errSilent is why an attempt was given up by us: the server sent nothing for Config.Timeout.
var errSilent = errors.New("the server was silent for too long")

// maxWords bounds how much of a provider's own words is repeated in an error.
const maxWords = 300

// refusal is an attempt that brought no answer.
type refusal struct {
	err   *state.Error
	again bool // asking again may help
}

// blame turns what went wrong into a refusal. It knows the key only to keep it out of the text.
type blame struct {
	op  string
	at  endpoint
	key string
	now func() time.Time
}

// status judges an answer whose status says error.
func (b blame) status(code int, header http.Header, body []byte) *refusal {
	said := b.clean(words(body))
	told := func(c state.Code, again bool, format string, args ...any) *refusal {
		err := state.Errorf(c, b.op, format+"%s", append(args, said)...)
		return &refusal{err: err, again: again}
	}
	switch {
	case code == http.StatusUnauthorized, code == http.StatusBadRequest && bytes.Contains(body, []byte("API_KEY_INVALID")): // Google's way
		return &refusal{err: state.Errorf(state.Denied, b.op, "%s refused the key (%d); %s", b.at.provider, code, b.setKey())}
	case code == http.StatusForbidden:
		return told(state.Denied, false, "%s forbids this with this key (403); %s", b.at.provider, b.setKey())
	case code == http.StatusPaymentRequired:
		return told(state.Denied, false, "%s wants payment first (402); top up the account of this key", b.at.provider)
	case code == http.StatusTooManyRequests:
		r := told(state.Unavailable, !strings.Contains(string(body), "insufficient_quota"), "%s limits the rate (429)", b.at.provider)
		r.err.RetryAfter = retryAfter(header, body, b.now())
		return r
	case code >= 500 || code == http.StatusRequestTimeout || code == http.StatusConflict || code == http.StatusTooEarly:
		r := told(state.Unavailable, true, "%s does not answer (%d)", b.at.provider, code)
		r.err.RetryAfter = retryAfter(header, body, b.now())
		return r
	}
	return told(state.Invalid, false, "%s refuses the request (%d)%s", b.at.provider, code, wayOut(code))
}

// wayOut returns what to do about a request that is refused.
func wayOut(code int) string {
	switch code {
	case http.StatusNotFound:
		return ", check the model's name and the base URL"
	case http.StatusMethodNotAllowed:
		return ", check the base URL"
	case http.StatusRequestEntityTooLarge:
		return ", it is too large: lower the setting context_window, or send smaller attachments"
	}
	return ""
}

// setKey says how to give another key.
func (b blame) setKey() string {
	if len(b.at.variables) == 0 {
		return "give the key this endpoint expects"
	}
	return "set " + strings.Join(b.at.variables, " or ")
}

// moved judges a redirect: nil for those that the client follows with the question in hand, to another path of the same host. The question
// holds what memory knows of a user, so no other host is sent it, nor the same one without TLS.
func (b blame) moved(resp *http.Response) *refusal {
	keeps := resp.StatusCode == http.StatusTemporaryRedirect || resp.StatusCode == http.StatusPermanentRedirect
	from, to := resp.Request.URL, "elsewhere"
	if at, err := resp.Location(); err == nil {
		if keeps && at.Scheme == from.Scheme && strings.EqualFold(at.Host, from.Host) {
			return nil
		}
		to = "to " + at.Scheme + "://" + at.Host
	}
	return &refusal{err: state.Errorf(state.Invalid, b.op, "is sent %s by %s (%d); give that address as the base URL", to, resp.Request.URL.Host, resp.StatusCode)}
}

// lost judges an attempt that ended without an answer. ctx is the caller's, cause why the attempt was
// cancelled (nil = it was not), err what the connection said.
func (b blame) lost(ctx context.Context, cause, err error) *refusal {
	switch {
	case ctx.Err() != nil:
		return &refusal{err: state.Errorf(state.Unavailable, b.op, "no answer in the time the caller gave: %w", ctx.Err())}
	case errors.Is(cause, errSilent):
		return b.broken("%w", errSilent)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return b.broken("answer was cut")
	}
	var untrusted *tls.CertificateVerificationError
	if errors.As(err, &untrusted) {
		return &refusal{err: state.Errorf(state.Invalid, b.op, "the certificate of the server is not trusted: %w; check the base URL and the certificates of this machine", untrusted)}
	}
	return b.broken("no connection to %s: %s; check the network and the base URL", b.at.provider, b.clean(err.Error()))
}

// broken judges an answer that arrived and cannot be read.
func (b blame) broken(format string, args ...any) *refusal {
	return &refusal{err: state.Errorf(state.Unavailable, b.op, format, args...), again: true}
}

// said judges an error object that came with status 200 or as an event of a stream.
func (b blame) said(e *apiError, header http.Header, body []byte) *refusal {
	if code := e.status(); code >= 400 && code < 600 {
		return b.status(code, header, body)
	}
	return &refusal{err: state.Errorf(state.Unavailable, b.op, "%s broke off%s", b.at.provider, b.clean(words(body))), again: true}
}

// object judges the "error" of an answer with status 200; nil = it has none.
func (b blame) object(raw json.RawMessage, header http.Header, body []byte) *refusal {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	var e apiError
	_ = json.Unmarshal(raw, &e) // an error that is no object has no code
	return b.said(&e, header, body)
}

// clean removes the key from text that did not come from us.
func (b blame) clean(text string) string {
	if b.key == "" {
		return text
	}
	return strings.ReplaceAll(text, b.key, "***")
}

// apiError is the error object of the protocols. Code is a number (Google: always), a word or missing; Type is Anthropic's.
type apiError struct {
	Message json.RawMessage `json:"message"`
	Code    json.RawMessage `json:"code"`
	Type    json.RawMessage `json:"type"`
}

// status returns the code where it is a number, or what Anthropic's type stands for, else 0.
func (e *apiError) status() int {
	if n, err := strconv.Atoi(strings.Trim(string(e.Code), `"`)); err == nil {
		return n
	}
	switch strings.Trim(string(e.Type), `"`) {
	case "overloaded_error":
		return 529 // Anthropic's own
	case "api_error":
		return http.StatusInternalServerError
	case "rate_limit_error":
		return http.StatusTooManyRequests
	case "authentication_error":
		return http.StatusUnauthorized
	case "permission_error":
		return http.StatusForbidden
	case "invalid_request_error":
		return http.StatusBadRequest
	}
	return 0
}

// words extracts what a provider said from an error body, as ": ..." or nothing. Bodies that are not the
// protocol's error object are not repeated: they are pages of some proxy.
func words(body []byte) string {
	var answer struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(body, &answer) != nil {
		return ""
	}
	var e apiError
	var text string
	if json.Unmarshal(answer.Error, &e) == nil {
		answer.Error = e.Message
	}
	if json.Unmarshal(answer.Error, &text) != nil || strings.TrimSpace(text) == "" {
		return ""
	}
	split := func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }
	text = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text, ""), split), " ")
	if len(text) > maxWords {
		cut := maxWords
		for !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut] + "…"
	}
	return ": " + text
}

// retryAfter reads how long a server asks to wait: "retry-after-ms" (OpenAI), "Retry-After" as seconds or a date, or the
// retryDelay of Google's error. 0 = it does not say, says nonsense or a time that has passed; a day is the most.
func retryAfter(h http.Header, body []byte, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(strings.TrimSpace(h.Get("Retry-After-Ms")), 64); err == nil {
		return bounded(ms / 1000)
	}
	text := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseFloat(text, 64); err == nil {
		return bounded(s)
	}
	if at, err := http.ParseTime(text); err == nil {
		return bounded(at.Sub(now).Seconds())
	}
	var said struct {
		Error struct {
			Details []struct {
				RetryDelay string `json:"retryDelay"`
			} `json:"details"`
		} `json:"error"`
	}
	_ = json.Unmarshal(body, &said) // what is not Google's has none
	for _, d := range said.Error.Details {
		if delay, err := time.ParseDuration(d.RetryDelay); err == nil {
			return bounded(delay.Seconds())
		}
	}
	return 0
}

// bounded turns seconds into a duration from 0 to a day; what is no number is 0.
func bounded(seconds float64) time.Duration {
	if math.IsNaN(seconds) || seconds <= 0 {
		return 0
	}
	return time.Duration(min(seconds, 24*60*60) * float64(time.Second))
}
