package serve

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components/model"
	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/google/uuid"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/serve/access"
	"github.com/mneme-graph/mneme/graph/serve/hooks"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/embed"
	"github.com/mneme-graph/mneme/memory/extraction"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Config says what a Server works with. Graph, Store and Keys are required; the zero value of the rest is the default.
type Config struct {
	Graph *graph.Graph // whoever made it closes it, behind Drain
	Store store.Store  // the graph's, to tell whether it answers
	Keys  *access.Keys

	Models   []Model           // that turns are answered with; default: nothing is told of them
	Embedder *embed.Embedder   // the graph's, for clients that want vectors of texts; default: they get none
	Notes    []Note            // what is done in a lesser way than it could be, from whoever has set the graph up
	Metrics  http.Handler      // at /metrics, for keys with the role admin; default: there are none
	Meter    metric.Meter      // is told how long requests take; default: nobody is
	Turns    callbacks.Handler // is told of each turn, as graph/telemetry's; default none
	Limits   Limits
	Batches  *extraction.Runner // reads sessions in batches, as whoever made it has it do beside; default: nobody does
	Hooks    hooks.Targets      // told what waits for a person, by Operate; default: nobody is
	Gate     *Gate              // that the graph's models have before them; default: turns are bounded by Limits alone
	Logger   *slog.Logger       // an access log without what users say; default silent
	Version  string             // of the program, for the OpenAPI document

	// AnswerFormat is provider.AnswerFormat, for clients of OpenAI's API that want JSON. Default: they get texts alone.
	AnswerFormat func(models string, format json.RawMessage) (model.Option, error)

	Now   func() time.Time                     // default time.Now in UTC
	NewID func() string                        // of sessions and messages that bring none; default random UUIDs
	After func(time.Duration) <-chan time.Time // how heartbeats wait; default time.After
}

// Server is the HTTP face of a graph: an http.Handler. It is safe for concurrent use.
type Server struct {
	c       Config
	api     huma.API
	handler http.Handler
	memory  *memory.Memory
	hooks   *hooks.Hooks // nil = nobody is told
	runs    *runs
	guard   *guard
	editing *working // affairs whose editors have said what they saw
	took    metric.Float64Histogram
	since   time.Time
	me      string // in leases
	asked   requests
	rebuild rebuilds

	base  context.Context //nolint:containedctx // of turns, which outlive the requests that begin them; it ends with Drain
	stop  context.CancelCauseFunc
	drain sync.Once
}

// New makes a Server. It does no I/O; a mistake in the Config is state.ErrInvalid.
func New(c Config) (*Server, error) {
	if c.Graph == nil || c.Store == nil || c.Keys == nil {
		return nil, state.Errorf(state.Invalid, "serve", "Config needs a Graph, its Store and Keys")
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = func() time.Time { return time.Now().UTC() }
	}
	if c.NewID == nil {
		c.NewID = uuid.NewString
	}
	if c.Meter == nil {
		c.Meter = noop.Meter{}
	}
	if c.After == nil {
		c.After = time.After
	}
	c.Limits = c.Limits.withDefaults()
	s := &Server{c: c, memory: c.Graph.Memory(), runs: newRuns(c.Now), guard: newGuard(c), editing: newWorking(), since: c.Now(), me: c.NewID()}
	s.base, s.stop = context.WithCancelCause(context.Background())
	if c.Turns != nil {
		s.base = callbacks.InitCallbacks(s.base, &callbacks.RunInfo{Name: "serve"}, c.Turns)
	}
	var err error
	if s.took, err = c.Meter.Float64Histogram("http.server.request.duration", metric.WithUnit("s"), metric.WithDescription("How long requests take, streams to their end."),
		metric.WithExplicitBucketBoundaries(.005, .01, .025, .05, .075, .1, .25, .5, .75, 1, 2.5, 5, 7.5, 10, 30, 60)); err != nil {
		return nil, err
	}

	if err := s.addHooks(); err != nil {
		return nil, err
	}

	mux := http.NewServeMux()
	s.api = humago.New(mux, s.describe())
	s.addTurns()
	s.addSessions()
	s.addAffairs()
	s.addRecords()
	s.addErasing()
	s.addIngest()
	s.addSettings()
	s.addKeys()
	s.addBatches()
	s.addRequests()
	s.addModels()
	s.addHealth()
	s.finish()
	s.addPlain(mux)
	if err := s.addMCP(mux); err != nil {
		return nil, err
	}
	s.addAGUI(mux)
	s.addOpenAI(mux)
	s.handler = s.logged(s.guard.limited(mux))
	return s, nil
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		defer s.nudgeHooks()
	}
	s.handler.ServeHTTP(w, r)
}

