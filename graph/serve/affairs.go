package serve

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/graph/serve/access"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

// plain returns a stored value as JSON shows it.
func plain(v bson.RawValue) any {
	if v.IsZero() {
		return nil
	}
	var out any
	if v.Unmarshal(&out) != nil {
		return v.String()
	}
	if raw, err := bson.MarshalExtJSON(bson.D{{Key: "v", Value: out}}, false, false); err == nil {
		var as struct{ V any }
		if json.Unmarshal(raw, &as) == nil {
			return as.V
		}
	}
	return v.String()
}

// AffairInput is an affair by its address.
type AffairInput struct {
	Whose
	ID string `path:"affair" maxLength:"300" doc:"Its id; a title that only one has will do"`
}

// AffairEdit is what a person says of an affair. What is left out stays as it is.
type AffairEdit struct {
	Title     string            `json:"title,omitempty" maxLength:"200" pattern:"\\S" patternDescription:"a letter or sign"`
	Summary   *string           `json:"summary,omitempty" maxLength:"20000"`
	Status    state.Status      `json:"status,omitempty" enum:"ACTIVE,PARKED,RESOLVED,ARCHIVED"`
	Facts     map[string]string `json:"key_facts,omitempty" maxProperties:"200" doc:"Set label by label"`
	DropFacts []string          `json:"drop_facts,omitempty" maxItems:"200" doc:"Labels of facts that go"`
	Pending   *[]string         `json:"pending_actions,omitempty" doc:"All of them"`
	Topics    []string          `json:"topics,omitempty" maxItems:"100"`
	Session   string            `json:"session_id,omitempty" maxLength:"128" doc:"With status: the session in which it becomes active; default the one that it is active in"`
}

func (e AffairEdit) change() memory.AffairChange {
	var facts state.Facts
	for _, label := range slices.Sorted(maps.Keys(e.Facts)) {
		facts = facts.With(label, e.Facts[label])
	}
	return memory.AffairChange{Title: e.Title, Summary: e.Summary, Facts: facts, DropFacts: e.DropFacts, Pending: e.Pending, Topics: e.Topics}
}

// anAffair is an affair with what tells whether it has changed.
type anAffair struct {
	ETag string `header:"ETag"`
	Body state.Affair
}

// onAffair does something with affairs that comes to one, and answers with it as it is read from now on.
func (s *Server) onAffair(ctx context.Context, w Whose, session string, do func(context.Context, state.Scope) (state.Affair, error)) (*anAffair, error) {
	a, err := onScope(ctx, s, w, session, func(ctx context.Context, scope state.Scope) (state.Affair, error) {
		a, err := do(ctx, scope)
		if err != nil {
			return a, err
		}
		return s.memory.Affairs().Get(ctx, scope, a.ID)
	})
	if err != nil {
		return nil, err
	}
	a = seen(a)
	return &anAffair{etag(a), a}, nil
}

// seen returns an affair as who asks about no session sees it: one that is active in some session is active.
func seen(a state.Affair) state.Affair {
	if a.Session != "" && a.Status == state.Parked {
		a.Status = state.Active
	}
	return a
}

func (s *Server) addAffairs() {
	add(s, operation(http.MethodGet, "/api/v1/affairs", "affairs", "The user's affairs, last touched first"), access.Read, s.listAffairs)
	op := operation(http.MethodPost, "/api/v1/affairs", "affairs", "Open an affair by hand; it is PARKED")
	op.DefaultStatus = http.StatusCreated
	add(s, op, access.Write, func(ctx context.Context, in *struct {
		Whose
		Body AffairEdit
	},
	) (*anAffair, error) {
		if strings.TrimSpace(in.Body.Title) == "" {
			return nil, state.Errorf(state.Invalid, "affair", "needs a title")
		}
		return s.onAffair(ctx, in.Whose, "", func(ctx context.Context, scope state.Scope) (state.Affair, error) {
			return s.memory.Affairs().Create(ctx, scope, in.Body.Title, in.Body.change())
		})
	})
	add(s, operation(http.MethodGet, "/api/v1/affairs/{affair}", "affairs", "An affair"), access.Read, func(ctx context.Context, in *AffairInput) (*anAffair, error) {
		return s.onAffair(ctx, in.Whose, "", func(ctx context.Context, scope state.Scope) (state.Affair, error) {
			return s.memory.Affairs().Get(ctx, scope, in.ID)
		})
	})
	add(s, operation(http.MethodPut, "/api/v1/affairs/{affair}", "affairs", "Change an affair, or take it to another status"), access.Write, s.editAffair)
	add(s, operation(http.MethodDelete, "/api/v1/affairs/{affair}", "affairs", "Archive an affair; nothing is deleted"), access.Write,
		func(ctx context.Context, in *AffairInput) (*anAffair, error) {
			return s.onAffair(ctx, in.Whose, "", func(ctx context.Context, scope state.Scope) (state.Affair, error) {
				return s.archive(ctx, scope, in.ID)
			})
		})
	s.addWithinAffairs()
}

