package serve

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/graph/serve/access"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/history"
	"github.com/mneme-graph/mneme/state"
)

// RecordRequest is something to be remembered.
type RecordRequest struct {
	Kind       state.RecordKind `json:"kind,omitempty" enum:"fact,decision,order,deadline,contact,preference,procedure,event,insight,lesson" doc:"Default fact"`
	Subject    string           `json:"subject,omitempty" maxLength:"500" doc:"What it is about, a few words"`
	Content    string           `json:"content" minLength:"1" maxLength:"262144"`
	Affair     string           `json:"affair_id,omitempty" maxLength:"128"`
	Importance int              `json:"importance,omitempty" minimum:"1" maximum:"10"`
	Pinned     bool             `json:"pinned,omitempty"`
	Due        time.Time        `json:"due,omitzero" doc:"Of a task: when it is to be done"`
	ValidFrom  time.Time        `json:"valid_from,omitzero"`
	Session    string           `json:"session_id,omitempty" maxLength:"128"`
}

// RecordEdit is what is changed about a record. What is left out stays as it is.
type RecordEdit struct {
	Content *string `json:"content,omitempty" maxLength:"262144" doc:"What holds in its place: the record becomes history, and the answer is the new one"`
	Subject *string `json:"subject,omitempty" maxLength:"500"`
	Pinned  *bool   `json:"pinned,omitempty"`
	Ended   bool    `json:"ended,omitempty" doc:"It holds no longer, and is kept as history"`
}

// RecallRequest asks memory for what it has on a text.
type RecallRequest struct {
	Text     string             `json:"text" minLength:"1" maxLength:"16384"`
	In       memory.Where       `json:"scope,omitempty" enum:"all,current,session,kb_only"`
	Affair   string             `json:"affair_id,omitempty" maxLength:"128" doc:"With current: the affair that is meant"`
	Session  string             `json:"session_id,omitempty" maxLength:"128"`
	Limit    int                `json:"limit,omitempty" minimum:"1" maximum:"200"`
	Tokens   int                `json:"max_tokens,omitempty" minimum:"1" maximum:"1000000"`
	Kinds    []state.RecordKind `json:"kinds,omitempty" maxItems:"20"`
	From     time.Time          `json:"from,omitzero"`
	To       time.Time          `json:"to,omitzero"`
	AsOf     time.Time          `json:"as_of,omitzero" doc:"As it was known and valid then"`
	Project  string             `json:"project_id,omitempty" maxLength:"128"`
	Agent    string             `json:"agent,omitempty" maxLength:"128"`
	Archived bool               `json:"archived,omitempty"`
	MinSeq   int64              `json:"min_seq,omitempty" minimum:"0" doc:"seq of a receipt: an answer that does not know of that write yet is refused"`
}

// RecordInput is a record by its address.
type RecordInput struct {
	Whose
	ID string `path:"record" maxLength:"128"`
}

type aRecord struct {
	ETag string `header:"ETag"`
	Body state.Record
}

func (s *Server) addRecords() {
	add(s, operation(http.MethodGet, "/api/v1/records", "memory", "What is remembered, newest first"), access.Read, s.listRecords)
	op := operation(http.MethodPost, "/api/v1/records", "memory", "Remember something")
	op.DefaultStatus = http.StatusCreated
	add(s, op, access.Write, func(ctx context.Context, in *struct {
		Whose
		Body RecordRequest
	},
	) (*body[state.Receipt], error) {
		b := in.Body
		receipts, err := onScope(ctx, s, in.Whose, b.Session, func(ctx context.Context, scope state.Scope) ([]state.Receipt, error) {
			return s.memory.Write(ctx, scope, memory.Change{
				Kind: b.Kind, Subject: b.Subject, Content: b.Content, Affair: b.Affair, Importance: b.Importance, Pinned: b.Pinned, Due: b.Due, ValidFrom: b.ValidFrom,
				Trust: state.TrustUser, Author: string(state.RoleUser),
			})
		})
		if err != nil {
			return nil, err
		}
		return &body[state.Receipt]{receipts[0]}, nil
	})
	add(s, operation(http.MethodGet, "/api/v1/records/{record}", "memory", "A record"), access.Read, func(ctx context.Context, in *RecordInput) (*aRecord, error) {
		r, err := onScope(ctx, s, in.Whose, "", func(ctx context.Context, scope state.Scope) (state.Record, error) { return s.record(ctx, scope, in.ID) })
		return &aRecord{etag(r), r}, err
	})
	add(s, operation(http.MethodPatch, "/api/v1/records/{record}", "memory", "Correct, pin, unpin or end a record"), access.Write, s.editRecord)
	add(s, operation(http.MethodPost, "/api/v1/recall", "memory", "Ask memory, with how each hit came to its score"), access.Read,
		func(ctx context.Context, in *struct {
			Whose
			Body RecallRequest
		},
		) (*body[page[memory.Hit]], error) {
			b := in.Body
			hits, err := onScope(ctx, s, in.Whose, b.Session, func(ctx context.Context, scope state.Scope) ([]memory.Hit, error) {
				return s.memory.Recall(ctx, memory.Query{
					Scope: scope, Text: b.Text, In: b.In, Affair: b.Affair, Limit: b.Limit, Tokens: b.Tokens, Kinds: b.Kinds, From: b.From, To: b.To, AsOf: b.AsOf,
					Project: b.Project, Agent: b.Agent, Archived: b.Archived, MinSeq: b.MinSeq,
				})
			})
			if b.MinSeq > 0 && errors.Is(err, state.ErrUnavailable) { // nothing is broken: it is only too early, or the number is wrong
				err = state.Errorf(state.Conflict, "recall", "%w", err)
			}
			return &body[page[memory.Hit]]{page[memory.Hit]{Items: append([]memory.Hit{}, hits...)}}, err
		})
	add(s, operation(http.MethodGet, "/api/v1/brain", "memory", "What is known of the user for good"), access.Read,
		func(ctx context.Context, in *struct{ Whose }) (*body[memory.Brain], error) {
			return answer(onScope(ctx, s, in.Whose, "", s.memory.Brain))
		})
	add(s, operation(http.MethodGet, "/api/v1/tasks", "memory", "What is to be done, the earliest first"), access.Read,
		func(ctx context.Context, in *struct {
			Whose
			Paging
		},
		) (*body[page[state.Record]], error) {
			all, err := onScope(ctx, s, in.Whose, "", s.memory.Tasks().List)
			return paged(all, err, in.Paging, func(r state.Record) string { return r.ID })
		})
	s.addSuggestions()
	s.addAudit()
	add(s, operation(http.MethodGet, "/api/v1/memory/graph", "memory", "Memory as nodes and edges, the newest of each type"), access.Read, s.memoryGraph)
}

