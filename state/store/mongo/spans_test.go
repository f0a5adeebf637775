package mongo_test

import (
	"testing"

	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/mneme-graph/mneme/state/store/mongo"
)

func TestSpans(t *testing.T) {
	t.Parallel()
	heard := tracetest.NewSpanRecorder()
	tracer := sdk.NewTracerProvider(sdk.WithSpanProcessor(heard)).Tracer("test")
	span := mongo.Spans(tracer)
	ctx, parent := tracer.Start(t.Context(), "turn")
	span(ctx, mongo.Command{Name: "insert", Collection: "steps", Database: "mneme"})(0)
	span(ctx, mongo.Command{Name: "find", Collection: "affairs", Database: "mneme"})(11600)
	ended := heard.Ended()
	if len(ended) != 2 {
		t.Fatalf("%d spans, want 2", len(ended))
	}
	for i, want := range []struct {
		name   string
		status codes.Code
	}{{"insert steps", codes.Unset}, {"find affairs", codes.Error}} {
		s := ended[i]
		if s.Name() != want.name || s.Status().Code != want.status || s.Parent().SpanID() != parent.SpanContext().SpanID() {
			t.Errorf("span %d: %s, %v, parent %v", i, s.Name(), s.Status(), s.Parent().SpanID())
		}
	}
}
