package serve

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"net/http"
	"regexp"
	"runtime/debug"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/mneme-graph/mneme/state"
)

type idKey struct{}

// notedKey is where what becomes of a request is noted.
type notedKey struct{}

// noted returns where it is noted; nowhere, outside of requests.
func noted(ctx context.Context) *Request {
	if r, ok := ctx.Value(notedKey{}).(*Request); ok {
		return r
	}
	return new(Request)
}

func requestID(ctx context.Context) string {
	id, _ := ctx.Value(idKey{}).(string)
	return id
}

var traceParent = regexp.MustCompile(`^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$`)

// newRequestID returns the id of the trace that a request belongs to (W3C Trace Context), else one of its own.
func newRequestID(r *http.Request) string {
	if m := traceParent.FindStringSubmatch(r.Header.Get("Traceparent")); m != nil {
		return m[1]
	}
	var chance [16]byte
	_, _ = rand.Read(chance[:]) // it never fails
	return hex.EncodeToString(chance[:])
}

// logged gives each request an id and writes what became of it into the log, without a word of what was said. A panic is a problem like any other.
func (s *Server) logged(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id, began := newRequestID(r), s.c.Now()
		own := &Request{ID: id, At: began, Method: r.Method}
		r = r.WithContext(context.WithValue(context.WithValue(r.Context(), idKey{}, id), notedKey{}, own))
		h := w.Header()
		h.Set("X-Request-Id", id)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-store")
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		out := &answered{ResponseWriter: w}
		defer func() {
			if e := recover(); e != nil {
				if e == http.ErrAbortHandler { //nolint:errorlint // as net/http compares it
					panic(e)
				}
				s.c.Logger.ErrorContext(r.Context(), "request panicked", "request", id, "panic", e, "stack", string(debug.Stack()))
				if out.status == 0 {
					writeProblem(out, (&Problem{Status: http.StatusInternalServerError, Code: string(state.Internal), Detail: "something went wrong here", ID: id}).named())
				}
			}
			took := s.c.Now().Sub(began)
			own.Status, own.Took = out.status, took.Milliseconds()
			s.asked.note(*own)
			s.took.Record(r.Context(), took.Seconds(), metric.WithAttributes(
				attribute.String("http.request.method", r.Method), attribute.String("http.route", own.Route), attribute.Int("http.response.status_code", out.status)))
			level := slog.LevelInfo
			if out.status >= http.StatusInternalServerError {
				level = slog.LevelWarn
			}
			s.c.Logger.Log(r.Context(), level, "request", "method", r.Method, "path", r.URL.EscapedPath(), "status", out.status, "ms", took.Milliseconds(), "bytes", out.bytes, "request", id)
		}()
		next.ServeHTTP(out, r)
	})
}

// answered notes what was answered.
type answered struct {
	http.ResponseWriter
	status int
	bytes  int64
}

// WriteHeader notes a status, and passes the first one on. Another one comes where a client goes while it is answered: huma sets 499 then, for the log.
func (a *answered) WriteHeader(status int) {
	first := a.status == 0
	a.status = status
	if first {
		a.ResponseWriter.WriteHeader(status)
	}
}

// Write notes how much there is and passes on.
func (a *answered) Write(p []byte) (int, error) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	n, err := a.ResponseWriter.Write(p)
	a.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the writer.
func (a *answered) Unwrap() http.ResponseWriter { return a.ResponseWriter }
