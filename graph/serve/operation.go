package serve

import (
	"context"
	"net/http"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/mneme-graph/mneme/graph/serve/access"
	"github.com/mneme-graph/mneme/state"
)

// body is an answer with a JSON body.
type body[T any] struct{ Body T }

// answer answers with what was got.
func answer[T any](got T, err error) (*body[T], error) { return &body[T]{got}, err }

// list answers with all of a list.
func list[T any](all []T, err error) (*body[page[T]], error) {
	return answer(page[T]{Items: append([]T{}, all...)}, err)
}

// page is one page of a list.
type page[T any] struct {
	Items []T    `json:"items"`
	Next  string `json:"next_cursor,omitempty" doc:"For the page behind this one; empty = this is the last"`
}

// Paging is which page of a list is asked for.
type Paging struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"500" default:"50"`
	Cursor string `query:"cursor" maxLength:"512" doc:"next_cursor of the page before"`
}

// paged answers with a page of a list whose items have keys: the cursor is the last key that was seen, so that what is added or taken away meanwhile
// moves nothing.
func paged[T any](all []T, err error, p Paging, key func(T) string) (*body[page[T]], error) {
	if err != nil {
		return nil, err
	}
	if p.Cursor != "" {
		at := slices.IndexFunc(all, func(item T) bool { return key(item) == p.Cursor })
		if at < 0 {
			return nil, state.Errorf(state.Invalid, "cursor", "is not known: what it stands behind is gone; begin with the first page")
		}
		all = all[at+1:]
	}
	out := page[T]{Items: append([]T{}, all[:min(len(all), p.Limit)]...)}
	if len(all) > p.Limit {
		out.Next = key(out.Items[p.Limit-1])
	}
	return &body[page[T]]{out}, nil
}

// Whose says whose memory a request is about, within the client of its key.
type Whose struct {
	UserHeader string `header:"X-Mneme-User" maxLength:"128" doc:"The user, for a key that is not one user's"`
	UserQuery  string `query:"user_id" maxLength:"128" doc:"As X-Mneme-User"`
	UserBody   string `json:"-"`
}

// scope returns whose memory a request may reach: its key's client and user, or the user it names, where the key may name one.
func (s *Server) scope(ctx context.Context, w Whose, session string) (state.Scope, error) {
	key := keyFrom(ctx)
	named := ""
	for _, name := range []string{w.UserHeader, w.UserQuery, w.UserBody} {
		if name != "" && named != "" && name != named {
			return state.Scope{}, state.Errorf(state.Invalid, "user", "is named twice, and not the same; name one")
		}
		named = max(named, name)
	}
	scope := state.Scope{Client: key.Client, User: key.User, Session: session}
	switch {
	case named == "" || named == key.User:
	case key.User != "" || !key.May(access.Delegating):
		return state.Scope{}, state.Errorf(state.Denied, "access key "+key.ID, "may not name a user; it needs the role %s", access.Delegating)
	default:
		scope.User = named
	}
	scope = scope.Default()
	noted(ctx).User = scope.User
	return scope, scope.Validate()
}

// schemaName names the schema of a type: of this package as it is, of others with their package, as names of two packages may be alike.
func schemaName(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if pkg := path.Base(t.PkgPath()); t.Name() != "" && pkg != "serve" && pkg != "." && !strings.Contains(t.Name(), "[") {
		return strings.ToUpper(pkg[:1]) + pkg[1:] + name
	}
	return name
}

// operation describes an operation; its id follows from what it does.
func operation(method, at, tag, summary string) huma.Operation {
	return huma.Operation{OperationID: operationID(method, at), Method: method, Path: at, Summary: summary, Tags: []string{tag}}
}

// operationID is "get-sessions-by-session-turns" of GET /api/v1/sessions/{session}/turns.
func operationID(method, at string) string {
	at = strings.TrimPrefix(at, "/api/v1/")
	at = strings.NewReplacer("/{", "-by-", "}", "", "/", "-").Replace(at)
	return strings.ToLower(method) + "-" + at
}

// add registers an operation that a key with a role may ask for.
func add[I, O any](s *Server, op huma.Operation, role access.Role, do func(context.Context, *I) (*O, error)) {
	op.Security = []map[string][]string{{"key": {}}}
	op.Errors = []int{
		http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusConflict, http.StatusPreconditionFailed,
		http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity, http.StatusTooManyRequests, http.StatusServiceUnavailable,
	}
	op.Description = strings.TrimSpace(op.Description + "\n\nNeeds the role " + string(role) + ".")
	huma.Register(s.api, op, func(ctx context.Context, in *I) (*O, error) {
		noted(ctx).Route = op.Path
		if err := may(ctx, role); err != nil {
			return nil, problemOf(err)
		}
		out, err := do(ctx, in)
		if err != nil {
			s.noteFailure(ctx, op.OperationID, err)
			return nil, problemOf(err)
		}
		return out, nil
	})
}

// noteFailure writes an error into the log that clients are told little of.
func (s *Server) noteFailure(ctx context.Context, what string, err error) {
	if problemOf(err).Status >= http.StatusInternalServerError {
		s.c.Logger.WarnContext(ctx, "failed", "what", what, "error", err, "request", requestID(ctx))
	}
}

// finish gives the errors of all operations the type that they have.
func (s *Server) finish() {
	doc := s.api.OpenAPI()
	ref := doc.Components.Schemas.Schema(reflect.TypeFor[Problem](), true, "Problem")
	for _, item := range doc.Paths {
		for _, op := range []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete} {
			if op == nil {
				continue
			}
			for status, answer := range op.Responses {
				if status == "default" || status >= "400" {
					answer.Content = map[string]*huma.MediaType{"application/problem+json": {Schema: ref}}
				}
			}
		}
	}
	delete(doc.Components.Schemas.Map(), "ErrorModel")
	delete(doc.Components.Schemas.Map(), "ErrorDetail")
}
