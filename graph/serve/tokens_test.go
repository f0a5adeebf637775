package serve_test

import (
	"net/http"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/serve"
	"github.com/mneme-graph/mneme/graph/serve/access"
	"github.com/mneme-graph/mneme/memory/component/offline"
	"github.com/mneme-graph/mneme/state/store/ram"
)

// clock is one that a test moves on.
type clock struct{ ns atomic.Int64 }

func newClock() *clock {
	c := &clock{}
	c.ns.Store(time.Date(2026, 11, 27, 9, 0, 0, 0, time.UTC).UnixNano())
	return c
}

func (c *clock) now() time.Time       { return time.Unix(0, c.ns.Load()).UTC() }
func (c *clock) pass(d time.Duration) { c.ns.Add(int64(d)) }

// beginAt serves with the test's clock.
func beginAt(t *testing.T, c *clock, limits serve.Limits) *service {
	t.Helper()
	st := ram.New()
	g, err := graph.New(t.Context(), graph.Config{Store: st, Model: offline.New(), Now: c.now})
	must(t, err)
	return beginConfig(t, serve.Config{Graph: g, Store: st, Limits: limits, Now: c.now})
}

func say(t *testing.T, s *service, status int, id string) answer {
	t.Helper()
	return s.must(t, status, "POST", "/api/v1/turns", object{"message": "The spare part of order 07-1424-" + id + " has come.", "session_id": "s1", "message_id": id, "user_id": "ann"})
}

// A key that has used its tokens is refused before its next turn begins, until the span is over; another key of the client is not.
func TestTokensOfAKey(t *testing.T) {
	t.Parallel()
	c := newClock()
	s := beginAt(t, c, serve.Limits{KeyTokens: serve.Tokens{Minute: 1, Day: 1500}})
	_, second, err := s.keys.Create(t.Context(), access.Key{Client: "acme", Roles: access.Roles()})
	must(t, err)
	say(t, s, http.StatusOK, "m-1")
	c.pass(20 * time.Second)
	refused := say(t, s, http.StatusTooManyRequests, "m-2")
	var p serve.Problem
	refused.into(t, &p)
	if p.Code != "limited" || refused.header.Get("Retry-After") != "40" {
		t.Errorf("%s, come again in %s", refused.body, refused.header.Get("Retry-After"))
	}
	s.must(t, http.StatusTooManyRequests, "POST", "/api/v1/sessions/s1/resume", nil)
	s.must(t, http.StatusOK, "GET", "/api/v1/sessions/s1/messages?user_id=ann", nil) // that costs none
	first := s.key
	s.key = second
	say(t, s, http.StatusOK, "m-3")

	// Each minute one turn, until the day's are used too.
	s.key = first
	var last answer
	for n := 4; n < 20; n++ {
		c.pass(time.Minute)
		if last = s.ask(t, "POST", "/api/v1/turns", object{"message": "Hello again.", "session_id": "s1", "message_id": "m-" + strconv.Itoa(n), "user_id": "ann"}); last.status != http.StatusOK {
			break
		}
	}
	wait, _ := strconv.Atoi(last.header.Get("Retry-After"))
	if last.status != http.StatusTooManyRequests || wait < 23*3600 || wait > 24*3600 {
		t.Errorf("%d, come again in %d s: %s", last.status, wait, last.body)
	}
	c.pass(24 * time.Hour)
	say(t, s, http.StatusOK, "m-20")
}

// All keys of a client share its bound; another client has its own. What was answered before costs nothing when it is sent again.
func TestTokensOfAClient(t *testing.T) {
	t.Parallel()
	c := newClock()
	s := beginAt(t, c, serve.Limits{ClientTokens: serve.Tokens{Minute: 400}})
	r := serve.TurnReply{}
	say(t, s, http.StatusOK, "m-1").into(t, &r)
	if used := r.Usage.PromptTokens + r.Usage.CompletionTokens; used < 200 || used >= 400 {
		t.Fatalf("a turn took %d tokens: the bound of this test is another one then", used)
	}
	for range 5 {
		say(t, s, http.StatusOK, "m-1")
	}
	say(t, s, http.StatusOK, "m-2")
	_, second, err := s.keys.Create(t.Context(), access.Key{Client: "acme", Roles: access.Roles()})
	must(t, err)
	s.key = second
	say(t, s, http.StatusTooManyRequests, "m-4")
	s.key = s.stranger(t)
	say(t, s, http.StatusOK, "m-4")
}
