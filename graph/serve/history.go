package serve

import (
	"context"
	"net/http"
	"slices"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/graph/serve/access"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/field"
)

// Step is one commit of a session's log.
type Step struct {
	Seq  int64     `json:"step"`
	Turn string    `json:"turn_id"`
	At   time.Time `json:"at"`
	Node string    `json:"source"`
	Next []string  `json:"next" doc:"What was still to do; empty = the turn was over"`
}

// StateAt is the state of a turn as it was after one step.
type StateAt struct {
	Step
	Waits []Question     `json:"waits" doc:"What a person had not answered yet"`
	State map[string]any `json:"state" doc:"By field, as it is stored; what is empty is left out"`
}

// FieldChange is a field of the turn's state that differs between two steps.
type FieldChange struct {
	Field  string `json:"field"`
	Before any    `json:"before"`
	After  any    `json:"after"`
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
	op := operation(http.MethodGet, "/api/v1/sessions/{session}/state", "sessions", "The state of a turn as it was after a step")
	op.Description = "Field by field as the log keeps it: texts are in the messages. A step is named as the history has it; of one that is not there, or was deleted with its turn, it is 404."
	add(s, op, access.Read, s.stateAt)
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

func (s *Server) steps(ctx context.Context, in SessionInput, which checkpoint.Which) (*body[page[Step]], error) {
	scope, err := s.scope(ctx, in.Whose, in.Session)
	if err != nil {
		return nil, err
	}
	found, err := s.c.Graph.History(ctx, scope, which)
	out := page[Step]{Items: []Step{}}
	for _, c := range found {
		out.Items = append(out.Items, stepOf(c))
	}
	return &body[page[Step]]{out}, err
}

func stepOf(c flow.Checkpoint) Step {
	return Step{c.Seq, c.Turn, c.At, string(c.Source), append([]string{}, c.Next...)}
}

func (s *Server) stateAt(ctx context.Context, in *struct {
	SessionInput
	Step int64 `query:"step" minimum:"0" doc:"Its number in the history; 0 = the last"`
},
) (*body[StateAt], error) {
	return onScope(ctx, s, in.Whose, in.Session, func(ctx context.Context, scope state.Scope) (*body[StateAt], error) {
		was, err := s.c.Graph.State(ctx, scope, in.Step)
		if err == nil && was.Seq == 0 {
			err = state.Errorf(state.NotFound, "session "+scope.Session, "is not there")
		}
		if err != nil {
			return nil, err
		}
		fields, err := field.Whole(was.State.Fields())
		if err != nil {
			return nil, err
		}
		out := StateAt{Step: stepOf(was.Checkpoint), Waits: []Question{}, State: map[string]any{}}
		for _, f := range fields {
			if v, ok := f.Value.(bson.RawValue); ok {
				out.State[f.Key] = plain(v)
			}
		}
		for _, w := range was.Waits {
			out.Waits = append(out.Waits, questionOf(w))
		}
		return &body[StateAt]{out}, nil
	})
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
