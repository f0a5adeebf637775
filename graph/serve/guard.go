package serve

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/mneme-graph/mneme/graph/serve/access"
	webpage "github.com/mneme-graph/mneme/graph/serve/page"
	"github.com/mneme-graph/mneme/state"
)

// Limits bound what clients may ask of a service. The zero value of each is its default.
type Limits struct {
	Body    int64   // bytes of a request's body; default 8 MiB
	Rate    float64 // requests a second of one key, in the long run; default 200
	Burst   int     // of them at once; default twice the rate
	Turns   int     // at work side by side, of all clients; default 512
	Client  int     // of one client; default half of Turns
	Streams int     // open streams of events of one key; default 256

	KeyTokens    Tokens // of models, for one key; default without a bound
	ClientTokens Tokens // for one client
}

func (l Limits) withDefaults() Limits {
	if l.Body <= 0 {
		l.Body = 8 << 20
	}
	if l.Rate <= 0 {
		l.Rate = 200
	}
	if l.Burst <= 0 {
		l.Burst = int(2 * l.Rate)
	}
	if l.Turns <= 0 {
		l.Turns = 512
	}
	if l.Client <= 0 {
		l.Client = max(1, l.Turns/2)
	}
	if l.Streams <= 0 {
		l.Streams = 256
	}
	return l
}

// guard lets requests in: those of known keys, of bounded size, as many as may be.
type guard struct {
	c      Config
	closed atomic.Bool

	mu      sync.Mutex
	limits  Limits
	rates   map[string]*rate.Limiter // by key
	streams map[string]int           // open, by key
	turns   map[string]int           // at work, by client
	spent   map[string]*spending     // tokens of models, by key and by client
	all     int
}

func newGuard(c Config) *guard {
	return &guard{c: c, limits: c.Limits, rates: map[string]*rate.Limiter{}, streams: map[string]int{}, turns: map[string]int{}, spent: map[string]*spending{}}
}

func (g *guard) close() { g.closed.Store(true) }

// open reports whether a path is answered without a key.
func open(path string) bool { return slices.Contains([]string{"/healthz", "/readyz"}, path) }

// limited lets a request in if its key is known and asks no more than it may. The context of what is let in has the key.
func (g *guard) limited(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case open(r.URL.Path):
			next.ServeHTTP(w, r)
			return
		case r.URL.Path == signInPath:
			g.signIn(w, r)
			return
		case webpage.Asks(r):
			webpage.Serve(w, r)
			return
		}
		if len(r.Header.Values("X-Mneme-User")) > 1 || len(r.Header.Values("Authorization")) > 1 {
			writeRefusal(w, r, (&Problem{Status: http.StatusBadRequest, Code: string(state.Invalid), Detail: "Authorization and X-Mneme-User may stand once each"}).named())
			return
		}
		secret, err := secretOf(r)
		if err != nil {
			g.refuse(w, r, err, http.StatusForbidden)
			return
		}
		key, err := g.c.Keys.Check(r.Context(), secret)
		if err != nil {
			g.refuse(w, r, err, http.StatusUnauthorized)
			return
		}
		own := noted(r.Context())
		own.Key, own.client = key.ID, key.Client
		if wait := g.pace(key.ID); wait > 0 {
			writeRefusal(w, r, tooMuch("this key asks too often; come again when Retry-After says", wait))
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, g.c.Limits.Body)
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), keyKey{}, key)))
	})
}

// pace reports how long a key has to wait for its next request, 0 = not at all.
func (g *guard) pace(id string) time.Duration {
	const most = 10000 // keys with a pace of their own
	g.mu.Lock()
	defer g.mu.Unlock()
	l := g.rates[id]
	if l == nil {
		if len(g.rates) >= most {
			clear(g.rates)
		}
		l = rate.NewLimiter(rate.Limit(g.limits.Rate), g.limits.Burst)
		g.rates[id] = l
	}
	now := g.c.Now()
	if l.AllowN(now, 1) {
		return 0
	}
	return time.Duration(float64(time.Second) / g.limits.Rate)
}

// atWork is how many turns are.
func (g *guard) atWork() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.all
}

// open refuses a key for which no turn would begin now, before anything is made for one.
func (g *guard) open(key access.Key) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed.Load() {
		return errDraining
	}
	return g.overspent(key)
}

// begin takes a place for a turn of a key, which leave gives back. No place is a problem.
func (g *guard) begin(ctx context.Context, key access.Key) (work context.Context, leave func(), err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	client := key.Client
	if err := g.overspent(key); err != nil {
		return nil, nil, err
	}
	switch {
	case g.closed.Load():
		return nil, nil, errDraining
	case g.all >= g.limits.Turns:
		return nil, nil, tooMuch("as many turns are at work as this service takes", time.Second)
	case g.turns[client] >= g.limits.Client:
		return nil, nil, tooMuch("as many turns of this client are at work as it may have", time.Second)
	}
	work, out, ok := g.c.Gate.enter(ctx)
	if !ok {
		return nil, nil, tooMuch("this machine is busy", time.Second)
	}
	g.all++
	g.turns[client]++
	return work, func() {
		out()
		g.mu.Lock()
		defer g.mu.Unlock()
		g.all--
		if g.turns[client]--; g.turns[client] == 0 {
			delete(g.turns, client)
		}
	}, nil
}

// stream takes a place for an open stream of a key.
func (g *guard) stream(key string) (leave func(), err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.streams[key] >= g.limits.Streams {
		return nil, tooMuch("this key has as many streams open as it may have", time.Second)
	}
	g.streams[key]++
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.streams[key]--; g.streams[key] == 0 {
			delete(g.streams, key)
		}
	}, nil
}

// only hands requests on whose key has a role.
func (g *guard) only(role access.Role, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := may(r.Context(), role); err != nil {
			writeProblem(w, problemOf(err))
			return
		}
		next.ServeHTTP(w, r)
	})
}

type keyKey struct{}

func keyFrom(ctx context.Context) access.Key {
	key, _ := ctx.Value(keyKey{}).(access.Key)
	return key
}

// may refuses a key that lacks a role.
func may(ctx context.Context, role access.Role) error {
	if key := keyFrom(ctx); !key.May(role) {
		return state.Errorf(state.Denied, "access key "+key.ID, "lacks the role %s; it has %v", role, key.Roles)
	}
	return nil
}
