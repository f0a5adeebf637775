package serve_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/serve"
	"github.com/mneme-graph/mneme/memory/component/offline"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store/sqlite"
)

// loaded is what clients that ask one turn after the other have met.
type loaded struct {
	turns, refused int
	took           []time.Duration // of those admitted
	whole          time.Duration
}

func (l loaded) rate() float64 { return float64(l.turns) / l.whole.Seconds() }

func (l loaded) at(q float64) time.Duration {
	slices.Sort(l.took)
	return l.took[min(len(l.took)-1, int(q*float64(len(l.took))))]
}

func (l loaded) String() string {
	return fmt.Sprintf("%d turns, %.0f/s, p50 %v, p99 %v, %d refused", l.turns, l.rate(), l.at(.5).Round(100*time.Microsecond), l.at(.99).Round(100*time.Microsecond), l.refused)
}

// load has clients ask for turns for a while, each in a session of its own. Who is refused waits as long as he is told to, but not longer than pause.
func load(t *testing.T, s *service, name string, clients int, whole, pause time.Duration) (out loaded) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients, MaxConnsPerHost: clients}}
	defer client.CloseIdleConnections()
	var mu sync.Mutex
	var all sync.WaitGroup
	began := time.Now()
	for c := range clients {
		all.Go(func() {
			for n := 0; time.Since(began) < whole; n++ {
				body, _ := json.Marshal(object{"message": fmt.Sprintf("The part %d of order %d-%d has come.", n, c, n), "session_id": fmt.Sprintf("%s-%d", name, c), "user_id": fmt.Sprintf("u%d", c)})
				r, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/api/v1/turns", bytes.NewReader(body))
				r.Header.Set("Authorization", "Bearer "+s.key)
				r.Header.Set("Content-Type", "application/json")
				at := time.Now()
				resp, err := client.Do(r)
				if err != nil {
					t.Error(err)
					return
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
				took := time.Since(at)
				mu.Lock()
				switch resp.StatusCode {
				case http.StatusOK:
					out.turns++
					out.took = append(out.took, took)
				case http.StatusTooManyRequests:
					out.refused++
				default:
					t.Errorf("status %d", resp.StatusCode)
				}
				mu.Unlock()
				if resp.StatusCode == http.StatusTooManyRequests {
					time.Sleep(pause) // a client's own, not the test's
				}
			}
		})
	}
	all.Wait()
	out.whole = time.Since(began)
	return out
}

// A flood is refused, and what is let in is answered as if there were none.
func TestAFloodIsRefused(t *testing.T) {
	if os.Getenv("MNEME_LONG") == "" {
		t.Skip("takes a minute; MNEME_LONG=1 runs it")
	}
	st, err := sqlite.Open(t.Context(), sqlite.Config{Dir: t.TempDir()})
	must(t, err)
	defer func() { _ = st.Close() }()
	gate := serve.NewGate(0)
	g, err := graph.New(t.Context(), graph.Config{Store: st, Model: gate.Model(offline.New())})
	must(t, err)
	s := beginGate(t, g, st, serve.Limits{Rate: 1e6}, gate)
	load(t, s, "warm", 2, 2*time.Second, 0)
	direct := loaded{}
	began := time.Now()
	for i := range 500 {
		at := time.Now()
		if _, err := g.Invoke(t.Context(), graph.Request{Scope: state.Scope{Client: "acme", User: "direct", Session: "direct"}, Text: fmt.Sprintf("The part %d of order 1-%d has come.", i, i)}); err != nil {
			t.Fatal(err)
		}
		direct.took, direct.turns = append(direct.took, time.Since(at)), i+1
	}
	direct.whole = time.Since(began)
	t.Logf("without HTTP: %v", direct)
	alone := load(t, s, "alone", 1, 5*time.Second, 0)
	t.Logf("alone: %v", alone)
	best := loaded{}
	for _, clients := range []int{2, 4, 8, 16} {
		l := load(t, s, fmt.Sprint("best", clients), clients, 5*time.Second, time.Millisecond)
		t.Logf("%d clients: %v", clients, l)
		if l.rate() > best.rate() || best.turns == 0 {
			best = l
		}
	}
	flood := load(t, s, "flood", 1000, 15*time.Second, time.Second)
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	const mostHeap, loose = 512 << 20, 10 // far beyond what is seen: the log has the figures
	if flood.refused == 0 || flood.rate() < best.rate()/4 || flood.at(.99) > loose*max(alone.at(.99), 50*time.Millisecond) || mem.HeapAlloc > mostHeap {
		t.Errorf("a flood drowns those that are let in: %v; alone %v; at best %v", flood, alone, best)
	}
	t.Logf("1000 sessions: %v; heap %d MB, of the system %d MB", flood, mem.HeapAlloc>>20, mem.Sys>>20)
}
