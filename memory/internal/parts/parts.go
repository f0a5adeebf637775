// Package parts is what a part of a session comes to by rule, for making its summary and for making it again without some of its messages.
//
//	said := parts.Unfiled(messages, span.First-1, span.Covered)
//	parts.Learn(&span, said, "en")
//	text := affair.Summarise("", said, parts.Tokens(set, span, count), count)
//
// A summary covers only what belongs to no affair. A part that is over has a digest besides; several parts make an L1, several of those an L2 (Shares).
// All of it is pure: who sums up with a model comes here when it does not answer, and who erases comes here always, so that whoever goes on with it makes the same.
package parts

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/memory/internal/affair"
	"github.com/mneme-graph/mneme/memory/internal/read/facts"
	"github.com/mneme-graph/mneme/memory/internal/read/spoken"
	"github.com/mneme-graph/mneme/state"
)

// LevelTokens is how long an L1 or L2 is at most.
const LevelTokens = 300

// Shares returns the text of an L1 or L2 by rule: each of its summaries gets its part of the room.
func Shares(texts []string, count func(string) int) string {
	var out []string
	left := LevelTokens
	for i, text := range texts {
		share := affair.Summarise(text, nil, left/(len(texts)-i), count)
		if share == "" {
			continue
		}
		left -= count(share + "\n")
		out = append(out, share)
	}
	return strings.Join(out, "\n")
}

// DigestTokens is how long the digest of a part is at most: three to five sentences.
const DigestTokens = 150

// EarlierShare is how many times longer a summary may be than what the session's earlier parts come to in it.
const EarlierShare = 3

// Bounds of what a summary keeps beside its text, the newest.
const (
	mostTopics = 24
	mostFacts  = 24
)

// Unfiled returns the messages behind one number and up to another that belong to no affair, without those of commands to the memory: what was to be
// remembered is, and what was forgotten must not stand in a summary.
func Unfiled(messages []state.Message, after, to int64) []state.Message {
	commands := spoken.Turns(messages)
	return slices.DeleteFunc(slices.Clone(messages), func(msg state.Message) bool {
		return commands[msg.Turn] || msg.Seq <= after || msg.Seq > to || msg.Undone || msg.Affair != "" || msg.Role == state.RoleTool || msg.Text == "" || msg.Unstored()
	})
}

// Bounds of what is summed up at a time: it is read whole.
const (
	FoldAtOnce = 30 // messages
	foldBytes  = 32 << 10
)

// Summing continues a summary over messages, within a number of tokens.
type Summing func(previous string, said []state.Message, limit int) string

// ByRule sums up by rule what the user said.
func ByRule(count func(string) int) Summing {
	return func(previous string, said []state.Message, limit int) string {
		return affair.Summarise(previous, affair.FromUser(said), limit, count)
	}
}

// Fold brings the record of a part forward by messages, in pieces. Its version counts up, if there are any.
func Fold(r *state.Record, said []state.Message, lang string, set state.Settings, count func(string) int, sum Summing, at time.Time) {
	if len(said) > 0 {
		r.Span.Version++
		r.Span.UpdatedAt = at
	}
	for len(said) > 0 {
		n, bytes := 0, 0
		for n < min(len(said), FoldAtOnce) && (n == 0 || bytes+len(said[n].Text) <= foldBytes) {
			bytes += len(said[n].Text)
			n++
		}
		r.Span.Messages += n
		r.Content = sum(r.Content, said[:n], Tokens(set, *r.Span, count))
		Learn(r.Span, said[:n], lang)
		said = said[n:]
	}
}

// Tokens returns how long the summary of a part may be: it grows with the logarithm of the number of messages.
func Tokens(set state.Settings, span state.Span, count func(string) int) int {
	most := set.SummaryMaxTokens
	grown := float64(most) / 6 * math.Log2(2+float64(span.Messages)/float64(set.SummaryWindow))
	return min(int(grown), most-count(span.Earlier)-1)
}

// Learn takes key facts and topics of messages into what a summary covers.
func Learn(span *state.Span, said []state.Message, lang string) {
	a := state.Affair{KeyFacts: span.KeyFacts}
	topics := slices.Clone(span.Topics)
	for _, msg := range affair.FromUser(said) {
		a = affair.Learn(a, msg, lang)
		if found := facts.Topics(msg.Text, lang); len(found) > 0 && !slices.Contains(topics, found[0]) {
			topics = append(topics, found[0])
		}
	}
	span.KeyFacts = slices.Clone(a.KeyFacts[max(0, len(a.KeyFacts)-mostFacts):])
	span.Topics = topics[max(0, len(topics)-mostTopics):]
}

// Preferred returns the preferences of a session that its messages from a number on have set.
func Preferred(messages []state.Message, from int64) (out map[string]string) {
	for _, msg := range messages {
		if msg.Seq >= from && msg.Preferences != nil {
			out = msg.Preferences.Over(out)
		}
	}
	return out
}

// Waits reports whether a record is the summary of a part that no model has read yet.
func Waits(r state.Record) bool {
	return r.Span != nil && r.Span.Level == 0 && r.Span.Ended() && r.Span.Waits && r.ValidTo == nil
}

// DigestPart names the digest of a record in an origin.
const DigestPart = "digest"

// Open returns the session, or a new one under the scope when it was never used.
func Open(s state.Session, scope state.Scope, now time.Time) state.Session {
	if s.ID == "" {
		s = state.Session{Client: scope.Client, User: scope.User, ID: scope.Session, Part: 1, PartFrom: 1, PartAt: now, StartedAt: now}
	}
	return s
}

// End notes that the session's part is over, if anything was said in it. The next one begins with message number next. One in which no more than
// an affair was taken up leaves nothing to keep, and is as it was before that.
func End(s *state.Session, next int64, ended, begins time.Time) {
	if s.First() >= next {
		if s.LastAt.After(s.PartAt) {
			s.PartAt = s.LastAt
		}
		return
	}
	s.Ending = append(slices.Clone(s.Ending), state.Span{
		Part: s.Part, First: s.First(), Last: next - 1, StartedAt: cmp.Or(s.PartAt, s.StartedAt), EndedAt: ended, Affairs: s.Touched,
	})
	if len(s.Touched) > 0 { // a part that is over is called by them until the next one has its own
		s.TouchedLast = s.Touched
	}
	s.Part, s.PartFrom, s.PartAt, s.Touched = s.Part+1, next, begins, nil
}

// mostTouched bounds the affairs that a part of a session names.
const mostTouched = 100

// Touch adds to a list of affairs one that was spoken of.
func Touch(list []string, id string) []string {
	if id == "" || slices.Contains(list, id) {
		return list
	}
	list = append(slices.Clone(list), id)
	return list[max(0, len(list)-mostTouched):]
}
