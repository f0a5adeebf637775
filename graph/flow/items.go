package flow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/compose"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/state"
)

// items is what a visit has done of its list.
type items struct {
	of   int
	done map[int][]string // by number of a finished item where it goes to
}

// workItems runs the node for each item of its list that the log does not have, some at a time. When one has failed, no other
// begins; those at work end and are kept. A question keeps none back.
func (n *node[S, P]) workItems(ctx context.Context, st *step[S, P], s S) (out S, err error) {
	defer func() {
		if p := recover(); p != nil { // of Items, or of a branch
			err = n.tellPanic(ctx, st, p)
		}
	}()
	r, v := st.run, st.visit
	of, todo, err := r.beginItems(n, v, s)
	if err != nil {
		return s, err
	}
	st.tellTask(false, nil)
	defer func() { st.tellTask(true, err) }()

	// So many at a time.
	errs := make([]error, of+1)
	next := make(chan int)
	var failed, cut atomic.Bool
	var work sync.WaitGroup
	for range min(cmp.Or(n.Parallel, n.graph.config.Parallel), len(todo)) {
		work.Go(func() {
			for i := range next {
				if ctx.Err() != nil {
					cut.Store(true)
				}
				if failed.Load() || cut.Load() {
					continue
				}
				errs[i] = n.workItem(ctx, r, visit{v.node, v.n, i}, s)
				if _, fails := splitQuestions(errs[i]); fails {
					errs[i] = fmt.Errorf("node %s, item %d: %w", n.Name, i, errs[i])
					failed.Store(true)
				}
			}
		})
	}
	for _, i := range todo {
		next <- i
	}
	close(next)
	work.Wait()

	// The visit ends when all have.
	if cut.Load() {
		errs[0] = ctx.Err()
	}
	if err := errors.Join(errs...); err != nil {
		return s, err
	}
	var unchanged S
	err = r.leave(ctx, n, v, unchanged, r.endItems(v), nil)
	return r.readState(), err
}

// workItem runs the node for one item and tells handlers of it.
func (n *node[S, P]) workItem(ctx context.Context, r *run[S, P], v visit, s S) error {
	st := n.makeStep(r, v)
	ctx = callbacks.ReuseHandlers(ctx, &callbacks.RunInfo{Name: fmt.Sprintf("%s[%d]", n.Name, v.item), Component: compose.ComponentOfLambda})
	ctx = insideVisit(ctx, &st.where)
	ctx = callbacks.OnStart(ctx, n.graph.showState(&st.where, s))
	s, err := n.work(ctx, st, s)
	if err != nil {
		callbacks.OnError(ctx, err)
		return err
	}
	callbacks.OnEnd(ctx, n.graph.showState(&st.where, s))
	return nil
}

// beginItems returns how long a visit's list is, as the log has it or by the state, and what of it is still to do.
func (r *run[S, P]) beginItems(n *node[S, P], v visit, s S) (of int, todo []int, err error) {
	if of = n.Items(s); of < 0 {
		return of, nil, state.Errorf(state.Invalid, "node "+n.Name, "has a list of %d items; let Items return how long the list in the state is, 0 for none", of)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.items[v] == nil {
		r.setItems(v, &items{of: of, done: map[int][]string{}})
	}
	of = r.items[v].of
	for i := range of {
		if _, done := r.items[v].done[i+1]; !done {
			todo = append(todo, i+1)
		}
	}
	return of, todo, nil
}

// leaveItem merges an item's result and commits it, or lets it ride. That of the last one is committed with the end of the visit.
func (r *run[S, P]) leaveItem(ctx context.Context, st *step[S, P], patch S, effects []state.Effect) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	n, v, list := st.node, st.visit, r.items[st.visit.whole()]
	part := checkpoint.Part{Node: v.node, Visit: v.n, Item: v.item, Of: list.of, Next: st.where.goTo}
	if err := r.mergeVisit(n, &part, patch); err != nil {
		return err
	}
	list.done[v.item] = part.Next
	r.effects = append(r.effects, effects...)
	if n.Volatile {
		r.tellChange(v, patch)
		return nil
	}
	r.pending = append(r.pending, part)
	r.tellAlive()
	if !n.Rides && len(list.done) < list.of {
		if err := r.commit(ctx, n.Durability, ending{}); err != nil {
			return err
		}
	}
	r.tellChange(v, patch)
	return nil
}

// endItems returns where the items of a visit go to, when all have ended.
func (r *run[S, P]) endItems(v visit) (next []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, to := range r.items[v].done {
		next = append(next, to...)
	}
	delete(r.items, v)
	slices.Sort(next)
	return slices.Compact(next)
}

// noteItem takes down an item that the log has.
func (r *run[S, P]) noteItem(v visit, part checkpoint.Part) {
	if r.items[v] == nil {
		r.setItems(v, &items{of: part.Of, done: map[int][]string{}})
	}
	r.items[v].done[part.Item] = part.Next
}

func (r *run[S, P]) setItems(v visit, list *items) {
	if r.items == nil {
		r.items = map[visit]*items{}
	}
	r.items[v] = list
}

// listItems returns the finished items of visits that are not, as parts whose contents stand elsewhere.
func (r *run[S, P]) listItems() (parts []checkpoint.Part) {
	for v, list := range r.items {
		for i, next := range list.done {
			parts = append(parts, checkpoint.Part{Node: v.node, Visit: v.n, Item: i, Of: list.of, Next: next})
		}
	}
	slices.SortFunc(parts, func(a, b checkpoint.Part) int {
		return cmp.Or(cmp.Compare(a.Node, b.Node), cmp.Compare(a.Visit, b.Visit), cmp.Compare(a.Item, b.Item))
	})
	return parts
}
