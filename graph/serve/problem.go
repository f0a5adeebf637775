package serve

import (
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/state"
)

// Problem is an error as clients get it (RFC 9457). Code is one of the module's: what a program branches on.
//
//nolint:errname // as the RFC calls it
type Problem struct {
	Type   string         `json:"type" doc:"urn:mneme:error: and the code"`
	Title  string         `json:"title"`
	Status int            `json:"status"`
	Detail string         `json:"detail,omitempty" doc:"What was wrong, and the way out"`
	Code   string         `json:"code" enum:"invalid,not_found,conflict,denied,unavailable,limited,internal"`
	ID     string         `json:"request_id,omitempty" doc:"Of the request, as the service's log has it"`
	Errors []ProblemField `json:"errors,omitempty"`

	retry time.Duration
}

// ProblemField says what is wrong with one part of a request.
type ProblemField struct {
	Where   string `json:"location,omitempty"`
	Message string `json:"message"`
}

const limited = "limited" // the one code that is not of package state: too much at once

var (
	_ huma.StatusError       = (*Problem)(nil)
	_ huma.HeadersError      = (*Problem)(nil)
	_ huma.ContentTypeFilter = (*Problem)(nil)
)

// Error returns the detail.
func (p *Problem) Error() string { return p.Detail }

// GetStatus is the HTTP status.
func (p *Problem) GetStatus() int { return p.Status }

// ContentType is that of a problem.
func (p *Problem) ContentType(string) string { return "application/problem+json" }

// GetHeaders says when to come again, where that is known.
func (p *Problem) GetHeaders() http.Header {
	h := http.Header{}
	if p.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", "Bearer")
	}
	if p.retry > 0 {
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(p.retry.Seconds()))))
	}
	return h
}

// statusOf returns the HTTP status of a code.
func statusOf(code state.Code) int {
	switch code {
	case state.Invalid:
		return http.StatusUnprocessableEntity
	case state.NotFound:
		return http.StatusNotFound
	case state.Conflict:
		return http.StatusConflict
	case state.Denied:
		return http.StatusForbidden
	case state.Unavailable:
		return http.StatusServiceUnavailable
	case state.Internal:
	}
	return http.StatusInternalServerError
}

// problemOf returns an error as clients get it. What is internal tells them nothing.
func problemOf(err error) *Problem {
	var p *Problem
	if errors.As(err, &p) {
		return p
	}
	code := state.CodeOf(err)
	p = &Problem{Status: statusOf(code), Code: string(code), Detail: err.Error(), retry: state.RetryAfter(err)}
	switch tooBig := new(http.MaxBytesError); {
	case errors.As(err, &tooBig):
		p.Status, p.Detail = http.StatusRequestEntityTooLarge, "the body is larger than this service takes"
	case code == state.Internal:
		p.Detail = "something went wrong here; the service's log tells what, under the request's id"
	case errors.Is(err, checkpoint.ErrBusy), code == state.Unavailable:
		p.retry = max(p.retry, time.Second)
	}
	return p.named()
}

// named fills in what follows from status and code.
func (p *Problem) named() *Problem {
	p.Type, p.Title = "urn:mneme:error:"+p.Code, http.StatusText(p.Status)
	return p
}

// tooMuch returns the problem of who asks for more than he may.
func tooMuch(detail string, retry time.Duration) *Problem {
	return (&Problem{Status: http.StatusTooManyRequests, Code: limited, Detail: detail, retry: max(retry, time.Second)}).named()
}

// writeProblem answers with a problem where no operation does.
func writeProblem(w http.ResponseWriter, p *Problem) {
	for name, values := range p.GetHeaders() {
		w.Header()[name] = values
	}
	w.Header().Set("Content-Type", p.ContentType(""))
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p) // the reader may be gone
}

// hideValues makes a problem of what huma says about a request, without the value that was wrong: it may be a secret.
func hideValues(ctx huma.Context, _ string, v any) (any, error) {
	if p, ok := v.(*Problem); ok {
		p.ID = requestID(ctx.Context())
		return p, nil
	}
	e, ok := v.(*huma.ErrorModel)
	if !ok {
		return v, nil
	}
	p := &Problem{Status: e.Status, Detail: e.Detail, Code: string(state.Invalid), ID: requestID(ctx.Context())}
	switch {
	case e.Status == http.StatusRequestEntityTooLarge:
		p.Detail = "the body is larger than this service takes"
	case e.Status >= http.StatusInternalServerError:
		p.Code, p.Detail = string(state.Internal), problemOf(state.Errorf(state.Internal, "request", "failed")).Detail
	}
	for _, d := range e.Errors {
		if d != nil {
			p.Errors = append(p.Errors, ProblemField{Where: d.Location, Message: d.Message + knownNames(ctx.Operation(), d.Message)})
		}
	}
	return p.named(), nil
}

// knownNames tells who names a parameter of the query that an operation does not have which ones it has.
func knownNames(op *huma.Operation, said string) string {
	if said != "unknown query parameter" { // as huma says it
		return ""
	}
	var names []string
	for _, p := range op.Parameters {
		if p.In == "query" {
			names = append(names, p.Name)
		}
	}
	if len(names) == 0 {
		return "; there is none here"
	}
	return "; there are " + strings.Join(names, ", ")
}
