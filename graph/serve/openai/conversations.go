package openai

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/tools"
)

// list is one of OpenAI's.
type list[T any] struct {
	Object string `json:"object"`
	Data   []T    `json:"data"`
}

// pageOf is a part of a list.
type pageOf[T any] struct {
	list[T]
	First   *string `json:"first_id"`
	Last    *string `json:"last_id"`
	HasMore bool    `json:"has_more"`
}

// conversation answers GET /v1/conversations/{id}: it is a session.
func (f *Face) conversation(w http.ResponseWriter, r *http.Request, c Caller) error {
	said, scope, err := f.said(r, c)
	if err != nil {
		return err
	}
	s, err := f.c.Graph.Memory().Sessions().Get(r.Context(), scope)
	if err != nil {
		return err
	}
	at := s.StartedAt
	if at.IsZero() {
		at = said[0].At
	}
	return writeJSON(w, map[string]any{"id": scope.Session, "object": "conversation", "created_at": at.Unix(), "metadata": map[string]string{}})
}

// said returns the messages of the session that a request names. A session without any is not there.
func (f *Face) said(r *http.Request, c Caller) (said []state.Message, scope state.Scope, err error) {
	id := r.PathValue("id")
	if scope, err = f.reader(c, id); err != nil {
		return nil, scope, err
	}
	said, err = f.c.Graph.Memory().Messages(r.Context(), scope)
	if err == nil && len(said) == 0 {
		err = &fieldError{"conversation_id", "not_found", state.Errorf(state.NotFound, "conversation "+id, "is not there")}
	}
	return said, scope, err
}

// items answers GET /v1/conversations/{id}/items.
func (f *Face) items(w http.ResponseWriter, r *http.Request, c Caller) error {
	said, _, err := f.said(r, c)
	if err != nil {
		return err
	}
	all := itemsOf(said)
	query := r.URL.Query()
	switch query.Get("order") {
	case "", "desc":
		slices.Reverse(all)
	case "asc":
	default:
		return refuse("order", "is none of asc and desc")
	}
	limit := 20
	if text := query.Get("limit"); text != "" {
		const most = 100
		if limit, err = strconv.Atoi(text); err != nil || limit < 1 || limit > most {
			return refuse("limit", "is not between 1 and %d", most)
		}
	}
	if after := query.Get("after"); after != "" {
		at := slices.IndexFunc(all, func(item outputItem) bool { return item.ID == after })
		if at < 0 {
			return refuse("after", "is no item of this conversation")
		}
		all = all[at+1:]
	}
	out := pageOf[outputItem]{list: list[outputItem]{"list", all[:min(len(all), limit)]}, HasMore: len(all) > limit}
	if n := len(out.Data); n > 0 {
		out.First, out.Last = &out.Data[0].ID, &out.Data[n-1].ID
	}
	return writeJSON(w, out)
}

// itemsOf are messages as items, without what the memory's own tools were asked.
func itemsOf(said []state.Message) []outputItem {
	out, asked := []outputItem{}, ""
	for _, m := range said {
		if len(m.ToolCalls) > 0 {
			asked = fmt.Sprint(m.Seq, "/")
		}
		switch {
		case m.Undone || m.Role == state.RoleTool && tools.BuiltIn(m.ToolName):
		case m.Role == state.RoleTool:
			text := m.Text
			out = append(out, outputItem{ID: fmt.Sprint("fco_", m.Seq), Type: "function_call_output", Status: "completed", Call: nameCall(asked + m.ToolCallID), Output: &text})
		default:
			if m.Text != "" || len(m.Parts) > 0 {
				out = append(out, messageItem(m))
			}
			for i, call := range m.ToolCalls {
				if !tools.BuiltIn(call.Name) {
					arguments := call.Arguments
					out = append(out, outputItem{ID: fmt.Sprintf("fc_%d_%d", m.Seq, i), Type: "function_call", Status: "completed", Call: nameCall(asked + call.ID), Name: call.Name, Arguments: &arguments})
				}
			}
		}
	}
	return out
}

func messageItem(m state.Message) outputItem {
	item := outputItem{ID: fmt.Sprint("msg_", m.Seq), Type: "message", Status: "completed", Role: string(m.Role)}
	text := textPart(m.Text)
	if m.Role != state.RoleAssistant {
		item.Role, text.Type = string(state.RoleUser), "input_text"
	}
	item.Content = []outputPart{text}
	for _, p := range m.Parts {
		if p.Type == "image_url" {
			item.Content = append(item.Content, outputPart{Type: "input_image", ImageURL: p.URL, Annotations: []any{}})
		}
	}
	return item
}
