package serve

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/mneme-graph/mneme/graph/serve/access"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/forget"
	"github.com/mneme-graph/mneme/state"
)

// IngestRequest is a document that memory takes in. The names are those of the requirement documents; client_id is an alias.
type IngestRequest struct {
	Content  string            `json:"content" minLength:"1" maxLength:"4194304"`
	Source   string            `json:"sourceUrn" minLength:"1" maxLength:"1000" doc:"What the document is known by: the same again replaces it" example:"affair:garage"`
	Kind     string            `json:"kind,omitempty" maxLength:"64" doc:"affair: it is filed under the affair that metadata names, which is opened if there is none"`
	Metadata map[string]string `json:"metadata,omitempty" doc:"title, affair_id, topics (with commas), status, created_at ..."`
	Client   string            `json:"clientId,omitempty" maxLength:"128" doc:"As the key says; another one is denied"`
	ClientID string            `json:"client_id,omitempty" maxLength:"128"`
	Project  string            `json:"projectId,omitempty" maxLength:"128" nullable:"true"`
	Priority int               `json:"priority,omitempty" enum:"1,2,3,4" doc:"1 = embedded before the answer, 2 = within 10 s, 3 = within 30 s, 4 = when nothing else is to be done"`
}

// Ingested says how far a document has got.
type Ingested struct {
	Status string     `json:"status" enum:"indexed,accepted,erased"`
	Chunks int        `json:"chunks"`
	IDs    []string   `json:"record_ids"`
	Affair string     `json:"affair_id,omitempty"`
	Ready  *time.Time `json:"estimated_ready_at,omitempty" doc:"accepted: by when recall finds it by meaning too; by words it does at once"`
}

// The size of a document's pieces, and what one has of the one before, in characters, as the requirement documents say.
const (
	chunkRunes   = 1000
	overlapRunes = 200
)

// working are the documents that are being taken in, or what is being edited.
type working struct {
	mu   sync.Mutex
	keys map[string]bool
}

func newWorking() *working { return &working{keys: map[string]bool{}} }

// begin reports false where one is at work on it already.
func (w *working) begin(key string) (done func(), ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.keys[key] {
		return nil, false
	}
	w.keys[key] = true
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.keys, key)
	}, true
}

func (s *Server) addIngest() {
	at := newWorking()
	for path, priority := range map[string]int{"/api/v1/ingest-immediate": 1, "/api/v1/ingest": 3} {
		op := operation(http.MethodPost, path, "ingest", "Take a document in")
		op.Description = "It is cut into pieces of 1000 characters that overlap by 200, each a record with its source. The same sourceUrn again replaces it."
		op.MaxBodyBytes = s.c.Limits.Body
		add(s, op, access.Write, func(ctx context.Context, in *struct {
			Whose
			Body IngestRequest
		},
		) (*body[Ingested], error) {
			b := in.Body
			if err := s.ownClient(ctx, cmp.Or(b.Client, b.ClientID)); err != nil {
				return nil, err
			}
			b.Priority = cmp.Or(b.Priority, priority)
			return answer(onScope(ctx, s, in.Whose, "", func(ctx context.Context, scope state.Scope) (Ingested, error) {
				done, free := at.begin(scope.Key(b.Source))
				if !free {
					return Ingested{}, state.Errorf(state.Conflict, "document "+b.Source, "is being taken in by another request; send it again when that is answered")
				}
				defer done()
				scope.Project = b.Project
				return s.ingest(ctx, scope, b)
			}))
		})
	}
	add(s, operation(http.MethodDelete, "/api/v1/ingest", "ingest", "Erase a document for good, by its sourceUrn"), access.Write,
		func(ctx context.Context, in *struct {
			Whose
			Source string `query:"sourceUrn" required:"true" minLength:"1" maxLength:"1000"`
		},
		) (*body[Ingested], error) {
			return answer(onScope(ctx, s, in.Whose, "", func(ctx context.Context, scope state.Scope) (Ingested, error) { return s.expel(ctx, scope, in.Source) }))
		})
}

