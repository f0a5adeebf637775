package openai

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/mneme-graph/mneme/state"
)

// responseRequest is the body of POST /v1/responses.
type responseRequest struct {
	common
	sampling
	Instructions *string           `json:"instructions"`
	Input        json.RawMessage   `json:"input"`
	Previous     *string           `json:"previous_response_id"`
	Tools        []json.RawMessage `json:"tools"`
	Text         struct {
		Format json.RawMessage `json:"format"`
	} `json:"text"`
}

// inputItem is one of an input, or of an output that the client sends back.
type inputItem struct {
	ID      string          `json:"id"`
	Type    string          `json:"type"`
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
	Call    string          `json:"call_id"`
	Name    string          `json:"name"`
	Output  json.RawMessage `json:"output"`
}

// readResponse reads the body of a response that is asked for. Whatever is wrong with it is state.ErrInvalid and names the field.
func readResponse(raw []byte) (responseRequest, talk, error) {
	var req responseRequest
	var t talk
	fields, err := decode(raw, &req)
	if err != nil {
		return req, t, err
	}
	if err := refuseGiven(fields, "background", "prompt", "top_logprobs", "max_tool_calls", "context_management"); err != nil {
		return req, t, err
	}
	if err := t.addFormat("text.format", req.Text.Format); err != nil {
		return req, t, err
	}
	if req.Instructions != nil {
		t.systems = append(t.systems, *req.Instructions)
	}
	if err := t.addInput(req.Input); err != nil {
		return req, t, err
	}
	for _, one := range req.Tools {
		if err := t.addFlatTool(one); err != nil {
			return req, t, err
		}
	}
	if err := req.common.take(&t); err != nil {
		return req, t, err
	}
	if err := req.sampling.take(&t); err != nil {
		return req, t, err
	}
	previous := t.refers
	if previous == "" && req.Previous != nil {
		previous = *req.Previous
	}
	if previous != "" {
		session, turn, ok := readResponseID(previous)
		switch {
		case !ok:
			return req, t, noResponse("previous_response_id", previous)
		case t.session != "" && t.session != session && t.refers == "":
			return req, t, refuse("previous_response_id", "is of another conversation than the one that is named; name one of them")
		}
		t.session, t.after = session, turn
	}
	return req, t, t.check("input")
}

// addFlatTool takes a tool in: here a function has no object of its own.
func (t *talk) addFlatTool(raw json.RawMessage) error {
	var f struct {
		Type string `json:"type"`
		function
	}
	if err := json.Unmarshal(raw, &f); err != nil || f.Type != "function" {
		return refuse("tools", "has one of type %.40q; there is function", f.Type)
	}
	return t.addTool(f.function)
}

// addInput takes the input in: a text of the user's, or items.
func (t *talk) addInput(raw json.RawMessage) error {
	var text string
	if json.Unmarshal(raw, &text) == nil && len(raw) > 0 && raw[0] == '"' {
		t.addUser(text, nil)
		return nil
	}
	var items []inputItem
	if err := json.Unmarshal(raw, &items); err != nil {
		return refuse("input", "is neither a text nor a list of items")
	}
	for i, item := range items {
		if err := t.addItem(fmt.Sprintf("input[%d]", i), item); err != nil {
			return err
		}
	}
	return nil
}

func (t *talk) addItem(field string, item inputItem) error {
	switch item.Type {
	case "message", "":
		return t.addChat(field, chatMessage{Role: item.Role, Content: item.Content})
	case "function_call":
		t.addAssistant("", []string{item.Name})
	case "function_call_output":
		text, _, err := ReadContent(field+".output", item.Output)
		if err != nil {
			return err
		}
		t.addResult(item.Call, text)
	case "item_reference":
		return t.refer(field, item.ID)
	case "reasoning": // of a model; it is nobody's words
	default:
		return refuse(field+".type", "is %.40q; there are message, function_call, function_call_output, item_reference and reasoning", item.Type)
	}
	return nil
}

// refer takes in an item of a response that the client names by its id alone. What it sent before stands there; results of calls in the same turn may come between.
func (t *talk) refer(field, id string) error {
	kind, rest, _ := strings.Cut(id, "_")
	response := "resp_" + rest[:max(0, strings.LastIndexByte(rest, '_'))]
	session, turn, ok := readResponseID(response)
	if !ok {
		return &fieldError{field + ".id", "not_found", state.Errorf(state.NotFound, fmt.Sprintf("item %.200s", id), "is not there; send what it says")}
	}
	if s, one, _ := readResponseID(t.refers); kind == "msg" || s != session || one != turn {
		t.exchanges = nil
	}
	t.refers = response
	return nil
}

// responseID names a response: its session, its turn, and which of the turn's answers it is.
func responseID(session, turn, part string) string {
	return "resp_" + base64.RawURLEncoding.EncodeToString([]byte(session+"\n"+turn+"\n"+part))
}

func readResponseID(id string) (session, turn string, ok bool) {
	rest, ok := strings.CutPrefix(id, "resp_")
	raw, err := base64.RawURLEncoding.DecodeString(rest)
	parts := strings.Split(string(raw), "\n")
	if !ok || err != nil || len(parts) != 3 {
		return "", "", false
	}
	return parts[0], parts[1], state.ValidateID("session", parts[0]) == nil && state.ValidateID("turn", parts[1]) == nil
}

func noResponse(field, id string) error {
	return &fieldError{field, "not_found", state.Errorf(state.NotFound, "response "+id[:min(len(id), 200)], "is not there")}
}

// response answers POST /v1/responses.
func (f *Face) response(w http.ResponseWriter, r *http.Request, c Caller) error {
	req, b, err := start(f, w, r, c, readResponse)
	if err != nil {
		return err
	}
	defer b.leave()
	head := newResponse(b, f.c.Now(), req)
	if req.Stream {
		return b.stream(w, r, c, &responseStream{head: head})
	}
	s, err := b.end(r.Context())
	if err != nil {
		return err
	}
	head.finish(s, s.text)
	return b.heard(writeJSON(w, head))
}

// getResponse answers GET /v1/responses/{id}.
func (f *Face) getResponse(w http.ResponseWriter, r *http.Request, c Caller) error {
	id := r.PathValue("id")
	session, turn, ok := readResponseID(id)
	if !ok {
		return noResponse("response_id", id)
	}
	scope, err := f.reader(c, session)
	if err != nil {
		return err
	}
	b := &begun{scope: scope, id: turn}
	for e, err := range f.c.Graph.Follow(r.Context(), scope, turn) {
		switch {
		case err != nil && state.CodeOf(err) == state.NotFound:
			return noResponse("response_id", id)
		case err != nil && (e.Reply == nil || !wasCut(e.Reply, err)):
			return err
		case e.Name == state.RunEnd && e.Reply != nil:
			s := b.saidOf(*e.Reply)
			head := newResponse(b, e.Reply.Message.At, responseRequest{common: common{Model: Default}})
			head.ID = id
			head.finish(s, s.text)
			return writeJSON(w, head)
		}
	}
	return noResponse("response_id", id)
}

// reader returns the scope of somebody who only reads.
func (f *Face) reader(c Caller, session string) (state.Scope, error) {
	if err := c.May(false); err != nil {
		return state.Scope{}, err
	}
	return c.Scope("", session)
}
