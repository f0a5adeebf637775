package flow

import (
	"container/list"
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/mneme-graph/mneme/state/field"
)

// results keeps what nodes with a Key have returned. The zero value keeps none; most bounds it.
type results[S any] struct {
	most int

	mu    sync.Mutex
	by    map[string]*list.Element
	order list.List // the one used last first
}

// result is what a node has left, without the state that it was given.
type result[S any] struct {
	key   string
	patch S
	goTo  []string
}

func (c *results[S]) get(key string) (r result[S], ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.by[key]
	if !ok {
		return r, false
	}
	c.order.MoveToFront(e)
	return e.Value.(result[S]), true
}

func (c *results[S]) put(r result[S]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.by == nil {
		c.by = map[string]*list.Element{}
	}
	if e, ok := c.by[r.key]; ok {
		c.order.Remove(e)
	}
	c.by[r.key] = c.order.PushFront(r)
	for len(c.by) > c.most {
		oldest := c.order.Remove(c.order.Back()).(result[S])
		delete(c.by, oldest.key)
	}
}

// workKept does the node's work unless its result is kept.
func (n *node[S, P]) workKept(ctx context.Context, st *step[S, P], s S) (S, error) {
	// The result that is kept.
	key := n.Key(s)
	full := strings.Join([]string{st.where.Thread.Client, n.Name, key}, "\x00")
	if kept, ok := n.graph.kept.get(full); ok && key != "" {
		st.where.goTo = slices.Clone(kept.goTo)
		if err := st.leave(ctx, kept.patch, nil); err != nil {
			return s, err
		}
		return st.run.readState(), nil
	}

	// Or a new one.
	st, s, err := n.runTries(ctx, st, s)
	if err != nil {
		return s, err
	}
	effects := st.effects.Take()
	if key != "" && len(effects)+len(st.questions) == 0 && !st.partial {
		kept := result[S]{full, s, slices.Clone(st.where.goTo)}
		if detach(P(&kept.patch).Fields()) {
			n.graph.kept.put(kept)
		}
	}
	return s, st.leave(ctx, s, effects)
}

// detach leaves nothing in the fields but what was changed; false = one of them cannot do it.
func detach(fields []field.Named) bool {
	for _, f := range fields {
		d, ok := f.Field.(interface{ Detach() })
		if !ok {
			return false
		}
		d.Detach()
	}
	return true
}
