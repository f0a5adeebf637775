package forget

import (
	"context"
	"errors"
	"slices"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// The process whose snapshot of words, or vector, is on its way when the order comes takes it back when it is there; one that dies
// in between leaves words without their texts until the next snapshot.

// erasing carries out an order, a stage after the other and each in pieces. A piece is one commit with the order as it is then, so whoever
// is cut short is gone on with where he was, and of two at once one meets the other's edit and stops.
type erasing struct {
	m     *Room
	scope state.Scope
	order state.Order
	plan  *erasure // of what the order names, as far as it is still there; that which the order was made from, nil = not made yet
}

// Sizes of a piece.
const (
	erasePiece  = 200 // documents
	remakePiece = 20
)

// eraser returns a log to take turns out of. The caller closes it.
func (r *Room) eraser() *checkpoint.Log {
	return checkpoint.New(checkpoint.Config{Store: r.desk.Store, Now: r.desk.Now, NewID: r.desk.NewID, Memory: r.desk})
}

// settled carries out what finished turns of a user owe, so that all of them is in his memory, and returns where its feed stands then.
func (r *Room) settled(ctx context.Context, user state.Scope) (ledger.Stand, error) {
	log := r.eraser()
	err := log.Settle(ctx, user.UserPrefix())
	if err = errors.Join(err, log.Close()); err != nil {
		return ledger.Stand{}, err
	}
	return ledger.Head(ctx, r.desk.Base, user)
}

// run carries out what is left, up to a budget of commits; a negative one is none.
func (p *erasing) run(ctx context.Context, budget int) error {
	// The host's trace is left out: what is erased must not come back through it.
	ctx = desk.Erasing(state.ContextWithTrace(ctx, nil))
	stages := map[string]func(context.Context) ([]state.Effect, bool, error){
		ledger.StagePlan: p.planAnew, ledger.StageTurns: p.endTurns, ledger.StageRemake: p.remakeSome, ledger.StageFeed: p.stripFeed, ledger.StageLog: p.eraseLog,
		ledger.StageDocuments: p.eraseDocuments, ledger.StageDerived: p.eraseDerived, ledger.StageVectors: p.eraseVectors, ledger.StagePages: p.emptyPages,
	}
	for p.order.Stage != "" {
		// With a budget only documents are erased; vectors and pages are left to a later call.
		if budget >= 0 && !ledger.Owes(&p.order) {
			return nil
		}
		if budget == 0 {
			return state.Errorf(state.Unavailable, "memory of "+p.scope.UserPrefix(), "is being erased in part; try again in a moment")
		}
		budget--

		// One piece. The order as it was is kept, for the piece may have to be taken back.
		before := p.order
		p.order.Layers = slices.Clone(before.Layers)
		effects, over, err := stages[p.order.Stage](ctx)
		if err == nil {
			err = p.commit(ctx, effects, over)
		}
		if err == nil {
			continue
		}

		// Somebody else has carried the order on: it is read again, and the piece is made from where it is now.
		p.order = before
		if !errors.Is(err, state.ErrConflict) {
			return err
		}
		if err := p.reload(ctx); err != nil {
			return err
		}
	}
	return p.m.tellDone(ctx, p.scope, p.order)
}

// commit writes what a piece has decided, with the order as it is behind it.
func (p *erasing) commit(ctx context.Context, effects []state.Effect, over bool) error {
	if over {
		p.order.Next = 0
		if p.order.Stage = nextStage(p.order.Stage); p.order.Stage == "" {
			p.order.Remake = nil
			if len(p.order.Held) == 0 {
				p.order.DoneAt = p.m.desk.Now()
			}
		}
	}

	p.order.Rev++
	next := p.order
	by := p.order.By
	by.Path = forgetPath

	all := []state.Effect{{Scope: p.scope, Order: &next, By: &by}}
	for _, e := range effects {
		e.Scope, e.By = p.scope, &by
		all = append(all, e)
	}
	return p.m.desk.Commit(ctx, all)
}

// forgetPath is the way by which an order changes memory.
const forgetPath = "forget"

func nextStage(stage string) string {
	stages := []string{
		ledger.StagePlan, ledger.StageTurns, ledger.StageRemake, ledger.StageFeed, ledger.StageLog, ledger.StageDocuments, ledger.StageDerived, ledger.StageVectors, ledger.StagePages, "",
	}
	return stages[slices.Index(stages, stage)+1]
}

// reload reads the order as somebody else has left it.
func (p *erasing) reload(ctx context.Context) error {
	doc, err := p.m.desk.Store.Get(ctx, state.Orders, p.scope.Key(p.order.ID))
	if err == nil {
		p.order, err = ledger.Decode[state.Order](doc)
		p.plan = nil
	}
	return err
}

// probe looks whether anything of what was to go is still there.
func (p *erasing) probe(ctx context.Context) error {
	left := map[string]int{}

	// A whole memory: every collection is to be empty, but for the pinned records that were spared.
	if p.order.Whole {
		for _, c := range []state.Collection{state.Messages, state.Records, state.Affairs, state.Sessions, state.Suggestions, state.Overrides} {
			docs, err := p.m.desk.Store.Scan(ctx, store.Query{Collection: c, Prefix: p.scope.UserPrefix()})
			if err != nil {
				return err
			}
			left[string(c)] = len(docs)
		}
		left[string(state.Records)] -= len(p.order.Spared) + len(p.order.Held)
	}

	// The documents of the order, each by its name.
	refs := make([]ledger.Ref, 0, len(p.order.Erase))
	for _, name := range p.order.Erase {
		ref := parseRef(name)
		refs = append(refs, ledger.Ref{Collection: ref.Collection, ID: p.scope.Key(ref.ID)})
	}
	docs, err := ledger.Fetch(ctx, p.m.desk.Store, refs...)
	if err != nil {
		return err
	}
	for i, doc := range docs {
		if doc.Body != nil {
			left[string(refs[i].Collection)]++
		}
	}

	// The receipt says of each layer what is left.
	for _, l := range slices.Clone(p.order.Layers) {
		p.order.Probe(l.Name, left[l.Name], l.Note)
	}
	return nil
}
