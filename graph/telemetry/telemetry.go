package telemetry

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/state"
	"github.com/mneme-graph/mneme/state/semconv"
)

// Config says where to tell. Tracer or Meter may be nil: then there are no spans or no metrics.
type Config struct {
	Tracer trace.Tracer
	Meter  metric.Meter
	Texts  bool // put what models and tools are given and answer into their spans, as JSON

	Now func() time.Time // default time.Now
}

// New returns a handler for callbacks.InitCallbacks or compose.WithCallbacks. It is safe for concurrent use. A Meter that refuses an
// instrument is its error.
func New(c Config) (callbacks.Handler, error) {
	h := &handler{c: c}
	if c.Now == nil {
		h.c.Now = time.Now
	}
	if c.Meter != nil {
		var errs [2]error
		h.duration, errs[0] = c.Meter.Float64Histogram(semconv.OperationDuration, metric.WithUnit("s"), metric.WithExplicitBucketBoundaries(semconv.DurationBounds()...), metric.WithDescription("How long calls of models and tools take"))
		h.tokens, errs[1] = c.Meter.Int64Histogram(semconv.TokenUsage, metric.WithUnit("{token}"), metric.WithExplicitBucketBoundaries(semconv.TokenBounds()...), metric.WithDescription("Tokens that calls of models take and give"))
		if err := errors.Join(errs[:]...); err != nil {
			return nil, err
		}
	}
	return callbacks.NewHandlerBuilder().OnStartFn(h.start).OnEndFn(h.end).OnErrorFn(h.fail).
		OnStartWithStreamInputFn(h.startStream).OnEndWithStreamOutputFn(h.endStream).Build(), nil
}

type handler struct {
	c        Config
	duration metric.Float64Histogram
	tokens   metric.Int64Histogram
}

// call is one call that is under way. Its span travels in the context too.
type call struct {
	span  trace.Span // nil without a Tracer
	began time.Time
	attrs []attribute.KeyValue // of the metrics as well
}

type callKey struct{}

func (h *handler) start(ctx context.Context, info *callbacks.RunInfo, in callbacks.CallbackInput) context.Context {
	name, attrs := describe(info, in)
	c := &call{began: h.c.Now(), attrs: attrs}
	if h.c.Tracer != nil {
		kind := trace.SpanKindInternal
		if info.Component == components.ComponentOfChatModel {
			kind = trace.SpanKindClient
		}
		ctx, c.span = h.c.Tracer.Start(ctx, name, trace.WithSpanKind(kind), trace.WithAttributes(attrs...), trace.WithTimestamp(c.began))
		if s, ok := state.ScopeFrom(ctx); ok {
			c.span.SetAttributes(attribute.String(semconv.GenAIConversationID, s.Session))
		}
		if e, ok := in.(graph.Exchange); ok {
			c.tell(e)
			state.TraceFrom(ctx).Name(c.span.SpanContext().TraceID().String())
		}
		if h.c.Texts {
			c.text(semconv.GenAIInput, info, in)
		}
	}
	return context.WithValue(ctx, callKey{}, c)
}

// describe returns the name of a span and what is known of the call when it begins.
func describe(info *callbacks.RunInfo, in callbacks.CallbackInput) (name string, attrs []attribute.KeyValue) {
	operation := func(op, key, value string) (string, []attribute.KeyValue) {
		attrs := []attribute.KeyValue{attribute.String(semconv.GenAIOperationName, op)}
		if value == "" {
			return op, attrs
		}
		return op + " " + value, append(attrs, attribute.String(key, value))
	}
	switch info.Component {
	case components.ComponentOfChatModel:
		asked := ""
		if m := model.ConvCallbackInput(in); m != nil && m.Config != nil {
			asked = m.Config.Model
		}
		return operation(semconv.Chat, semconv.GenAIRequestModel, asked)
	case components.ComponentOfTool:
		return operation(semconv.ExecuteTool, semconv.GenAIToolName, info.Name)
	case components.ComponentOfRetriever:
		return operation(semconv.Retrieval, "", "")
	case compose.ComponentOfGraph, compose.ComponentOfChain, compose.ComponentOfWorkflow:
		return operation(semconv.InvokeWorkflow, semconv.GenAIWorkflowName, info.Name)
	}
	return info.Name, nil
}

