package scenario

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/e2e/crash"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/state"
)

// NotReachedError is the failure of a turn that ended, well or not, without coming to the place of its crash.
type NotReachedError struct {
	Place  string
	Passed []string // the places the turn came by
	Ended  string   // the error it ended with, "" = none
}

// Error names the place and where the turn came by instead.
func (n *NotReachedError) Error() string {
	var by []string
	for _, place := range n.Passed {
		if _, what, _ := strings.Cut(place, " "); !slices.Contains(by, what) {
			by = append(by, what)
		}
	}
	text := "never reached; the turn came by " + strings.Join(by, ", ")
	if n.Ended != "" {
		text += " and ended with " + n.Ended
	}
	return text
}

// Is makes a NotReachedError match state.ErrNotFound.
func (n *NotReachedError) Is(target error) bool { return target == error(state.ErrNotFound) }

// doomed is a turn as another process has to play it until it dies.
type doomed struct {
	Place    place
	Settings state.Settings
	Agents   []state.Agent
	Now      time.Time
	ID       string // its ids begin with
	Scope    state.Scope
	Turn     Turn
	Prompts  string // file to write prompts to, one JSON string a line
}

// survived is what the process says that did not die.
type survived struct {
	Passed []string
	Ended  string
}

// PlayTurn is Config.PlayTurn for the agent of the zero Config.
func PlayTurn(ctx context.Context, in io.Reader, out io.Writer) error {
	return Config{}.PlayTurn(ctx, in, out)
}

// PlayTurn returns what the process of Config.Child does: it reads a turn from in, plays it and kills itself at the place of
// the turn's crash. If it never comes there it says so on out. The Config is to name the same agent as the one that plays the
// scenario; where it plays, its settings, clock and ids come with the turn.
func (c Config) PlayTurn(ctx context.Context, in io.Reader, out io.Writer) error {
	var d doomed
	if err := json.NewDecoder(in).Decode(&d); err != nil {
		return state.Errorf(state.Invalid, "turn to play", "is not the JSON that a replay hands to its child: %w", err)
	}
	if d.Turn.Crash == nil || d.Turn.User == nil {
		return state.Errorf(state.Invalid, "turn to play", "has no message or no crash")
	}
	s, err := d.play(ctx, c)
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(s)
}

func (d doomed) play(ctx context.Context, c Config) (survived, error) {
	place := d.Turn.Crash.Place()
	w := &crash.Walk{Dies: func(_ int, at string) bool { return at == place }}
	var ids atomic.Int64
	now := func() time.Time { return d.Now }
	c.Agents = d.Agents

	g, err := d.Place.open(ctx, c.graph(d.Settings, nil, now, func() string { return fmt.Sprintf("%s-%d", d.ID, ids.Add(1)) }))
	if err != nil {
		return survived{}, err
	}

	// Its models are places of the walk too, so that it may die in a call.
	r := c.request(d.Scope, d.Turn, d.Turn.small())
	if r.Model == nil {
		r.Model = c.fallback()
	}
	r.Model = w.Chat(&witnessed{r.Model, d.Prompts})
	if r.SmallModel == nil {
		r.SmallModel = c.SmallModel
	}
	if r.SmallModel != nil {
		r.SmallModel = w.Small(r.SmallModel)
	}

	_, err = g.Invoke(w.Context(ctx), r)
	return survived{Passed: w.Passed(), Ended: describe(err)}, g.Close()
}

// witnessed is a chat model whose prompts outlive the process.
type witnessed struct {
	model.ToolCallingChatModel
	file string
}

// Stream notes the prompt and asks.
func (m *witnessed) Stream(ctx context.Context, in []*schema.Message, opts ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	line, err := json.Marshal(promptTexts([][]*schema.Message{in})[0])
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(m.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	_, err = f.Write(append(line, '\n'))
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	return m.ToolCallingChatModel.Stream(ctx, in, opts...)
}

// WithTools binds the tools and goes on noting.
func (m *witnessed) WithTools(list []*schema.ToolInfo) (model.ToolCallingChatModel, error) {
	bound, err := m.ToolCallingChatModel.WithTools(list)
	return &witnessed{bound, m.file}, err
}

// crashed plays the turn in another process until it dies, and goes on with it in this one.
func (p *play) crashed(ctx context.Context, scope state.Scope, t Turn, report *Report) error {
	// The prompts of the process that dies are kept in a file, for the expectations.
	notes, err := os.MkdirTemp("", "mneme-crash-")
	if err != nil {
		return state.Errorf(state.Unavailable, "crash", "no temporary folder: %w", err)
	}
	defer os.RemoveAll(notes) //nolint:errcheck // a leftover in the temporary folder harms nobody

	// It plays the turn without them: they are checked here, when the turn is over.
	d := doomed{
		Place: p.place, Settings: p.settings, Agents: p.c.Agents, Now: p.clock(), ID: p.newID(), Scope: scope, Turn: t, Prompts: filepath.Join(notes, "prompts"),
	}
	d.Turn.Expect = Expect{}
	if err := p.close(); err != nil {
		return err
	}

	// A process that lived on has not come by the place.
	var s survived
	killed, err := crash.Run(ctx, p.c.Child, d, &s)
	if err != nil {
		return err
	}
	if !killed {
		report.Err = &NotReachedError{t.Crash.Place(), s.Passed, s.Ended}
		return p.open(ctx, nil)
	}
	if report.earlier, err = readPrompts(d.Prompts); err != nil {
		return err
	}
	return p.goOn(ctx, scope, t, report)
}

// goOn does what a host does after a crash: it goes on with the unfinished turn, or sends the message again when
// nothing of it was kept.
func (p *play) goOn(ctx context.Context, scope state.Scope, t Turn, report *Report) error {
	p.now.Add(int64(p.place.lease()))
	r := p.c.request(scope, t, t.small())
	p.said[scope] = t
	if err := p.open(ctx, r.Model); err != nil {
		return err
	}

	resuming := ctx
	if r.SmallModel != nil {
		resuming = memory.ContextWithSmall(ctx, r.SmallModel)
	}
	report.Reply, report.Err = p.graph.Resume(resuming, scope)
	if errors.Is(report.Err, state.ErrNotFound) {
		report.Reply, report.Err = p.graph.Invoke(ctx, r)
	}
	report.Output = report.Reply.Text
	p.last[scope] = report.Reply

	if err := p.close(); err != nil {
		return err
	}
	return p.open(ctx, nil)
}

// readPrompts reads what witnessed wrote; no file is no prompt.
func readPrompts(file string) (prompts []string, err error) {
	f, err := os.Open(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, state.Errorf(state.Unavailable, file, "cannot be read: %w", err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	for lines := json.NewDecoder(f); ; {
		var text string
		if err := lines.Decode(&text); errors.Is(err, io.EOF) {
			return prompts, nil
		} else if err != nil {
			return nil, state.Errorf(state.Internal, file, "is damaged: %w", err)
		}
		prompts = append(prompts, text)
	}
}
