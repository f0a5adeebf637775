package memory

import (
	"context"
	"maps"

	"github.com/mneme-graph/mneme/memory/internal/find/words"
	"github.com/mneme-graph/mneme/state"
)

// cleared says of each session that was cleared up to which message. What is cleared enters no prompt, of any session, unless
// recall is asked for it. A value does not change: readers keep it without the mind.
type cleared map[string]int64

// with is c and what a session says now.
func (c cleared) with(s state.Session) cleared {
	if s.WindowFrom == c[s.ID] {
		return c
	}
	next := maps.Clone(c)
	if next == nil {
		next = cleared{}
	}
	next[s.ID] = s.WindowFrom
	return next
}

// hides reports whether a message is out of sight.
func (c cleared) hides(session string, seq int64) bool { return seq <= c[session] }

// hidesDoc is hides for a document of the word index.
func (c cleared) hidesDoc(doc *words.Doc) bool {
	if len(c) == 0 || doc.Group == "" {
		return false
	}
	last, ok := c[doc.Group]
	return ok && doc.Kind == string(state.MessageRecord) && doc.ID <= docID(state.Messages, doc.Group+"/"+state.SeqKey(last))
}

// cleared is what is out of sight of the user's sessions.
func (m *Memory) cleared(ctx context.Context, scope state.Scope) (cleared, error) {
	d, err := m.mind(ctx, scope)
	if err != nil {
		return nil, err
	}
	defer d.mu.Unlock()
	return d.cleared, nil
}
