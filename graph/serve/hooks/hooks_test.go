package hooks_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/graph/serve/hooks"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/forget"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/mongo"
	"github.com/mneme-graph/mneme/state/store/mongo/mongotest"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// A due task, a question and a suggestion are told once each, by ids and no word, signed so that nobody else's message passes.
func TestTellsWhatWaits(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(t *testing.T) store.Store{
		"in RAM": func(*testing.T) store.Store { return ram.New() },
		"on a MongoDB": func(t *testing.T) store.Store {
			t.Helper()
			s, err := mongo.Open(t.Context(), mongo.Config{URI: mongotest.Start(t, mongotest.Options{}).URI()})
			must(t, err)
			t.Cleanup(func() { must(t, s.Close()) })
			return s
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tellsWhatWaits(t, open(t))
		})
	}
}

func tellsWhatWaits(t *testing.T, s store.Store) {
	t.Helper()
	w, to := setup(t, func(c *graph.Config) { c.Store = s }), receive(t, nil)
	h := w.hooks(to.URL, nil)
	id := w.task("ann", "Call the dentist", began.Add(time.Hour))
	if next := w.tell(h); len(to.take()) != 0 || !next.Equal(began.Add(time.Hour)) {
		t.Errorf("before it is due: next %s", next)
	}
	w.pass(time.Hour)
	reply, err := w.graph.Invoke(t.Context(), graph.Request{Scope: state.Scope{Client: "acme", User: "bob", Session: "s2"}, Text: "Note my seat, 14C."})
	must(t, err)
	w.tell(h)
	w.tell(h)

	came := map[hooks.Kind]hooks.Message{}
	for _, g := range to.take() {
		var m hooks.Message
		must(t, json.Unmarshal([]byte(g.body), &m))
		if _, twice := came[m.Type]; twice {
			t.Errorf("%s came twice", m.Type)
		}
		came[m.Type] = m
		if err := verify(secret, g.header, []byte(g.body), w.clock()); err != nil {
			t.Error(err)
		}
		for _, word := range []string{"dentist", "seat", "14C"} {
			if strings.Contains(g.body, word) {
				t.Errorf("%s says %q", g.body, word)
			}
		}
	}
	due := hooks.Message{Type: hooks.TaskDue, Timestamp: began.Add(time.Hour), Data: hooks.About{Client: "acme", User: "ann", Session: "s1", Record: id}}
	asked := hooks.Message{Type: hooks.QuestionAsked, Timestamp: began.Add(time.Hour), Data: hooks.About{Client: "acme", User: "bob", Session: "s2", Turn: reply.Waits[0].Turn(), Question: reply.Waits[0].ID}}
	if len(came) != 2 || came[hooks.TaskDue] != due || came[hooks.QuestionAsked] != asked {
		t.Errorf("got %+v\nwant %+v\n%+v", came, due, asked)
	}

	// What is settled is kept no longer.
	_, err = w.graph.Answer(t.Context(), state.Scope{Client: "acme", User: "bob", Session: "s2"}, map[string]state.Answer{reply.Waits[0].ID: {Choice: state.Approve}})
	must(t, err)
	_, err = w.graph.Memory().Tasks().End(t.Context(), state.Scope{Client: "acme", User: "ann", Session: "s1"}, id, "")
	must(t, err)
	if w.tell(h); w.kept() != 0 {
		t.Errorf("%d messages are kept of what is settled", w.kept())
	}
}

// Where edits wait for their user, each is told.
func TestTellsSuggestions(t *testing.T) {
	t.Parallel()
	w, to := setup(t, func(c *graph.Config) {
		c.Settings = state.DefaultSettings()
		c.Settings.Autonomy = 1
	}), receive(t, nil)
	_, err := w.graph.Memory().Write(t.Context(), state.Scope{Client: "acme", User: "ann", Session: "s1"}, memory.Change{Content: "Ann drinks tea.", Trust: state.TrustAgent})
	if state.CodeOf(err) != state.Denied {
		t.Fatalf("%v", err)
	}
	list, err := w.graph.Memory().Suggestions().List(t.Context(), state.Scope{Client: "acme", User: "ann"}, false)
	must(t, err)
	w.tell(w.hooks(to.URL, nil))
	var m hooks.Message
	came := to.take()
	if len(came) != 1 || json.Unmarshal([]byte(came[0].body), &m) != nil || m.Type != hooks.SuggestionMade || m.Data.Suggestion != list[0].ID || m.Data.Session != "s1" {
		t.Errorf("%+v", came)
	}
}

