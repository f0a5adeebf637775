package memory

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/cloudwego/eino/components/model"

	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/memory/compose/token"
	"github.com/mneme-graph/mneme/memory/embed"
	"github.com/mneme-graph/mneme/memory/forget"
	"github.com/mneme-graph/mneme/memory/history"
	"github.com/mneme-graph/mneme/memory/index"
	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/detect"
	"github.com/mneme-graph/mneme/memory/sessions"
	"github.com/mneme-graph/mneme/memory/settings"
	"github.com/mneme-graph/mneme/memory/suggest"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Config says what a Memory works with. Store is required; the zero value of the rest is the default.
type Config struct {
	Store    store.Store         // required; whoever opened it closes it
	Now      func() time.Time    // default time.Now in UTC
	NewID    func() string       // default random UUIDs
	Settings state.Settings      // the operator's; default state.DefaultSettings(). Inside, desk.Desk.Set is what holds
	Fixed    map[string]string   // which of them no document of settings changes, and who says so: see package settings
	Small    model.BaseChatModel // judges, titles and sums up; nil = rules only
	System   string              // of turns whose message brings none: Admit takes what fits into a prompt behind it
	Agents   []state.Agent       // definitions of agents, whose turns have their core for System; none needed

	// SmallOf is the small model of an agent, for its turns and for what is done about the parts spoken with it; nil, also as an answer = Small.
	SmallOf func(agent string) model.BaseChatModel

	Tokens *token.Counter // default: a counter of its own
	Logger *slog.Logger   // default: silent

	// MayShare says whether the user of a scope may write what all users of its client know; nil = nobody may.
	MayShare func(scope state.Scope) bool

	// Scheduled is called with every task once it is durable, so that the host's scheduler can wake it; nil = nobody is told. A process
	// that dies right behind the commit has not called it: Tasks.Tell at the start does, and so does Graph.Sweep. So a task is told at
	// least once; its ID tells that it was before. It must not wait.
	Scheduled func(ctx context.Context, scope state.Scope, task state.Record)

	// Erasures keeps outside of the Store what was ordered to be erased, so that an older Store does not bring it back; nil = nobody does. Whoever
	// gives one calls Forget().Restored before anything is read. See memory/forget/erasures.
	Erasures forget.Ledger

	// Embedder lets recall find by meaning as well as by words; nil = words only. Shelf opens where its vectors are kept,
	// required with it: it is called when they are first needed, and Close closes what it opened.
	Embedder *embed.Embedder
	Shelf    func(ctx context.Context) (index.Shelf, error)
}

// Memory is everything remembered, of all clients. It is safe for concurrent use.
type Memory struct {
	c        Config
	desk     *desk.Desk
	detector *detect.Detector  // at the operator's threshold: see At
	composer *compose.Composer // of the operator's settings: see With

	forget      *forget.Room
	history     *history.Room
	suggestions *suggest.Room
	sessions    *sessions.Room
}

// Close ends what the Memory does by itself. Vectors that are not made yet are made after the next start. Word indexes that
// took long to make are saved for it, and sessions that are idle are ended, which may take some seconds each; so the Store has to
// be open still.
func (m *Memory) Close() error {
	m.sessions.EndIdle()
	errs := []error{m.desk.Close()}
	if m.desk.Vectors != nil {
		errs = append(errs, m.desk.Vectors.Close())
	}
	return errors.Join(errs...)
}

// ContextWithSmall makes small the small model of everything called with the context.
func ContextWithSmall(ctx context.Context, small model.BaseChatModel) context.Context {
	return desk.ContextWithSmall(ctx, small)
}

// Turn is what the pipeline calls, once a node. Its methods are for graphs, nodes and tools.
type Turn struct{ m *Memory }

// Turn is for who runs turns.
func (m *Memory) Turn() Turn { return Turn{m} }

// Affairs reads and edits the affairs of a user.
type Affairs struct{ m *Memory }

// Affairs is what a user's conversations are about.
func (m *Memory) Affairs() Affairs { return Affairs{m} }

// Sessions returns a user's conversations.
func (m *Memory) Sessions() *sessions.Room { return m.sessions }

// Tasks reads and ends what a user has to do.
type Tasks struct{ m *Memory }

// Tasks is what a user has to do, and when.
func (m *Memory) Tasks() Tasks { return Tasks{m} }

// Vectors says how the vector index stands, and mends it.
type Vectors struct{ m *Memory }

// Vectors returns the index by meaning.
func (m *Memory) Vectors() Vectors { return Vectors{m} }

// Forget erases for good, in every layer.
func (m *Memory) Forget() *forget.Room { return m.forget }

// History tells who changed what, and takes it back.
func (m *Memory) History() *history.Room { return m.history }

// Suggestions returns what waits for its user, where memory is not edited without asking.
func (m *Memory) Suggestions() *suggest.Room { return m.suggestions }

// Tokens counts the tokens of a text.
func (m *Memory) Tokens(text string) int { return m.c.Tokens.Count(text) }

// Settings says which settings hold for whom, and changes them.
func (m *Memory) Settings() *settings.Documents { return m.desk.Documents }
