package mongo

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// Spans makes a Config.Span of an OpenTelemetry tracer: each command becomes a client span with system, database,
// collection and operation, in the words of the semantic conventions for databases, and with the server's code when it
// failed. Neither statements nor values are in it.
func Spans(t trace.Tracer) func(context.Context, Command) func(code int) {
	return func(ctx context.Context, c Command) func(code int) {
		_, span := t.Start(ctx, c.Name+" "+c.Collection, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
			attribute.String("db.system.name", "mongodb"), attribute.String("db.namespace", c.Database),
			attribute.String("db.collection.name", c.Collection), attribute.String("db.operation.name", c.Name),
		))
		return func(code int) {
			if code != 0 {
				span.SetAttributes(attribute.Int("db.response.status_code", code))
				span.SetStatus(codes.Error, "")
			}
			span.End()
		}
	}
}
