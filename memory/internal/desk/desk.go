package desk

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/cloudwego/eino/components/model"

	"github.com/mneme-graph/mneme/checkpoint"
	"github.com/mneme-graph/mneme/memory/compose/token"
	"github.com/mneme-graph/mneme/memory/internal/affair"
	"github.com/mneme-graph/mneme/memory/internal/ask/background"
	"github.com/mneme-graph/mneme/memory/internal/find/vectors"
	"github.com/mneme-graph/mneme/memory/internal/ledger"
	"github.com/mneme-graph/mneme/memory/internal/mind"
	"github.com/mneme-graph/mneme/memory/internal/parts"
	"github.com/mneme-graph/mneme/memory/internal/read/mask"
	"github.com/mneme-graph/mneme/memory/settings"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/store"
)

// Config says what a Desk works with. All of it is required but Vectors, Small and SmallOf.
type Config struct {
	Store     store.Store
	Now       func() time.Time
	NewID     func() string
	Settings  state.Settings // the operator's
	Documents *settings.Documents
	Agents    []state.Agent
	Small     model.BaseChatModel
	SmallOf   func(agent string) model.BaseChatModel // the small model of an agent; nil, also as an answer = Small
	Tokens    *token.Counter
	Masker    *mask.Masker
	Logger    *slog.Logger
	Vectors   *vectors.Keeper // nil = there is no embedder

	// Owed carries out what a user's memory owes before anybody sees it: orders to erase that were cut short.
	Owed func(ctx context.Context, scope state.Scope) error

	// Wrote is told of each commit once it is durable: see ledger.Config.
	Wrote []func(ctx context.Context, effects []state.Effect, docs []store.Doc)
}

// Desk is the memory of all users at work. It is safe for concurrent use.
type Desk struct {
	Config
	Base    ledger.Reader // the store, and what is read there is on the turn's bill
	Minds   *mind.Minds
	ledger  *ledger.Ledger
	journal *checkpoint.Log // of what is decided outside turns, in each user's own thread
	sharing sharing
}

var _ checkpoint.Memory = (*Desk)(nil)

// New makes a Desk. It does no I/O. Close ends what it does by itself.
func New(c Config) *Desk {
	k := &Desk{Config: c, Base: ledger.Billed(c.Store), Minds: mind.New(mind.Config{Store: c.Store, NewID: c.NewID, Settings: c.Settings, Logger: c.Logger})}
	k.ledger = ledger.New(ledger.Config{Store: c.Store, Now: c.Now, Minds: k.Minds, Wrote: c.Wrote})
	k.journal = checkpoint.New(checkpoint.Config{Store: c.Store, Now: c.Now, Memory: k})
	return k
}

// Close ends the minds and the log of what is decided outside turns.
func (k *Desk) Close() error {
	k.Minds.Close()
	return k.journal.Close()
}

// Mask returns a text with every secret in it replaced by "[masked KIND]" that its form or the words around it give away. What stands in messages that
// say of something that it is no secret stays.
func (k *Desk) Mask(text string, messages ...string) string {
	masked, _ := k.Masker.Secrets(text, messages...)
	return masked
}

// Small returns the small model of an agent's turn: the one in the context, else the agent's own, else the configured one.
func (k *Desk) Small(ctx context.Context, agent string) *background.Tasks {
	asked := k.Config.Small
	if k.SmallOf != nil {
		if own := k.SmallOf(cmp.Or(agent, state.DefaultAgent)); own != nil {
			asked = own
		}
	}
	if own := CallFrom(ctx).small; own != nil {
		asked = own
	}
	return background.New(background.Config{
		Model: asked, Detect: k.Set(ctx).DetectTimeout, Timeout: k.Set(ctx).SmallModelTimeout, Count: k.Tokens.Count,
	})
}

// Under returns a context that carries what holds for the scope, if it carries none: the doors begin with it. While the store cannot be
// read and nothing is known it is what the operator says, and nothing is written by itself.
func (k *Desk) Under(ctx context.Context, scope state.Scope) context.Context {
	if settings.From(ctx) != nil {
		return ctx
	}
	set, err := k.Documents.In(ctx, scope)
	if err != nil {
		state.TraceFrom(ctx).Note("settings: the operator's, and autonomy 0, since they could not be read: %v", err)
		set = &settings.Set{Settings: k.Settings}
		set.Autonomy = 0
	}
	return settings.ContextWith(ctx, set)
}

// Set returns what holds under the context: see Under. Where no scope is known it is what holds for everybody.
func (k *Desk) Set(ctx context.Context) *settings.Set {
	if set := settings.From(ctx); set != nil {
		return set
	}
	return k.Documents.Known(state.Scope{})
}

// SummaryOff is the setting summary_strategy that makes no summaries of sessions.
const SummaryOff = "off"

// Sums reports whether a small model makes summaries of what is spoken with an agent.
func (k *Desk) Sums(ctx context.Context, agent string) bool {
	return k.Set(ctx).SummaryStrategy == "llm_with_fallback" && k.Small(ctx, agent) != nil
}

// SumUp continues a summary of what was said with an agent, in an affair of the title about or, with "", in the session: by the small model,
// else by rule.
func (k *Desk) SumUp(ctx context.Context, agent, about, previous string, said []state.Message, limit int) string {
	if k.Sums(ctx, agent) && (previous != "" || len(affair.FromUser(said)) > 1) { // one line needs no model
		s, err := k.Small(ctx, agent).Summary(ctx, about, previous, said)
		if err == nil && s != "" {
			return affair.Shorten(k.Mask(s), limit, k.Tokens.Count)
		}
		if err != nil && !errors.Is(err, state.ErrNotFound) {
			state.TraceFrom(ctx).Note("summary: extracted, the small model did not give one: %v", err)
		}
	}
	return parts.ByRule(k.Tokens.Count)(previous, said, limit)
}
