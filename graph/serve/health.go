package serve

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/mneme-graph/mneme/graph/serve/access"
	"github.com/mneme-graph/mneme/graph/serve/hooks"
	"github.com/mneme-graph/mneme/state"
)

// Health is how the service stands.
type Health struct {
	Status  string    `json:"status" enum:"ok,degraded,draining,unavailable"`
	Version string    `json:"version"`
	Since   time.Time `json:"since" doc:"When this process began"`
	Turns   int       `json:"turns" doc:"At work now, of all clients"`
	Vectors *Vectors  `json:"vectors,omitempty" doc:"Left out where there is no embedder"`
	Notes   []Note    `json:"notes" doc:"What is done in a lesser way than it could be, and how to mend it"`
}

// Note is one thing that is done in a lesser way than it could be.
type Note struct {
	Name   string `json:"name"`
	Text   string `json:"text"`
	Choice bool   `json:"choice,omitempty" doc:"It is not set up, which may well be meant so"`
}

// Vectors is how the index of vectors stands.
type Vectors struct {
	Model   string    `json:"model,omitempty" doc:"Empty until the embedder was reached"`
	Dim     int       `json:"dim,omitempty"`
	Waiting int       `json:"waiting" doc:"Documents without an up-to-date vector, of the users met since the start"`
	Since   time.Time `json:"waiting_since,omitzero"`
	Failure string    `json:"failure,omitempty" doc:"What went wrong last"`
	Rebuild *Rebuild  `json:"rebuild,omitempty" doc:"The last one of this process"`
}

// Rebuild is a pass over all documents that gives each its vector.
type Rebuild struct {
	Began time.Time `json:"began"`
	Ended time.Time `json:"ended,omitzero" doc:"Left out while it is under way"`
	Users int       `json:"users"`
	Done  int       `json:"users_done"`
	Made  int       `json:"documents,omitempty" doc:"That have vectors, at its end"`
	Error string    `json:"error,omitempty"`
}

// rebuilds is the last rebuild, which goes on without its client.
type rebuilds struct {
	mu   sync.Mutex
	last *Rebuild
	all  sync.WaitGroup
}

func (b *rebuilds) look() *Rebuild {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.last == nil {
		return nil
	}
	now := *b.last
	return &now
}

// begin notes a new one; false where one is under way.
func (b *rebuilds) begin(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.last != nil && b.last.Ended.IsZero() {
		return false
	}
	b.last = &Rebuild{Began: now}
	return true
}

func (b *rebuilds) tell(change func(*Rebuild)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change(b.last)
}

// addHealth adds how the service stands, and its index of vectors.
func (s *Server) addHealth() {
	add(s, operation(http.MethodGet, "/api/v1/health", "operation", "How the service stands, and what is done in a lesser way than it could be"), access.Admin,
		func(ctx context.Context, _ *struct{}) (*body[Health], error) {
			return &body[Health]{s.health(ctx)}, nil
		})
	op := operation(http.MethodPost, "/api/v1/index/rebuild", "operation", "Give every document its vector anew")
	op.Description = "It goes on without its client; GET /api/v1/health tells how far it is. 409: one is under way."
	op.DefaultStatus = http.StatusAccepted
	add(s, op, access.Admin, func(context.Context, *struct{}) (*body[Rebuild], error) {
		vectors := s.memory.Vectors()
		if _, ok := vectors.Status(); !ok {
			return nil, state.Errorf(state.Invalid, "vectors", "there is no embedder; set MNEME_EMBEDDER")
		}
		if !s.rebuild.begin(s.c.Now()) {
			return nil, state.Errorf(state.Conflict, "rebuild", "one is under way; GET /api/v1/health tells how far it is")
		}
		s.rebuild.all.Go(func() {
			made, err := vectors.Reindex(s.base, func(done, of, _ int) { s.rebuild.tell(func(r *Rebuild) { r.Done, r.Users = done, of }) })
			s.rebuild.tell(func(r *Rebuild) {
				r.Ended, r.Made = s.c.Now(), made
				if err != nil {
					r.Error = s.memory.Mask(err.Error())
				}
			})
		})
		return &body[Rebuild]{*s.rebuild.look()}, nil
	})
}

func (s *Server) health(ctx context.Context) Health {
	h := Health{Status: "ok", Version: s.c.Version, Since: s.since, Turns: s.guard.atWork(), Notes: append([]Note{}, s.c.Notes...)}
	if v, ok := s.memory.Vectors().Status(); ok {
		h.Vectors = &Vectors{Model: v.Space.Model, Dim: v.Space.Dim, Waiting: v.Waiting, Since: v.Since, Rebuild: s.rebuild.look()}
		if v.Failure != nil {
			h.Vectors.Failure = s.memory.Mask(v.Failure.Error())
			h.Notes = append(h.Notes, Note{Name: "vectors", Text: h.Vectors.Failure})
		}
	}
	h.Notes = append(h.Notes, s.hookNotes(ctx)...)
	if slices.ContainsFunc(h.Notes, func(n Note) bool { return !n.Choice }) {
		h.Status = "degraded"
	}
	switch err := s.storeAnswers(ctx); {
	case s.guard.closed.Load():
		h.Status = "draining"
	case err != nil:
		h.Status, h.Notes = "unavailable", append(h.Notes, Note{Name: "store", Text: "does not answer; the log says why"})
	}
	return h
}

// hookNotes names the webhooks that do not take messages. Where the store cannot say, health says that the store does not answer.
func (s *Server) hookNotes(ctx context.Context) (out []Note) {
	if s.hooks == nil {
		return nil
	}
	failing, err := hooks.Failing(ctx, s.c.Store)
	if err != nil {
		return nil
	}
	for _, x := range failing {
		out = append(out, Note{Name: "webhooks", Text: x.String()})
	}
	return out
}
