package checkpointtest

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/field"
	"github.com/mneme-graph/mneme/state/store"
)

// story is the state of the suite's graphs: one field of each kind.
type story struct {
	Words field.Append[string]
	Sum   field.Reduce[count]
	Note  field.Last[string]
	Extra field.Last[extra]
	View  field.Volatile[string]
}

// Fields lists the fields under their names in the log.
func (s *story) Fields() []field.Named {
	return []field.Named{
		{Name: "words", Field: &s.Words}, {Name: "sum", Field: &s.Sum}, {Name: "note", Field: &s.Note},
		{Name: "extra", Field: &s.Extra}, {Name: "view", Field: &s.View},
	}
}

// count is a sum.
type count int64

// Plus adds.
func (c count) Plus(d count) count { return c + d }

// told is what of a story is compared.
type told struct {
	Words string
	Sum   count
	Note  string
}

func tell(s story) told { return told{strings.Join(s.Words.Items(), " "), s.Sum.Get(), s.Note.Get()} }

// graph is a compiled graph of stories.
type graph = flow.Graph[story, *story]

// plan says what a case's graph does. The zero plan is a line of a, b and c over the bench's store, each of which adds
// its name to the words and 1 to the sum.
type plan struct {
	store  store.Store                 // nil = the bench's
	log    func(*checkpoint.Config)    // changes the log's config
	over   *checkpoint.Log             // use this process
	flow   flow.Config[story]          // but for the log
	beside bool                        // a, then b and c side by side, then d
	nodes  string                      // names of a line; "" = a b c
	do     map[string]func() error     // before a node's work; an error fails the node
	ask    map[string]state.Question   // put by a node before its work
	tune   func(*flow.Node[story])     // changes nodes
	write  func(s *story, node string) // instead of the words and the sum
}

var errBoom = errors.New("boom")

// fails makes a node fail.
func fails(nodes ...string) map[string]func() error {
	do := map[string]func() error{}
	for _, n := range nodes {
		do[n] = func() error { return errBoom }
	}
	return do
}

// halfway is a plan in which c fails while b, beside it, is at work.
func halfway() plan {
	at := make(chan struct{})
	var once sync.Once
	return plan{beside: true, do: map[string]func() error{
		"b": func() error { once.Do(func() { close(at) }); return nil },
		"c": func() error { <-at; return errBoom },
	}}
}

// asking is a plan in which b asks before its work.
func asking() plan { return plan{ask: map[string]state.Question{"b": {Text: "go on?"}}} }

// graph starts a process with the plan's graph.
func (b *bench) graph(p plan) *graph {
	b.Helper()
	if p.over == nil {
		s := p.store
		if s == nil {
			s = b.store
		}
		c := b.config(s)
		if p.log != nil {
			p.log(&c)
		}
		p.over = b.log(c)
	}
	p.flow.Log = p.over
	g, err := p.builder().Compile(b.Context(), p.flow)
	if err != nil {
		b.Fatalf("Compile: %v", err)
	}
	return g
}

func (p plan) builder() *flow.Builder[story, *story] {
	g := flow.NewBuilder[story]("suite")
	if p.nodes == "" {
		p.nodes = "a b c"
	}
	if p.beside {
		p.nodes = "a b c d"
	}
	names := strings.Fields(p.nodes)
	for _, n := range names {
		node := flow.Node[story]{Name: n, Run: p.work(n)}
		if p.tune != nil {
			p.tune(&node)
		}
		g.AddNode(node)
	}
	if p.beside {
		for _, e := range [][2]string{{flow.Start, "a"}, {"a", "b"}, {"a", "c"}, {"b", "d"}, {"c", "d"}, {"d", flow.End}} {
			g.AddEdge(e[0], e[1])
		}
		return g
	}
	for i, n := range append([]string{flow.Start}, names...) {
		g.AddEdge(n, append(names, flow.End)[i])
	}
	return g
}

func (p plan) work(name string) flow.NodeFunc[story] {
	return func(ctx context.Context, s story) (story, error) {
		if do := p.do[name]; do != nil {
			if err := do(); err != nil {
				return s, err
			}
		}
		if q, ok := p.ask[name]; ok {
			a, err := state.AskPerson(ctx, q)
			if err != nil {
				return s, err
			}
			s.Words.Add(string(a.Choice))
		}
		if p.write != nil {
			p.write(&s, name)
			return s, nil
		}
		s.Words.Add(name)
		s.Sum.Add(1)
		return s, nil
	}
}

// noted is an input that sets the note.
func noted(text string) story { return story{Note: field.Of(text)} }