// A message of a stranger, one that was changed on its way and one of long ago do not pass a verification by the specification; while a secret is replaced, either passes.
func TestForgeries(t *testing.T) {
	t.Parallel()
	w, to := setup(t, nil), receive(t, nil)
	w.task("ann", "Call the dentist", began)
	other := "whsec_" + strings.Repeat("QUJD", 10)
	w.tell(w.hooks(to.URL, func(c *hooks.Config) {
		both, err := hooks.Parse(to.URL, secret+" "+other, false)
		must(t, err)
		c.Targets = both
	}))
	g := to.take()[0]
	for name, x := range map[string]struct {
		key  string
		body string
		at   time.Time
		ok   bool
	}{
		"as it is":          {secret, g.body, began, true},
		"the second secret": {other, g.body, began, true},
		"a stranger's":      {"whsec_" + strings.Repeat("QUJE", 10), g.body, began, false},
		"changed":           {secret, strings.Replace(g.body, "ann", "bob", 1), began, false},
		"of long ago":       {secret, g.body, began.Add(time.Hour), false},
	} {
		if err := verify(x.key, g.header, []byte(x.body), x.at); (err == nil) != x.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	forged := g.header.Clone()
	forged.Set("webhook-id", "msg_other")
	if verify(secret, forged, []byte(g.body), began) == nil {
		t.Error("another id passes")
	}
}

// Whatever goes wrong on the way, a message is sent again with the same id and body until a 2xx is seen, later each time.
func TestTriesAgain(t *testing.T) {
	t.Parallel()
	hang := make(chan struct{})
	t.Cleanup(func() { close(hang) })
	status := func(code int) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
	}
	for name, fail := range map[string]func(http.ResponseWriter, *http.Request){
		"500": status(500), "404": status(404), "300": status(300),
		"redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		},
		"the answer is lost": func(w http.ResponseWriter, _ *http.Request) {
			con, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				_ = con.Close()
			}
		},
		"it hangs": func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-hang:
			case <-r.Context().Done():
			}
		},
		"no HTTP": func(w http.ResponseWriter, _ *http.Request) {
			con, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				_, _ = io.WriteString(con, "SSH-2.0-x\r\n")
				_ = con.Close()
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t, nil)
			at := make(chan time.Time, 10)
			to := receive(t, func(n int, out http.ResponseWriter, r *http.Request) {
				at <- w.clock()
				if n <= 4 {
					fail(out, r)
				}
			})
			h := w.hooks(to.URL, func(c *hooks.Config) { c.Timeout = 200 * time.Millisecond })
			w.task("ann", "Call the dentist", began)
			for next := w.tell(h); !next.IsZero(); next = w.tell(h) {
				w.pass(next.Sub(w.clock()))
			}
			came := to.take()
			if len(came) != 5 {
				t.Fatalf("it came %d times", len(came))
			}
			for _, g := range came {
				if g.body != came[0].body || g.header.Get("webhook-id") != came[0].header.Get("webhook-id") {
					t.Errorf("another message: %v", g)
				}
				must(t, verify(secret, g.header, []byte(g.body), w.clock()))
			}
			before := <-at
			for _, least := range []time.Duration{2500 * time.Millisecond, 5 * time.Second, 10 * time.Second, 20 * time.Second} {
				now := <-at
				if wait := now.Sub(before); wait < least || wait > 2*least+5*time.Second { // the address itself may be left for longer
					t.Errorf("a wait of %s, want %s to %s", wait, least, 2*least)
				}
				before = now
			}
			if failing, err := hooks.Failing(t.Context(), w.store); err != nil || len(failing) != 0 {
				t.Errorf("it works again, and is said to fail: %v, %v", failing, err)
			}
		})
	}
}

