package serve

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph/serve/access"
	"github.com/mneme-graph/mneme/memory/sessions"
	"github.com/mneme-graph/mneme/state"
)

// Step is one commit of a session's log.
type Step struct {
	Seq  int64     `json:"step"`
	Turn string    `json:"turn_id"`
	At   time.Time `json:"at"`
	Node string    `json:"source"`
	Next []string  `json:"next" doc:"What was still to do; empty = the turn was over"`
}

// FieldChange is a field of the turn's state that differs between two steps.
type FieldChange struct {
	Field  string `json:"field"`
	Before any    `json:"before"`
	After  any    `json:"after"`
}

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

	add(s, operation(http.MethodGet, "/api/v1/sessions/{session}/messages", "sessions", "What was said, oldest first"), access.Read,
		func(ctx context.Context, in *struct {
			SessionInput
			Paging
		},
		) (*body[page[state.Message]], error) {
			all, err := onScope(ctx, s, in.Whose, in.Session, s.memory.Messages)
			return paged(all, err, in.Paging, func(m state.Message) string { return state.SeqKey(m.Seq) })
		})

	s.addHistory()
}

func (s *Server) addHistory() {
	add(s, operation(http.MethodGet, "/api/v1/sessions/{session}/history", "sessions", "The steps of a session's log, newest first"), access.Read,
		func(ctx context.Context, in *struct {
			SessionInput
			Limit  int   `query:"limit" minimum:"1" maximum:"500" default:"50"`
			Before int64 `query:"before" minimum:"0" doc:"Only steps before this one"`
		},
		) (*body[page[Step]], error) {
			return s.steps(ctx, in.SessionInput, checkpoint.Which{Limit: in.Limit, Before: in.Before})
		})
	add(s, operation(http.MethodGet, "/api/v1/sessions/{session}/diff", "sessions", "What changed between two steps"), access.Read,
		func(ctx context.Context, in *struct {
			SessionInput
			From int64 `query:"from" minimum:"0" required:"true"`
			To   int64 `query:"to" minimum:"0" required:"true"`
		},
		) (*body[page[FieldChange]], error) {
			return s.diff(ctx, in.SessionInput, in.From, in.To)
		})
	add(s, operation(http.MethodPost, "/api/v1/sessions/{session}/fork", "sessions", "Make a new session that stands where this one stood after a turn"), access.Write,
		func(ctx context.Context, in *struct {
			SessionInput
			Body struct {
				Turn string `json:"turn_id,omitempty" maxLength:"128" doc:"Empty = the last finished one"`
				To   string `json:"to" minLength:"1" maxLength:"128" doc:"The id of the new session"`
			}
		},
		) (*body[state.Session], error) {
			return s.onSession(func(ctx context.Context, scope state.Scope) (state.Session, error) {
				if err := s.c.Graph.Fork(ctx, scope, in.Body.Turn, in.Body.To); err != nil {
					return state.Session{}, err
				}
				scope.Session = in.Body.To
				return s.memory.Sessions().Get(ctx, scope)
			})(ctx, &in.SessionInput)
		})
	add(s, operation(http.MethodPost, "/api/v1/sessions/{session}/turns/{turn}/undo", "sessions", "Take back what a turn wrote"), access.Write,
		func(ctx context.Context, in *TurnAt) (*struct{}, error) {
			scope, err := s.scope(ctx, in.Whose, in.Session)
			if err != nil {
				return nil, err
			}
			said, err := s.memory.Messages(ctx, scope)
			if err == nil && !slices.ContainsFunc(said, func(m state.Message) bool { return m.Turn == in.Turn }) {
				err = state.Errorf(state.NotFound, "turn "+in.Turn, "is none of session %s", in.Session)
			}
			if err != nil {
				return nil, err
			}
			return nil, s.memory.History().UndoTurn(ctx, scope, in.Turn)
		})
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
		got, err := onScope(ctx, s, in.Whose, in.Session, do)
		return &body[state.Session]{got}, err
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

func (s *Server) steps(ctx context.Context, in SessionInput, which checkpoint.Which) (*body[page[Step]], error) {
	scope, err := s.scope(ctx, in.Whose, in.Session)
	if err != nil {
		return nil, err
	}
	found, err := s.c.Graph.History(ctx, scope, which)
	out := page[Step]{Items: []Step{}}
	for _, c := range found {
		out.Items = append(out.Items, Step{c.Seq, c.Turn, c.At, string(c.Source), append([]string{}, c.Next...)})
	}
	return &body[page[Step]]{out}, err
}

func (s *Server) diff(ctx context.Context, in SessionInput, from, to int64) (*body[page[FieldChange]], error) {
	scope, err := s.scope(ctx, in.Whose, in.Session)
	if err != nil {
		return nil, err
	}
	found, err := s.c.Graph.Diff(ctx, scope, from, to)
	out := page[FieldChange]{Items: []FieldChange{}}
	for _, c := range found {
		out.Items = append(out.Items, FieldChange{c.Field, plain(c.Before), plain(c.After)})
	}
	return &body[page[FieldChange]]{out}, err
}
