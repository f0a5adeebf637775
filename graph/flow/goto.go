package flow

import (
	"context"
	"slices"

	"github.com/mneme-graph/mneme/state"
)

// Goto ends a node's work with the patch and says which nodes run next, as LangGraph's Command does:
//
//	return flow.Goto(ctx, s, "billing")
//
// They must be among the node's Goto; another name is state.ErrInvalid, and the node fails with it. They are logged with
// the node's result, so that a resumed turn goes the same way. The last call of a visit counts. Several nodes run side by
// side; flow.End among them ends the turn when the others have ended.
func Goto[S any](ctx context.Context, patch S, to ...string) (S, error) {
	w, ok := ctx.Value(whereKey{}).(*where)
	if !ok || w.Node == "" {
		return patch, state.Errorf(state.Invalid, "goto", "was called outside a node, with %v", to)
	}
	for _, t := range to {
		if !slices.Contains(w.mayGo, t) {
			return patch, state.Errorf(state.Invalid, "node "+w.Node, "goes to %q, which is not among the targets it declares, %v; add it to its Goto", t, w.mayGo)
		}
	}
	w.goTo = slices.Compact(slices.Sorted(slices.Values(to)))
	return patch, nil
}
