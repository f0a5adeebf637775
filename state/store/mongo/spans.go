package mongo

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/mneme-graph/mneme/state/semconv"
)

// Spans makes a Config.Span of an OpenTelemetry tracer: each command becomes a client span with system, database,
// collection and operation, in the words of the semantic conventions for databases, and with the server's code when it
// failed. Neither statements nor values are in it.
func Spans(t trace.Tracer) func(context.Context, Command) func(code int) {
	return func(ctx context.Context, c Command) func(code int) {
		_, span := t.Start(ctx, c.Name+" "+c.Collection, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
			attribute.String(semconv.DBSystemName, "mongodb"), attribute.String(semconv.DBNamespace, c.Database),
			attribute.String(semconv.DBCollectionName, c.Collection), attribute.String(semconv.DBOperationName, c.Name),
		))
		return func(code int) {
			if code != 0 {
				span.SetAttributes(attribute.Int(semconv.DBResponseStatusCode, code))
				span.SetStatus(codes.Error, "")
			}
			span.End()
		}
	}
}