// An address that says when to come is heeded, as seconds and as a date; one that says 410 is told nothing more, by no process, until it was taken out.
func TestHeedsAnswers(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	says := func(n int, out http.ResponseWriter, _ *http.Request) {
		switch n {
		case 1:
			out.Header().Set("Retry-After", "600")
		case 2:
			out.Header().Set("Retry-After", w.clock().Add(2*time.Hour).Format(http.TimeFormat))
		case 3:
			out.WriteHeader(http.StatusGone)
			return
		}
		out.WriteHeader(http.StatusServiceUnavailable)
	}
	to := receive(t, says)
	h := w.hooks(to.URL, nil)
	w.task("ann", "Call the dentist", began)
	w.task("bob", "Water the plants", began)
	for _, wait := range []time.Duration{10 * time.Minute, 2 * time.Hour} {
		if next := w.tell(h); next.Sub(w.clock()) != wait {
			t.Errorf("next after %s, want %s", next.Sub(w.clock()), wait)
		}
		w.pass(wait - time.Second)
		w.tell(h)
		w.pass(time.Second)
	}
	w.tell(h)
	w.pass(24 * time.Hour)
	w.tell(h)
	w.tell(w.hooks(to.URL, nil))
	if came := to.take(); len(came) != 3 {
		t.Errorf("it was asked %d times", len(came))
	}
	failing, err := hooks.Failing(t.Context(), w.store)
	if err != nil || len(failing) != 1 || !failing[0].Gone || !strings.Contains(failing[0].String(), "410") || strings.Contains(failing[0].String(), "http") {
		t.Errorf("%v, %v", failing, err)
	}

	// Once it was taken out it is told anew.
	other := receive(t, nil)
	w.tell(w.hooks(other.URL, nil))
	to.mu.Lock()
	to.answer = nil
	to.mu.Unlock()
	w.tell(w.hooks(to.URL, nil))
	if a, b := len(other.take()), len(to.take()); a != 2 || b != 2 {
		t.Errorf("told %d and %d, want 2 and 2", a, b)
	}
}

// A receiver that is down for a day costs an attempt now and then, and keeps no more than there are things; then it gets each of them, and another address is not held up.
func TestADayOfOutage(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	var up atomic.Bool
	to := receive(t, func(_ int, out http.ResponseWriter, _ *http.Request) {
		if !up.Load() {
			out.WriteHeader(http.StatusBadGateway)
		}
	})
	well := receive(t, nil)
	h := w.hooks(to.URL+" "+well.URL, nil)
	const tasks = 60
	for i := range tasks {
		w.task(fmt.Sprint("user", i%7), fmt.Sprintf("Task number %d of the list %d%d", i, i, i), began)
	}
	for end := w.clock().Add(24 * time.Hour); w.clock().Before(end); w.pass(time.Minute) {
		w.tell(h)
	}
	if tried := len(to.take()); tried > 250 || tried < 90 {
		t.Errorf("%d attempts in a day", tried)
	}
	if n := w.kept(); n > 2*tasks {
		t.Errorf("%d messages are kept of %d tasks", n, tasks)
	}
	if n := len(well.take()); n != tasks {
		t.Errorf("the other address got %d of %d", n, tasks)
	}
	up.Store(true)
	for end := w.clock().Add(30 * time.Minute); w.clock().Before(end); w.pass(time.Minute) {
		w.tell(h)
	}
	ids := map[string]bool{}
	for _, g := range to.take() {
		ids[g.header.Get("webhook-id")] = true
	}
	if len(ids) != tasks {
		t.Errorf("%d of %d came", len(ids), tasks)
	}
}

// An address of one client hears of that one's things alone, and erasing a user deletes what is still to be told of him.
func TestClientsAndErasing(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	to := receive(t, func(_ int, out http.ResponseWriter, _ *http.Request) { out.WriteHeader(http.StatusInternalServerError) })
	foreign := receive(t, nil)
	h := w.hooks("acme="+to.URL+", other="+foreign.URL, nil)
	w.task("ann", "Call the dentist", began)
	w.task("bob", "Water the plants", began)
	w.tell(h)
	if len(to.take()) != 2 || len(foreign.take()) != 0 || w.kept() != 2 {
		t.Fatalf("%d messages are kept", w.kept())
	}
	ann := state.Scope{Client: "acme", User: "ann"}
	_, err := w.graph.Memory().Forget().Erase(t.Context(), ann, forget.What{User: true})
	must(t, err)
	if w.kept() != 1 {
		t.Errorf("%d messages are kept", w.kept())
	}
	w.pass(time.Hour)
	w.tell(h)
	for _, g := range to.take() {
		if strings.Contains(g.body, "ann") {
			t.Errorf("told of who is erased: %s", g.body)
		}
	}
}

