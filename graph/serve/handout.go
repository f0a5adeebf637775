package serve

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/mneme-graph/mneme/graph/serve/access"
	"github.com/mneme-graph/mneme/graph/transcript"
	"github.com/mneme-graph/mneme/state"
)

// Exported is a session with what came of it.
type Exported struct {
	transcript.Transcript
	Decisions []TurnDecision `json:"decisions" doc:"Oldest first; none of turns whose log was pruned, or is another session's that this one was forked from"`
	Affairs   []state.Affair `json:"affairs" doc:"That its messages are filed under, as this session sees them"`
}

// TurnDecision is what a message was taken for.
type TurnDecision struct {
	Message string    `json:"message_id"`
	Turn    string    `json:"turn_id"`
	At      time.Time `json:"at" doc:"When the turn ended"`
	Decision
}

// Promoted is a session as a scenario.
type Promoted struct {
	Scenario string `json:"scenario" doc:"YAML, as mneme replay --format explains it"`
}

// addHandout adds what hands a whole session out.
func (s *Server) addHandout() {
	op := operation(http.MethodGet, "/api/v1/sessions/{session}/export", "sessions", "What was said in a session, what was decided, and the affairs it was about")
	op.Description = "What was forgotten has a mark in its place; what was taken back is left out."
	add(s, op, access.Read, func(ctx context.Context, in *SessionInput) (*body[Exported], error) {
		return onScope(ctx, s, in.Whose, in.Session, func(ctx context.Context, scope state.Scope) (*body[Exported], error) {
			whole, err := transcript.WholeOf(ctx, s.c.Graph, scope)
			if err != nil {
				return nil, err
			}
			out := Exported{Transcript: whole.Transcript, Decisions: []TurnDecision{}, Affairs: whole.Affairs}
			for _, d := range whole.Decisions {
				if at := slices.IndexFunc(whole.Affairs, func(a state.Affair) bool { return a.ID == d.AffairID }); at >= 0 {
					d.Title = whole.Affairs[at].Title
				}
				out.Decisions = append(out.Decisions, TurnDecision{d.Message, d.Turn, d.At, decisionOf(d.Decision)})
			}
			return &body[Exported]{out}, nil
		})
	})

	op = operation(http.MethodPost, "/api/v1/sessions/{session}/promote", "sessions", "A session as a scenario that mneme replay plays")
	op.Description = "It has the messages, the model's answers and what was decided, and is to be looked through and completed by a person. Nothing is kept of it here. " +
		"Attachments and answers to questions are not in it."
	add(s, op, access.Read, func(ctx context.Context, in *SessionInput) (*body[Promoted], error) {
		return onScope(ctx, s, in.Whose, in.Session, func(ctx context.Context, scope state.Scope) (*body[Promoted], error) {
			text, err := transcript.Scenario(ctx, s.c.Graph, scope)
			if err != nil {
				return nil, err
			}
			return &body[Promoted]{Promoted{string(text)}}, nil
		})
	})
}