// record returns one of the user's records.
func (s *Server) record(ctx context.Context, scope state.Scope, id string) (state.Record, error) {
	found, err := s.memory.Records(ctx, scope, id)
	if err == nil && len(found) == 0 {
		err = state.Errorf(state.NotFound, "record "+id, "is not there")
	}
	if err != nil {
		return state.Record{}, err
	}
	return found[0], nil
}

func (s *Server) listRecords(ctx context.Context, in *struct {
	Whose
	Paging
	Kind    string `query:"kind" maxLength:"200" doc:"fact, preference ..., several with commas"`
	Affair  string `query:"affair_id" maxLength:"128"`
	Session string `query:"session_id" maxLength:"128"`
	Source  string `query:"source_urn" maxLength:"2000" doc:"Of this document"`
	Pinned  bool   `query:"pinned" doc:"Only what is pinned"`
	History bool   `query:"history" doc:"Also what holds no longer"`
	Query   string `query:"q" maxLength:"1000" doc:"Only what has these words"`
},
) (*body[page[state.Record]], error) {
	kinds := strings.FieldsFunc(in.Kind, func(c rune) bool { return c == ',' })
	for _, k := range kinds {
		if !state.RecordKind(k).Known() {
			return nil, state.Errorf(state.Invalid, "kind", "one is unknown; it is one of %v, several with commas", state.Kinds())
		}
	}
	all, err := onScope(ctx, s, in.Whose, "", func(ctx context.Context, scope state.Scope) ([]state.Record, error) {
		return s.memory.Records(ctx, scope)
	})
	now := s.c.Now()
	words := strings.Fields(strings.ToLower(in.Query))
	all = slices.DeleteFunc(all, func(r state.Record) bool {
		text := strings.ToLower(r.Subject + " " + r.Content)
		return len(kinds) > 0 && !slices.Contains(kinds, string(r.Kind)) || in.Affair != "" && r.Affair != in.Affair || in.Session != "" && r.Session != in.Session ||
			in.Pinned && !r.Pinned || !in.History && (!r.Holds(now) || r.ArchivedAt != nil) || in.Source != "" && r.Source.Author != in.Source ||
			slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
	})
	slices.SortFunc(all, func(a, b state.Record) int {
		return cmp.Or(b.RecordedAt.Compare(a.RecordedAt), cmp.Compare(b.ID, a.ID))
	})
	return paged(all, err, in.Paging, func(r state.Record) string { return r.ID })
}

func (s *Server) editRecord(ctx context.Context, in *struct {
	RecordInput
	Match string `header:"If-Match" doc:"The ETag that was seen"`
	Body  RecordEdit
},
) (*aRecord, error) {
	r, err := onScope(ctx, s, in.Whose, "", func(ctx context.Context, scope state.Scope) (r state.Record, err error) {
		if r, err = s.record(ctx, scope, in.ID); err != nil {
			return r, err
		}
		if err := matches(in.Match, etag(r)); err != nil {
			return r, err
		}
		b, id := in.Body, in.ID
		amend := func(a memory.Amendment) error {
			a.ID = id
			done, err := s.memory.Amend(ctx, scope, a)
			if err == nil && len(done) > 0 {
				id = done[0].ID
			}
			return err
		}
		if b.Content != nil || b.Subject != nil {
			a := memory.Amendment{Action: memory.CorrectRecord, Content: r.Content, Subject: b.Subject}
			if b.Content != nil {
				a.Content = *b.Content
			}
			err = amend(a)
		}
		if err == nil && b.Pinned != nil && *b.Pinned != r.Pinned {
			err = amend(memory.Amendment{Action: map[bool]memory.Action{true: memory.PinRecord, false: memory.UnpinRecord}[*b.Pinned]})
		}
		if err == nil && b.Ended {
			err = amend(memory.Amendment{Action: memory.EndRecord})
		}
		if err != nil {
			return r, err
		}
		return s.record(ctx, scope, id)
	})
	return &aRecord{etag(r), r}, err
}