// addWithinAffairs adds what is done with all that is filed under an affair.
func (s *Server) addWithinAffairs() {
	add(s, operation(http.MethodGet, "/api/v1/affairs/{affair}/search", "affairs", "Search within an affair"), access.Read,
		func(ctx context.Context, in *struct {
			AffairInput
			Query string `query:"query" required:"true" minLength:"1" maxLength:"16000"`
			Limit int    `query:"limit" minimum:"1" maximum:"100" default:"10"`
		},
		) (*body[page[memory.Hit]], error) {
			return list(onScope(ctx, s, in.Whose, "", func(ctx context.Context, scope state.Scope) ([]memory.Hit, error) {
				a, err := s.memory.Affairs().Get(ctx, scope, in.ID)
				if err != nil {
					return nil, err
				}
				return s.memory.Recall(ctx, memory.Query{Scope: scope, Text: in.Query, In: memory.InCurrent, Affair: a.ID, Limit: in.Limit})
			}))
		})
	add(s, operation(http.MethodGet, "/api/v1/affairs/{affair}/dossier", "affairs", "Everything of an affair: records, pieces of documents among them, messages, links"), access.Read,
		func(ctx context.Context, in *struct {
			AffairInput
			Limit int `query:"limit" minimum:"1" maximum:"500" default:"50"`
			Skip  int `query:"skip" minimum:"0" maximum:"1000000"`
		},
		) (*body[memory.Dossier], error) {
			return answer(onScope(ctx, s, in.Whose, "", func(ctx context.Context, scope state.Scope) (memory.Dossier, error) {
				return s.memory.Affairs().Dossier(ctx, scope, in.ID, memory.Page{Limit: in.Limit, Skip: in.Skip})
			}))
		})
	add(s, operation(http.MethodPost, "/api/v1/affairs/{affair}/merge", "affairs", "Make one affair of two"), access.Write,
		func(ctx context.Context, in *struct {
			AffairInput
			Body struct {
				Into string `json:"into" minLength:"1" maxLength:"300" doc:"The affair that goes on"`
			}
		},
		) (*anAffair, error) {
			return s.onAffair(ctx, in.Whose, "", func(ctx context.Context, scope state.Scope) (state.Affair, error) {
				return s.memory.Affairs().Merge(ctx, scope, in.ID, in.Body.Into)
			})
		})
	add(s, operation(http.MethodPost, "/api/v1/affairs/{affair}/turns", "affairs", "Put a turn under this affair, where it was filed under another"), access.Write,
		func(ctx context.Context, in *struct {
			AffairInput
			Body struct {
				Session string `json:"session_id" minLength:"1" maxLength:"128"`
				Turn    string `json:"turn_id,omitempty" maxLength:"128" doc:"Empty = the last one"`
			}
		},
		) (*anAffair, error) {
			return s.onAffair(ctx, in.Whose, in.Body.Session, func(ctx context.Context, scope state.Scope) (state.Affair, error) {
				return s.memory.Affairs().PutTurn(ctx, scope, in.Body.Turn, in.ID)
			})
		})
}

