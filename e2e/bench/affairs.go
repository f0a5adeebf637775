package bench

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/state/store/sqlite"
)

// manyAffairs measures what a turn of somebody with a thousand affairs takes against one of somebody with ten. The turns of
// the two take place by turns, so that both meet the same machine.
func manyAffairs(ctx context.Context, r *run) error {
	// Each has a store of its own, which stays open until all have taken their turns.
	var pipelines []*pipeline
	var stores []*sqlite.Store
	defer func() {
		for _, p := range pipelines {
			p.Close() //nolint:errcheck // nothing waits
		}
		for _, s := range stores {
			s.Close() //nolint:errcheck // its folder is removed
		}
	}()

	// The affairs are written in bulk, and the graph reads them as a process does that starts.
	for _, affairs := range []int{10, 1000} {
		s, err := sqlite.Open(ctx, sqlite.Config{Dir: filepath.Join(r.dir, strconv.Itoa(affairs))})
		if err != nil {
			return err
		}
		stores = append(stores, s)
		if err := park(ctx, s, state.Scope{Session: "bench"}.Default(), affairs); err != nil {
			return err
		}
		p, err := newPipeline(ctx, graph.Config{Store: s})
		if err != nil {
			return err
		}
		pipelines = append(pipelines, p)
	}

	// The figure says how many times the one's middle time is the other's.
	n := r.times(60, 400)
	p50, err := r.byTurns(ctx, n, pipelines, func(_ int, p *pipeline) error { return p.turn(ctx) })
	if err != nil {
		return err
	}
	r.figure("turn.affairs_ratio", "times", p50[1]/p50[0], n, map[string]string{"affairs": "1000", "to": "10"})
	return nil
}

// byTurns has each pipeline take its n turns while the others take theirs, so that all meet the same machine, and returns the
// middle time of each.
func (r *run) byTurns(ctx context.Context, n int, pipelines []*pipeline, turn func(i int, p *pipeline) error) ([]float64, error) {
	took := make([][]time.Duration, len(pipelines))
	for range n {
		for i, p := range pipelines {
			one, err := r.clock(ctx, 1, func(int) error { return turn(i, p) })
			if err != nil {
				return nil, err
			}
			took[i] = append(took[i], one...)
		}
	}

	p50 := make([]float64, len(took))
	for i, all := range took {
		p50[i] = float64(percentile(slices.Sorted(slices.Values(all)), 0.5))
	}
	return p50, nil
}

// park writes parked affairs in bulk, each with what was said in it.
func park(ctx context.Context, s store.Store, scope state.Scope, affairs int) error {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var docs bulk
	for i := range affairs {
		said := fmt.Sprintf("The %s for %s in %s cost %d.", topic(i), name(i), place(i/7), 1000+i)
		a := state.Affair{
			ID: "a" + strconv.Itoa(i), Client: scope.Client, User: scope.User, Title: topic(i) + " for " + name(i), Status: state.Parked, Summary: said,
			KeyFacts: state.Facts{{Label: "price", Value: strconv.Itoa(1000 + i)}}, Messages: 1, CreatedAt: at, UpdatedAt: at.Add(time.Duration(i) * time.Minute),
		}
		msg := state.Message{ID: "m" + strconv.Itoa(i+1), Seq: int64(i + 1), Turn: "t" + strconv.Itoa(i), Role: state.RoleUser, Text: said, Affair: a.ID, At: a.UpdatedAt}
		other := scope
		other.Session = "earlier"
		docs.put(state.Affairs, scope.Key(a.ID), a)
		docs.put(state.Messages, other.MessageKey(msg.Seq), msg)
	}

	session := state.Session{Client: scope.Client, User: scope.User, ID: "earlier", Part: 1, Messages: int64(affairs), StartedAt: at, LastAt: at}
	other := scope
	other.Session = session.ID
	docs.put(state.Sessions, other.SessionKey(), session)
	return docs.write(ctx, s)
}
