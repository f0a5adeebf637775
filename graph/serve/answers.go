package serve

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/mneme-graph/mneme/graph/serve/access"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/account"
)

func (s *Server) addAnswers() {
	op := operation(http.MethodPost, "/api/v1/sessions/{session}/answers", "turns", "Answer what a turn asks a person, and go on with it")
	s.streams(&op)
	add(s, op, access.Write, func(ctx context.Context, in *struct {
		SessionInput
		Accept string `header:"Accept"`
		Last   string `header:"Last-Event-ID" maxLength:"300"`
		Body   struct {
			Answers map[string]AnswerRequest `json:"answers" minProperties:"1" maxProperties:"64" doc:"By the questions' ids"`
		}
	},
	) (*huma.StreamResponse, error) {
		scope, err := s.scope(ctx, in.Whose, in.Session)
		if err != nil {
			return nil, err
		}
		answers := map[string]state.Answer{}
		for id, a := range in.Body.Answers {
			answers[id] = state.Answer{Choice: a.Choice, Value: a.Value, Reason: a.Reason, By: cmp.Or(a.By, scope.User)}
		}
		asked, turn := s.answering(scope, answers)
		asked.accept, asked.last = in.Accept, in.Last
		return s.begin(ctx, scope, asked, turn)
	})

	op = operation(http.MethodPost, "/api/v1/sessions/{session}/resume", "turns", "Go on with a turn that was left unfinished")
	s.streams(&op)
	add(s, op, access.Write, func(ctx context.Context, in *struct {
		SessionInput
		Accept string `header:"Accept"`
	},
	) (*huma.StreamResponse, error) {
		scope, err := s.scope(ctx, in.Whose, in.Session)
		if err != nil {
			return nil, err
		}
		return s.begin(ctx, scope, asked{id: "$resume", accept: in.Accept}, func(ctx context.Context) events { return s.c.Graph.StreamResume(ctx, scope) })
	})

	add(s, operation(http.MethodPost, "/api/v1/sessions/{session}/cancel", "turns", "Stop the session's turn"), access.Write,
		func(ctx context.Context, in *SessionInput) (*body[TurnReply], error) {
			scope, err := s.scope(ctx, in.Whose, in.Session)
			if err != nil {
				return nil, err
			}
			reply, err := s.c.Graph.Cancel(ctx, scope)
			if err != nil && reply.Turn == "" {
				return nil, err
			}
			return &body[TurnReply]{*replyOf(scope.Session, reply)}, nil
		})

	add(s, operation(http.MethodGet, "/api/v1/questions", "turns", "What waits for a person, in all sessions of the user"), access.Read,
		func(ctx context.Context, in *struct{ Whose }) (*body[page[Question]], error) {
			scope, err := s.scope(ctx, in.Whose, "")
			if err != nil {
				return nil, err
			}
			return list(s.questions(ctx, scope))
		})
}

// answering goes on with a turn by answers.
func (s *Server) answering(scope state.Scope, answers map[string]state.Answer) (asked, turnOf) {
	ids := strings.Join(slices.Sorted(maps.Keys(answers)), " ")
	return asked{id: "$answer-" + account.Sum(ids), says: fmt.Sprint(answers)}, func(ctx context.Context) events { return s.c.Graph.StreamAnswer(ctx, scope, answers) }
}

// AnswerRequest is what a person says to a question.
type AnswerRequest struct {
	Choice state.Choice `json:"choice" enum:"approve,edit,reject,suggest"`
	Value  string       `json:"value,omitempty" maxLength:"1048576" doc:"With edit: the arguments to run with, JSON; of a question about no call the text"`
	Reason string       `json:"reason,omitempty" maxLength:"4000"`
	By     string       `json:"by,omitempty" maxLength:"256" doc:"Who answers; default the user"`
}

// questions returns what all sessions of a user wait for.
func (s *Server) questions(ctx context.Context, scope state.Scope) ([]Question, error) {
	sessions, err := s.memory.Sessions().List(ctx, scope)
	if err != nil {
		return nil, err
	}
	out := []Question{}
	for _, session := range sessions {
		scope.Session = session.ID
		asks, err := s.c.Graph.Waits(ctx, scope)
		if err != nil {
			return nil, err
		}
		for _, a := range asks {
			q := questionOf(a)
			q.Session = session.ID
			out = append(out, q)
		}
	}
	return out, nil
}
