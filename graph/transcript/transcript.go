package transcript

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

// Transcript is what was said in a session.
type Transcript struct {
	Session  string    `json:"session"`
	Messages []Message `json:"messages"`
}

// Message is what user or assistant said. Affair is the id of the affair it is filed under, "" for none.
type Message struct {
	ID     string     `json:"id"`
	Role   state.Role `json:"role"`
	Text   string     `json:"text"`
	At     time.Time  `json:"at"`
	Affair string     `json:"affair"`
}

// Whole is a session with what came of it.
type Whole struct {
	Transcript
	Decisions []Decision     `json:"decisions"` // of the turns that the log has, oldest first
	Affairs   []state.Affair `json:"affairs"`   // that its messages are filed under, in the order in which they come up
}

// Decision is what a message of the user was taken for.
type Decision struct {
	Message string    `json:"message"` // its id
	Turn    string    `json:"turn"`
	At      time.Time `json:"at"` // when the turn ended
	state.Decision
}

// Of returns what was said in a session. One in which nobody spoke is state.ErrNotFound.
func Of(ctx context.Context, m *memory.Memory, scope state.Scope) (Transcript, error) {
	scope = scope.Default()
	messages, err := read(ctx, m, scope)
	return say(m, scope, messages), err
}

// WholeOf returns a session with what came of it. One in which nobody spoke is state.ErrNotFound.
func WholeOf(ctx context.Context, g *graph.Graph, scope state.Scope) (Whole, error) {
	scope = scope.Default()
	messages, err := read(ctx, g.Memory(), scope)
	if err != nil {
		return Whole{}, err
	}
	out := Whole{Transcript: say(g.Memory(), scope, messages), Decisions: []Decision{}, Affairs: []state.Affair{}}

	// The affairs. One may have been erased since.
	seen := map[string]bool{"": true}
	for _, m := range out.Messages {
		if seen[m.Affair] {
			continue
		}
		seen[m.Affair] = true
		a, err := g.Memory().Affairs().Get(ctx, scope, m.Affair)
		if err == nil {
			out.Affairs = append(out.Affairs, a)
		} else if !errors.Is(err, state.ErrNotFound) {
			return out, err
		}
	}

	// The decisions. Why stands with the message.
	decisions, err := decided(ctx, g, scope)
	for _, d := range slices.Backward(decisions) {
		if at := slices.IndexFunc(messages, func(m state.Message) bool { return m.Turn == d.Turn && m.Role == state.RoleUser }); at >= 0 {
			d.Message, d.Reasoning = messages[at].ID, g.Memory().Mask(messages[at].Why)
			out.Decisions = append(out.Decisions, d)
		}
	}
	return out, err
}

// say returns what is handed out of messages.
func say(m *memory.Memory, scope state.Scope, messages []state.Message) Transcript {
	out := Transcript{Session: scope.Session, Messages: []Message{}}
	for _, msg := range Said(messages) {
		out.Messages = append(out.Messages, Message{msg.ID, msg.Role, m.Mask(msg.Text), msg.At, msg.Affair})
	}
	return out
}

// Said leaves out tool results and messages that only call tools.
func Said(messages []state.Message) []state.Message {
	return slices.DeleteFunc(slices.Clone(messages), func(m state.Message) bool { return m.Role == state.RoleTool || m.Text == "" && len(m.ToolCalls) > 0 })
}

// read returns all messages of a session that has some.
func read(ctx context.Context, m *memory.Memory, scope state.Scope) ([]state.Message, error) {
	messages, err := m.Messages(ctx, scope)
	if err == nil && len(Said(messages)) == 0 {
		err = state.Errorf(state.NotFound, "session "+scope.Session, "has no messages of user %s", scope.User)
	}
	return messages, err
}

// decided returns the decisions of the turns that the log has, newest first: each stands in the state that its turn ended with.
func decided(ctx context.Context, g *graph.Graph, scope state.Scope) (out []Decision, err error) {
	const most = 500 // steps at a time
	w := checkpoint.Which{Done: true, Limit: most}
	for {
		page, err := g.History(ctx, scope, w)
		if err != nil {
			return nil, err
		}
		for _, c := range page {
			w.Before = c.Seq
			after, err := g.State(ctx, scope, c.Seq)
			if err != nil {
				return nil, err
			}
			if d := after.State.Decision.Get(); d.Kind != "" {
				out = append(out, Decision{Turn: c.Turn, At: c.At, Decision: d})
			}
		}
		if len(page) < most || w.Before <= 1 {
			return out, nil
		}
	}
}
