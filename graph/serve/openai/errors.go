package openai

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/mneme-graph/mneme/state"
)

// fieldError is an error about a field of a request, by which clients branch.
type fieldError struct {
	param, code string
	err         error
}

// Error returns what is wrong, with the field.
func (e *fieldError) Error() string { return e.err.Error() }

// Unwrap returns the error with its code.
func (e *fieldError) Unwrap() error { return e.err }

// refuse returns the error of a field that cannot be heeded.
func refuse(field, format string, args ...any) error {
	return &fieldError{field, "", state.Errorf(state.Invalid, field, format, args...)}
}

// unsupported refuses a field that would change what the answer means.
func unsupported(field string) error {
	return &fieldError{field, "unsupported_parameter", state.Errorf(state.Invalid, field, "is not supported here; leave it out")}
}

// problem is an error in OpenAI's shape.
type problem struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    *string `json:"code"`
}

// problemOf returns an error in OpenAI's shape, by its status and what is told of it.
func problemOf(err error, status int, code, detail string) problem {
	p := problem{Message: detail}
	switch status {
	case http.StatusUnauthorized:
		p.Type = "authentication_error"
	case http.StatusForbidden:
		p.Type = "permission_error"
	case http.StatusTooManyRequests:
		p.Type = "rate_limit_error"
	default:
		p.Type = "invalid_request_error"
		if status >= http.StatusInternalServerError {
			p.Type = "server_error"
		}
	}
	if code != "" {
		p.Code = &code
	}
	var field *fieldError
	if errors.As(err, &field) {
		if field.param != "" {
			p.Param = &field.param
		}
		if field.code != "" {
			p.Code = &field.code
		}
	}
	return p
}

// StatusOf is the status that clients of OpenAI expect in the place of one of the service's.
func StatusOf(status int) int {
	if status == http.StatusUnprocessableEntity {
		return http.StatusBadRequest
	}
	return status
}

// WriteError answers with an error in OpenAI's shape. Status, code and detail are the service's; the error adds the field, if there is any.
func WriteError(w http.ResponseWriter, err error, status int, code, detail string) {
	status = StatusOf(status)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]problem{"error": problemOf(err, status, code, detail)}) // the reader may be gone
}

// writeJSON answers with a body.
func writeJSON(w http.ResponseWriter, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return state.Errorf(state.Internal, "answer", "%w", err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	_, err = w.Write(append(raw, '\n'))
	if err != nil {
		return errGone
	}
	return nil
}

// errGone is that of a client that does not hear its answer.
var errGone = errors.New("the client has gone")
