package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/cloudwego/eino/components/model"

	"github.com/mneme-graph/mneme/graph/provider"
	"github.com/mneme-graph/mneme/graph/serve"
	"github.com/mneme-graph/mneme/graph/serve/access"
	"github.com/mneme-graph/mneme/state"
)

type serveCommand struct {
	place
	Client string `option:"" group:"whose" help:"The client of the first access key (or MNEME_CLIENT; default \"default\")." placeholder:"NAME"`
	defined
	Listen string        `help:"Where to listen; port 0 takes a free one." default:"127.0.0.1:8470" placeholder:"HOST:PORT"`
	Cert   string        `help:"Certificate for TLS, PEM; with --tls-key." name:"tls-cert" placeholder:"FILE"`
	Key    string        `help:"Its key." name:"tls-key" placeholder:"FILE"`
	Proxy  bool          `help:"TLS ends at a proxy before this: listen on an address of the network without it." name:"behind-proxy"`
	Busy   int           `help:"Turns that do not wait for a model, side by side; 0 = one for each processor." placeholder:"N"`
	Drain  time.Duration `help:"How long turns may take to end when the service is told to." default:"20s"`
	JSON   bool          `name:"json" help:"One JSON object when it answers: its address, and the access key if this start has made one. The log goes to stderr."`
	bounds

	page bool // for one person at this machine: a key that ends with the process, and where to open the page with it
}

// Help is printed by mneme serve --help.
func (serveCommand) Help() string {
	return `Serves the memory over HTTP: turns as JSON or as a stream, affairs, records, sessions, documents, settings. The first start of a store makes an
access key and prints it, once; mneme access makes others. MNEME_ACCESS_KEY presets one. GET /docs and /openapi.json say all there is;
graph/serve/README.md shows how it is used.

It listens on this machine alone. Elsewhere it needs a certificate, or a proxy that has one. SIGTERM and Ctrl-C end it in order: turns at work
get their time (--drain), and what is not over then is gone on with when its message is sent again, here or at another replica. SIGHUP has it read
its limits (serve_turns and the like, which may stand in the file of settings), what the log has, and the certificate again.

Examples:
  mneme serve
  mneme serve --dir /var/lib/mneme --listen 127.0.0.1:0 --json
  MNEME_MODEL=openai:gpt-4o-mini OPENAI_API_KEY=... MNEME_MONGO_URI=mongodb://db/mneme mneme serve --listen 0.0.0.0:8470 --behind-proxy`
}

// Run serves until it is told to end.
func (s *serveCommand) Run(ctx context.Context, con *console) error {
	if err := s.checkAddress(); err != nil {
		return err
	}
	gate := serve.NewGate(s.Busy)
	open := func(ctx context.Context) (*opened, error) {
		return con.openFor(ctx, true, func(o *opened, ctx context.Context) error {
			o.made.Model, o.made.SmallModel = gate.Model(o.made.Model), gate.Small(o.made.SmallModel)
			if each := o.made.OpenModel; each != nil {
				o.made.OpenModel = func(ctx context.Context, name string) (model.ToolCallingChatModel, error) {
					m, err := each(ctx, name)
					if err != nil {
						return nil, err
					}
					return gate.Model(m), nil
				}
			}
			return o.remake(ctx)
		})
	}
	return with(ctx, open, func(g *opened) error { return s.serve(ctx, con, g, gate) })
}

// checkAddress refuses to show memory to a network in clear text.
func (s *serveCommand) checkAddress() error {
	host, _, err := net.SplitHostPort(s.Listen)
	if err != nil {
		return state.Errorf(state.Invalid, "--listen "+s.Listen, "is no HOST:PORT: %w", err)
	}
	if (s.Cert == "") != (s.Key == "") {
		return state.Errorf(state.Invalid, "TLS", "needs both --tls-cert and --tls-key")
	}
	if s.Cert != "" {
		if _, err := tls.LoadX509KeyPair(s.Cert, s.Key); err != nil {
			return state.Errorf(state.Invalid, "TLS", "%w", err)
		}
	}
	if s.Busy < 0 || s.Drain < 0 {
		return state.Errorf(state.Invalid, "serve", "--busy and --drain are 0 or more")
	}
	ip := net.ParseIP(host)
	if local := host == "localhost" || ip != nil && ip.IsLoopback(); !local && s.Cert == "" && !s.Proxy {
		return state.Errorf(state.Invalid, "--listen "+s.Listen, "would be open to the network without TLS; give --tls-cert and --tls-key, or say --behind-proxy where a proxy has them")
	}
	return nil
}

