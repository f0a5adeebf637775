package mind

import (
	"maps"
	"strconv"
	"strings"

	"github.com/mneme-graph/mneme/memory/internal/find/words"
	"github.com/mneme-graph/mneme/state"
)

// Cleared says of each session that was cleared up to which message. What is cleared enters no prompt, of any session, unless
// recall is asked for it. A value does not change: readers keep it without the mind.
type Cleared map[string]int64

// with is c and what a session says now.
func (c Cleared) with(s state.Session) Cleared { return withValue(c, s.ID, s.WindowFrom) }

// withValue is a map with another value, which does not change itself.
func withValue[V comparable](m map[string]V, key string, v V) map[string]V {
	if m[key] == v {
		return m
	}
	next := map[string]V{}
	maps.Copy(next, m)
	next[key] = v
	return next
}

// Hides reports whether a message is out of sight.
func (c Cleared) Hides(session string, seq int64) bool { return seq <= c[session] }

// HidesDoc is Hides for a document of the word index. A summary is hidden with the first message that it may cover: a part of a
// session is cleared whole.
func (c Cleared) HidesDoc(doc *words.Doc) bool {
	if len(c) == 0 {
		return false
	}
	if session, first, ok := summaryOf(doc); ok {
		return c.Hides(session, first)
	}
	if doc.Group == "" {
		return false
	}
	last, ok := c[doc.Group]
	return ok && Kind(doc) == state.MessageRecord && doc.ID <= DocID(state.Messages, doc.Group+"/"+state.SeqKey(last))
}

// SummaryID returns the id of the summary of that part of a session which begins with message number first.
func SummaryID(session string, first int64) string {
	return SummaryPrefix + session + "." + strconv.FormatInt(first, 10)
}

// SummaryPrefix begins the id of a summary of a part of a session.
const SummaryPrefix = "summary."

// SummarySession returns the session that a record of this id sums up a part of, "" for none.
func SummarySession(id string) string {
	session, _, ok := splitSummaryID(id)
	if !ok {
		return ""
	}
	return session
}

// summaryOf is SummaryID backwards; ok only for such a summary.
func summaryOf(doc *words.Doc) (session string, first int64, ok bool) {
	if doc.Kind != string(state.SummaryRecord) {
		return "", 0, false
	}
	return splitSummaryID(RecordID(doc.ID))
}

func splitSummaryID(id string) (session string, first int64, ok bool) {
	id, ok = strings.CutPrefix(id, SummaryPrefix)
	at := strings.LastIndexByte(id, '.')
	if !ok || at < 0 {
		return "", 0, false
	}
	first, err := strconv.ParseInt(id[at+1:], 10, 64)
	return id[:at], first, err == nil
}

// SummaryOf returns the session that a document of the index sums up a part of, "" for none.
func SummaryOf(doc *words.Doc) string {
	session, _, _ := summaryOf(doc)
	return session
}
