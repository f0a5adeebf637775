package serve

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/serve/access"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/account"
)

// TurnRequest is a message of a user, and how it is to be answered.
type TurnRequest struct {
	Message     string             `json:"message" minLength:"1" maxLength:"4194304" doc:"What the user says" example:"I ordered brake pads, order number 07-14244-53150."`
	Session     string             `json:"session_id,omitempty" maxLength:"128" doc:"The conversation; empty = a new one, which the answer names"`
	User        string             `json:"user_id,omitempty" maxLength:"128" doc:"Whose memory; as X-Mneme-User"`
	MessageID   string             `json:"message_id,omitempty" maxLength:"128" doc:"Makes sending it again safe: the same id in the session is the same turn. As Idempotency-Key; empty = a new one"`
	Agent       string             `json:"agent,omitempty" maxLength:"128"`
	Project     string             `json:"project_id,omitempty" maxLength:"128"`
	Speaker     string             `json:"speaker,omitempty" maxLength:"256"`
	Attachments []state.Attachment `json:"attachments,omitempty" maxItems:"64"`
	Metadata    map[string]string  `json:"metadata,omitempty" doc:"Kept with the message, not shown to the model"`

	Language        string                `json:"preferred_language,omitempty" maxLength:"35" doc:"BCP-47; und = that of the message"`
	Tone            state.Tone            `json:"tone,omitempty" enum:"concise,detailed,neutral"`
	StyleNotes      string                `json:"style_notes,omitempty" maxLength:"2000"`
	PreferenceScope state.PreferenceScope `json:"preference_scope,omitempty" enum:"session,global"`
	StoreKnowledge  *bool                 `json:"store_knowledge,omitempty" doc:"false: nothing of the exchange is learnt; true: extra_context is remembered too"`
	ExtraContext    state.ExtraContext    `json:"extra_context,omitzero"`

	DoubleTexting state.DoubleTexting `json:"double_texting,omitempty" enum:"reject,enqueue,interrupt,rollback" doc:"When the session is busy; default the setting"`
}

// Decision is what the message does: goes on, turns to another affair, asks aside, or opens an affair.
type Decision struct {
	Type       state.Kind `json:"type" enum:"CONTINUE,SWITCH,AD_HOC,NEW_AFFAIR"`
	Affair     string     `json:"affair_id,omitempty"`
	Title      string     `json:"title,omitempty"`
	Confidence float64    `json:"confidence"`
	Reasoning  string     `json:"reasoning,omitempty"`
	By         string     `json:"by,omitempty"`
	Closes     string     `json:"closes,omitempty" doc:"The affair that the message settles"`
}

func decisionOf(d state.Decision) Decision {
	return Decision{d.Kind, d.AffairID, d.Title, d.Confidence, d.Reasoning, d.By, d.Closes}
}

// Question is what a person is asked before the turn goes on.
type Question struct {
	ID        string         `json:"id"`
	Text      string         `json:"text"`
	Tool      string         `json:"tool,omitempty"`
	Arguments string         `json:"arguments,omitempty" doc:"Of the tool's call, JSON"`
	Choices   []state.Choice `json:"choices,omitempty"`
	Session   string         `json:"session_id,omitempty"`
}

func questionOf(a checkpoint.Ask) Question {
	return Question{ID: a.ID, Text: a.Question.Text, Tool: a.Question.Tool, Arguments: a.Question.Arguments, Choices: a.Question.Choices}
}

// AffairHead is an affair by its name.
type AffairHead struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

// TurnReply is what a turn came to.
type TurnReply struct {
	Turn     string          `json:"turn_id"`
	Session  string          `json:"session_id"`
	Reply    string          `json:"reply" doc:"Empty while the turn waits for a person"`
	Cut      bool            `json:"cut,omitempty" doc:"The turn ended before the reply was complete"`
	Decision Decision        `json:"decision"`
	Active   *AffairHead     `json:"active,omitempty" doc:"The affair that is active behind the turn; left out if there is none"`
	Parked   []AffairHead    `json:"parked" doc:"Last touched first"`
	Waits    []Question      `json:"waits" doc:"What a person has to answer: POST /api/v1/sessions/{session_id}/answers"`
	Tools    []graph.ToolUse `json:"tools"`
	Did      state.Did       `json:"memory" doc:"What the turn did to memory"`
	Usage    state.Usage     `json:"usage"`
}