func (s *Server) addSuggestions() {
	add(s, operation(http.MethodGet, "/api/v1/suggestions", "memory", "Edits of memory that wait for the user"), access.Read,
		func(ctx context.Context, in *struct {
			Whose
			Paging
			Answered bool `query:"answered" doc:"Also those that were answered"`
		},
		) (*body[page[state.Suggestion]], error) {
			all, err := onScope(ctx, s, in.Whose, "", func(ctx context.Context, scope state.Scope) ([]state.Suggestion, error) {
				return s.memory.Suggestions().List(ctx, scope, in.Answered)
			})
			return paged(all, err, in.Paging, func(x state.Suggestion) string { return x.ID })
		})
	add(s, operation(http.MethodPost, "/api/v1/suggestions/{suggestion}", "memory", "Approve, edit or reject a suggestion"), access.Write,
		func(ctx context.Context, in *struct {
			Whose
			ID   string `path:"suggestion" maxLength:"128"`
			Body AnswerRequest
		},
		) (*body[state.Suggestion], error) {
			return answer(onScope(ctx, s, in.Whose, "", func(ctx context.Context, scope state.Scope) (state.Suggestion, error) {
				return s.memory.Suggestions().Answer(ctx, scope, in.ID, state.Answer{Choice: in.Body.Choice, Value: in.Body.Value, Reason: in.Body.Reason, By: in.Body.By})
			}))
		})
}

// AuditChange is one change of a record, an affair or a suggestion.
type AuditChange struct {
	Change  int64         `json:"change" doc:"The commit's number: POST /api/v1/audit/{change}/undo takes it back"`
	At      time.Time     `json:"at"`
	By      state.By      `json:"by"`
	Agent   string        `json:"agent,omitempty"`
	Session string        `json:"session_id,omitempty"`
	Kind    string        `json:"kind" enum:"records,affairs,suggestions"`
	ID      string        `json:"id"`
	What    string        `json:"what" enum:"made,changed,gone"`
	Fields  []FieldChange `json:"fields"`
	Words   string        `json:"words,omitempty" doc:"Of the message that it comes from"`
}

func (s *Server) addAudit() {
	add(s, operation(http.MethodGet, "/api/v1/audit", "memory", "Who changed what, the newest first"), access.Read,
		func(ctx context.Context, in *struct {
			Whose
			ID      string    `query:"id" maxLength:"128" doc:"Of a record or an affair"`
			Turn    string    `query:"turn_id" maxLength:"128"`
			Session string    `query:"session_id" maxLength:"128"`
			Since   time.Time `query:"since"`
			Until   time.Time `query:"until"`
			Limit   int       `query:"limit" minimum:"1" maximum:"1000" default:"100"`
		},
		) (*body[page[AuditChange]], error) {
			got, err := onScope(ctx, s, in.Whose, "", func(ctx context.Context, scope state.Scope) ([]history.Change, error) {
				return s.memory.History().Audit(ctx, scope, history.Query{ID: in.ID, Turn: in.Turn, Session: in.Session, Since: in.Since, Until: in.Until, Limit: in.Limit})
			})
			out := page[AuditChange]{Items: []AuditChange{}}
			for _, a := range got {
				c := AuditChange{a.Seq, a.At, a.By, a.Agent, a.Session, string(a.Kind), a.ID, a.What, []FieldChange{}, a.Words}
				for _, f := range a.Fields {
					if a.Kind == state.Records && f.Name == "held" && may(ctx, access.Admin) != nil { // why it is held is the administrators'
						f.Before, f.After = bson.RawValue{}, bson.RawValue{}
					}
					c.Fields = append(c.Fields, FieldChange{f.Name, plain(f.Before), plain(f.After)})
				}
				out.Items = append(out.Items, c)
			}
			return &body[page[AuditChange]]{out}, err
		})
	add(s, operation(http.MethodPost, "/api/v1/audit/{change}/undo", "memory", "Take back what one commit changed"), access.Write,
		func(ctx context.Context, in *struct {
			Whose
			Change int64 `path:"change" minimum:"1"`
		},
		) (*struct{}, error) {
			return onScope(ctx, s, in.Whose, "", func(ctx context.Context, scope state.Scope) (*struct{}, error) {
				return nil, s.memory.History().UndoChange(ctx, scope, in.Change)
			})
		})
}