// Who does not lead tells nothing; Run tells at once, when it is nudged, and ends with its context.
func TestRun(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	arrived := make(chan struct{}, 10)
	to := receive(t, func(int, http.ResponseWriter, *http.Request) { arrived <- struct{}{} })
	rest := make(chan time.Time)
	run := func(leads bool) (h *hooks.Hooks, end func()) {
		h = w.hooks(to.URL, func(c *hooks.Config) {
			c.Leads = func(context.Context) bool { return leads }
			c.After = func(d time.Duration) <-chan time.Time {
				if d == time.Second {
					return rest
				}
				return nil
			}
		})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { h.Run(ctx); close(done) }()
		return h, func() { cancel(); <-done }
	}
	w.task("ann", "Call the dentist", began)
	_, end := run(false)
	rest <- began // it has looked, and told nothing
	end()
	if len(to.take()) != 0 {
		t.Error("who does not lead tells")
	}
	h, end := run(true)
	defer end()
	<-arrived
	w.task("ann", "Water the plants", began)
	h.Nudge()
	h.Nudge()
	rest <- began
	<-arrived
}

// What cannot be read of one session or user is said once and in nobody's way; what was told of it is not told again when it can be read.
func TestDamageIsInNobodysWay(t *testing.T) {
	t.Parallel()
	ask := scripted.Call("memory_store", `{"subject":"seat","content":"The seat is 14C.","category":"fact"}`)
	w, to := setup(t, func(c *graph.Config) { c.Model = scripted.New([]scripted.Step{ask, ask, ask, ask, ask}, nil) }), receive(t, nil)
	asks := func(user string) {
		reply, err := w.graph.Invoke(t.Context(), graph.Request{Scope: state.Scope{Client: "acme", User: user, Session: "s1"}, Text: "Note my seat, 14C."})
		if err != nil || len(reply.Waits) != 1 {
			t.Fatalf("%+v, %v", reply, err)
		}
	}
	damaged := map[string]struct {
		c    state.Collection
		with func(store.Doc) bson.M
	}{
		"bob": {state.Steps, func(store.Doc) bson.M { return bson.M{"seq": "x"} }}, "carl": {state.Steps, func(d store.Doc) bson.M {
			var m bson.M
			must(t, bson.Unmarshal(d.Body, &m))
			m["v"] = int64(999)
			return m
		}}, "dora": {state.Open, func(store.Doc) bson.M { return bson.M{"turn": 1} }},
	}
	for user := range damaged {
		asks(user)
	}
	w.task("ann", "Call the dentist", began)
	w.tell(w.hooks(to.URL, nil))
	if n := len(to.take()); n != 4 {
		t.Fatalf("%d messages before", n)
	}
	var was []store.Doc
	for user, d := range damaged {
		docs, err := w.store.Scan(t.Context(), store.Query{Collection: d.c, Prefix: "acme/" + user + "/"})
		must(t, err)
		for _, doc := range docs {
			was = append(was, doc)
			body, err := bson.Marshal(d.with(doc))
			must(t, err)
			must(t, w.store.Write(t.Context(), store.Doc{Collection: doc.Collection, ID: doc.ID, Rev: doc.Rev, Body: body}))
		}
	}

	asks("zoe") // behind them all
	w.task("ann", "Water the plants", began)
	var log bytes.Buffer
	h := w.hooks(to.URL, func(c *hooks.Config) { c.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
	for range 3 {
		w.tell(h)
	}
	if n := len(to.take()); n != 2 {
		t.Errorf("%d messages, want zoe's and ann's", n)
	}
	for user := range damaged {
		if n := strings.Count(log.String(), "acme/"+user+"/s1"); n != 1 {
			t.Errorf("%s is said %d times: %s", user, n, log.String())
		}
	}
	for _, doc := range was {
		now, err := w.store.Get(t.Context(), doc.Collection, doc.ID)
		must(t, err)
		doc.Rev = now.Rev
		must(t, w.store.Write(t.Context(), doc))
	}
	w.tell(h)
	w.tell(w.hooks(to.URL, nil))
	if n := len(to.take()); n != 0 || w.kept() != 6 {
		t.Errorf("%d messages once it can be read again, %d kept", n, w.kept())
	}
}
