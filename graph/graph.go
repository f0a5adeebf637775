package graph

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"
	"github.com/google/uuid"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/memory/compose/token"
	"github.com/mneme-graph/mneme/memory/embed"
	"github.com/mneme-graph/mneme/memory/forget"
	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/memory/index/local"
	"github.com/mneme-graph/mneme/nodes"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
	"github.com/mneme-graph/mneme/tools"
)

// Config says what a Graph works with. Store and Model are required; the zero value of the rest is the default.
type Config struct {
	Store store.Store                // required; whoever opened it closes it
	Model model.ToolCallingChatModel // required: answers

	SmallModel model.BaseChatModel // judges, titles and sums up; default none: rules do it
	Embedder   *embed.Embedder     // lets recall find by meaning; default none: by words

	// Shelf opens where vectors are kept, when they are first needed; Close closes it. Default: in the Store, and in RAM.
	Shelf func(ctx context.Context) (index.Shelf, error)

	Settings state.Settings       // default state.DefaultSettings(); documents of settings stand above those: see memory/settings
	Fixed    map[string]string    // which settings no document changes, and who says so: those that differ from the default always
	Tools    []tool.InvokableTool // besides the memory tools; tools.Join takes one that only streams

	// RequireScope refuses calls whose scope names no client or no user: state.ErrInvalid, before anything is read. Without it, all who are not
	// named share one memory, that of user "default" of client "default": right for one person, a leak for many. A name "default" is none.
	RequireScope bool

	Identity string        // system prompt; default a short one of ours
	Agents   []state.Agent // who answers in scopes of these agents: their core in place of Identity; see graph/agents

	// OpenModel opens the models that definitions of Agents name, each name once; required if one names any. Closing them is its own.
	// graph/provider.Open does it, with the keys of the host.
	OpenModel func(ctx context.Context, name string) (model.ToolCallingChatModel, error)

	// Erasures keeps outside of the Store what was ordered to be erased: New erases it again in a Store that is older, such as a backup, and refuses
	// one that it does not fit with state.ErrConflict. Default: nobody keeps it. See memory/forget/erasures.
	Erasures forget.Ledger

	Tokens  *token.Counter   // default a counter of its own (o200k)
	Logger  *slog.Logger     // default silent
	Approve []string         // tools whose calls a person has to approve, by name: the memory tools' and those of Tools
	Now     func() time.Time // default time.Now in UTC
	NewID   func() string    // default random UUIDs

	MayShare func(scope state.Scope) bool // who may call Memory().Share: write what all users of a client know; default nobody

	// Scheduled is told every task once it is durable, and again by Sweep, see memory.Config; default nobody.
	Scheduled func(ctx context.Context, scope state.Scope, task state.Record)

	After func(time.Duration) <-chan time.Time // how leases and queues wait; default time.After

	Lease time.Duration // how long a turn is safe from being taken over by another process; it is renewed. Default state.LeaseTTL

	// OwnTurns leaves unfinished turns that were begun with another model or other tools to the program that began them: what would go
	// on with one is state.ErrConflict. It is for a process beside the host's, such as the command line. Cancel ends any.
	OwnTurns bool

	Unfolded bool // leave the log of finished turns as it was written, a document a step, for people to read
}

// Graph is the pipeline over one store. It is safe for concurrent use: turns of different sessions run at the same
// time, those of one session one after the other (a second one is refused with state.ErrConflict).
type Graph struct {
	c      Config
	memory *memory.Memory
	models agentModels
	log    *checkpoint.Log
	flow   *flow.Graph[state.Turn, *state.Turn]
	lines  lines
	work   *nodes.Calls // models and tools

	named, unnamed atomic.Bool // calls with and without a client were made
	warned         sync.Once   // of both
}