func replyOf(session string, r graph.Reply) *TurnReply {
	out := &TurnReply{
		Turn: r.Turn, Session: session, Reply: r.Text, Cut: r.Cut, Decision: decisionOf(r.Decision), Parked: []AffairHead{}, Waits: []Question{}, Tools: r.Tools,
		Did: r.Memory, Usage: r.Usage,
	}
	if r.Active != nil {
		out.Active = &AffairHead{r.Active.ID, r.Active.Title}
	}
	for _, a := range r.Parked {
		out.Parked = append(out.Parked, AffairHead{a.ID, a.Title})
	}
	for _, w := range r.Waits {
		out.Waits = append(out.Waits, questionOf(w))
	}
	if out.Tools == nil {
		out.Tools = []graph.ToolUse{}
	}
	return out
}

// events are those of a turn.
type events = iter.Seq2[graph.Event, error]

// turnInput is a message with what its headers say.
type turnInput struct {
	Whose
	Accept string `header:"Accept"`
	Key    string `header:"Idempotency-Key" maxLength:"128" doc:"As message_id"`
	Last   string `header:"Last-Event-ID" maxLength:"300" doc:"With text/event-stream: the last event that was seen; the stream goes on behind it"`
	Body   TurnRequest
}

// SessionInput is a session by its address.
type SessionInput struct {
	Whose
	Session string `path:"session" maxLength:"128"`
}

// TurnAt is a turn by its address.
type TurnAt struct {
	SessionInput
	Turn string `path:"turn" maxLength:"128"`
}

func (s *Server) addTurns() {
	for _, path := range []string{"/api/v1/turns", "/api/v1/tasks"} {
		op := operation(http.MethodPost, path, "turns", "Say something and get the answer")
		op.Description = "As JSON, or with Accept: text/event-stream as events that are numbered, the last of which is run.end. A client that lost its line sends the same message_id again, " +
			"with Last-Event-ID to go on behind the last event it saw. The turn goes on without its client."
		op.MaxBodyBytes = s.c.Limits.Body
		s.streams(&op)
		add(s, op, access.Write, s.postTurn)
	}

	add(s, operation(http.MethodGet, "/api/v1/sessions/{session}/turns/{turn}", "turns", "Why a turn was answered as it was"), access.Read,
		func(ctx context.Context, in *TurnAt) (*body[graph.Account], error) {
			scope, err := s.scope(ctx, in.Whose, in.Session)
			if err != nil {
				return nil, err
			}
			return answer(s.c.Graph.Explain(ctx, scope, in.Turn))
		})

	s.addFollowing()
	s.addAnswers()
}

func (s *Server) addFollowing() {
	op := operation(http.MethodGet, "/api/v1/sessions/{session}/turns/{turn}/events", "turns", "Follow a turn, or read its events again")
	op.Description = "Of a turn that is at work here, or ended a moment ago, all events; of another one its end alone."
	s.streams(&op)
	add(s, op, access.Read, func(ctx context.Context, in *struct {
		TurnAt
		Last string `header:"Last-Event-ID" maxLength:"300"`
	},
	) (*huma.StreamResponse, error) {
		scope, err := s.scope(ctx, in.Whose, in.Session)
		if err != nil {
			return nil, err
		}
		n := s.runs.find(scope, in.Turn)
		if n == nil {
			seen := lastSeen(in.Turn, in.Last)
			n = &run{session: scope.Session, id: in.Turn, first: seen, wake: make(chan struct{})}
			for e, err := range s.c.Graph.Follow(ctx, scope, in.Turn) {
				if err != nil && e.Reply == nil {
					return nil, err
				}
				n.add(e, err)
			}
		}
		leave, err := s.guard.stream(keyFrom(ctx).ID)
		if err != nil {
			return nil, err
		}
		return s.stream(n, lastSeen(n.id, in.Last), leave), nil
	})
}

