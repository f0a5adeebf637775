package importer

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/state"
)

// Options say how chats are taken in.
type Options struct {
	NoAffairs bool               // only keep the messages, to be recalled: nothing is decided and nothing learnt
	Told      func(done, of int) // hears of progress, in messages; default nobody
}

// Report says what was taken in.
type Report struct {
	Messages int      `json:"messages"`
	Sessions int      `json:"sessions"`
	Affairs  int      `json:"affairs"`           // that the imported sessions have touched
	Records  int      `json:"records,omitempty"` // of memories
	Refused  []string `json:"refused,omitempty"` // what was not taken in, and why
}

// clock is the time of the message that is taken in.
type clock struct{ now atomic.Pointer[time.Time] }

func (c *clock) set(t time.Time) { c.now.Store(&t) }

// open opens a graph whose time is that of what is imported.
func open(ctx context.Context, c graph.Config) (*graph.Graph, *clock, error) {
	now := c.Now
	if now == nil {
		now = func() time.Time { return time.Now().UTC() }
	}
	at := &clock{}
	at.set(now())
	c.Now = func() time.Time { return *at.now.Load() }
	g, err := graph.New(ctx, c)
	return g, at, err
}

// Chats takes in messages as the user's of the scope, each session under its own name. It opens a graph of the Config for the time of the import;
// nobody else may run turns of these sessions meanwhile.
func Chats(ctx context.Context, c graph.Config, scope state.Scope, turns []Turn, o Options) (report Report, err error) {
	g, at, err := open(ctx, c)
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	im := &chats{g: g, clock: at, scope: scope.Default(), options: o, kept: map[string]map[string]bool{}, report: &report, affairs: map[string]bool{}}

	// A user's message is taken in together with the answers to it.
	ids := keys(turns)
	for i := 0; i < len(turns); {
		n := 1
		if !o.NoAffairs && turns[i].Role == state.RoleUser {
			for i+n < len(turns) && turns[i+n].Session == turns[i].Session && turns[i+n].Role == state.RoleAssistant {
				n++
			}
		}
		if err := im.take(ctx, turns[i:i+n], i, ids[i]); err != nil {
			return report, err
		}
		i += n
		if o.Told != nil {
			o.Told(i, len(turns))
		}
	}

	report.Sessions, report.Affairs = len(im.kept), len(im.affairs)
	return report, nil
}

// chats is an import under way.
type chats struct {
	g       *graph.Graph
	clock   *clock
	scope   state.Scope
	options Options
	kept    map[string]map[string]bool // ids of messages that are there, by session
	affairs map[string]bool
	report  *Report
}

// take takes in a message, or a user's with the answers to it.
func (im *chats) take(ctx context.Context, turns []Turn, nth int, id string) error {
	first := turns[0]
	if !first.At.IsZero() {
		im.clock.set(first.At)
	}
	scope := im.scope
	scope.Session = first.Session

	var err error
	if im.options.NoAffairs || first.Role != state.RoleUser {
		err = im.keep(ctx, scope, first, id)
	} else {
		err = im.replay(ctx, scope, turns, id)
	}

	// A message that is refused is reported, and the import goes on; any other error ends it.
	switch code := state.CodeOf(err); {
	case err == nil:
		im.report.Messages += len(turns)
		return nil
	case code == state.Invalid || code == state.Denied:
		im.report.Refused = append(im.report.Refused, fmt.Sprintf("message %d, %s of session %s: %v", nth+1, first.ID, first.Session, err))
		return nil
	}
	return fmt.Errorf("message %d of session %s: %w", nth+1, first.Session, err)
}

// keep keeps a message that nobody answers here, once.
func (im *chats) keep(ctx context.Context, scope state.Scope, t Turn, id string) error {
	there, err := im.there(ctx, scope)
	if err != nil || there[id] {
		return err
	}
	there[id] = true
	return im.g.Memory().Ingest(ctx, scope, state.Message{ID: id, Role: t.Role, Speaker: t.Speaker, Text: t.Text, At: t.At})
}

// there are the ids of the session's messages.
func (im *chats) there(ctx context.Context, scope state.Scope) (map[string]bool, error) {
	if ids, ok := im.kept[scope.Session]; ok {
		return ids, nil
	}
	said, err := im.g.Memory().Messages(ctx, scope)
	if err != nil {
		return nil, err
	}
	ids := map[string]bool{}
	for _, msg := range said {
		ids[msg.ID] = true
	}
	im.kept[scope.Session] = ids
	return ids, nil
}

// replay runs the turn of a user's message, with the answer that it had.
func (im *chats) replay(ctx context.Context, scope state.Scope, turns []Turn, id string) error {
	if _, err := im.there(ctx, scope); err != nil {
		return err
	}

	// The answer that it had is played by a scripted model, and so is that it had none.
	var said []string
	for _, t := range turns[1:] {
		if t.Text != "" {
			said = append(said, t.Text)
		}
	}
	answer := scripted.Fail(errNoAnswer)
	if len(said) > 0 {
		answer = scripted.Say(strings.Join(said, "\n\n"))
	}

	reply, err := im.g.Invoke(ctx, graph.Request{
		Scope: scope, Text: turns[0].Text, Speaker: turns[0].Speaker, MessageID: id, Model: scripted.New([]scripted.Step{answer}, nil),
	})
	if len(said) == 0 && state.CodeOf(err) == errNoAnswer.Code { // of a failure its code is kept
		err = nil
	}

	if reply.Decision.AffairID != "" {
		im.affairs[reply.Decision.AffairID] = true
	}
	return err
}

// errNoAnswer is what a message without an answer is answered with: its turn is closed without one. Its code is that of no store, server or context that fails.
var errNoAnswer = state.Errorf(state.NotFound, "import", "nobody had answered the message")