func (s *serveCommand) serve(ctx context.Context, con *console, g *opened, gate *serve.Gate) error {
	// The listener comes first: where the port is taken nothing else is begun.
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", s.Listen)
	if err != nil {
		return state.Errorf(state.Unavailable, "--listen "+s.Listen, "%w", err)
	}
	defer func() { _ = listener.Close() }() // Serve has closed it already, as a rule
	r := &reloading{con: con, page: s.page, cert: s.Cert, key: s.Key}
	limits, err := r.begin()
	if err != nil {
		return err
	}
	targets, err := webhooksOf(g.config)
	if err != nil {
		return err
	}
	keys := access.New(access.Config{Store: g.store.Store})
	secret, end, err := s.firstKey(ctx, g, keys)
	if err != nil {
		return err
	}
	defer end()
	figures, err := newMetrics()
	if err != nil {
		return err
	}
	defer func() { _ = figures.end(context.WithoutCancel(ctx)) }() // nobody reads them any more
	batches := con.batches(g)
	srv, err := serve.New(serve.Config{
		Graph: g.Graph, Store: g.store.Store, Keys: keys, Hooks: targets, Gate: gate, Batches: batches, Models: g.models(), Embedder: g.made.Embedder, AnswerFormat: provider.AnswerFormat, Notes: notesOf(g.config.degraded()), Metrics: figures.page, Meter: figures.meter, Turns: figures.turns, Logger: r.log, Version: built().Version, Limits: limits,
	})
	if err != nil {
		return err
	}

	server := newServer(srv, r)
	var behind sync.WaitGroup
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer behind.Wait()
	defer stop()
	behind.Go(func() { srv.Operate(work) })
	hup, deaf := hangups()
	defer deaf()
	behind.Go(func() { r.watch(work, srv, hup) })
	endBatches := extractBehind(work, batches)
	defer endBatches()
	ended := make(chan error, 1)
	go func() {
		if s.Cert != "" {
			ended <- server.ServeTLS(listener, "", "") // as TLSConfig says
		} else {
			ended <- server.Serve(listener)
		}
	}()
	if err := s.greet(con, listener.Addr().String(), secret, g.scope); err != nil {
		return err
	}
	select {
	case err = <-ended:
	case <-ctx.Done():
	}
	return s.end(ctx, srv, server, r.log, err)
}

// newServer makes the server of a handler, with the certificate that was read last.
func newServer(h http.Handler, r *reloading) *http.Server {
	const head, idle = 10 * time.Second, 2 * time.Minute
	return &http.Server{
		Handler: h, ReadHeaderTimeout: head, ReadTimeout: time.Minute, IdleTimeout: idle, MaxHeaderBytes: 64 << 10, ErrorLog: slog.NewLogLogger(r.log.Handler(), slog.LevelWarn),
		TLSConfig: &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: r.certificate},
	}
}

// end ends a server in order: no new turns, those at work end, then the connections.
func (s *serveCommand) end(ctx context.Context, srv *serve.Server, server *http.Server, log *slog.Logger, err error) error {
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.Drain)
	defer cancel()
	if drained := srv.Drain(late); drained != nil {
		log.Warn("turns are left; their messages sent again go on with them", "error", drained)
	}
	const words = 3 * time.Second // for the last events of turns that are left
	last, done := context.WithTimeout(context.WithoutCancel(ctx), words)
	defer done()
	if shut := server.Shutdown(last); shut != nil {
		err = errors.Join(err, server.Close())
	}
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return err
}

// firstKey returns the access key that a first start makes, "" at later ones; for one person's page a new one, which ends with end.
func (s *serveCommand) firstKey(ctx context.Context, g *opened, keys *access.Keys) (secret string, end func(), err error) {
	client := cmp.Or(g.scope.Client, "default")
	if !s.page {
		secret, err = keys.First(ctx, client, g.config.get("access_key"))
		return secret, func() {}, err
	}
	const within = 24 * time.Hour
	key, secret, err := keys.Create(ctx, access.Key{
		Client: client, User: g.scope.User, Roles: []access.Role{access.Read, access.Write, access.Admin}, Note: "mneme chat --page", Expires: time.Now().Add(within),
	})
	return secret, func() {
		_, _ = keys.Revoke(context.WithoutCancel(ctx), client, key.ID) // else it ends by itself
	}, err
}

// greet says where it listens, the key if it is new, and how to begin.
func (s *serveCommand) greet(con *console, addr, secret string, scope state.Scope) error {
	scheme := "http"
	if s.Cert != "" {
		scheme = "https"
	}
	at := scheme + "://" + addr
	if s.JSON {
		out := map[string]string{"address": at}
		if secret != "" {
			out["access_key"] = secret
		}
		return json.NewEncoder(con.out).Encode(out)
	}
	if s.page {
		fmt.Fprintf(con.out, "Open %s/s/%s#key=%s in a browser. Ctrl-C ends it.\n", at, url.PathEscape(scope.Session), secret)
		return nil
	}
	fmt.Fprintf(con.out, "Mneme answers at %s\n", at)
	key := "$MNEME_ACCESS_KEY"
	if secret != "" {
		key = secret
		fmt.Fprintf(con.out, "Access key, shown this once: %s\nIts page: %s/#key=%s\n", secret, at, secret)
	} else {
		fmt.Fprintf(con.out, "Its page, which asks for an access key: %s/\n", at)
	}
	fmt.Fprintf(con.out, `
Say something, ask for it in another session, and see what is remembered:
  curl -s %[1]s/api/v1/turns -H "Authorization: Bearer %[2]s" -H 'Content-Type: application/json' -d '{"message":"I ordered brake pads, order number 07-14244-53150.","session_id":"monday"}'
  curl -s %[1]s/api/v1/turns -H "Authorization: Bearer %[2]s" -H 'Content-Type: application/json' -d '{"message":"What is the order number of the brake pads?","session_id":"tuesday"}'
  curl -s '%[1]s/api/v1/affairs?status=ACTIVE,PARKED' -H "Authorization: Bearer %[2]s"

GET /docs, with the same header, lists all operations. Ctrl-C ends it in order.
`, at, key)
	return nil
}