// postTurn runs a turn, or takes up one that is at work.
func (s *Server) postTurn(ctx context.Context, in *turnInput) (*huma.StreamResponse, error) {
	b := in.Body
	in.Whose.UserBody = b.User
	scope, err := s.scope(ctx, in.Whose, cmp.Or(b.Session, s.c.NewID()))
	if err != nil {
		return nil, err
	}
	if b.MessageID != "" && in.Key != "" && b.MessageID != in.Key {
		return nil, state.Errorf(state.Invalid, "message_id", "is not what Idempotency-Key says; give one of them")
	}
	scope.Agent, scope.Project = b.Agent, b.Project
	req := graph.Request{
		Scope: scope, Text: b.Message, MessageID: cmp.Or(b.MessageID, in.Key, s.c.NewID()), Speaker: b.Speaker, Attachments: b.Attachments, Metadata: b.Metadata,
		PreferredLanguage: b.Language, Tone: b.Tone, StyleNotes: b.StyleNotes, PreferenceScope: b.PreferenceScope, StoreKnowledge: b.StoreKnowledge,
		ExtraContext: b.ExtraContext, DoubleTexting: b.DoubleTexting,
	}
	asked := asked{id: req.MessageID, says: fmt.Sprint(b.Message, b.Attachments), accept: in.Accept, last: in.Last}
	return s.begin(ctx, scope, asked, s.streamOf(req))
}

// turnOf runs a turn under the server's context.
type turnOf func(context.Context) events

// streamOf runs what a message begins.
func (s *Server) streamOf(req graph.Request) turnOf {
	return func(ctx context.Context) events { return s.c.Graph.Stream(ctx, req) }
}

// asked is what a client wants of a turn, and how he wants to hear of it.
type asked struct {
	id           string // of the message; what is none has a "$" before it, which no message's has
	says         string // by which another message under the id is told
	accept, last string // headers: JSON or events, and behind which
}

// begin has a turn run and answers with its end as JSON, or with its events, as the client asks.
func (s *Server) begin(ctx context.Context, scope state.Scope, a asked, turn turnOf) (*huma.StreamResponse, error) {
	if !wantsStream(a.accept) {
		n, err := s.join(ctx, scope, a, turn)
		if err != nil {
			return nil, err
		}
		reply, err := n.end(ctx)
		if err != nil && !wasCut(&reply, err) {
			return nil, err
		}
		return writeJSON(replyOf(n.session, reply)), nil
	}

	// Whoever gets no stream has begun no turn.
	leave, err := s.guard.stream(keyFrom(ctx).ID)
	if err != nil {
		return nil, err
	}
	n, err := s.join(ctx, scope, a, turn)
	if err != nil {
		leave()
		return nil, err
	}
	return s.stream(n, lastSeen(n.id, a.last), leave), nil
}

// join has a turn run under the server's context, unless it is at work here: then it is that one.
func (s *Server) join(ctx context.Context, scope state.Scope, a asked, turn turnOf) (*run, error) {
	n, sum := s.runs.find(scope, a.id), account.Sum(a.says)
	switch {
	case n == nil || a.last == "" && !n.atWork(): // where it has ended, the log knows its end
	case n.sum != sum:
		return nil, state.Errorf(state.Conflict, "message "+a.id, "was another one; give each message an id of its own")
	default:
		return n, nil
	}
	work, leave, err := s.guard.begin(context.WithValue(s.base, idKey{}, requestID(ctx)), keyFrom(ctx))
	if err != nil {
		return nil, err
	}
	fresh := &run{session: scope.Session, id: a.id, sum: sum, first: lastSeen(a.id, a.last), wake: make(chan struct{})}
	return s.runs.start(runKey(scope, a.id), fresh, s.guard.counted(keyFrom(ctx), turn(work)), func() {
		leave()
		s.nudgeHooks()
		if _, err := fresh.came(); err != nil {
			s.noteFailure(work, "turn "+a.id, err)
		}
	}), nil
}

// streams says of an operation that it answers with JSON or with events.
func (s *Server) streams(op *huma.Operation) {
	registry := s.api.OpenAPI().Components.Schemas
	schema := func(v any) *huma.Schema { return registry.Schema(reflect.TypeOf(v), true, "") }
	op.Responses = map[string]*huma.Response{"200": {Description: "The turn's end, or its events", Content: map[string]*huma.MediaType{
		"application/json": {Schema: schema(TurnReply{})}, "text/event-stream": {Schema: &huma.Schema{Type: huma.TypeString, Description: "Events with id, event and data; data is a TurnEvent"}},
	}}}
	schema(TurnEvent{})
}

// writeJSON answers with a body that no operation's type says.
func writeJSON(v any) *huma.StreamResponse {
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		_, w := humago.Unwrap(hc)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusOK)
		_ = json.NewEncoder(w).Encode(v) // the reader may be gone
	}}
}
