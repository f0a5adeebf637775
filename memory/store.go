package memory

import (
	"context"

	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/state"
)

// Messages returns the session's messages, oldest first.
func (m *Memory) Messages(ctx context.Context, scope state.Scope) ([]state.Message, error) {
	scope = scope.Default()
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	if err := desk.Settled(ctx); err != nil {
		return nil, err
	}
	return desk.MessagesAfter(ctx, m.desk.Base, scope, 0)
}

// Records returns the user's records, in the order of their ids.
func (m *Memory) Records(ctx context.Context, scope state.Scope) ([]state.Record, error) {
	return m.desk.Records(ctx, scope.Default())
}
