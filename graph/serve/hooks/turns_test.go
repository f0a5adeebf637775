package hooks_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/graph/serve/hooks"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// measured notes how many documents a scan of it has brought at most.
type measured struct {
	store.Store
	most atomic.Int64
}

func (m *measured) Scan(ctx context.Context, q store.Query) ([]store.Doc, error) {
	docs, err := m.Store.Scan(ctx, q)
	m.most.Store(max(m.most.Load(), int64(len(docs))))
	return docs, err
}

// crowd gives a user of client acme many tasks that are due, as they stand in the store.
func (w *world) crowd(user string, n int) {
	w.t.Helper()
	id := w.task(user, "Water the plants", began)
	like, err := w.store.Get(w.t.Context(), state.Records, "acme/"+user+"/"+id)
	must(w.t, err)
	var r state.Record
	must(w.t, bson.Unmarshal(like.Body, &r))
	var docs []store.Doc
	for i := range n - 1 {
		r.ID = fmt.Sprintf("t%06d", i)
		body, err := bson.Marshal(r)
		must(w.t, err)
		docs = append(docs, store.Doc{Collection: state.Records, ID: "acme/" + user + "/" + r.ID, Body: body})
	}
	must(w.t, w.store.Write(w.t.Context(), docs...))
}

// small is a task of another client, which comes behind all others by its name and by its time.
func (w *world) small(title string) {
	w.t.Helper()
	_, err := w.graph.Memory().Write(w.t.Context(), state.Scope{Client: "zeta", User: "zoe", Session: "s1"}, memory.Task(title, "", began))
	must(w.t, err)
}

// Of a client with 100,000 things that wait, another client's single one does not wait for more than a few: in a pass, in a pass that goes on where one was cut short, and
// no more than a page of documents is read at a time.
func TestClientsTakeTurns(t *testing.T) {
	t.Parallel()
	const fair = 60
	crowd := 100_000
	if testing.Short() {
		crowd = 10_000
	}
	w := setup(t, nil)
	w.crowd("ann", crowd)
	w.crowd("bob", 10)
	s := &measured{Store: w.store}
	cut := context.CancelFunc(func() {})
	to := receive(t, func(n int, _ http.ResponseWriter, _ *http.Request) {
		if n%fair == 0 {
			cut()
		}
	})
	h := w.hooks(to.URL, func(c *hooks.Config) { c.Store = s })
	var bodies []string
	for i := range 3 {
		w.small(fmt.Sprintf("Call the dentist %d%d%d", i, i, i))
		ctx, cancel := context.WithCancel(t.Context())
		cut = cancel
		next, err := h.Pass(ctx)
		must(t, err)
		cancel()
		if !next.Equal(w.clock()) {
			t.Errorf("it goes on at %s", next)
		}
		came, zeta := to.take(), 0
		for _, g := range came {
			bodies = append(bodies, g.header.Get("webhook-id"))
			if strings.Contains(g.body, "zeta") {
				zeta++
			}
		}
		if zeta != 1 || len(came) > fair {
			t.Errorf("pass %d: %d of the other client among %d messages", i, zeta, len(came))
		}
	}
	twice := map[string]int{}
	for _, id := range bodies {
		if twice[id]++; twice[id] > 2 || twice[id] == 2 && id != bodies[fair-1] && id != bodies[2*fair-1] { // those that were cut off
			t.Errorf("%s came %d times", id, twice[id])
		}
	}
	if s.most.Load() > 1000 {
		t.Errorf("%d documents were read at once", s.most.Load())
	}
}

// All of a crowd is told, each thing once, over pages and passes.
func TestACrowdIsTold(t *testing.T) {
	t.Parallel()
	const crowd = 2500
	w, to := setup(t, nil), receive(t, nil)
	w.crowd("ann", crowd)
	w.small("Call the dentist")
	h := w.hooks(to.URL, func(c *hooks.Config) { c.Timeout = time.Minute })
	if next := w.tell(h); !next.IsZero() {
		t.Errorf("next at %s", next)
	}
	w.tell(h)
	ids := map[string]bool{}
	came := to.take()
	for _, g := range came {
		ids[g.header.Get("webhook-id")] = true
	}
	if len(ids) != crowd+1 || len(came) != crowd+1 {
		t.Errorf("%d things were told by %d messages", len(ids), len(came))
	}
}
