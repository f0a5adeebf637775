package mind

import (
	"maps"

	"github.com/mneme-graph/mneme/memory/internal/find/words"
	"github.com/mneme-graph/mneme/state"
)

// Cleared says of each session that was cleared up to which message. What is cleared enters no prompt, of any session, unless
// recall is asked for it. A value does not change: readers keep it without the mind.
type Cleared map[string]int64

// with is c and what a session says now.
func (c Cleared) with(s state.Session) Cleared {
	if s.WindowFrom == c[s.ID] {
		return c
	}
	next := maps.Clone(c)
	if next == nil {
		next = Cleared{}
	}
	next[s.ID] = s.WindowFrom
	return next
}

// Hides reports whether a message is out of sight.
func (c Cleared) Hides(session string, seq int64) bool { return seq <= c[session] }

// HidesDoc is Hides for a document of the word index.
func (c Cleared) HidesDoc(doc *words.Doc) bool {
	if len(c) == 0 || doc.Group == "" {
		return false
	}
	last, ok := c[doc.Group]
	return ok && doc.Kind == string(state.MessageRecord) && doc.ID <= DocID(state.Messages, doc.Group+"/"+state.SeqKey(last))
}
