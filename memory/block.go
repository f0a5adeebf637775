package memory

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/state"
)

// readBlock is recall by name: the one hit is the block as a whole. Names are those of the scope's session, so that none leads out of
// it.
func (m *Memory) readBlock(ctx context.Context, q Query) ([]Hit, error) {
	const names = "use one from a placeholder of this session, such as m12.1, or memory_recall to look for what was said"

	// The name says which message has the block.
	op := fmt.Sprintf("block %.40q", q.Block)
	seq, ok := compose.BlockMessage(q.Block)
	if !ok {
		return nil, state.Errorf(state.Invalid, op, "is no name of a block; %s", names)
	}

	// A message of this session, as far as it is shown to anybody.
	from, err := m.desk.Reads(ctx, q.Scope)
	if err != nil {
		return nil, err
	}
	msg, err := ledger.Get[state.Message](ctx, from, state.Messages, q.Scope.MessageKey(seq))
	if errors.Is(err, state.ErrNotFound) || err == nil && msg.Undone {
		return nil, state.Errorf(state.NotFound, op, "is of message %d, which this session does not have; %s", seq, names)
	}
	if err != nil {
		return nil, err
	}

	// The block in it, whole.
	b, err := compose.FindBlock(msg, q.Block)
	if err != nil {
		return nil, err
	}
	return []Hit{{
		ID: msg.ID, Text: b.Text, Block: b.Name, Turn: msg.Turn, Affair: msg.Affair, Message: &msg,
		Source: fmt.Sprintf("%s, message %d, %s, %s", b.Kind, msg.Seq, msg.Role, msg.At.Format(time.DateOnly)),
		Of:     compose.Origin{Kind: compose.OfMessage, ID: q.Scope.Session, Seq: msg.Seq, Part: b.Part()}.String(),
	}}, nil
}
