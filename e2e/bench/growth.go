package bench

import (
	"context"
	"path/filepath"
	"strconv"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/e2e/bench/six"
	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/ram"
	"github.com/mneme-graph/mneme/state/store/sqlite"
)

// growth measures how many bytes of pages a turn adds early and late in a conversation.
func growth(ctx context.Context, r *run) error {
	s, err := sqlite.Open(ctx, sqlite.Config{Dir: r.dir})
	if err != nil {
		return err
	}
	return closing(s, r.growthOn(ctx, s))
}

func (r *run) growthOn(ctx context.Context, s *sqlite.Store) error {
	p, err := newPipeline(ctx, graph.Config{Store: s})
	if err != nil {
		return err
	}
	at := []int{10, 100, 1000}
	if !r.c.Quick {
		at = append(at, 10000)
	}

	for _, turn := range at {
		perTurn, err := r.around(ctx, s, p, turn)
		if err != nil {
			return err
		}
		labels := map[string]string{"store": "embedded", "turn": strconv.Itoa(turn)}
		r.figure("checkpoint.bytes_per_turn", "bytes", perTurn, 10, labels)
	}
	return p.Close()
}

// around returns the mean of the ten turns around one. A page is more than a turn, so the ten are taken at seven places, each a
// turn further, and their mean is the figure.
func (r *run) around(ctx context.Context, s *sqlite.Store, p *pipeline, turn int) (float64, error) {
	const ten, places = 10, 7
	var pages []int64
	for at := turn - ten/2 - places/2; at <= turn+ten/2+places/2; at++ {
		n, err := r.pagesAfter(ctx, s, p, at)
		if err != nil {
			return 0, err
		}
		pages = append(pages, n)
	}
	sum := int64(0)
	for i := range places {
		sum += pages[i+ten] - pages[i]
	}
	return float64(sum) / ten / places, nil
}

// pagesAfter runs turns until there were so many and returns the bytes of pages in use.
func (r *run) pagesAfter(ctx context.Context, s *sqlite.Store, p *pipeline, turns int) (int64, error) {
	for p.said < turns {
		if err := p.turn(ctx); err != nil {
			return 0, err
		}
	}
	stats, err := s.Stats(ctx)
	return stats.PageBytes, err
}

// resumes measures how long it takes to get the state of a long thread back: six nodes, one step each, in sqlite. As in
// the product's pipeline, a turn starts from a fresh state that takes over what lives on.
func resumes(ctx context.Context, r *run) error {
	for _, turns := range []int{100, 10000} {
		s, err := sqlite.Open(ctx, sqlite.Config{Dir: filepath.Join(r.dir, strconv.Itoa(turns))})
		if err != nil {
			return err
		}
		if err := closing(s, r.resumeOn(ctx, s, turns)); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) resumeOn(ctx context.Context, s store.Store, turns int) error {
	thread := state.Thread{Client: "bench", ID: "long"}
	if err := r.longThread(ctx, s, thread, turns); err != nil {
		return err
	}
	g, err := r.longLived(ctx, s, numbered())
	if err != nil {
		return err
	}

	n := r.times(10, 50)
	took, err := r.clock(ctx, n, func(int) error {
		_, err := g.State(ctx, thread, 0)
		return err
	})
	if err != nil {
		return err
	}
	r.figure("resume.ms", "ms", ms(percentile(took, 0.5)), n, map[string]string{"turns": strconv.Itoa(turns)})
	return nil
}

// longLived returns a graph of six nodes whose count lives on from turn to turn.
func (r *run) longLived(ctx context.Context, s store.Store, newID func() string) (*flow.Graph[six.State, *six.State], error) {
	b := flow.NewBuilder[six.State]("long")
	from := flow.Start
	for i := range six.Nodes {
		name := "n" + strconv.Itoa(i+1)
		b.AddNode(flow.Node[six.State]{Name: name, Run: func(_ context.Context, s six.State) (six.State, error) {
			s.Count.Add(1)
			return s, nil
		}})
		b.AddEdge(from, name)
		from = name
	}

	b.AddEdge(from, flow.End)
	return b.Compile(ctx, flow.Config[six.State]{
		Log: checkpoint.New(checkpoint.Config{Store: s, Now: r.c.Now, NewID: newID}),
		Now: r.c.Now,
		Fresh: func(previous six.State) (s six.State) {
			s.Count.Add(previous.Count.Get())
			return s
		},
	})
}

// longThread runs the turns in RAM and copies their steps.
func (r *run) longThread(ctx context.Context, s store.Store, thread state.Thread, turns int) error {
	// The turns run in RAM, where they cost no disk.
	scratch := ram.New()
	newID := numbered()
	g, err := r.longLived(ctx, scratch, newID)
	if err != nil {
		return err
	}
	for range turns {
		var input six.State
		input.Messages.Add("one message of the thread")
		if _, err := g.Invoke(ctx, thread, newID(), input); err != nil {
			return err
		}
	}

	// Their steps are copied page by page, as documents that are new in the other store.
	q := store.Query{Collection: state.Steps, Prefix: thread.StepPrefix(), Limit: 1000}
	for docs, err := range store.Pages(ctx, scratch.Scan, q) {
		if err != nil {
			return err
		}
		for i := range docs {
			docs[i].Rev = 0 // new in the other store
		}
		if err := s.Write(ctx, docs...); err != nil {
			return err
		}
	}
	return nil
}
