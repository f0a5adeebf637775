package hooks

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
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

// waiting is what waits of a user.
type waiting struct {
	seq    int64  // number of the last commit of his memory
	asked  string // the ids of his questions
	whole  bool   // all that waits was read
	things []thing
}

// read finds what waits of a user, the oldest first. What was known is read no more than needed to tell that nothing has changed: changed is false then.
// A session that cannot be read is left out, and said once.
func (h *Hooks) read(ctx context.Context, user state.Scope, known *waiting) (w waiting, changed bool, err error) {
	var asked []string
	err = h.c.Graph.EachAsked(ctx, user, func(scope state.Scope, questions []checkpoint.Ask) error {
		for _, q := range questions {
			if h.c.Skip != nil && h.c.Skip(q) {
				continue
			}
			asked = append(asked, q.ID)
			about := About{Client: scope.Client, User: scope.User, Session: scope.Session, Turn: q.Turn(), Question: q.ID}
			w.things = append(w.things, thing{kind: QuestionAsked, about: about})
		}
		return nil
	})
	if ctx.Err() != nil || errors.Is(err, state.ErrUnavailable) {
		return w, false, err
	}
	h.noteUnread(ctx, user.UserPrefix()+"sessions", err)
	w.asked, w.whole = strings.Join(asked, " "), err == nil

	unless := int64(-1)
	if known != nil && known.asked == w.asked {
		unless = known.seq
	}
	w.seq, err = memory.EachAwaits(ctx, h.c.Store, user, unless, func(a memory.Awaits) { w.things = append(w.things, thingsOf(user, a)...) })
	if errors.Is(err, state.ErrInternal) { // what is damaged of one user is in nobody's way
		h.noteUnread(ctx, user.UserPrefix()+"memory", err)
		return w, false, nil
	}
	if err != nil || w.seq == unless {
		return w, false, err
	}
	now := h.c.Now()
	w.things = slices.DeleteFunc(w.things, func(x thing) bool { return !x.until.IsZero() && now.After(x.until) })
	slices.SortStableFunc(w.things, func(a, b thing) int { return a.at.Compare(b.at) })
	return w, true, nil
}

// noteUnread says once what of a user cannot be read: nobody is told of it.
func (h *Hooks) noteUnread(ctx context.Context, key string, err error) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if text != "" && h.unread[key] != text {
		h.c.Logger.WarnContext(ctx, "webhooks: what waits there cannot be read, and nobody is told of it; of the rest they are", "error", err)
	}
	if h.unread[key] = text; text == "" {
		delete(h.unread, key)
	}
}

// thingsOf lists what waits of a user's memory.
func thingsOf(user state.Scope, a memory.Awaits) (out []thing) {
	for _, r := range a.Tasks {
		out = append(out, thing{kind: TaskDue, at: *r.Due, about: About{Client: user.Client, User: user.User, Session: r.Session, Record: r.ID}})
	}
	for _, s := range a.Suggestions {
		out = append(out, thing{kind: SuggestionMade, at: s.At, until: s.Until, about: About{Client: user.Client, User: user.User, Session: s.Session, Suggestion: s.ID}})
	}
	return out
}
