package hooks_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/serve/hooks"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/component/offline"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/sqlite"
)

// tellForever is the process that is killed: it tells what waits in a folder until then.
func tellForever(dir, address string) {
	ctx := context.Background()
	targets, err := hooks.Parse(address, secret, false)
	if err != nil {
		panic(err)
	}
	s, err := sqlite.Open(ctx, sqlite.Config{Dir: dir})
	if err != nil {
		panic(err)
	}
	g, err := graph.New(ctx, graph.Config{Store: s, Model: offline.New()})
	if err != nil {
		panic(err)
	}
	h, err := hooks.New(hooks.Config{Targets: targets, Graph: g, Store: s, Timeout: time.Second})
	if err != nil {
		panic(err)
	}
	h.Run(ctx)
}

// A process that tells is killed twenty times at any moment: each thing is told at least once, under one id that always has the same body.
func TestKilledTwentyTimes(t *testing.T) {
	t.Parallel()
	const tasks, kills = 300, 20
	dir := t.TempDir()
	s, err := sqlite.Open(t.Context(), sqlite.Config{Dir: dir})
	must(t, err)
	g, err := graph.New(t.Context(), graph.Config{Store: s, Model: offline.New()})
	must(t, err)
	for i := range tasks {
		_, err := g.Memory().Write(t.Context(), state.Scope{Client: "acme", User: fmt.Sprint("user", i%9), Session: "s1"}, memory.Task(fmt.Sprintf("Task %d%d%d", i, i, i), "", time.Now().Add(-time.Hour)))
		must(t, err)
	}
	must(t, g.Close())
	must(t, s.Close())

	// Some messages are taken and their answers lost, some refused; after a few a process is killed, the answer to the last one on its way.
	dice := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a test's
	var mu sync.Mutex
	left, killed := 0, make(chan struct{}, 1)
	to := receive(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		left--
		if left == 0 {
			killed <- struct{}{}
		}
		if dice.IntN(12) == 0 {
			w.WriteHeader(http.StatusInternalServerError)
		}
	})
	to.Config.SetKeepAlivesEnabled(false)
	self, err := os.Executable()
	must(t, err)
	start := func() *exec.Cmd {
		cmd := exec.CommandContext(context.WithoutCancel(t.Context()), self)
		cmd.Env = append(os.Environ(), "MNEME_TEST_HOOKS_STORE="+dir, "MNEME_TEST_HOOKS_ADDRESS="+to.URL)
		cmd.Stderr = os.Stderr
		must(t, cmd.Start())
		return cmd
	}
	for range kills {
		mu.Lock()
		left = 1 + dice.IntN(9)
		mu.Unlock()
		cmd := start()
		<-killed
		must(t, cmd.Process.Kill())
		_ = cmd.Wait()
	}

	// The last one is left to it.
	bodies := map[string]string{}
	sent := 0
	cmd := start()
	for deadline := time.Now().Add(time.Minute); len(bodies) < tasks && time.Now().Before(deadline); {
		for _, g := range to.take() {
			sent++
			id := g.header.Get("webhook-id")
			if was, ok := bodies[id]; ok && was != g.body {
				t.Errorf("%s says %s and %s", id, was, g.body)
			}
			bodies[id] = g.body
			must(t, verify(secret, g.header, []byte(g.body), time.Now()))
		}
	}
	must(t, cmd.Process.Kill())
	_ = cmd.Wait()
	if len(bodies) != tasks {
		t.Errorf("%d of %d things were told", len(bodies), tasks)
	}
	t.Logf("%d things, %d kills, %d messages", len(bodies), kills, sent)
}
