package hooks_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/graph/serve/hooks"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/statetest"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv("MNEME_TEST_HOOKS_STORE"); dir != "" {
		serveForever(dir, os.Getenv("MNEME_TEST_HOOKS_ADDRESS"), os.Getenv("MNEME_TEST_HOOKS_AHEAD"))
		return
	}
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"), goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"))
}

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwFRIdZi2vZYE="

var must = statetest.Must

// verify checks a request as the Standard Webhooks specification says it: one of the signatures is the base64 of HMAC-SHA256 of "id.timestamp.body" under the decoded
// secret, and the timestamp is near.
func verify(key string, h http.Header, body []byte, now time.Time) error {
	raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(key, "whsec_"))
	if err != nil {
		return err
	}
	seconds, err := strconv.ParseInt(h.Get("webhook-timestamp"), 10, 64)
	if err != nil {
		return err
	}
	if age := now.Sub(time.Unix(seconds, 0)).Abs(); age > 5*time.Minute {
		return fmt.Errorf("the timestamp is %s away", age)
	}
	sum := hmac.New(sha256.New, raw)
	fmt.Fprintf(sum, "%s.%d.%s", h.Get("webhook-id"), seconds, body)
	for _, one := range strings.Fields(h.Get("webhook-signature")) {
		version, text, _ := strings.Cut(one, ",")
		if got, err := base64.StdEncoding.DecodeString(text); version == "v1" && err == nil && hmac.Equal(got, sum.Sum(nil)) {
			return nil
		}
	}
	return fmt.Errorf("no signature of %q is right", h.Get("webhook-signature"))
}

// got is a message as it came.
type got struct {
	header http.Header
	body   string
}

// receiver is what messages are sent to. It keeps all that come and answers as it is told.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	came   []got
	answer func(n int, w http.ResponseWriter, r *http.Request) // to the n-th, from 1; nil = 204
}

func receive(t *testing.T, answer func(n int, w http.ResponseWriter, r *http.Request)) *receiver {
	t.Helper()
	x := &receiver{answer: answer}
	x.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		x.mu.Lock()
		x.came = append(x.came, got{r.Header, string(body)})
		n, answer := len(x.came), x.answer
		x.mu.Unlock()
		if answer == nil {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		answer(n, w, r)
	}))
	t.Cleanup(x.Close)
	return x
}

// take returns what has come since the last time.
func (x *receiver) take() []got {
	x.mu.Lock()
	defer x.mu.Unlock()
	out := x.came
	x.came = nil
	return out
}

// lose forgets what came last.
func (x *receiver) lose() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.came = x.came[:max(0, len(x.came)-1)]
}

// world is a store with a graph on it whose model asks before it stores, a clock, and what tells.
type world struct {
	t     *testing.T
	store store.Store
	graph *graph.Graph
	clock func() time.Time
	pass  func(time.Duration)
}

var began = time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC)

func setup(t *testing.T, change func(*graph.Config)) *world {
	t.Helper()
	at := &statetest.Clock{At: began}
	w := &world{t: t, clock: at.Now, pass: at.Pass}
	c := graph.Config{
		Store: ram.New(), Approve: []string{"memory_store"}, Now: w.clock,
		Model: scripted.New([]scripted.Step{scripted.Call("memory_store", `{"subject":"seat","content":"The seat is 14C.","category":"fact"}`), scripted.Say("Noted.")}, nil),
	}
	if change != nil {
		change(&c)
	}
	w.store = c.Store
	var err error
	w.graph, err = graph.New(t.Context(), c)
	must(t, err)
	t.Cleanup(func() { must(t, w.graph.Close()) })
	return w
}

// hooks makes what tells addresses.
func (w *world) hooks(addresses string, change func(*hooks.Config)) *hooks.Hooks {
	w.t.Helper()
	targets, err := hooks.Parse(addresses, secret, false)
	must(w.t, err)
	c := hooks.Config{Targets: targets, Graph: w.graph, Store: w.store, Now: w.clock, Timeout: 5 * time.Second}
	if change != nil {
		change(&c)
	}
	h, err := hooks.New(c)
	must(w.t, err)
	return h
}

// tell tells once.
func (w *world) tell(h *hooks.Hooks) (next time.Time) {
	w.t.Helper()
	next, err := h.Pass(w.t.Context())
	must(w.t, err)
	return next
}

// task gives a user a task.
func (w *world) task(user, title string, due time.Time) string {
	w.t.Helper()
	receipts, err := w.graph.Memory().Write(w.t.Context(), state.Scope{Client: "acme", User: user, Session: "s1"}, memory.Task(title, "", due))
	must(w.t, err)
	return receipts[0].ID
}

// kept counts the messages in the store.
func (w *world) kept() int {
	w.t.Helper()
	docs, err := w.store.Scan(w.t.Context(), store.Query{Collection: state.Deliveries})
	must(w.t, err)
	return len(docs)
}
