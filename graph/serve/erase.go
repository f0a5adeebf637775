package serve

import (
	"context"
	"net/http"
	"strings"

	"github.com/mneme-graph/mneme/graph/serve/access"
	"github.com/mneme-graph/mneme/memory/forget"
	"github.com/mneme-graph/mneme/state"
)

// Erased is the receipt of an erasure: of each layer how much went, and what a probe found afterwards.
type Erased struct {
	state.Order
	Counts map[string]int `json:"counts" doc:"How much went, by layer"`
	Left   int            `json:"left" doc:"What a probe still found; 0 = nothing"`
}

// EraseRequest says what is to be erased. One of its fields but include_pinned and dry_run is set.
type EraseRequest struct {
	Record string `json:"record_id,omitempty" maxLength:"128"`
	Topic  string `json:"topic,omitempty" maxLength:"1000" doc:"Sentences and records that have all telling words of it"`
	Affair string `json:"affair_id,omitempty" maxLength:"300"`
	User   bool   `json:"user,omitempty" doc:"Everything of the user"`
	Client bool   `json:"client,omitempty" doc:"Everything of all users of the client; needs the role admin"`
	Pinned bool   `json:"include_pinned,omitempty"`
	Try    bool   `json:"dry_run,omitempty" doc:"Nothing is erased: the receipt counts what would be"`
}

func erased(o state.Order, err error) (*body[Erased], error) {
	if err != nil {
		return nil, err
	}
	out := Erased{Order: o, Counts: map[string]int{}}
	for _, l := range o.Layers {
		out.Counts[l.Name] = l.Count
		out.Left += l.Left
	}
	return &body[Erased]{out}, nil
}

// PinnedToo says whether what is pinned goes as well.
type PinnedToo struct {
	Pinned bool `query:"include_pinned" doc:"What a person has pinned goes too"`
	Try    bool `query:"dry_run" doc:"Nothing is erased: the receipt counts what would be"`
}

func (s *Server) addErasing() {
	addErase(s, "/api/v1/memory/session/{session}", "Clear the memory of a session: its messages, summary and what only they say", func(in *struct {
		SessionInput
		PinnedToo
	},
	) (Whose, string, PinnedToo, forget.What) {
		return in.Whose, in.Session, in.PinnedToo, forget.What{Clear: forget.ClearSession}
	})
	addErase(s, "/api/v1/memory/global", "Clear what is known of the user in all sessions: facts and preferences", func(in *struct {
		Whose
		PinnedToo
	},
	) (Whose, string, PinnedToo, forget.What) {
		return in.Whose, "", in.PinnedToo, forget.What{Clear: forget.ClearGlobal}
	})
	addErase(s, "/api/v1/records/{record}", "Erase a record for good, and each sentence that says the same", func(in *struct {
		RecordInput
		PinnedToo
	},
	) (Whose, string, PinnedToo, forget.What) {
		return in.Whose, "", in.PinnedToo, forget.What{Record: in.ID}
	})
	addErase(s, "/api/v1/sessions/{session}", "Erase a session: all that was said in it and learnt from it", func(in *struct {
		SessionInput
		PinnedToo
	},
	) (Whose, string, PinnedToo, forget.What) {
		return in.Whose, in.Session, in.PinnedToo, forget.What{Session: in.Session}
	})
	s.addForget()
	s.addErasures()
}

// addErase adds an operation that erases what its address names. A session that is named has to be there.
func addErase[I any](s *Server, path, says string, of func(*I) (w Whose, session string, p PinnedToo, what forget.What)) {
	add(s, operation(http.MethodDelete, path, "erasing", says), access.Write, func(ctx context.Context, in *I) (*body[Erased], error) {
		w, session, p, what := of(in)
		what.Pinned, what.Try = p.Pinned, p.Try
		return erased(onScope(ctx, s, w, session, func(ctx context.Context, scope state.Scope) (state.Order, error) {
			if session != "" {
				if _, err := s.session(ctx, scope); err != nil {
					return state.Order{}, err
				}
			}
			return s.memory.Forget().Erase(ctx, scope, what)
		}))
	})
}

func (s *Server) addForget() {
	add(s, operation(http.MethodPost, "/api/v1/memory/forget", "erasing", "Erase for good, with a receipt"), access.Write,
		func(ctx context.Context, in *struct {
			Whose
			Body EraseRequest
		},
		) (*body[Erased], error) {
			b := in.Body
			if b == (EraseRequest{Pinned: b.Pinned, Try: b.Try}) {
				return nil, state.Errorf(state.Invalid, "forget", "what? Give record_id, topic, affair_id, user or client")
			}
			if b.Client {
				if err := may(ctx, access.Admin); err != nil {
					return nil, err
				}
			}
			return erased(onScope(ctx, s, in.Whose, "", func(ctx context.Context, scope state.Scope) (state.Order, error) {
				return s.memory.Forget().Erase(ctx, scope, forget.What{Record: b.Record, Topic: b.Topic, Affair: b.Affair, User: b.User, Client: b.Client, Pinned: b.Pinned, Try: b.Try})
			}))
		})
}

// splitList returns the parts of a list with commas.
func splitList(s string) (out []string) {
	for part := range strings.SplitSeq(s, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}
