package hooks

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

// Kind is what a message tells.
type Kind string

// The kinds of message.
const (
	TaskDue        Kind = "task.due"
	QuestionAsked  Kind = "question.asked"
	SuggestionMade Kind = "suggestion.made"
)

// Message is the body of a webhook.
type Message struct {
	Type      Kind      `json:"type"`
	Timestamp time.Time `json:"timestamp"` // when it came to be; of a question when it was seen
	Data      About     `json:"data"`
}

// About says by ids what a message is about. The text is had from the service.
type About struct {
	Client     string `json:"client_id"`
	User       string `json:"user_id"`
	Session    string `json:"session_id,omitempty"`
	Record     string `json:"record_id,omitempty"`     // of a task
	Turn       string `json:"turn_id,omitempty"`       // that asks
	Question   string `json:"question_id,omitempty"`   // what POST .../answers names
	Suggestion string `json:"suggestion_id,omitempty"` //
}

// thing is something that waits.
type thing struct {
	kind  Kind
	at    time.Time // when it is, or was; zero = as it is seen
	until time.Time // it waits no more from then on; zero = it does
	about About
}

// id names the message that tells an address of the thing. A task that is due at another time is another thing.
func (x thing) id(t target) string {
	at := int64(0)
	if x.kind == TaskDue {
		at = x.at.UnixMilli()
	}
	a := x.about
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%q\x00%d\x00%s", x.kind, []string{a.Client, a.User, a.Session, a.Record, a.Turn, a.Question, a.Suggestion}, at, t.id))
	return "msg_" + hex.EncodeToString(sum[:16])
}

// body writes the message.
func (x thing) body(now time.Time) ([]byte, error) {
	at := x.at
	if at.IsZero() {
		at = now
	}
	return json.Marshal(Message{x.kind, at.UTC().Truncate(time.Millisecond), x.about})
}

// known is what waited of a user's memory when his feed stood at a number.
type known struct {
	seq    int64
	things []thing
}

// waiting finds all that waits, the oldest first. What does not change is not read again.
func (h *Hooks) waiting(ctx context.Context) (all []thing, err error) {
	seen := map[string]known{}
	err = memory.EachAwaits(ctx, h.c.Store, func(user state.Scope) (int64, bool) {
		k, ok := h.known[user.UserPrefix()]
		return k.seq, ok
	}, func(a memory.Awaits) error {
		k, ok := h.known[a.User.UserPrefix()]
		if !ok || k.seq != a.Seq {
			k = known{a.Seq, thingsOf(a)}
		}
		seen[a.User.UserPrefix()] = k
		all = append(all, k.things...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	h.known = seen
	err = h.c.Graph.EachAsked(ctx, func(scope state.Scope, asked []checkpoint.Ask) error {
		for _, a := range asked {
			about := About{Client: scope.Client, User: scope.User, Session: scope.Session, Turn: a.Turn(), Question: a.ID}
			all = append(all, thing{kind: QuestionAsked, about: about})
		}
		return nil
	})
	now := h.c.Now()
	all = slices.DeleteFunc(all, func(x thing) bool { return !x.until.IsZero() && now.After(x.until) })
	slices.SortStableFunc(all, func(a, b thing) int { return cmp.Or(a.at.Compare(b.at), strings.Compare(a.about.User, b.about.User)) })
	return all, err
}

// thingsOf lists what waits of a user's memory.
func thingsOf(a memory.Awaits) (out []thing) {
	about := About{Client: a.User.Client, User: a.User.User}
	for _, r := range a.Tasks {
		about := about
		about.Session, about.Record = r.Session, r.ID
		out = append(out, thing{kind: TaskDue, at: *r.Due, about: about})
	}
	for _, s := range a.Suggestions {
		about := about
		about.Session, about.Suggestion = s.Session, s.ID
		out = append(out, thing{kind: SuggestionMade, at: s.At, until: s.Until, about: about})
	}
	return out
}