// statuses returns those that a list asks for.
func statuses(asked string) ([]state.Status, error) {
	var out []state.Status
	for name := range strings.SplitSeq(asked, ",") {
		if name = strings.ToUpper(strings.TrimSpace(name)); name == "" {
			continue
		}
		if st := state.Status(name); slices.Contains([]state.Status{state.Active, state.Parked, state.Resolved, state.Archived}, st) {
			out = append(out, st)
			continue
		}
		return nil, state.Errorf(state.Invalid, "status", "one is unknown; it is ACTIVE, PARKED, RESOLVED or ARCHIVED, several with commas")
	}
	return out, nil
}

func (s *Server) listAffairs(ctx context.Context, in *struct {
	Whose
	Paging
	Status  string `query:"status" maxLength:"100" doc:"ACTIVE, PARKED, RESOLVED, ARCHIVED, several with commas; default all but ARCHIVED" example:"ACTIVE,PARKED"`
	Client  string `query:"client_id" maxLength:"128" doc:"As the key says; another one is denied"`
	Session string `query:"session_id" maxLength:"128" doc:"As this session sees them: ACTIVE is what is active in it"`
},
) (*body[page[*state.Affair]], error) {
	if err := s.ownClient(ctx, in.Client); err != nil {
		return nil, err
	}
	want, err := statuses(in.Status)
	if err != nil {
		return nil, err
	}
	all, err := onScope(ctx, s, in.Whose, in.Session, func(ctx context.Context, scope state.Scope) ([]*state.Affair, error) {
		return s.memory.Affairs().List(ctx, scope, slices.Contains(want, state.Archived))
	})
	all = slices.Clone(all)
	for i := range all {
		if in.Session == "" {
			a := seen(*all[i])
			all[i] = &a
		}
	}
	if len(want) > 0 {
		all = slices.DeleteFunc(all, func(a *state.Affair) bool { return !slices.Contains(want, a.Status) })
	}
	return paged(all, err, in.Paging, func(a *state.Affair) string { return a.ID })
}

// ownClient refuses a client that is named and is not the key's.
func (s *Server) ownClient(ctx context.Context, named string) error {
	if key := keyFrom(ctx); named != "" && named != key.Client {
		return state.Errorf(state.Denied, "client", "is not the one of the access key")
	}
	return nil
}

func (s *Server) editAffair(ctx context.Context, in *struct {
	AffairInput
	Match string `header:"If-Match" doc:"The ETag that was seen: an affair that has changed since is not edited"`
	Body  AffairEdit
},
) (*anAffair, error) {
	return s.onAffair(ctx, in.Whose, "", func(ctx context.Context, scope state.Scope) (a state.Affair, err error) {
		if a, err = s.memory.Affairs().Get(ctx, scope, in.ID); err != nil {
			return a, err
		}
		if in.Match != "" { // from comparing to editing nobody else compares here
			done, free := s.editing.begin(scope.Key(a.ID))
			if !free {
				return a, hasChanged()
			}
			defer done()
			if a, err = s.memory.Affairs().Get(ctx, scope, a.ID); err != nil {
				return a, err
			}
		}
		if err := matches(in.Match, etag(seen(a))); err != nil {
			return a, err
		}
		b := in.Body
		b.Session, b.Status = "", ""
		if raw, _ := json.Marshal(b); string(raw) != "{}" {
			if a, err = s.memory.Affairs().Edit(ctx, scope, a.ID, in.Body.change()); err != nil {
				return a, err
			}
		}
		if in.Body.Status == "" {
			return a, nil
		}
		if scope.Session = in.Body.Session; scope.Session == "" {
			scope.Session = a.Session
		}
		return s.memory.Affairs().Move(ctx, scope.Default(), a.ID, in.Body.Status, "")
	})
}

// archive takes an affair out of sight, parking it first where it is active.
func (s *Server) archive(ctx context.Context, scope state.Scope, name string) (state.Affair, error) {
	a, err := s.memory.Affairs().Get(ctx, scope, name)
	if err != nil || a.Status == state.Archived {
		return a, err
	}
	if a.Session != "" {
		scope.Session = a.Session
		if a, err = s.memory.Affairs().Move(ctx, scope, a.ID, state.Parked, ""); err != nil {
			return a, err
		}
	}
	return s.memory.Affairs().Move(ctx, scope, a.ID, state.Archived, "")
}