// ingest writes the pieces of a document and ends those of the same source before it, in one commit.
func (s *Server) ingest(ctx context.Context, scope state.Scope, b IngestRequest) (out Ingested, err error) {
	title := cmp.Or(b.Metadata["title"], b.Source)
	if b.Kind == "affair" || b.Metadata["affair_id"] != "" {
		if out.Affair, err = s.affairOf(ctx, scope, b.Metadata); err != nil {
			return out, err
		}
	}
	before, err := s.piecesOf(ctx, scope, b.Source)
	if err != nil {
		return out, err
	}
	priority := map[int]state.Priority{1: state.Critical, 2: state.High, 3: state.Normal, 4: state.Background}[b.Priority]
	pieces := chunks(b.Content, chunkRunes, overlapRunes)
	changes := make([]memory.Change, len(pieces))
	for i, piece := range pieces {
		subject := title
		if len(pieces) > 1 {
			subject = fmt.Sprintf("%s (%d/%d)", title, i+1, len(pieces))
		}
		changes[i] = memory.Change{Subject: subject, Content: piece, Affair: out.Affair, About: state.AboutAffair, Trust: state.TrustDocument, Author: b.Source, Priority: priority}
	}
	var receipts []state.Receipt
	err = s.memory.Turn().Together(ctx, func(ctx context.Context) error {
		for _, old := range before {
			if _, err := s.memory.Amend(ctx, scope, memory.Amendment{Action: memory.EndRecord, ID: old.ID}); err != nil {
				return err
			}
		}
		receipts, err = s.memory.Write(ctx, scope, changes...)
		return err
	})
	if err != nil {
		return out, err
	}
	out.Status, out.Chunks, out.IDs = "indexed", len(pieces), []string{}
	for _, r := range receipts {
		out.IDs = append(out.IDs, r.ID)
		if r.Due != nil && !r.Indexed && b.Priority > 1 {
			out.Status, out.Ready = "accepted", r.Due
		}
	}
	return out, nil
}

// affairOf returns the affair that a document is filed under: the one its metadata names, or a new one.
func (s *Server) affairOf(ctx context.Context, scope state.Scope, meta map[string]string) (string, error) {
	name := cmp.Or(meta["affair_id"], meta["title"])
	if name == "" {
		return "", state.Errorf(state.Invalid, "document of an affair", "needs metadata.affair_id or metadata.title")
	}
	a, err := s.memory.Affairs().Get(ctx, scope, name)
	if state.CodeOf(err) == state.NotFound && meta["title"] != "" {
		a, err = s.memory.Affairs().Create(ctx, scope, meta["title"], memory.AffairChange{Topics: splitList(meta["topics"])})
	}
	return a.ID, err
}

// piecesOf returns the records of a document that hold.
func (s *Server) piecesOf(ctx context.Context, scope state.Scope, source string) (out []state.Record, err error) {
	all, err := s.memory.Records(ctx, scope)
	for _, r := range all {
		if r.Source.Author == source && r.Trust == state.TrustDocument && r.Holds(s.c.Now()) {
			out = append(out, r)
		}
	}
	return out, err
}

// expel erases the records of a document, those that it has replaced too.
func (s *Server) expel(ctx context.Context, scope state.Scope, source string) (out Ingested, err error) {
	all, err := s.memory.Records(ctx, scope)
	if err != nil {
		return out, err
	}
	out = Ingested{Status: "erased", IDs: []string{}}
	for _, r := range all {
		if r.Source.Author != source || r.Trust != state.TrustDocument {
			continue
		}
		_, err := s.memory.Forget().Erase(ctx, scope, forget.What{Record: r.ID, Pinned: true})
		if err != nil && state.CodeOf(err) != state.NotFound { // with one that says the same it has gone already
			return out, err
		}
		out.IDs, out.Chunks = append(out.IDs, r.ID), out.Chunks+1
	}
	if out.Chunks == 0 {
		return out, state.Errorf(state.NotFound, "document "+source, "is not there")
	}
	return out, nil
}

// chunks cuts a text into pieces of at most size characters, each of which begins with the last overlap ones of the one before. A piece ends between words
// where it can.
func chunks(text string, size, overlap int) (out []string) {
	runes := []rune(strings.TrimSpace(text))
	for from := 0; ; {
		to := min(from+size, len(runes))
		if to < len(runes) {
			for at := to; at > from+overlap; at-- {
				if unicode.IsSpace(runes[at]) {
					to = at
					break
				}
			}
		}
		if piece := strings.TrimSpace(string(runes[from:to])); piece != "" {
			out = append(out, piece)
		}
		if to == len(runes) {
			return out
		}
		from = max(to-overlap, from+1)
	}
}
