package faults_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// latency is how long each call of a slow store takes. What is sent at the same time takes it at the same time.
const latency = 25 * time.Millisecond

// slow is a store far away. It notes when each call began and ended, by a clock that ticks with every beginning and end.
type slow struct {
	store.Store
	mu    sync.Mutex
	tick  int
	calls []interval
	tidy  chan struct{} // gets one each time a signpost was taken down: the turn is tidied up
}

type interval struct {
	what       string
	begin, end int
}

func (s *slow) now() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tick++
	return s.tick
}

func (s *slow) far(what string, do func()) {
	begin := s.now()
	<-time.After(latency)
	do()
	end := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, interval{what, begin, end})
}

func (s *slow) Get(ctx context.Context, c state.Collection, id string) (d store.Doc, err error) {
	s.far("get "+string(c), func() { d, err = s.Store.Get(ctx, c, id) })
	return d, err
}

func (s *slow) Scan(ctx context.Context, q store.Query) (d []store.Doc, err error) {
	s.far("scan "+string(q.Collection), func() { d, err = s.Store.Scan(ctx, q) })
	return d, err
}

func (s *slow) Write(ctx context.Context, docs ...store.Doc) (err error) {
	if len(docs) == 0 {
		return nil
	}
	var what []string
	for _, d := range docs {
		what = append(what, string(d.Collection))
	}
	s.far("write "+strings.Join(what, "+"), func() { err = s.Store.Write(ctx, docs...) })
	if docs[0].Collection == state.Open && docs[0].Body == nil {
		s.tidy <- struct{}{}
	}
	return err
}

// chain is a longest sequence of calls each of which began when the one before it had ended, of those that began before
// the clock showed until.
func (s *slow) chain(since, until int) (out []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	calls := slices.Clone(s.calls)
	slices.SortFunc(calls, func(a, b interval) int { return a.end - b.end })
	last := since
	for _, c := range calls {
		if c.begin > last && c.begin < until {
			out, last = append(out, c.what), c.end
		}
	}
	return out
}

// tripsAtMost is what a turn with one tool call may take in sequence on a server; turnsAtMost is how many turns may show it.
const tripsAtMost, turnsAtMost = 16, 16

func TestRoundTrips(t *testing.T) {
	t.Parallel()
	for _, d := range []driver{looseDriver(), mongoDriver()} {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			counting := &store.Counting{Store: d.fresh(t)}
			far := &slow{Store: counting, tidy: make(chan struct{}, 1)}
			g := w.open(t, far, func(c *graph.Config) {
				c.Model = chat(func(_ context.Context, question string, n int) (*schema.Message, error) {
					if n == 0 {
						return calls("memory_store", fmt.Sprintf(`{"subject":"thing","category":"fact","content":%q}`, "it is about "+question)), nil
					}
					return says("kept"), nil
				})
			})
			fewest := 0
			for n := range turnsAtMost {
				before, since := counting.Counts(), far.now()
				_, err := g.Invoke(t.Context(), graph.Request{Text: fmt.Sprintf("The part number %d is 07-14244-5315%d.", n, n)})
				must(t, err)
				until := far.now()
				<-far.tidy // people take longer to read an answer
				chain, tail := far.chain(since, until), far.chain(until, far.now())
				t.Logf("turn %d: %d round trips in sequence, then %d behind the reply; %+v together\n  %s", n+1, len(chain), len(tail),
					counting.Counts().Minus(before), strings.Join(chain, "\n  "))
				if n == 1 || n > 1 && len(chain) < fewest { // a slow machine only makes them more
					fewest = len(chain)
				}
				w.pass(time.Minute)
				if n > 2 && fewest <= tripsAtMost {
					break
				}
			}
			if fewest > tripsAtMost {
				t.Errorf("a turn took %d round trips in sequence, want at most %d", fewest, tripsAtMost)
			}
			must(t, g.Close())
		})
	}
}
