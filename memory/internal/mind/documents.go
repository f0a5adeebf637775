package mind

import (
	"hash/fnv"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/memory/internal/find/words"
	"github.com/mneme-graph/mneme/memory/internal/read/text"
	"github.com/mneme-graph/mneme/state"
)

// DocID names a document of a user, in the indexes as in the feed: its collection, and its key without the user's part.
func DocID(c state.Collection, id string) string { return string(c) + "/" + id }

// relative is a key of the user without the user's part.
func (d *Mind) relative(key string) string { return key[len(d.scope.Client)+len(d.scope.User)+2:] }

// DocumentKey is DocID backwards.
func DocumentKey(user state.Scope, id string) (state.Collection, string) {
	c, rest, _ := strings.Cut(id, "/")
	return state.Collection(c), user.UserPrefix() + rest
}

// RecordID returns the id of a record that an index names.
func RecordID(id string) string { return strings.TrimPrefix(id, string(state.Records)+"/") }

// AffairKind is the kind of affairs in the indexes; messages are of kind message, records of their own.
const AffairKind = "affair"

// unstoredKind is the kind of messages that only their own session may find.
const unstoredKind = "message, unstored"

// Foreign reports whether a document of the index is a message of another session, which nobody was to keep.
func Foreign(d *words.Doc, session string) bool { return d.Kind == unstoredKind && d.Group != session }

// Kind is the kind of record that a document of the index is.
func Kind(d *words.Doc) state.RecordKind {
	if d.Kind == unstoredKind {
		return state.MessageRecord
	}
	return state.RecordKind(d.Kind)
}

// IsRecord reports whether a document of the index is a record.
func IsRecord(d *words.Doc) bool { return strings.HasPrefix(d.ID, string(state.Records)+"/") }

// quotedWords is from how many words on a key fact is taken for a message's own clause. The message is found by them; that its affair
// is too would only stand before it.
const quotedWords = 6

func affairDoc(id string, a state.Affair) words.Doc {
	body := []string{a.Title, a.Summary}
	for _, f := range a.KeyFacts {
		if len(strings.Fields(f.Value)) < quotedWords {
			body = append(body, f.Label+": "+f.Value)
		}
	}
	body = append(body, a.PendingActions...)
	return words.Doc{
		ID: DocID(state.Affairs, id), Text: strings.Join(body, "\n"), Affair: a.ID, Kind: AffairKind, Order: order(a.UpdatedAt, 0),
	}
}

// RecordDoc returns a record as the word index gets it.
func RecordDoc(id string, r state.Record) words.Doc {
	return words.Doc{
		ID: DocID(state.Records, id), Text: r.Subject + "\n" + r.Content, At: r.RecordedAt, Order: order(r.Seen(), 0), Weight: weight(r),
		Affair: r.Affair, Project: r.Project, Agent: r.Agent, Kind: string(r.Kind),
	}
}

// weight nudges what the user pinned, called important or said again: 1 for importance 5 said once.
func weight(r state.Record) float64 {
	w := 1.0
	if r.Importance > 0 {
		w += 0.04 * float64(min(r.Importance, 10)-5)
	}
	w += 0.02 * float64(min(max(r.Times-1, 0), 5))
	if r.Pinned {
		w *= 1.25
	}
	return w
}

func messageDoc(id string, msg state.Message) words.Doc {
	kind := string(state.MessageRecord)
	if msg.Unstored() {
		kind = unstoredKind
	}
	return words.Doc{
		ID: DocID(state.Messages, id), Text: msg.FullText(), Speaker: msg.Speaker, Role: msg.Role, At: msg.At,
		Group: strings.TrimSuffix(id, "/"+state.SeqKey(msg.Seq)), Order: order(msg.At, msg.Seq),
		Affair: msg.Affair, Project: msg.Project, Kind: kind,
	}
}

// order is age for the index: time first, then the number in the session, since a turn's messages share a time.
func order(at time.Time, seq int64) int64 { return at.UnixMilli()<<12 | seq&0xfff }

// SessionOf is the session in the key of a message.
func SessionOf(key string) string {
	parts := strings.Split(key, "/")
	return parts[len(parts)-2]
}

// seqOf returns the number in the key of a message.
func seqOf(key string) int64 {
	n, _ := strconv.ParseInt(key[strings.LastIndexByte(key, '/')+1:], 10, 64) // keys are ours
	return n
}

// subjectHash is equal for subjects that are the same but for case and diacritics.
func subjectHash(subject string) uint64 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, text.Fold(subject)) // never fails
	return h.Sum64()
}

// RecordText returns a record in words.
func RecordText(r state.Record) string {
	if r.Subject == "" {
		return r.Content
	}
	return r.Subject + ": " + r.Content
}
