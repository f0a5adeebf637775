package serve

import (
	"context"
	"net/http"
	"slices"

	"github.com/mneme-graph/mneme/graph/serve/access"
	"github.com/mneme-graph/mneme/memory/sessions"
	"github.com/mneme-graph/mneme/state"
)

// SessionEdit is what is changed about a session.
type SessionEdit struct {
	Title string `json:"title,omitempty" maxLength:"200"`
}

func (s *Server) addSessions() {
	add(s, operation(http.MethodGet, "/api/v1/sessions", "sessions", "The user's sessions, last used first"), access.Read,
		func(ctx context.Context, in *struct {
			Whose
			Paging
		},
		) (*body[page[state.Session]], error) {
			scope, err := s.scope(ctx, in.Whose, "")
			if err != nil {
				return nil, err
			}
			all, err := s.memory.Sessions().List(ctx, scope)
			return paged(all, err, in.Paging, func(x state.Session) string { return x.ID })
		})
	add(s, operation(http.MethodGet, "/api/v1/sessions/{session}", "sessions", "A session"), access.Read, s.onSession(s.session))
	add(s, operation(http.MethodPatch, "/api/v1/sessions/{session}", "sessions", "Rename a session"), access.Write,
		func(ctx context.Context, in *struct {
			SessionInput
			Body SessionEdit
		},
		) (*body[state.Session], error) {
			return s.onSession(func(ctx context.Context, scope state.Scope) (state.Session, error) {
				return s.memory.Sessions().Edit(ctx, scope, sessions.Change{Title: in.Body.Title})
			})(ctx, &in.SessionInput)
		})
	for name, change := range map[string]sessions.Change{"end": {End: true}, "clear": {Clear: true}} {
		says := "End a session's part: what is active is parked, what was said of the user is kept"
		if change.Clear {
			says = "Clear a session's window: what was said leaves the prompt, and is found by recall"
		}
		add(s, operation(http.MethodPost, "/api/v1/sessions/{session}/"+name, "sessions", says), access.Write,
			s.onSession(func(ctx context.Context, scope state.Scope) (state.Session, error) {
				if got, err := s.session(ctx, scope); err != nil {
					return got, err
				}
				return s.memory.Sessions().Edit(ctx, scope, change)
			}))
	}

	add(s, operation(http.MethodGet, "/api/v1/sessions/{session}/messages", "sessions", "What was said, oldest first, or with order=desc newest first"), access.Read,
		func(ctx context.Context, in *struct {
			SessionInput
			Paging
			Order string `query:"order" enum:"asc,desc" default:"asc" doc:"By when it was said"`
		},
		) (*body[page[state.Message]], error) {
			all, err := onScope(ctx, s, in.Whose, in.Session, s.memory.Messages)
			if in.Order == "desc" {
				slices.Reverse(all)
			}
			return paged(all, err, in.Paging, func(m state.Message) string { return state.SeqKey(m.Seq) })
		})

	s.addHistory()
	s.addHandout()
}

// session returns a session that was used.
func (s *Server) session(ctx context.Context, scope state.Scope) (state.Session, error) {
	got, err := s.memory.Sessions().Get(ctx, scope)
	if err == nil && got.ID == "" {
		err = state.Errorf(state.NotFound, "session "+scope.Session, "is not there")
	}
	return got, err
}

// onSession returns an operation on a session that answers with it.
func (s *Server) onSession(do func(context.Context, state.Scope) (state.Session, error)) func(context.Context, *SessionInput) (*body[state.Session], error) {
	return func(ctx context.Context, in *SessionInput) (*body[state.Session], error) {
		return answer(onScope(ctx, s, in.Whose, in.Session, do))
	}
}

// onScope does something with the memory that a request is about.
func onScope[T any](ctx context.Context, s *Server, w Whose, session string, do func(context.Context, state.Scope) (T, error)) (none T, err error) {
	scope, err := s.scope(ctx, w, session)
	if err != nil {
		return none, err
	}
	return do(ctx, scope)
}
