package mind

import (
	"context"

	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// numbers are the highest message numbers of a user's sessions, as far as the mind has learnt them. A number that was ever
// given is not given again, whatever became of its message or of the turn that it began.
type numbers struct {
	highest map[string]int64 // by session
	all     bool             // every message was learnt: a session that is missing has none
}

// learn takes in a message. Of a session that was never asked about, and whose earlier messages may not have been
// learnt, it tells nothing.
func (n *numbers) learn(session string, seq int64) {
	if old, known := n.highest[session]; known || n.all {
		n.highest[session] = max(old, seq)
	}
}

// SessionEnd returns the session as the store has it, the zero value when it was never used, and the number of its last
// message. The two differ while a turn is unfinished, because a session learns of its messages when their turn ends.
func (d *Mind) SessionEnd(ctx context.Context, session string) (state.Session, int64, error) {
	s := d.Sessions[session]
	last, known := d.numbers.highest[session]
	if !known && !d.numbers.all {
		read, err := d.Docs.Scan(ctx, store.Query{
			Collection: state.Messages, Prefix: d.scope.UserPrefix() + session + "/", Limit: 1, Reverse: true,
		})
		if err != nil {
			return s, 0, err
		}
		if len(read) > 0 {
			last = seqOf(read[0].ID)
		}
		d.numbers.highest[session] = last
	}
	return s, max(s.Messages, last), nil
}
