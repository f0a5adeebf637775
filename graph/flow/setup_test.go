package flow_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.uber.org/goleak"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/checkpoint/checkpointtest"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/field"
	"github.com/mneme-graph/mneme/state/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// num is a sum.
type num int

func (n num) Plus(m num) num { return n + m }

// state of the test graphs: one field of each kind.
type trip struct {
	Trail field.Append[string]
	Sum   field.Reduce[num]
	Note  field.Last[string]
	View  field.Volatile[string]
}

func (s *trip) Fields() []field.Named {
	return []field.Named{
		{Name: "trail", Field: &s.Trail}, {Name: "sum", Field: &s.Sum},
		{Name: "note", Field: &s.Note}, {Name: "view", Field: &s.View},
	}
}

type builder = flow.Builder[trip, *trip]

// tally counts what nodes did, over all attempts at a turn.
type tally struct {
	mu   sync.Mutex
	runs map[string]int
}

func (t *tally) add(name string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.runs == nil {
		t.runs = map[string]int{}
	}
	t.runs[name]++
	return t.runs[name]
}

func (t *tally) all() map[string]int {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := map[string]int{}
	for k, v := range t.runs {
		out[k] = v
	}
	return out
}

// mark is a node that leaves its name in the trail and counts itself.
func mark(t *tally, name string) flow.Node[trip] {
	return flow.Node[trip]{Name: name, Run: func(_ context.Context, s trip) (trip, error) {
		t.add(name)
		s.Trail.Add(name)
		s.Sum.Add(1)
		return s, nil
	}}
}

var errBoom = errors.New("boom")

// failing is mark, but its first n runs fail.
func failing(t *tally, name string, n int) flow.Node[trip] {
	node := mark(t, name)
	run := node.Run
	node.Run = func(ctx context.Context, s trip) (trip, error) {
		s, err := run(ctx, s)
		if t.all()[name] <= n {
			return s, errBoom
		}
		return s, err
	}
	return node
}

func newLog(s store.Store) *checkpoint.Log { return checkpoint.New(logConfig(s)) }

func logConfig(s store.Store) checkpoint.Config {
	return checkpoint.Config{Store: s, Now: clock, NewID: ids(), Memory: checkpointtest.Merge(ledger{s}.merge)}
}

func clock() time.Time { return time.Date(2026, 2, 15, 21, 0, 0, 0, time.UTC) }

// processes numbers the id sources, so that the ids of two logs differ as those of two processes do.
var processes atomic.Int64

func ids() func() string {
	p := processes.Add(1)
	var n atomic.Int64
	return func() string { return fmt.Sprintf("p%d-%d", p, n.Add(1)) }
}

func thread(id string) state.Thread { return state.Thread{Client: "c", ID: id} }

func compile(t *testing.T, b *builder, c flow.Config[trip]) *flow.Graph[trip, *trip] {
	t.Helper()
	g, err := b.Compile(t.Context(), c)
	if err != nil {
		t.Fatalf("Compile: %v", err)
	}
	return g
}

// chain builds a graph that runs the nodes one after the other.
func chain(nodes ...flow.Node[trip]) *builder {
	b := flow.NewBuilder[trip]("chain")
	from := flow.Start
	for _, n := range nodes {
		b.AddNode(n)
		b.AddEdge(from, n.Name)
		from = n.Name
	}
	b.AddEdge(from, flow.End)
	return b
}

// edges adds edges written as pairs.
func edges(b *builder, pairs ...[2]string) {
	for _, p := range pairs {
		b.AddEdge(p[0], p[1])
	}
}

// ledger merges the test effects: each adds its record's importance to the sum under the record's id.
type ledger struct{ store.Store }

func (l ledger) merge(ctx context.Context, effects []state.Effect) ([]store.Doc, error) {
	var docs []store.Doc
	for _, e := range effects {
		key := e.Scope.Key(e.Record.ID)
		i := slices.IndexFunc(docs, func(d store.Doc) bool { return d.ID == key })
		if i < 0 {
			doc, err := l.Get(ctx, state.Records, key)
			if state.CodeOf(err) == state.NotFound {
				doc = store.Doc{Collection: state.Records, ID: key, Body: balance(0)}
			} else if err != nil {
				return nil, err
			}
			docs, i = append(docs, doc), len(docs)
		}
		docs[i].Body = balance(total(docs[i].Body) + e.Record.Importance)
	}
	return docs, nil
}

func balance(n int) bson.Raw {
	raw, err := bson.Marshal(bson.D{{Key: "n", Value: int64(n)}})
	if err != nil {
		panic(err)
	}
	return raw
}

func total(b bson.Raw) int { return int(b.Lookup("n").Int64()) }

// pay adds one to a record of the ledger.
func pay(ctx context.Context, id string) {
	state.EffectsFrom(ctx).Add(state.Effect{
		Scope: state.Scope{}.Default(), Record: &state.Record{ID: id, Importance: 1},
	})
}

// paid reads the ledger.
func paid(t *testing.T, s store.Store) map[string]int {
	t.Helper()
	docs, err := s.Scan(context.WithoutCancel(t.Context()), store.Query{Collection: state.Records})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]int{}
	prefix := state.Scope{}.Default().UserPrefix()
	for _, d := range docs {
		out[d.ID[len(prefix):]] = total(d.Body)
	}
	return out
}

func turnID(n int) string { return "t" + strconv.Itoa(n) }

// seen is what of a state can be compared.
type seen struct {
	Trail []string
	Sum   num
	Note  string
}

func view(s trip) seen { return seen{s.Trail.Items(), s.Sum.Get(), s.Note.Get()} }

// ordered sorts the trail of graphs that do two things at once.
func ordered(trail []string, name string) []string {
	if slices.Contains([]string{"fan out and in", "fan out to the end"}, name) {
		slices.Sort(trail)
	}
	return trail
}
