package nodes

import (
	"context"

	"github.com/mneme-graph/mneme/state"
)

// Finalize ends the turn: what rides is committed with its end.
func Finalize() Func {
	return func(_ context.Context, t state.Turn) (state.Turn, error) { return t, nil }
}
