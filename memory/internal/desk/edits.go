package desk

import (
	"context"

	"github.com/mneme-graph/mneme/state"
)

// Edits collects what a decision changes, in a view of its own.
type Edits struct {
	Scope   state.Scope
	View    state.View
	Behind  bool // the reply is there: nobody waits for the small model
	Silent  bool // the small model did not answer about a part: it is asked about no more of them
	Effects []state.Effect
	Learnt  state.Effects // outside a turn: what parts that are over say of the user
	By      state.By      // who has them made
	Path    string        // by which way comes what was learnt; "" = EndPath
}

// Add takes an effect in, of the scope and signed.
func (e *Edits) Add(effect state.Effect) {
	effect.Scope = e.Scope
	e.Effects = append(e.Effects, effect)
	Sign(e.Effects[len(e.Effects)-1:], e.By)
}

// DecideAll decides edits, what was learnt before the parts that it was learnt from.
func (k *Desk) DecideAll(ctx context.Context, e *Edits) error {
	return k.Decide(ctx, append(e.Learnt.Take(), e.Effects...)...)
}