// OpenAPI is the description of the API, version 3.1, as JSON.
func (s *Server) OpenAPI() ([]byte, error) { return s.api.OpenAPI().MarshalJSON() }

// SetLimits puts other limits in the place of those there are, but for the size of a body. What was let in before stays, and what was counted.
func (s *Server) SetLimits(l Limits) {
	l.Body = s.c.Limits.Body
	s.guard.mu.Lock()
	defer s.guard.mu.Unlock()
	s.guard.limits = l.withDefaults()
	clear(s.guard.rates)
}

// errDraining is why turns end when the server does.
var errDraining = state.Errorf(state.Unavailable, "service", "is being stopped; send the message again")

// Drain lets no new turn begin, waits for those at work, and leaves what is still at work when the context ends to be gone on with: by its
// message sent again, here or at another replica.
func (s *Server) Drain(ctx context.Context) error {
	s.drain.Do(s.guard.close)
	err := s.runs.wait(ctx)
	s.stop(errDraining)
	s.rebuild.all.Wait()
	if err != nil {
		const grace = 5 * time.Second // that turns have to leave in order
		late, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
		defer cancel()
		return errors.Join(state.Errorf(state.Unavailable, "drain", "turns were still at work and are left: %w", err), s.runs.wait(late))
	}
	return nil
}

// describe returns what the OpenAPI document says of the whole.
func (s *Server) describe() huma.Config {
	c := huma.DefaultConfig("Mneme", cmp.Or(s.c.Version, "dev"))
	c.Info.Description = "Agent memory as a service: turns of a conversation, what they are about, and what is remembered of them."
	c.DocsPath, c.SchemasPath = "", ""
	c.CreateHooks = nil // a link to a schema in each answer
	c.Transformers = []huma.Transformer{hideValues}
	c.RejectUnknownQueryParameters = true
	c.OpenAPIPath = "/openapi"
	text := huma.DefaultJSONFormat
	text.Unmarshal = readJSON
	c.Formats = map[string]huma.Format{"application/json": text, "json": text}
	c.Components.Schemas = huma.NewMapRegistry("#/components/schemas/", schemaName)
	c.Components.Schemas.RegisterTypeAlias(reflect.TypeFor[state.Facts](), reflect.TypeFor[map[string]string]()) // as it is written
	c.Components.SecuritySchemes = map[string]*huma.SecurityScheme{"key": {Type: "http", Scheme: "bearer", Description: "An access key: `mneme access create`"}}
	return c
}

// readJSON reads a body. Bytes that are no UTF-8 would be kept as signs that nobody has written.
func readJSON(raw []byte, into any) error {
	if !utf8.Valid(raw) {
		return errors.New("is not encoded as UTF-8")
	}
	return json.Unmarshal(raw, into)
}

// addPlain adds what no operation is: health, figures, the description for people.
func (s *Server) addPlain(mux *http.ServeMux) {
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { writeText(w, http.StatusOK, "ok") })
	mux.HandleFunc("GET /readyz", s.ready)
	mux.HandleFunc("GET /docs", s.docs)
	if s.c.Metrics != nil {
		mux.Handle("GET /metrics", s.guard.only(access.Admin, s.c.Metrics))
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		p := problemOf(state.Errorf(state.NotFound, r.Method+" "+r.URL.Path, "is no operation of this API; /openapi.json lists them"))
		if allowed := methodsOf(mux, r); len(allowed) > 0 {
			w.Header().Set("Allow", strings.Join(allowed, ", "))
			p.Status, p.Code = http.StatusMethodNotAllowed, string(state.Invalid)
		}
		writeRefusal(w, r, p.named())
	})
}

// methodsOf returns the methods by which a path can be asked for.
func methodsOf(mux *http.ServeMux, r *http.Request) (out []string) {
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		try := &http.Request{Method: method, URL: r.URL, Host: r.Host}
		if _, pattern := mux.Handler(try); pattern != "/" && pattern != "" {
			out = append(out, method)
		}
	}
	return out
}

// ready reports whether the store answers and turns may begin.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	err := s.storeAnswers(r.Context())
	switch {
	case s.guard.closed.Load():
		writeText(w, http.StatusServiceUnavailable, "draining")
	case err != nil:
		writeText(w, http.StatusServiceUnavailable, "the store does not answer")
	default:
		writeText(w, http.StatusOK, "ready")
	}
}

// storeAnswers returns why the store does not answer, nil if it does.
func (s *Server) storeAnswers(ctx context.Context) error {
	const within = 2 * time.Second
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	_, err := s.c.Store.Get(ctx, state.Meta, "access")
	if state.CodeOf(err) == state.NotFound {
		return nil
	}
	s.noteFailure(ctx, "the store is asked whether it answers", err)
	return err
}

func writeText(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text + "\n")) // the reader may be gone
}
