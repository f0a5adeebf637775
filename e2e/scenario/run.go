package scenario

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/memory/component/offline"
	"github.com/mneme-graph/mneme/memory/embed"
	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/state"
)

// Config says how scenarios are played. The zero value plays each in a fresh store with default settings.
type Config struct {
	Dir      string           // the store's folder, kept; "" = a temporary one per run, removed after it
	URI      string           // of a MongoDB server, to play there and not in a folder; Dir is then not to be set
	Database string           // on that server: empty before, dropped after; required with URI
	Settings state.Settings   // those of the scenario are set over them; zero = state.DefaultSettings
	NewID    func() string    // nil = id-000001 and so on; a Dir that was used before needs ids of its own
	Clock    func() time.Time // measures how long turns take; nil = nothing is measured
	Observe  func(Report)     // called after each turn; nil = nobody watches
	Child    []string         // command line of a process that calls PlayTurn; needed where a turn has a crash

	// The agent that is tested, as in graph.Config. What a turn scripts wins: with model the Model answers only after the
	// script's end, with background the SmallModel is not asked in that turn.
	Model      model.ToolCallingChatModel // nil = the offline model
	SmallModel model.BaseChatModel        // nil = rules
	Tools      []tool.InvokableTool       // besides the memory tools
	Approve    []string                   // tools whose calls a person has to approve; the key approve answers
	Identity   string                     // system prompt
	Agents     []state.Agent              // who answers; those of the scenario are added

	// Embedder and Shelf are those of graph.Config. What a turn wrote has its vectors before the next one begins.
	Embedder *embed.Embedder
	Shelf    func(ctx context.Context) (index.Shelf, error)
}

// graph returns what a graph is made of; a nil model is the configured one, or else the offline one.
func (c Config) graph(settings state.Settings, chat model.ToolCallingChatModel, now func() time.Time, newID func() string) graph.Config {
	if chat == nil {
		chat = c.fallback()
	}
	return graph.Config{
		Settings: settings, Model: chat, SmallModel: c.SmallModel, Tools: c.Tools, Approve: c.Approve, Identity: c.Identity, Agents: c.Agents,
		Embedder: c.Embedder, Shelf: c.Shelf, Now: now, NewID: newID,
	}
}

// fallback returns the model that answers where nothing is scripted.
func (c Config) fallback() model.ToolCallingChatModel {
	if c.Model != nil {
		return c.Model
	}
	return offline.New()
}

// Report is one finished turn, for those who watch. Output is the reply, or what a command printed.
type Report struct {
	Number   int
	Turn     Turn
	Reply    graph.Reply
	Output   string
	Affairs  []*state.Affair // as the turn's session sees them
	Took     time.Duration
	Err      error
	Failures []Failure

	earlier []string // prompts of the process that died
}

// Result is what became of a scenario. Failures is never nil.
type Result struct {
	File     string    `json:"file"`
	Name     string    `json:"name"`
	OK       bool      `json:"ok"`
	Turns    int       `json:"turns"`
	Failures []Failure `json:"failures"`
	MS       int64     `json:"ms"`
}

// Run plays the scenario turn by turn. What does not hold is in the result; the error is for what keeps the
// scenario from being played at all: settings that do not fit together, a store that does not open.
func Run(ctx context.Context, s Scenario, c Config) (Result, error) {
	p := &play{c: c, s: s}
	if err := p.configure(ctx); err != nil {
		return Result{}, fmt.Errorf("scenario %s: %w", s.Name, err)
	}

	var remove func(context.Context) error
	var err error
	if p.place, remove, err = c.place(ctx); err != nil {
		return Result{}, fmt.Errorf("scenario %s: %w", s.Name, err)
	}

	result := Result{}
	if err = p.open(ctx, nil); err == nil {
		result, err = p.all(ctx)
		err = errors.Join(err, p.close())
	}
	return result, errors.Join(err, remove(context.WithoutCancel(ctx)))
}

// play is one scenario being played.
type play struct {
	s        Scenario
	c        Config
	place    place
	settings state.Settings
	now      atomic.Int64 // unix nanoseconds of the injected clock
	ids      atomic.Int64
	graph    *stage
	last     map[state.Scope]graph.Reply // the last reply per scope, for /why
	said     map[state.Scope]Turn        // the last message per scope, whose script goes on when it is approved
}

// configure sets the scenario's settings over the configured ones and starts the clock.
func (p *play) configure(ctx context.Context) error {
	p.settings, p.c.Agents = p.c.Settings, slices.Concat(p.c.Agents, p.s.Agents)
	if p.settings == (state.Settings{}) {
		p.settings = state.DefaultSettings()
	}

	for _, x := range p.s.Settings {
		if err := p.settings.Set(x.Name, x.Value); err != nil {
			return err
		}
	}

	p.now.Store(p.s.Now.UnixNano())
	p.last, p.said = map[state.Scope]graph.Reply{}, map[state.Scope]Turn{}
	if err := p.settings.Validate(); err != nil {
		return err
	}
	return p.checkCrashes(ctx)
}

// checkCrashes refuses a crash that no process can die, or at the call of a tool that nobody has.
func (p *play) checkCrashes(ctx context.Context) error {
	var own []string
	for _, t := range p.c.Tools {
		info, err := t.Info(ctx)
		if err != nil {
			return fmt.Errorf("a tool of Config.Tools: %w", err)
		}
		own = append(own, info.Name)
	}

	for _, t := range p.s.Turns {
		var wrong string
		switch {
		case t.Crash == nil:
			continue
		case len(p.c.Child) == 0:
			wrong = "crash needs a process to die; set Config.Child to a command that calls PlayTurn"
		default:
			wrong = t.Crash.unknownTool(own)
		}
		if wrong != "" {
			return state.Errorf(state.Invalid, fmt.Sprintf("%s:%d", p.s.File, t.Line), "%s", wrong)
		}
	}
	return nil
}

// open opens the graph; a nil chat model is the configured one.
func (p *play) open(ctx context.Context, chat model.ToolCallingChatModel) error {
	g, err := p.place.open(ctx, p.c.graph(p.settings, chat, p.clock, p.newID))
	if err != nil {
		return fmt.Errorf("scenario %s: %w", p.s.Name, err)
	}
	p.graph = g
	return nil
}

func (p *play) newID() string {
	if p.c.NewID != nil {
		return p.c.NewID()
	}
	return fmt.Sprintf("id-%06d", p.ids.Add(1))
}

func (p *play) close() error {
	if p.graph == nil {
		return nil
	}
	err := p.graph.Close()
	p.graph = nil
	return err
}

// clock returns the time of the scenario.
func (p *play) clock() time.Time { return time.Unix(0, p.now.Load()).UTC() }

// stopwatch is the time of the world, for measuring only.
func (p *play) stopwatch() time.Time {
	if p.c.Clock == nil {
		return time.Time{}
	}
	return p.c.Clock()
}

func (p *play) all(ctx context.Context) (Result, error) {
	result := Result{File: p.s.File, Name: p.s.Name, Turns: len(p.s.Turns), Failures: []Failure{}}
	started := p.stopwatch()
	for i, t := range p.s.Turns {
		report, err := p.turn(ctx, i+1, t)
		if err != nil {
			return result, fmt.Errorf("scenario %s, turn %d: %w", p.s.Name, i+1, err)
		}
		result.Failures = append(result.Failures, report.Failures...)
		if p.c.Observe != nil {
			p.c.Observe(report)
		}
	}

	result.OK = len(result.Failures) == 0
	result.MS = p.stopwatch().Sub(started).Milliseconds()
	return result, nil
}