// New builds a Graph. It does no I/O but what OpenModel does, and what Erasures asks for; a mistake in the Config is state.ErrInvalid, and so is a model of an agent's
// that cannot be opened, which is named with the agent.
func New(ctx context.Context, c Config) (*Graph, error) {
	// What the Config alone can tell is refused before anything is opened.
	if c.Store == nil || c.Model == nil {
		return nil, state.Errorf(state.Invalid, "graph", "Config needs a Store and a Model; graph/embedded has both")
	}
	c = c.withDefaults()
	if err := checkSettings(c.Settings); err != nil {
		return nil, err
	}
	models, err := c.openModels(ctx)
	if err != nil {
		return nil, err
	}

	// Memory and the log share the store, the clock and the ids.
	m, err := memory.New(memory.Config{
		Store: c.Store, Now: c.Now, NewID: c.NewID, Settings: c.Settings, Fixed: c.Fixed, Small: c.SmallModel, System: c.Identity, Agents: c.Agents, Embedder: c.Embedder, Shelf: c.Shelf, Tokens: c.Tokens, Logger: c.Logger,
		MayShare: c.MayShare, Scheduled: c.Scheduled, SmallOf: models.small, Erasures: c.Erasures,
	})
	if err != nil {
		return nil, err
	}
	log := checkpoint.New(checkpoint.Config{
		Store: c.Store, Now: c.Now, NewID: c.NewID, Memory: m.Turn().Commits(),
		After: c.After, Keep: c.Settings.Keep, Lease: c.Lease, Unfolded: c.Unfolded,
	})

	// From here on a mistake closes what was opened.
	g := &Graph{c: c, memory: m, models: models, log: log, lines: lines{over: make(chan struct{})}, work: &nodes.Calls{After: c.After}}
	if err = nodes.CheckTools(ctx, c.Approve, tools.New(m), c.Tools); err == nil {
		g.flow, err = wire(ctx, c, m, log, g.work, models)
	}
	if err == nil {
		_, err = m.Forget().Restored(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, g.Close())
	}
	return g, nil
}

// withDefaults returns the Config with its defaults.
func (c Config) withDefaults() Config {
	if c.Settings == (state.Settings{}) {
		c.Settings = state.DefaultSettings()
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Tokens == nil {
		c.Tokens = token.New()
	}
	if c.Now == nil {
		c.Now = func() time.Time { return time.Now().UTC() }
	}
	if c.NewID == nil {
		c.NewID = uuid.NewString
	}
	if c.After == nil {
		c.After = time.After
	}
	if c.Shelf == nil {
		c.Shelf = func(context.Context) (index.Shelf, error) {
			return local.New(local.Config{Store: c.Store, Bytes: int64(c.Settings.ColdBudgetMB) << 20})
		}
	}
	return c
}

// checkSettings refuses what Settings.Validate does. Of some that were begun with nothing it says what to begin with.
func checkSettings(s state.Settings) error {
	err := s.Validate()
	none, all := state.Settings{}, state.DefaultSettings()
	partial := slices.ContainsFunc(state.SettingNames(), func(name string) bool { return s.Get(name) == none.Get(name) && s.Get(name) != all.Get(name) })
	if err != nil && partial {
		return state.Errorf(state.Invalid, "settings", "%w; start from state.DefaultSettings() and change what is to differ", err)
	}
	return err
}

// checkScope refuses a scope that could not stand in a key, and one that names nobody where that is asked for.
func (g *Graph) checkScope(scope state.Scope) error {
	none := state.Scope{}.Default()
	if g.c.RequireScope && (scope.Client == none.Client || scope.User == none.User) {
		return state.Errorf(state.Invalid, "scope", "names no client or no user, and Config.RequireScope asks for both")
	}
	return scope.Validate()
}

// sharesWithNobody reports whether a call names no client while others do, and warns of it once: what nobody is named for is shared by
// all who are not named.
func (g *Graph) sharesWithNobody(ctx context.Context, scope state.Scope) bool {
	own := scope.Client == state.Scope{}.Default().Client
	if own {
		g.unnamed.Store(true)
	} else {
		g.named.Store(true)
	}
	if !g.named.Load() || !g.unnamed.Load() {
		return false
	}
	g.warned.Do(func() {
		g.c.Logger.LogAttrs(ctx, slog.LevelWarn, "calls without a client beside calls with one; they share the memory of client default. Config.RequireScope refuses them")
	})
	return own
}

// Memory returns the graph's memory: affairs, records, recall.
func (g *Graph) Memory() *memory.Memory { return g.memory }

// Close ends the graph: a further call is state.ErrUnavailable, and a turn that runs ends as if its caller had given up: one that its
// caller can send again (Request.MessageID, an Answer) is left for the next process.
// It waits for turns and for what is tidied up behind them, and says which it has not seen the end of; then its memory ends sessions
// that are idle. The store and the models are their owner's.
func (g *Graph) Close() error {
	at, first := g.lines.close()
	if !first {
		return nil
	}
	var left error
	if !g.lines.wait(g.c.After(2 * grace)) {
		left = state.Errorf(state.Unavailable, "graph", "was closed while calls were at work, of the sessions %s", strings.Join(at, ", "))
	}
	return errors.Join(left, g.work.Close(), g.log.Close(), g.memory.Close())
}
