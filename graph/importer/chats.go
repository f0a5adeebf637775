package importer

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
	Present  int      `json:"present,omitempty"` // messages that are there already, and were left
	Records  int      `json:"records,omitempty"` // of memories
	Brain    int      `json:"brain,omitempty"`   // of them in the brain, the others are found by recall
	Where    []Place  `json:"where,omitempty"`   // of the messages, in the order of the file
	Refused  []string `json:"refused,omitempty"` // what was not taken in, and why
}

// Place is a session that messages went to.
type Place struct {
	Session  string   `json:"session"`
	Messages int      `json:"messages"`
	Affairs  []string `json:"affairs,omitempty"` // titles
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
	im := &chats{g: g, clock: at, scope: scope.Default(), options: o, kept: map[string]map[string]bool{}, report: &report, affairs: map[string]map[string]bool{}}

	// A user's message is taken in together with the answers to it.
	ids := keys(turns)
	for i := 0; i < len(turns); {
		n := o.together(turns[i:])
		if err := im.take(ctx, turns[i:i+n], i, ids[i:i+n]); err != nil {
			return report, err
		}
		i += n
		if o.Told != nil {
			o.Told(i, len(turns))
		}
	}

	report.Sessions, report.Affairs = len(report.Where), len(im.affairs)
	return report, im.name(ctx)
}

// mostKept is how many messages that are only kept are made durable together.
const mostKept = 256

// together returns how many of the first messages are taken in at once: those that are only kept, or a user's with the answers to it.
func (o Options) together(turns []Turn) int {
	n := 1
	for n < len(turns) && turns[n].Session == turns[0].Session {
		if o.NoAffairs && n == mostKept || !o.NoAffairs && (turns[0].Role != state.RoleUser || turns[n].Role != state.RoleAssistant) {
			break
		}
		n++
	}
	return n
}

// chats is an import under way.
type chats struct {
	g       *graph.Graph
	clock   *clock
	scope   state.Scope
	options Options
	kept    map[string]map[string]bool // ids of messages that are there, by session
	affairs map[string]map[string]bool // ids, each with its sessions
	report  *Report
}

// take takes in messages that go together, of which the first is the file's nth.
func (im *chats) take(ctx context.Context, turns []Turn, nth int, ids []string) error {
	first := turns[0]
	if !first.At.IsZero() {
		im.clock.set(first.At)
	}
	scope := im.scope
	scope.Session = first.Session
	there, err := im.there(ctx, scope)
	if err != nil {
		return err
	}

	// What is here by its own id, since it came from here, is left.
	place := im.place(first.Session)
	if first.own && there[first.ID] {
		im.report.Present++
		if len(turns) > 1 {
			return im.take(ctx, turns[1:], nth+1, ids[1:])
		}
		return nil
	}
	present := 0
	if im.options.NoAffairs || first.Role != state.RoleUser {
		present, err = im.keep(ctx, scope, turns, ids)
	} else {
		if there[ids[0]] { // a turn that was taken in before; one that was cut short is gone on with
			present = len(turns)
		}
		err = im.replay(ctx, scope, turns, ids[0])
	}

	// A message that is refused is reported, and the import goes on; of several each is tried. Any other error ends it.
	switch code := state.CodeOf(err); {
	case err == nil:
		im.report.Present += present
		im.report.Messages += len(turns) - present
		place.Messages += len(turns) - present
		return nil
	case code != state.Invalid && code != state.Denied:
		return fmt.Errorf("message %d of session %s: %w", nth+1, first.Session, err)
	case im.options.NoAffairs && len(turns) > 1:
		for i := range turns {
			if err := im.take(ctx, turns[i:i+1], nth+i, ids[i:i+1]); err != nil {
				return err
			}
		}
		return nil
	}
	im.report.Refused = append(im.report.Refused, fmt.Sprintf("message %d, %s of session %s: %v", nth+1, first.ID, first.Session, err))
	return nil
}

// place returns the session's place in the report.
func (im *chats) place(session string) *Place {
	where := &im.report.Where
	i := slices.IndexFunc(*where, func(p Place) bool { return p.Session == session })
	if i < 0 {
		i, *where = len(*where), append(*where, Place{Session: session})
	}
	return &(*where)[i]
}

// name gives the places the titles of their affairs.
func (im *chats) name(ctx context.Context) error {
	affairs, err := im.g.Memory().Affairs().List(ctx, im.scope, true)
	if err != nil {
		return err
	}
	for i := range im.report.Where {
		p := &im.report.Where[i]
		for _, a := range affairs {
			if im.affairs[a.ID][p.Session] {
				p.Affairs = append(p.Affairs, a.Title)
			}
		}
	}
	return nil
}

// keep keeps messages that nobody answers here, each once. It returns how many were there.
func (im *chats) keep(ctx context.Context, scope state.Scope, turns []Turn, ids []string) (present int, err error) {
	there, err := im.there(ctx, scope)
	if err != nil {
		return 0, err
	}
	var fresh []state.Message
	for i, t := range turns {
		if !there[ids[i]] && (!t.own || !there[t.ID]) {
			fresh = append(fresh, state.Message{ID: ids[i], Role: t.Role, Speaker: t.Speaker, Text: t.Text, At: t.At})
		}
	}
	if err := im.g.Memory().Turn().Ingest(ctx, scope, fresh...); err != nil {
		return 0, err
	}
	for _, msg := range fresh {
		there[msg.ID] = true
	}
	return len(turns) - len(fresh), nil
}

// there returns the ids of the session's messages.
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
	if code := state.CodeOf(err); len(said) == 0 && reply.Turn != "" && (code == errNoAnswer.Code || code == state.Conflict) {
		err = nil // it ended so now, or when the file was read before
	}

	if id := reply.Decision.AffairID; id != "" {
		if im.affairs[id] == nil {
			im.affairs[id] = map[string]bool{}
		}
		im.affairs[id][scope.Session] = true
	}
	return err
}

// errNoAnswer is what a message without an answer is answered with: its turn is closed without one. Its code is that of no store, server or context that fails.
var errNoAnswer = state.Errorf(state.NotFound, "import", "nobody had answered the message")
