package flow

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"

	"github.com/mneme-graph/mneme/state"
)

// Place is where something runs: in which visit of which node, of which turn of a thread. Visits of a node are counted in
// the turn, from 1, and so are the items of a visit that works through a list. The graph as a whole has no node.
type Place struct {
	Thread state.Thread
	Turn   string
	Node   string
	Visit  int
	Item   int
}

// visitKey returns the visit's idempotency key.
func (p Place) visitKey() string {
	return p.Thread.Key() + "/" + p.Turn + "/" + p.Node + "#" + p.number()
}

// number returns that of the visit, and of the item in it.
func (p Place) number() string {
	if p.Item == 0 {
		return strconv.Itoa(p.Visit)
	}
	return strconv.Itoa(p.Visit) + "." + strconv.Itoa(p.Item)
}

// innerTurnID names the turn that the visit begins on another graph's thread.
func (p Place) innerTurnID() string {
	id := fmt.Sprintf("%s:%s#%s", p.Turn, p.Node, p.number())
	if state.ValidateID("turn", id) == nil {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:16])
}

// where is what a context knows of its place.
type where struct {
	Place
	answer func(id string) (state.Answer, bool) // to a question that the turn has asked; nil outside a node
	mayGo  []string                             // the targets that the node's Goto may name
	goTo   []string                             // those that it has named
}

type whereKey struct{}

// insideVisit returns the context of a visit.
func insideVisit(ctx context.Context, w *where) context.Context {
	return context.WithValue(ctx, whereKey{}, w)
}

// At returns the place that the context belongs to: a node's, in its Run and in callbacks about it; in callbacks about the
// graph one without a node; the zero Place outside. The idempotency key of a visit is state.IdempotencyKey.
func At(ctx context.Context) Place {
	if w, ok := ctx.Value(whereKey{}).(*where); ok {
		return w.Place
	}
	return Place{}
}