// tell puts whose turn it is, and what was decided, into the span.
func (c *call) tell(e graph.Exchange) {
	for key, value := range map[string]string{
		semconv.UserID: e.Scope.User, semconv.GenAIConversationID: e.Scope.Session, semconv.Client: e.Scope.Client, semconv.Turn: e.Turn,
		semconv.Message: e.Message, semconv.Decision: string(e.Decision), semconv.Affair: e.Affair,
	} {
		if value != "" {
			c.span.SetAttributes(attribute.String(key, value))
		}
	}
}

// text puts what a model or a tool was given or has answered into the span.
func (c *call) text(key string, info *callbacks.RunInfo, of any) {
	if info.Component != components.ComponentOfChatModel && info.Component != components.ComponentOfTool {
		return
	}
	if body, err := json.Marshal(of); err == nil {
		c.span.SetAttributes(attribute.String(key, string(body)))
	}
}

func (h *handler) end(ctx context.Context, info *callbacks.RunInfo, out callbacks.CallbackOutput) context.Context {
	var usage *model.TokenUsage
	if info.Component == components.ComponentOfChatModel {
		if m := model.ConvCallbackOutput(out); m != nil {
			usage = usageOf(m)
		}
	}
	h.close(ctx, info, usage, out, nil)
	return ctx
}

func (h *handler) fail(ctx context.Context, info *callbacks.RunInfo, err error) context.Context {
	h.close(ctx, info, nil, nil, err)
	return ctx
}

// close ends a call, once.
func (h *handler) close(ctx context.Context, info *callbacks.RunInfo, usage *model.TokenUsage, out any, err error) {
	c, ok := ctx.Value(callKey{}).(*call)
	if !ok {
		return
	}
	now := h.c.Now()
	if err != nil {
		c.attrs = append(c.attrs, attribute.String(semconv.ErrorType, string(state.CodeOf(err))))
	}
	if c.span != nil {
		if err != nil {
			c.span.SetStatus(codes.Error, string(state.CodeOf(err)))
			c.span.SetAttributes(attribute.String(semconv.ErrorType, string(state.CodeOf(err))))
		}
		if usage != nil {
			c.span.SetAttributes(attribute.Int(semconv.GenAIInputTokens, usage.PromptTokens), attribute.Int(semconv.GenAIOutputTokens, usage.CompletionTokens))
		}
		if e, ok := out.(graph.Exchange); ok {
			c.tell(e)
		}
		if h.c.Texts && out != nil {
			c.text(semconv.GenAIOutput, info, out)
		}
		c.span.End(trace.WithTimestamp(now))
	}
	if h.duration == nil || len(c.attrs) == 0 { // a node is no operation
		return
	}
	h.duration.Record(ctx, now.Sub(c.began).Seconds(), metric.WithAttributes(c.attrs...))
	if usage != nil {
		h.count(ctx, c, semconv.TokensIn, usage.PromptTokens)
		h.count(ctx, c, semconv.TokensOut, usage.CompletionTokens)
	}
}

func (h *handler) count(ctx context.Context, c *call, kind string, n int) {
	h.tokens.Record(ctx, int64(n), metric.WithAttributes(append(c.attrs[:len(c.attrs):len(c.attrs)], attribute.String(semconv.GenAITokenType, kind))...))
}

func usageOf(out *model.CallbackOutput) *model.TokenUsage {
	if out.TokenUsage != nil || out.Message == nil || out.Message.ResponseMeta == nil || out.Message.ResponseMeta.Usage == nil {
		return out.TokenUsage
	}
	u := out.Message.ResponseMeta.Usage
	return &model.TokenUsage{PromptTokens: u.PromptTokens, CompletionTokens: u.CompletionTokens, TotalTokens: u.TotalTokens}
}

func (h *handler) startStream(ctx context.Context, info *callbacks.RunInfo, in *schema.StreamReader[callbacks.CallbackInput]) context.Context {
	in.Close()
	return h.start(ctx, info, nil)
}

// endStream hears a stream to its end.
func (h *handler) endStream(ctx context.Context, info *callbacks.RunInfo, out *schema.StreamReader[callbacks.CallbackOutput]) context.Context {
	go func() {
		defer out.Close()
		var usage *model.TokenUsage
		var said []any
		for {
			chunk, err := out.Recv()
			if err != nil {
				if errors.Is(err, io.EOF) {
					err = nil
				}
				h.close(ctx, info, usage, said, err)
				return
			}
			if m := model.ConvCallbackOutput(chunk); info.Component == components.ComponentOfChatModel && m != nil && usageOf(m) != nil {
				usage = usageOf(m)
			}
			if h.c.Texts {
				said = append(said, chunk)
			}
		}
	}()
	return ctx
}
