package graph

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/mneme-graph/mneme/graph/flow"
	"github.com/mneme-graph/mneme/memory"
	"github.com/mneme-graph/mneme/nodes"
	"github.com/mneme-graph/mneme/state"
)

// turn is one attempt at a turn: what is heard of it beside its state.
type turn struct {
	began  time.Time
	trace  *state.Trace
	record *nodes.Record
	stop   *state.Stop
	now    func() time.Time
	ended  bool // the turn had ended before
}

// prepareTurn prepares an attempt: the context says where its trace is collected, which settings hold from its beginning to its end, and
// what the turn has of its own.
func (g *Graph) prepareTurn(ctx context.Context, c *call) (context.Context, *turn) {
	t := &turn{trace: &state.Trace{}, record: &nodes.Record{}, stop: c.run.stop, now: g.c.Now, began: g.c.Now()}
	ctx = state.ContextWithTrace(ctx, t.trace)
	if g.sharesWithNobody(ctx, c.scope) {
		t.trace.Note("the request names no client while others do: it shares the memory of client default; see Config.RequireScope")
	}
	ctx, wait := g.memory.Settings().Begin(ctx, c.scope)
	c.looking = append(c.looking, wait)
	ctx = nodes.ContextWithOptions(ctx, nodes.Options{Model: c.req.Model, ModelOptions: c.req.ModelOptions, Tools: c.req.Tools, Record: t.record})
	if c.req.Durability != "" {
		ctx = flow.ContextWithDurability(ctx, c.req.Durability)
	}
	if c.req.SmallModel != nil {
		ctx = memory.ContextWithSmall(ctx, c.req.SmallModel)
	}
	return ctx, t
}

// makeReply reads the answer out of the state a turn ended with.
func (t *turn) makeReply(s state.Turn, err error) (Reply, error) {
	// A turn that waits, or that ended without an answer.
	view, d := s.View.Get(), s.Decision.Get()
	if err == nil && s.Failure.IsSet() {
		err = t.failureError(s.Input.Get().Turn, s.Failure.Get())
	}
	var waiting *flow.WaitingError
	if errors.As(err, &waiting) {
		err = nil
	}

	// What it came to.
	r := Reply{
		Turn: s.Input.Get().Turn, Decision: d, Active: view.Active(), Parked: view.Parked(),
		Receipts: s.Receipts.Items(), Usage: s.Usage.Get(), Memory: t.trace.Done(),
		Trace: Trace{
			ID: t.trace.ID(), Nodes: t.trace.Nodes(), Notes: t.trace.Notes(), Weighed: t.trace.Sums(), Bill: t.trace.Bill(), Charged: t.trace.Bill().Usage,
			Context: t.record.Context, Prompts: t.record.Prompts, Took: t.now().Sub(t.began),
		},
	}
	if a, ok := view.Affair(d.AffairID); ok && r.Decision.Title == "" {
		r.Decision.Title = a.Title
	}
	for _, msg := range view.Turn {
		r.say(msg)
	}
	if waiting != nil {
		r.Waits = waiting.Asked
	}
	if said := t.record.Said; err != nil && said != "" {
		r.Text, r.Cut = said, true
	}
	r.Cut = r.Cut || s.Failure.Get().Cut
	r.Trace.Bill.Usage = r.Usage
	return r, err
}

// ErrUsedUp is in the error of a message whose turn had ended without an answer before, or was taken back: its id is used up, and under another one it may
// be asked again.
var ErrUsedUp = errors.New("ended without an answer")

// failureError returns the error of a turn without an answer. One that was told to end wraps the reason. To who asks for a turn that had ended
// so before, a cut is no error, since its reply is what there is of it; any other failure is no longer what it was then: the id is used up.
func (t *turn) failureError(id string, f state.Failure) error {
	switch {
	case t.ended && f.Cut:
		return nil
	case t.ended:
		return state.Errorf(state.Conflict, "turn "+id, "%w then, send the message under another id to ask again: %s", ErrUsedUp, f.Text)
	}
	cause := errors.New(f.Text)
	if why := t.stop.Err(); why != nil && strings.HasSuffix(f.Text, why.Error()) {
		cause = why
	}
	return &state.Error{Code: f.Code, Op: "turn " + id, Err: cause}
}

// say takes one message of the turn into the reply.
func (r *Reply) say(msg state.Message) {
	switch {
	case msg.Role == state.RoleUser:
		r.MessageID, r.Decision.Reasoning = cmp.Or(r.MessageID, msg.ID), cmp.Or(r.Decision.Reasoning, msg.Why)
	case msg.Role == state.RoleTool:
		for i := range r.Tools {
			if r.Tools[i].ID == msg.ToolCallID && r.Tools[i].Result == "" {
				r.Tools[i].Result, r.Tools[i].Answered = msg.Text, msg.Answered
				break
			}
		}
	case msg.Role == state.RoleAssistant && len(msg.ToolCalls) > 0:
		for _, c := range msg.ToolCalls {
			r.Tools = append(r.Tools, ToolUse{ID: c.ID, Name: c.Name, Arguments: c.Arguments})
		}
	case msg.Role == state.RoleAssistant:
		r.Text, r.Reasoning, r.Message, r.Cut = msg.Text, msg.Reasoning, msg, msg.Cut
	}
}

// logEnd logs how a call ended, one line without anybody's text.
func (g *Graph) logEnd(ctx context.Context, scope state.Scope, r Reply, err error, took time.Duration) {
	level := slog.LevelInfo
	attrs := []slog.Attr{
		slog.String("client", scope.Client), slog.String("user", scope.User), slog.String("session", scope.Session), slog.String("turn", r.Turn),
		slog.String("message", r.MessageID), slog.String("trace", r.Trace.ID),
		slog.String("decision", string(r.Decision.Kind)), slog.String("affair", r.Decision.AffairID),
		slog.Int("model_calls", r.Usage.ModelCalls), slog.Int("small_model_calls", r.Usage.SmallModelCalls),
		slog.Int("prompt_tokens", r.Usage.PromptTokens), slog.Int("completion_tokens", r.Usage.CompletionTokens),
		slog.Int("tools", len(r.Tools)), slog.Int("waits", len(r.Waits)),
		slog.Int("commits", r.Trace.Bill.Commits), slog.Int("reads", r.Trace.Bill.Reads), slog.Float64("took_ms", float64(took.Microseconds())/1000),
	}
	if err != nil {
		level = slog.LevelWarn
		if state.CodeOf(err) == state.Internal {
			level = slog.LevelError
		}
		attrs = append(attrs, slog.String("code", string(state.CodeOf(err))), slog.String("error", err.Error()))
	}
	g.c.Logger.LogAttrs(ctx, level, "turn", attrs...)
}
