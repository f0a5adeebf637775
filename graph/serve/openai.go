package serve

import (
	"context"
	"net/http"
	"strings"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/serve/access"
	"github.com/mneme-graph/mneme/graph/serve/openai"
	"github.com/mneme-graph/mneme/state"
)

// openaiPath is below where programs that speak OpenAI's API find the graph: their base address is the service's with it.
const openaiPath = "/v1/"

// addOpenAI offers turns as OpenAI's API has them. What bounds requests bounds these, and their turns are those of any other request.
func (s *Server) addOpenAI(mux *http.ServeMux) {
	face := openai.New(openai.Config{Graph: s.c.Graph, Models: s.openaiModels(), Embedder: s.c.Embedder, AnswerFormat: s.c.AnswerFormat, Now: s.c.Now})
	for pattern, handle := range face.Routes() {
		_, route, _ := strings.Cut(pattern, " ")
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			noted(r.Context()).Route = route
			if err := handle(w, r, s.openaiCaller(r)); err != nil {
				s.noteFailure(r.Context(), pattern, err)
				writeRefusal(w, r, err)
			}
		})
	}
}

// openaiModels are those that a client may name.
func (s *Server) openaiModels() (out []openai.Model) {
	for _, m := range s.c.Models {
		if m.Role == "chat" {
			out = append(out, openai.Model{Name: m.Name, Chat: m.Chat})
		}
	}
	return out
}

// openaiCaller returns who asks, as his key and his headers say.
func (s *Server) openaiCaller(r *http.Request) openai.Caller {
	ctx := r.Context()
	return openai.Caller{
		Scope: func(user, session string) (state.Scope, error) {
			return s.scope(ctx, Whose{UserHeader: r.Header.Get("X-Mneme-User"), UserBody: user}, session)
		},
		May: func(write bool) error {
			if write {
				return may(ctx, access.Write)
			}
			return may(ctx, access.Read)
		},
		Open: func() error { return s.guard.open(keyFrom(ctx)) },
		Spend: func(tokens int) {
			s.guard.spend(keyFrom(ctx), state.Usage{PromptTokens: tokens})
		},
		Run: func(scope state.Scope, id, says string, turn func(context.Context) openai.Events) (openai.Run, error) {
			n, err := s.join(ctx, scope, asked{id: id, says: says}, turn)
			if err != nil {
				return openai.Run{}, err
			}
			return openai.Run{Events: func(ctx context.Context) openai.Events { return s.turnEvents(ctx, n) }, Heard: n.hear}, nil
		},
		Lost: func(scope state.Scope, id string) bool {
			n := s.runs.find(scope, id)
			return n != nil && !n.wasHeard()
		},
		Stream: func() (func(), error) { return s.guard.stream(keyFrom(ctx).ID) },
		Error: func(err error) (int, string, string) {
			p := problemOf(err)
			return p.Status, p.Code, p.Detail
		},
	}
}

// turnEvents are the events of a run, as the facade reads them: one without a name where there was none for long.
func (s *Server) turnEvents(ctx context.Context, n *run) openai.Events {
	return func(yield func(graph.Event, error) bool) {
		for _, events := range s.told(ctx, n, n.first) {
			if len(events) == 0 && !yield(graph.Event{}, nil) {
				return
			}
			for _, e := range events {
				if !yield(e.event, e.err) {
					return
				}
			}
		}
	}
}

// writeRefusal answers with an error in the shape that is read at the request's path.
func writeRefusal(w http.ResponseWriter, r *http.Request, err error) {
	p := problemOf(err)
	if !strings.HasPrefix(r.URL.Path, openaiPath) {
		named := *p
		named.ID = requestID(r.Context())
		writeProblem(w, &named)
		return
	}
	for name, values := range p.GetHeaders() {
		w.Header()[name] = values
	}
	openai.WriteError(w, err, p.Status, p.Code, p.Detail)
}
