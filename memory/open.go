package memory

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/memory/compose/token"
	"github.com/mneme-graph/mneme/memory/forget"
	"github.com/mneme-graph/mneme/memory/history"
	"github.com/mneme-graph/mneme/memory/internal/desk"
	"github.com/mneme-graph/mneme/memory/internal/detect"
	"github.com/mneme-graph/mneme/memory/internal/find/vectors"
	"github.com/mneme-graph/mneme/memory/internal/read/mask"
	"github.com/mneme-graph/mneme/memory/sessions"
	"github.com/mneme-graph/mneme/memory/settings"
	"github.com/mneme-graph/mneme/memory/suggest"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// New makes a Memory. It does no I/O; a mistake in the Config is state.ErrInvalid. Close ends what it does by itself.
func New(c Config) (*Memory, error) {
	c, err := c.complete()
	if err != nil {
		return nil, err
	}
	m := &Memory{
		c:        c,
		composer: compose.New(compose.Config{Tokens: c.Tokens, Settings: c.Settings}),
		detector: detect.New(detect.Config{Threshold: c.Settings.SwitchThreshold}),
	}
	var kept *vectors.Keeper
	if c.Embedder != nil {
		if kept, err = m.openVectors(); err != nil {
			return nil, err
		}
	}
	m.desk = desk.New(desk.Config{
		Store: c.Store, Now: c.Now, NewID: c.NewID, Settings: c.Settings, Agents: c.Agents, Small: c.Small, SmallOf: c.SmallOf, Tokens: c.Tokens, Logger: c.Logger,
		Documents: settings.New(settings.Config{Store: c.Store, Now: c.Now, Operator: c.Settings, Fixed: c.Fixed}), Masker: mask.New(), Vectors: kept,
		Owed: func(ctx context.Context, scope state.Scope) error { return m.forget.Owed(ctx, scope) }, Wrote: []func(context.Context, []state.Effect, []store.Doc){m.learnt, m.tellScheduled},
	})
	m.sessions = sessions.New(sessions.Config{
		Desk: m.desk, Park: m.park, Keep: m.keep, Reorganise: m.reorganise, InBrain: m.inBrain, Current: current, PutRight: putSaidRight,
	})
	m.forget = forget.New(forget.Config{Desk: m.desk, Affair: m.named, Ledger: c.Erasures, End: func(ctx context.Context, scope state.Scope) (state.Session, error) {
		return m.sessions.Edit(ctx, scope, sessions.Change{End: true})
	}})
	m.suggestions = suggest.New(suggest.Config{Desk: m.desk, Fulfil: m.fulfil})
	m.history = history.New(history.Config{Desk: m.desk, Gate: m.suggestions.Gate, FiledBack: m.filedBack})
	return m, nil
}

// complete fills in the defaults.
func (c Config) complete() (Config, error) {
	// What must be given comes first, then the rest with its default, each as soon as something needs it.
	if c.Store == nil {
		return c, state.Errorf(state.Invalid, "memory", "Config needs a Store")
	}
	if c.Now == nil {
		c.Now = func() time.Time { return time.Now().UTC() }
	}
	if c.NewID == nil {
		c.NewID = uuid.NewString
	}
	if c.Settings == (state.Settings{}) {
		c.Settings = state.DefaultSettings()
	}
	if err := c.Settings.Validate(); err != nil {
		return c, fmt.Errorf("%w; start from state.DefaultSettings() and change what is to differ", err)
	}
	if c.Tokens == nil {
		c.Tokens = token.New()
	}
	if err := compose.CheckCores(c.Tokens, c.Agents); err != nil {
		return c, err
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c, nil
}

// openVectors starts keeping vectors.
func (m *Memory) openVectors() (*vectors.Keeper, error) {
	if m.c.Shelf == nil {
		return nil, state.Errorf(state.Invalid, "memory", "Config needs a Shelf for the Embedder's vectors")
	}
	return vectors.Open(vectors.Config{
		Embedder: m.c.Embedder, Shelf: m.c.Shelf, Source: m.documents, Now: m.c.Now, Logger: m.c.Logger,
		Buffer: int64(m.c.Settings.BufferBudgetMB) << 20,
	})
}
