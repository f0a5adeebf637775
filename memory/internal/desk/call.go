package desk

import (
	"cmp"
	"context"
	"time"

	"github.com/cloudwego/eino/components/model"

	"github.com/mneme-graph/mneme/memory/compose"
	"github.com/mneme-graph/mneme/memory/internal/read/spoken"
	"github.com/mneme-graph/mneme/state"
)

// Origin is where a write inside a turn comes from. Call identifies the tool call across attempts of the
// turn, so that a repeated call writes nothing twice.
type Origin struct {
	Scope   state.Scope
	Affair  string
	Turn    string
	Message string
	Seq     int64 // of the user's message
	Tool    string
	Call    string
	Ground  *Ground   // of a model's call: what it had before it; nil = the words are the caller's own
	Path    string    // where no tool writes and no caller: the node or the work behind the reply that does
	Who     state.Who // who writes by Path; default the pipeline

	Ordered  bool // the user asks for it himself, in the message of the turn: he is not asked again whether he wants it
	Approved bool // a person has approved of the call, whose agent may only suggest
	Suggests bool // a person was asked about the call and has put it off: it waits as a suggestion, whatever the autonomy

	Unstored bool // the request says store_knowledge false: Write refuses
}

// Ground is what a model had before it when it made a call. By it the door tells whose words a change has.
type Ground struct {
	View    state.View             // with the turn's messages so far
	Shown   *compose.Input         // what of memory the prompt showed
	BuiltIn func(tool string) bool // whether a tool is one of the memory's own
}

// Call says who calls memory, and what may be done for him. It is all that a context carries of this package.
type Call struct {
	Origin
	Inside bool // a turn: an Origin was given

	// What the rooms know of their own calls.
	Shared  bool      // by Share: it is nobody's own
	ByRules bool      // no small model is asked about what is alike
	At      time.Time // of the part of a session that it was learnt from, or of the suggestion: who does it again gives its records the same ids
	By      *state.By // who has it made, if that is not told by the rest
	Said    time.Time // of the message that says it, zero = now: see Late

	granted
}

// granted is what holds for all calls under a context, whoever makes them.
type granted struct {
	approved bool                // the user has approved of what is done, as a suggestion or within the turn
	within   bool                // what a client's users share may be read and written
	erasing  bool                // the call is part of carrying out an order
	small    model.BaseChatModel // nil = the agent's own
	known    []known
}

// known is what was known of a user's memory when something was decided that takes its time.
type known struct {
	user string
	seen int64
}

type callKey struct{}

// CallFrom returns the call that the context belongs to; the zero Call where none was made.
func CallFrom(ctx context.Context) Call {
	if c, ok := ctx.Value(callKey{}).(*Call); ok {
		return *c
	}
	return Call{}
}

// In makes the call that of the context. What was granted to the context's own call holds on.
func (c Call) In(ctx context.Context) context.Context {
	c.Inside, c.granted = true, CallFrom(ctx).granted
	return context.WithValue(ctx, callKey{}, &c)
}

// grant changes what holds for all calls under the context.
func grant(ctx context.Context, change func(*granted)) context.Context {
	c := CallFrom(ctx)
	change(&c.granted)
	return context.WithValue(ctx, callKey{}, &c)
}

// ContextWithSmall makes small the small model of everything called with the context.
func ContextWithSmall(ctx context.Context, small model.BaseChatModel) context.Context {
	return grant(ctx, func(g *granted) { g.small = small })
}

// Approve says that the user has approved of what is done under the context.
func Approve(ctx context.Context) context.Context {
	return grant(ctx, func(g *granted) { g.approved = true })
}

// WithinShared lets what is called with the context into what a client's users share.
func WithinShared(ctx context.Context) context.Context {
	return grant(ctx, func(g *granted) { g.within = true })
}

// Erasing says that what is done under the context is part of carrying out an order.
func Erasing(ctx context.Context) context.Context {
	return grant(ctx, func(g *granted) { g.erasing = true })
}

// CheckScope refuses a scope that no caller may have.
func CheckScope(ctx context.Context, scope state.Scope) error {
	if CallFrom(ctx).within && scope.User == state.ClientUser {
		return state.ValidateID("client", scope.Client)
	}
	return scope.Validate()
}

// BySpoken reports whether the call carries out what the user's message asks.
func (o Origin) BySpoken() bool { return spoken.IsCall(o.Call) }

// ByModel reports whether a model makes the call, of its own accord: nobody has approved it, and no rule has read it in the user's message.
func (o Origin) ByModel() bool { return o.Ground != nil && !o.BySpoken() }

// UserText returns the user's message of the turn that a call belongs to, as it is kept; "" outside one.
func (o Origin) UserText() string {
	if o.Ground == nil || len(o.Ground.View.Turn) == 0 {
		return ""
	}
	return o.Ground.View.Turn[0].Text
}

// The ways by which memory is changed that the desk itself tells apart: see state.By.
const (
	APIPath = "api"
	EndPath = "session_end" // what is learnt so is bookkeeping
)

// MadeBy says who has memory changed under the context: a tool, the pipeline, else the user.
func MadeBy(ctx context.Context) state.By {
	c := CallFrom(ctx)
	if c.By != nil {
		return *c.By
	}
	by := state.By{Who: state.ByUser, Path: APIPath, Turn: c.Turn, Message: c.Message}
	switch {
	case c.Path != "":
		by.Who, by.Path = cmp.Or(c.Who, state.ByPipeline), c.Path
	case c.BySpoken():
		by.Path = c.Tool
	case c.Tool != "":
		by.Who, by.Path = state.ByAgent, c.Tool
	}
	return by
}

// Sign says in effects who has them made, where that is kept and is not said yet.
func Sign(effects []state.Effect, by state.By) {
	for i, e := range effects {
		kept := e.Record != nil || e.Affair != nil || e.Repeat != nil || e.Archive != nil || e.Restore != nil || e.Suggestion != nil
		if kept && e.By == nil && by.Who != "" {
			effects[i].By = &by
		}
	}
}

// clockSlack is how far two times may be apart and still count as one: clocks are a little wrong.
const clockSlack = 2 * time.Minute

// Late reports whether what the call says was said well before it is written.
func (c Call) Late(now time.Time) bool { return !c.Said.IsZero() && now.Sub(c.Said) > clockSlack }

// Time is when what the call says was said: now, unless it is late.
func (c Call) Time(now time.Time) time.Time {
	if c.Late(now) {
		return c.Said
	}
	return now
}

// Before reports whether what the call says was said well before a record was said last.
func (c Call) Before(r state.Record) bool {
	return !c.Said.IsZero() && SaidAt(r).Sub(c.Said) > clockSlack
}

// SaidAt returns when a record was said last. One that was extracted has the time of its message, if that is not when it was written.
func SaidAt(r state.Record) time.Time {
	at := r.RecordedAt
	if r.Trust == state.TrustExtracted && !r.ValidFrom.IsZero() && r.ValidFrom.Before(at) {
		at = r.ValidFrom
	}
	if r.SeenAt.After(at) {
		return r.SeenAt
	}
	return at
}
