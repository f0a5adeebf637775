package mongo

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readconcern"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Config says where the documents are. One of URI, Client and Database is required; the zero value of the
// rest is the default.
type Config struct {
	// URI is a connection string, mongodb:// or mongodb+srv://. Its client is the store's own: Close closes it.
	URI string
	// Client is the application's; it is never closed here. Span does not hear its commands.
	Client *mongo.Client
	// Database is the application's; its client is never closed here. Span does not hear its commands.
	Database *mongo.Database
	// Name is the name of the database; "" = the one in the URI's path, or else "mneme". With Database it is
	// not to be set.
	Name string
	// Timeout is the deadline of every call whose context has none sooner; 0 = 10 s, at most 5 minutes.
	Timeout time.Duration
	// MaxDocBytes bounds the body of a document; 0 = 64 MB. A larger one is state.ErrInvalid and not sent.
	MaxDocBytes int
	// Retries is how often a call that met a broken connection is tried again before its deadline; 0 = 3, -1 =
	// never. A write is tried again only after reading back that it was not made.
	Retries int
	// Log is told, at level debug, of every command of a client opened by URI (its name, its collection, how
	// long it took, the code of an error), and at level warn what goes wrong without anybody's call failing. No
	// value of a document appears. nil is silent.
	Log *slog.Logger
	// Span, when not nil, is called as a command of a client opened by URI begins, with the context of the
	// call that caused it, and returns what is called as it ends. It is where a tracer hooks in.
	Span func(ctx context.Context, c Command) (end func(code int))
	// Now is the clock; nil = time.Now. It dates the pieces of large bodies, nothing else.
	Now func() time.Time
	// NewID names a set of such pieces; no two calls, in any process, may return the same. nil = UUIDs.
	NewID func() string
	// Jitter spreads pauses between tries; it returns a fraction in [0,1). nil = a random one.
	Jitter func() float64
}

const (
	defaultName    = "mneme"
	defaultTimeout = 10 * time.Second
	defaultMaxDoc  = 64 << 20
	defaultRetries = 3
	maxDocLimit    = 1 << 30

	// maxTimeout bounds Config.Timeout: no write lasts longer, so that pieces twice as old with no document
	// are known to belong to none.
	maxTimeout = 5 * time.Minute
)

// Store keeps documents in a MongoDB database. Safe for concurrent use; made by Open.
type Store struct {
	cfg    Config
	own    *mongo.Client // nil when the client is the application's
	db     *mongo.Database
	facts  facts
	codec  codec
	closed closing
}

var _ store.Store = (*Store)(nil)

// Open connects, asks the server what it is, and makes the TTL indexes that are missing. It needs MongoDB 6 or
// later, standalone, replica set or sharded; 5 is let in but not supported. Errors: state.ErrInvalid for a
// bad Config, an older server, a collection sharded by anything but its _id, or an index that is there with
// other options; ErrDenied when the server refuses the user; ErrUnavailable when it does not answer in time.
// After an error nothing is left open. No error and no log shows the password of a URI.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	if ctx.Err() != nil {
		return nil, store.Cancelled(ctx)
	}
	cfg, err := cfg.resolve()
	if err != nil {
		return nil, err
	}

	s := &Store{cfg: cfg}
	if err := s.connect(); err != nil {
		return nil, err
	}

	ctx, cancel := context.WithTimeout(ctx, cfg.Timeout)
	defer cancel()
	for _, step := range []func(context.Context) error{s.probe, s.checkShards, s.makeIndexes} {
		if err := step(ctx); err != nil {
			_ = s.Close() // err says what is wrong
			return nil, err
		}
	}
	return s, nil
}

func (c Config) resolve() (Config, error) {
	// Mistakes are told before anything is connected.
	sources := 0
	for _, given := range []bool{c.URI != "", c.Client != nil, c.Database != nil} {
		if given {
			sources++
		}
	}
	switch {
	case sources != 1:
		return c, state.Errorf(state.Invalid, "open store", "names %d of URI, Client and Database; name one", sources)
	case c.Database != nil && c.Name != "":
		return c, state.Errorf(state.Invalid, "open store", "names a Database and the Name of one; leave Name empty")
	case c.Timeout < 0 || c.Timeout > maxTimeout:
		return c, state.Errorf(state.Invalid, "open store", "Timeout is %s; give up to %s, or 0 for %s", c.Timeout, maxTimeout, defaultTimeout)
	case c.MaxDocBytes < 0 || c.MaxDocBytes > maxDocLimit:
		return c, state.Errorf(state.Invalid, "open store", "MaxDocBytes is %d; give 1 to %d, or 0 for %d", c.MaxDocBytes, maxDocLimit, defaultMaxDoc)
	case strings.ContainsAny(c.Name, "/\\. \"$*<>:|?\x00") || len(c.Name) > 63:
		return c, state.Errorf(state.Invalid, "open store", "a database cannot be called %.80q; use letters, digits, '-' and '_'", c.Name)
	}

	// What is not given has a default; only Retries may be negative, for none.
	setDefault(&c.Timeout, defaultTimeout)
	setDefault(&c.MaxDocBytes, defaultMaxDoc)
	setDefault(&c.Retries, defaultRetries)
	c.Retries = max(c.Retries, 0)
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.NewID == nil {
		c.NewID = uuid.NewString
	}
	if c.Jitter == nil {
		c.Jitter = rand.Float64
	}
	return c, nil
}

