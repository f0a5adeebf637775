package openai

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/cloudwego/eino/components/model"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/memory/embed"
	"github.com/mneme-graph/mneme/state"
)

// Config says what a Face works with. Graph is required; the zero value of the rest is the default.
type Config struct {
	Graph    *graph.Graph
	Models   []Model          // besides Default, which is the graph's own
	Embedder *embed.Embedder  // default: there are no embeddings
	Now      func() time.Time // default time.Now in UTC

	// AnswerFormat returns the option by which models, whose String is given, are held to a form of the answer. Default: none is.
	AnswerFormat func(models string, format json.RawMessage) (model.Option, error)
}

// Default is the model that every service has: the graph as it is set up.
const Default = "mneme"

// Model is one that a client may name.
type Model struct {
	Name string
	Chat model.ToolCallingChatModel // nil = the graph's
}

// Run is a turn at work. Events hands out its events from the first on, as often as it is asked; one without a name says that the turn is alive. Heard is
// told when the client has had its answer.
type Run struct {
	Events func(ctx context.Context) Events
	Heard  func()
}

// Caller is who asks, and what its access key lets it do. All of it is required.
type Caller struct {
	Scope  func(user, session string) (state.Scope, error)
	Open   func() error     // refuses who may have no turn now: his tokens are used up, or the service is being stopped
	Spend  func(tokens int) // counts what no turn is charged
	May    func(write bool) error
	Run    func(scope state.Scope, id, says string, turn func(context.Context) Events) (Run, error)
	Lost   func(scope state.Scope, id string) bool // whether a turn is at work, or has ended and nobody has heard it
	Stream func() (leave func(), err error)        // takes a place among the open streams
	Error  func(err error) (status int, code, detail string)
}

// Face answers requests of OpenAI's API with a graph. It is safe for concurrent use.
type Face struct {
	c     Config
	since time.Time // by which models are dated

	mu   sync.Mutex
	busy map[string]*door // users whose place is being found
}

// door lets one in at a time.
type door struct {
	in    chan struct{} // holds whoever is in
	there int           // in it and before it
}

// New makes a Face.
func New(c Config) *Face {
	if c.Now == nil {
		c.Now = func() time.Time { return time.Now().UTC() }
	}
	return &Face{c: c, since: c.Now(), busy: map[string]*door{}}
}

// Handler answers one request. An error says that nothing was written.
type Handler func(w http.ResponseWriter, r *http.Request, c Caller) error

// Routes are the operations, by their patterns.
func (f *Face) Routes() map[string]Handler {
	return map[string]Handler{
		"POST /v1/chat/completions":        f.chat,
		"POST /v1/responses":               f.response,
		"GET /v1/responses/{id}":           f.getResponse,
		"GET /v1/conversations/{id}":       f.conversation,
		"GET /v1/conversations/{id}/items": f.items,
		"GET /v1/models":                   f.models,
		"GET /v1/models/{id}":              f.model,
		"POST /v1/embeddings":              f.embeddings,
	}
}

// enter waits for its turn with a user's sessions, no longer than the client does.
func (f *Face) enter(ctx context.Context, key string) (leave func(), err error) {
	f.mu.Lock()
	d := f.busy[key]
	if d == nil {
		d = &door{in: make(chan struct{}, 1)}
		f.busy[key] = d
	}
	d.there++
	f.mu.Unlock()
	goes := func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if d.there--; d.there == 0 {
			delete(f.busy, key)
		}
	}
	select {
	case d.in <- struct{}{}:
		return func() { <-d.in; goes() }, nil
	case <-ctx.Done():
		goes()
		return nil, state.Errorf(state.Unavailable, "request", "was given up while another of the user's was placed: %w", context.Cause(ctx))
	}
}

// start reads a request and has its turn run; the answer's header names the session. Whoever gets it calls its leave.
func start[R any](f *Face, w http.ResponseWriter, r *http.Request, c Caller, readBody func([]byte) (R, talk, error)) (req R, b *begun, err error) {
	raw, err := read(r)
	if err != nil {
		return req, nil, err
	}
	req, t, err := readBody(raw)
	if err == nil {
		err = headers(r, &t)
	}
	if err != nil {
		return req, nil, err
	}

	// Whoever gets no stream has begun no turn.
	leave := func() {}
	if t.streams {
		if leave, err = c.Stream(); err != nil {
			return req, nil, err
		}
	}
	if b, err = f.begin(r.Context(), c, t); err != nil {
		leave()
		return req, nil, err
	}
	b.leave = leave
	w.Header().Set("X-Mneme-Session", b.scope.Session)
	return req, b, nil
}

// modelOf returns the model of a name, nil for the graph's own.
func (f *Face) modelOf(name string) (model.ToolCallingChatModel, error) {
	if name == Default {
		return nil, nil
	}
	for _, m := range f.c.Models {
		if m.Name == name {
			return m.Chat, nil
		}
	}
	return nil, noModel(name)
}

// read reads a body. Bytes that are no UTF-8 would be kept as signs that nobody has written.
func read(r *http.Request) ([]byte, error) {
	raw, err := io.ReadAll(r.Body)
	packed := r.Header.Get("Content-Encoding")
	switch {
	case err != nil:
		return nil, state.Errorf(state.Invalid, "body", "was not received whole: %w", err)
	case packed != "" && packed != "identity":
		return nil, state.Errorf(state.Invalid, "body", "has the Content-Encoding %.40q; send it as it is", packed)
	case !utf8.Valid(raw):
		return nil, state.Errorf(state.Invalid, "body", "is not encoded as UTF-8")
	}
	return raw, nil
}

// headers gives a talk what the headers say.
func headers(r *http.Request, t *talk) error {
	t.key = r.Header.Get("Idempotency-Key")
	retries := r.Header.Get("X-Stainless-Retry-Count")
	t.retried = retries != "" && retries != "0"
	named := r.Header.Get("X-Mneme-Session")
	if t.refers != "" {
		return nil // the session is that of the response
	}
	if named != "" && t.session != "" && named != t.session {
		return refuse("conversation", "is not what X-Mneme-Session says; name one of them")
	}
	if named != "" {
		t.session = named
	}
	return nil
}
