package hooks_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/graph/serve"
	"github.com/mneme-graph/mneme/graph/serve/access"
	"github.com/mneme-graph/mneme/graph/serve/hooks"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/component/offline"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/sqlite"
)

// serveForever is the process that is killed: it operates a service on a folder until then. Its clock is ahead, so that the lease of the one before is over.
func serveForever(dir, address, ahead string) {
	ctx := context.Background()
	by, err := time.ParseDuration(ahead)
	targets, bad := hooks.Parse(address, secret, false)
	s, closed := sqlite.Open(ctx, sqlite.Config{Dir: dir})
	if err := errors.Join(err, bad, closed); err != nil {
		panic(err)
	}
	now := func() time.Time { return time.Now().UTC().Add(by) }
	g, err := graph.New(ctx, graph.Config{Store: s, Model: offline.New(), Now: now})
	if err != nil {
		panic(err)
	}
	srv, err := serve.New(serve.Config{Graph: g, Store: s, Keys: access.New(access.Config{Store: s}), Hooks: targets, Now: now})
	if err != nil {
		panic(err)
	}
	srv.Operate(ctx)
}

// A service is killed twenty times at any moment: each thing is told at least once, under one id that always has the same body.
func TestKilledTwentyTimes(t *testing.T) {
	t.Parallel()
	const each, kills = 90, 20
	dir := t.TempDir()
	waitFor(t, dir, each)

	// Some messages are taken and their answers lost, some refused; after a few a process is killed, the answer to the last one on its way.
	dice := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a test's
	var mu sync.Mutex
	left, killed, dead, came := 0, make(chan struct{}, 1), make(chan struct{}, 1), make(chan struct{}, 1)
	var to *receiver
	to = receive(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		left--
		select {
		case came <- struct{}{}:
		default:
		}
		if left == 0 {
			killed <- struct{}{}
			if dice.IntN(2) == 0 { // it has not come here: the process is killed before it has an answer
				to.lose()
				<-dead
			}
		}
		if dice.IntN(12) == 0 {
			w.WriteHeader(http.StatusInternalServerError)
		}
	})
	to.Config.SetKeepAlivesEnabled(false)
	self, err := os.Executable()
	must(t, err)
	ahead := time.Duration(0)
	start := func() *exec.Cmd {
		ahead += 5 * time.Minute
		cmd := exec.CommandContext(context.WithoutCancel(t.Context()), self)
		cmd.Env = append(os.Environ(), "MNEME_TEST_HOOKS_STORE="+dir, "MNEME_TEST_HOOKS_ADDRESS="+to.URL, "MNEME_TEST_HOOKS_AHEAD="+ahead.String())
		cmd.Stderr = os.Stderr
		must(t, cmd.Start())
		return cmd
	}
	for range kills {
		mu.Lock()
		left = 1 + dice.IntN(9)
		mu.Unlock()
		cmd := start()
		select {
		case <-dead: // of the one before, where nobody waited for it
		default:
		}
		<-killed
		must(t, cmd.Process.Kill())
		_ = cmd.Wait()
		dead <- struct{}{}
	}

	// The last one is left to it.
	bodies, kinds := map[string]string{}, map[hooks.Kind]int{}
	sent := 0
	cmd := start()
	within, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	for len(bodies) < 3*each && within.Err() == nil {
		select {
		case <-came:
		case <-within.Done():
		}
		for _, g := range to.take() {
			sent++
			id := g.header.Get("webhook-id")
			was, ok := bodies[id]
			if ok && was != g.body {
				t.Errorf("%s says %s and %s", id, was, g.body)
			}
			if !ok {
				var m hooks.Message
				must(t, json.Unmarshal([]byte(g.body), &m))
				kinds[m.Type]++
			}
			bodies[id] = g.body
			at, err := strconv.ParseInt(g.header.Get("webhook-timestamp"), 10, 64)
			must(t, err)
			must(t, verify(secret, g.header, []byte(g.body), time.Unix(at, 0)))
		}
	}
	must(t, cmd.Process.Kill())
	_ = cmd.Wait()
	if kinds[hooks.TaskDue] != each || kinds[hooks.QuestionAsked] != each || kinds[hooks.SuggestionMade] != each {
		t.Errorf("of %d of each kind were told: %v", each, kinds)
	}
	t.Logf("%v, %d kills, %d messages", kinds, kills, sent)
}

// waitFor makes a store in which so many tasks are due, turns wait for an approval and suggestions for an answer.
func waitFor(t *testing.T, dir string, each int) {
	t.Helper()
	s, err := sqlite.Open(t.Context(), sqlite.Config{Dir: dir})
	must(t, err)
	ask := scripted.Call("memory_store", `{"subject":"seat","content":"The seat is 14C.","category":"fact"}`)
	set := state.DefaultSettings()
	set.Autonomy = 1
	for kind, c := range map[hooks.Kind]graph.Config{
		hooks.TaskDue: {Model: offline.New()}, hooks.SuggestionMade: {Model: offline.New(), Settings: set},
		hooks.QuestionAsked: {Model: scripted.New(slices.Repeat([]scripted.Step{ask}, each), nil), Approve: []string{"memory_store"}},
	} {
		c.Store = s
		g, err := graph.New(t.Context(), c)
		must(t, err)
		for i := range each {
			scope := state.Scope{Client: "acme", User: fmt.Sprint("user", i%9), Session: fmt.Sprint("s", i)}
			switch kind {
			case hooks.TaskDue:
				_, err = g.Memory().Write(t.Context(), scope, memory.Task(fmt.Sprintf("Task %d%d%d", i, i, i), "", time.Now().Add(-time.Hour)))
			case hooks.SuggestionMade:
				if _, err = g.Memory().Write(t.Context(), scope, memory.Change{Content: fmt.Sprintf("Ann drinks tea %d%d%d.", i, i, i), Trust: state.TrustAgent}); state.CodeOf(err) == state.Denied {
					err = nil
				}
			case hooks.QuestionAsked:
				_, err = g.Invoke(t.Context(), graph.Request{Scope: scope, Text: "Note my seat, 14C."})
			}
			must(t, err)
		}
		must(t, g.Close())
	}
	must(t, s.Close())
}