// setDefault gives a setting its default if it is zero.
func setDefault[T comparable](setting *T, value T) {
	var zero T
	if *setting == zero {
		*setting = value
	}
}

// connect makes the client if it is ours, and finds the database. It does not yet talk to the server.
func (s *Store) connect() error {
	switch {
	case s.cfg.Database != nil:
		s.db = s.cfg.Database
		return nil
	case s.cfg.Client != nil:
		setDefault(&s.cfg.Name, defaultName)
		s.db = s.cfg.Client.Database(s.cfg.Name)
		return nil
	}

	// The client is ours: what the URI does not say is set so that a call can fail in time.
	o := options.Client().ApplyURI(s.cfg.URI)
	if err := o.Validate(); err != nil {
		return refuseURI(s.cfg.URI, err)
	}
	if o.AppName == nil {
		o.SetAppName("mneme")
	}
	if o.ConnectTimeout == nil {
		o.SetConnectTimeout(s.cfg.Timeout / 2) // few connections are made at once; one that hangs must not block them longer
	}
	o.SetMonitor(newMonitor(s.cfg))

	// An error may show the URI, and with it a password: it is made anew.
	client, err := mongo.Connect(o)
	if err != nil {
		return refuseURI(s.cfg.URI, err)
	}
	setDefault(&s.cfg.Name, databaseIn(s.cfg.URI))
	setDefault(&s.cfg.Name, defaultName)
	s.own, s.db = client, client.Database(s.cfg.Name)
	return nil
}

// databaseIn returns the database that a connection string names, "" if none.
func databaseIn(uri string) string {
	_, rest, _ := strings.Cut(uri, "://")
	_, path, _ := strings.Cut(rest, "/")
	path, _, _ = strings.Cut(path, "?")
	name, err := url.PathUnescape(path)
	if err != nil {
		return ""
	}
	return name
}

// Close ends the connections of a store opened by URI; a client that was handed in stays open. Calls after it
// are state.ErrUnavailable. It may be called more than once.
func (s *Store) Close() error {
	if !s.closed.begin() {
		return nil
	}
	s.codec.close()
	if s.own == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), s.cfg.Timeout)
	defer cancel()
	return explain("close store", s.own.Disconnect(ctx))
}

// Features returns those of a server: each document of a Write is changed atomically, all of them together are not; and other processes
// may use the same database.
func (s *Store) Features() store.Features { return store.Features{Shared: true} }

// collection gives the concerns that the promises of package store need, whatever the client's own are:
// acknowledged by a majority, on disk, read from the primary what a majority has.
func (s *Store) collection(name string) *mongo.Collection {
	journal := true
	o := options.Collection().
		SetWriteConcern(&writeconcern.WriteConcern{W: "majority", Journal: &journal}).
		SetReadPreference(readpref.Primary()).
		SetRegistry(bson.NewRegistry())
	if s.facts.replicated {
		o.SetReadConcern(readconcern.Majority())
	}
	return s.db.Collection(name, o)
}

// admit lets a call in: the context still stands, the arguments are valid, the store is open. The context
// returned has the store's deadline.
func (s *Store) admit(ctx context.Context, invalid error) (context.Context, context.CancelFunc, error) {
	switch {
	case ctx.Err() != nil:
		return nil, nil, store.Cancelled(ctx)
	case invalid != nil:
		return nil, nil, invalid
	case !s.closed.enter():
		return nil, nil, state.Errorf(state.Unavailable, "store "+s.db.Name(), "is closed; open it again")
	}
	ctx, cancel := context.WithTimeout(ctx, s.cfg.Timeout)
	return ctx, func() {
		cancel()
		s.closed.leave()
	}, nil
}
