package serve

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/serve/access"
	"github.com/mneme-graph/mneme/graph/serve/openai"
	"github.com/mneme-graph/mneme/state"
)

// aguiPath is where user interfaces that speak the Agent-User Interaction Protocol (AG-UI) run turns.
const aguiPath = "/ag-ui"

// aguiInput is what of RunAgentInput counts here: whose turn, what the user says last, what he answers.
type aguiInput struct {
	Thread   string            `json:"threadId"`
	Run      string            `json:"runId"`
	Messages []json.RawMessage `json:"messages"`
	Context  []struct {
		Description string `json:"description"`
		Value       string `json:"value"`
	} `json:"context"`
	Resume []aguiResume `json:"resume"`
}

// aguiResume answers a question that a former run ended with.
type aguiResume struct {
	Interrupt string          `json:"interruptId"`
	Status    string          `json:"status"`
	Payload   json.RawMessage `json:"payload"`
}

// addAGUI runs turns for user interfaces that speak AG-UI. What bounds other turns bounds these.
func (s *Server) addAGUI(mux *http.ServeMux) {
	mux.HandleFunc("POST "+aguiPath, func(w http.ResponseWriter, r *http.Request) {
		noted(r.Context()).Route = aguiPath
		if err := s.serveAGUI(w, r); err != nil {
			s.noteFailure(r.Context(), aguiPath, err)
			p := problemOf(err)
			p.ID = requestID(r.Context())
			writeProblem(w, p)
		}
	})
}

// serveAGUI runs a turn, or goes on with one, and streams its events. An error is one from before the first event.
func (s *Server) serveAGUI(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	if err := may(ctx, access.Write); err != nil {
		return err
	}
	var in aguiInput
	raw, err := io.ReadAll(r.Body)
	if err == nil {
		err = readJSON(raw, &in)
	}
	if err != nil {
		return state.Errorf(state.Invalid, "body", "is no RunAgentInput as JSON: %w", err)
	}
	if in.Thread == "" || in.Run == "" {
		return state.Errorf(state.Invalid, "body", "needs threadId, which is the session, and runId")
	}
	if err = state.ValidateID("run", in.Run); err != nil {
		return err
	}
	scope, err := s.scope(ctx, Whose{UserHeader: r.Header.Get("X-Mneme-User"), UserQuery: r.URL.Query().Get("user_id")}, in.Thread)
	if err != nil {
		return err
	}
	a, turn, shown, err := s.aguiTurn(scope, in)
	if err != nil {
		return err
	}
	leave, err := s.guard.stream(keyFrom(ctx).ID)
	if err != nil {
		return err
	}
	defer leave()
	n, err := s.join(ctx, scope, a, turn)
	if err != nil {
		return err
	}

	// From here on what goes wrong is told as RUN_ERROR.
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.Header().Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	told := &aguiRun{in: in, shown: shown}
	s.follow(ctx, w, n, 0, func(_ int64, e runEvent) error {
		var of TurnEvent
		if err := json.Unmarshal(e.data, &of); err != nil {
			return err
		}
		for _, out := range told.take(of) {
			data, err := json.Marshal(out)
			if err == nil {
				_, err = fmt.Fprintf(w, "data: %s\n\n", data)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	return nil
}

// aguiTurn returns what a run is to do, and how many of the client's messages stand before it: answer what was asked, or take the user's last message. Of a history that is
// sent along nothing else is taken.
func (s *Server) aguiTurn(scope state.Scope, in aguiInput) (a asked, turn turnOf, shown int, err error) {
	if len(in.Resume) > 0 {
		answers := map[string]state.Answer{}
		for _, x := range in.Resume {
			if err = state.ValidateID("interrupt", graph.Question{ID: x.Interrupt}.Turn()); err == nil {
				answers[x.Interrupt], err = x.answer(scope.User)
			}
			if err != nil {
				return a, nil, 0, err
			}
		}
		a, turn = s.answering(scope, answers)
		return a, turn, len(in.Messages), nil
	}
	for i, raw := range slices.Backward(in.Messages) {
		var m struct {
			ID, Role, Name string
			Content        json.RawMessage
		}
		if json.Unmarshal(raw, &m) != nil {
			return a, nil, 0, state.Errorf(state.Invalid, "messages", "hold something that is no message")
		}
		if m.Role != "user" {
			continue
		}
		text, parts, err := openai.ReadContent("messages", m.Content)
		switch {
		case err != nil:
			return a, nil, 0, err
		case strings.TrimSpace(text) == "" && len(parts) == 0:
			return a, nil, 0, state.Errorf(state.Invalid, "messages", "the user's last one says nothing")
		}

		// A client may call its first message m1, as a session does those that come without an id.
		req := graph.Request{Scope: scope, Text: text, Parts: parts, MessageID: "agui-" + cmp.Or(m.ID, s.c.NewID()), Speaker: m.Name}
		if err := state.ValidateID("message", req.MessageID); err != nil {
			return a, nil, 0, err
		}
		for _, c := range in.Context {
			text := strings.TrimPrefix(c.Description+": "+c.Value, ": ")
			req.ExtraContext.Notes = append(req.ExtraContext.Notes, openai.NotesOf(text)...)
		}
		return asked{id: req.MessageID, says: fmt.Sprint(text, parts)}, s.streamOf(req), i + 1, nil
	}
	return a, nil, 0, state.Errorf(state.Invalid, "messages", "hold none of the user's")
}

// answer reads what a person says to a question: {"choice", "value", "reason"} as the API has it, {"approved": true} as interfaces tend to, true or false, or the text that was asked for.
func (x aguiResume) answer(user string) (state.Answer, error) {
	out := state.Answer{Choice: state.Approve, By: user}
	var yes bool
	var text string
	var own struct {
		Choice   state.Choice
		Approved *bool
		Value    json.RawMessage
		Reason   string
	}
	switch {
	case x.Status == "cancelled":
		out.Choice = state.Reject
	case x.Status != "resolved" || x.Interrupt == "":
		return out, state.Errorf(state.Invalid, "resume", "each entry has an interruptId and the status resolved or cancelled")
	case len(x.Payload) == 0 || string(x.Payload) == "null":
	case json.Unmarshal(x.Payload, &yes) == nil:
		own.Approved = &yes
	case json.Unmarshal(x.Payload, &text) == nil:
		if out.Choice = state.Choice(text); !slices.Contains([]state.Choice{state.Approve, state.Reject, state.Suggest}, out.Choice) {
			out.Choice, out.Value = state.Edit, text
		}
	case json.Unmarshal(x.Payload, &own) != nil:
		return out, state.Errorf(state.Invalid, "resume", "the payload of an entry is {\"choice\", \"value\", \"reason\"}, true, false or a text")
	}
	if own.Approved != nil && !*own.Approved {
		out.Choice = state.Reject
	}
	out.Choice, out.Reason = cmp.Or(own.Choice, out.Choice), own.Reason
	if len(own.Value) > 0 {
		out.Value = string(own.Value) // arguments, as JSON
		if json.Unmarshal(own.Value, &text) == nil {
			out.Value = text
		}
	}
	return out, nil
}
