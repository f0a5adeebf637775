package serve

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/cloudwego/eino/components/model"

	"github.com/mneme-graph/mneme/graph/serve/access"
	"github.com/mneme-graph/mneme/state"
)

// Request is one request as the service notes it: without a word of what was said.
type Request struct {
	ID     string    `json:"id" doc:"As in X-Request-Id and the log"`
	At     time.Time `json:"at"`
	Key    string    `json:"key_id"`
	User   string    `json:"user_id,omitempty" doc:"That it named"`
	Method string    `json:"method"`
	Route  string    `json:"route" doc:"The operation's path, without ids"`
	Status int       `json:"status"`
	Took   int64     `json:"ms"`

	client string
}

// Bounds of what is noted of requests.
const (
	requestsWithin = time.Hour
	requestsAtMost = 10_000 // of all clients
)

// requests are the last ones, the oldest first. It is safe for concurrent use.
type requests struct {
	mu   sync.Mutex
	list []Request
}

// note takes in one that was answered; one of no key is nobody's.
func (q *requests) note(r Request) {
	if r.client == "" {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.list) >= requestsAtMost {
		q.list = slices.Delete(q.list, 0, requestsAtMost/10) //nolint:mnd // a tenth, so that it is seldom
	}
	q.list = append(q.list, r)
}

// of returns those of a client since a time, the newest first.
func (q *requests) of(client string, since time.Time) []Request {
	q.mu.Lock()
	defer q.mu.Unlock()
	out := []Request{}
	for _, r := range slices.Backward(q.list) {
		if r.client == client && !r.At.Before(since) {
			out = append(out, r)
		}
	}
	return out
}

// addRequests adds what was asked of the service.
func (s *Server) addRequests() {
	op := operation(http.MethodGet, "/api/v1/requests", "operation", "The client's requests of the last hour, the newest first")
	op.Description = "As far as this process has answered them and remembers: 10,000 of all clients at most."
	add(s, op, access.Admin, func(ctx context.Context, in *struct {
		Paging
		Least int `query:"status_from" minimum:"100" maximum:"599" default:"100" doc:"Those of this status and above: 400 = what went wrong"`
	},
	) (*body[page[Request]], error) {
		all := slices.DeleteFunc(s.asked.of(keyFrom(ctx).Client, s.c.Now().Add(-requestsWithin)), func(r Request) bool { return r.Status < in.Least })
		return paged(all, nil, in.Paging, func(r Request) string { return r.ID })
	})
}

// ModelAt is a model that turns are answered with.
type ModelAt struct {
	Role string `json:"role" doc:"chat, small or embedder"`
	Name string `json:"name" doc:"As it is configured: openai:gpt-4o-mini"`
}

// Tested is what a model answered to a test call.
type Tested struct {
	OK    bool   `json:"ok"`
	Took  int64  `json:"ms"`
	Error string `json:"error,omitempty" doc:"Why it did not answer, without the key"`
}

// Model is a model as the service shows and tries it. Try asks it for a word; nil = it cannot be tried.
type Model struct {
	ModelAt
	Try  func(context.Context) error
	Chat model.ToolCallingChatModel // of role chat: what answers clients that name the model; nil = the graph's own
}

// addModels adds what is known of models.
func (s *Server) addModels() {
	add(s, operation(http.MethodGet, "/api/v1/models", "operation", "The models that are in use"), access.Admin,
		func(context.Context, *struct{}) (*body[page[ModelAt]], error) {
			out := page[ModelAt]{Items: []ModelAt{}}
			for _, m := range s.c.Models {
				out.Items = append(out.Items, m.ModelAt)
			}
			return &body[page[ModelAt]]{out}, nil
		})
	op := operation(http.MethodPost, "/api/v1/models/{role}/test", "operation", "Ask a model for a word, to see whether it answers")
	add(s, op, access.Admin, func(ctx context.Context, in *struct {
		Role string `path:"role" maxLength:"32"`
	},
	) (*body[Tested], error) {
		at := slices.IndexFunc(s.c.Models, func(m Model) bool { return m.Role == in.Role && m.Try != nil })
		if at < 0 {
			return nil, state.Errorf(state.NotFound, "model of role "+in.Role, "is none that can be tried")
		}
		const within = 30 * time.Second
		limited, cancel := context.WithTimeout(ctx, within)
		defer cancel()
		began := s.c.Now()
		err := s.c.Models[at].Try(limited)
		out := Tested{OK: err == nil, Took: s.c.Now().Sub(began).Milliseconds()}
		if err != nil {
			out.Error = s.memory.Mask(err.Error())
		}
		return &body[Tested]{out}, nil
	})
}
