package milvus

import (
	"cmp"
	"context"
	"crypto/tls"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/url"
	"regexp"
	"strings"
	"time"

	grpcretry "github.com/grpc-ecosystem/go-grpc-middleware/retry"
	"github.com/milvus-io/milvus/client/v2/milvusclient"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"

	"github.com/mneme-graph/mneme/state"
)

// Config says where the server is. Address is required; the zero value of the rest is the default.
type Config struct {
	// Address is host:port, with a database behind a slash if there is one, and https:// before it for TLS. Without
	// a port it is 19530, or 443 with https://.
	Address string
	// Database is where the collections are; "" = the one of Address, or else the server's default.
	Database string
	// Username and Password are the server's own; "" = none.
	Username, Password string
	// APIKey is what hosted servers ask for instead of Username and Password.
	APIKey string
	// EnableTLS encrypts the connection and checks the server's certificate against the system's authorities.
	EnableTLS bool
	// TLS does so as it says: own authorities, a client's certificate. It implies EnableTLS.
	TLS *tls.Config
	// Prefix begins the name of every collection and of the alias; "" = "mneme". Shelves with different prefixes
	// do not see each other. Letters, digits and "_", not beginning with a digit, at most 64.
	Prefix string
	// Index is IndexHNSW or IndexFlat, of the collections that are made; "" = IndexHNSW, but IndexFlat on
	// milvus-lite, whose HNSW loses entries behind a narrow filter.
	Index string
	// ConnectTimeout bounds Open; 0 = 10 s.
	ConnectTimeout time.Duration
	// Timeout bounds one request; 0 = 10 s. A call may make several.
	Timeout time.Duration
	// LoadTimeout bounds the wait until the server has a collection in memory; 0 = 1 min.
	LoadTimeout time.Duration
	// Retries is how often a request is tried again when the server is busy or away; 0 = 6, -1 = never. The pauses
	// grow from 50 ms to 2 s.
	Retries int
	// RetryFor bounds the sum of these pauses; 0 = 5 s.
	RetryFor time.Duration
	// Logger is told at level debug when a request is tried again or a collection is made or loaded. No user's text,
	// id or vector appears. nil is silent.
	Logger *slog.Logger
	// Sleep waits, and returns the context's error if that ends first; nil = by the clock.
	Sleep func(ctx context.Context, d time.Duration) error
	// Jitter spreads pauses; it returns a fraction in [0,1). nil = a random one.
	Jitter func() float64
	// Dial makes the connections; nil = TCP, through the proxy of the environment if there is one.
	Dial func(ctx context.Context, address string) (net.Conn, error)
}

// What Config.Index may say.
const (
	IndexHNSW = "HNSW" // a graph: approximate, for owners with a great many entries
	IndexFlat = "FLAT" // none: the server looks at every vector of the owner; exact
)

const (
	defaultPort   = "19530"
	defaultPrefix = "mneme"
)

// resolve fills in the defaults and refuses what cannot work (state.ErrInvalid). No error shows the Address as a whole,
// since people put passwords there.
func (c Config) resolve() (Config, error) {
	// What is given is checked; the rest gets its default.
	if err := c.resolveAddress(); err != nil {
		return c, err
	}
	c.Prefix = cmp.Or(c.Prefix, defaultPrefix)
	if !regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`).MatchString(c.Prefix) {
		return c, state.Errorf(state.Invalid, "milvus prefix", "%.80q is no name: letters, digits and _, not beginning with a digit, at most 64", c.Prefix)
	}
	if c.Index != "" && c.Index != IndexHNSW && c.Index != IndexFlat {
		return c, state.Errorf(state.Invalid, "milvus index", "%q is unknown; use %s or %s", c.Index, IndexHNSW, IndexFlat)
	}
	c.ConnectTimeout = cmp.Or(c.ConnectTimeout, 10*time.Second)
	c.Timeout = cmp.Or(c.Timeout, 10*time.Second)
	c.LoadTimeout = cmp.Or(c.LoadTimeout, time.Minute)
	c.RetryFor = cmp.Or(c.RetryFor, 5*time.Second)
	c.Retries = max(cmp.Or(c.Retries, 6), 0)
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Sleep == nil {
		c.Sleep = sleep
	}
	if c.Jitter == nil {
		c.Jitter = rand.Float64
	}
	return c, nil
}

// resolveAddress takes Address apart: afterwards it is host:port.
func (c *Config) resolveAddress() error {
	const op = "milvus address"
	given := strings.TrimSpace(c.Address)
	if !strings.Contains(given, "://") {
		given = "tcp://" + given
	}
	u, err := url.Parse(given)
	switch {
	case err != nil || u.Hostname() == "":
		return state.Errorf(state.Invalid, op, "is not host:port, such as localhost:19530")
	case u.User != nil:
		return state.Errorf(state.Invalid, op, "names a user; put the name into Username and the password into Password")
	case u.Scheme != "tcp" && u.Scheme != "http" && u.Scheme != "https":
		return state.Errorf(state.Invalid, op, "begins with %s://; use host:port or https://host", u.Scheme)
	}
	port := u.Port()
	if u.Scheme == "https" {
		c.EnableTLS = true
		port = cmp.Or(port, "443")
	}
	c.Address = net.JoinHostPort(u.Hostname(), cmp.Or(port, defaultPort))
	c.Database = cmp.Or(c.Database, strings.Trim(u.Path, "/"))
	return nil
}

// client returns the configuration of the client's library. Its own retries are switched off, since they sleep by the clock and
// up to 20 s, and reconnecting is quicker than its default.
func (c Config) client() *milvusclient.ClientConfig {
	options := []grpc.DialOption{
		grpc.WithDefaultCallOptions(grpcretry.Disable()),
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: 50 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: time.Second},
			MinConnectTimeout: 3 * time.Second,
		}),
	}
	if c.Dial != nil {
		options = append(options, grpc.WithContextDialer(c.Dial))
	}
	cfg := &milvusclient.ClientConfig{
		Address: c.Address, DBName: c.Database, Username: c.Username, Password: c.Password, APIKey: c.APIKey,
		EnableTLSAuth: c.EnableTLS, DialOptions: options, DisableConn: true,
	}
	if c.TLS != nil {
		cfg = cfg.WithTLSConfig(c.TLS)
	}
	return cfg
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
