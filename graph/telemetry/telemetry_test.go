package telemetry_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/cloudwego/eino/callbacks"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.uber.org/goleak"

	"github.com/mneme-graph/mneme/graph"
	"github.com/mneme-graph/mneme/graph/scripted"
	"github.com/mneme-graph/mneme/graph/telemetry"
	"github.com/mneme-graph/mneme/state/semconv"
	"github.com/mneme-graph/mneme/state/statetest"
	"github.com/mneme-graph/mneme/state/store/ram"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// observed runs a turn with a tool call, or with a model that fails, and returns its spans and the names of its metrics.
func observed(t *testing.T, texts bool, steps ...scripted.Step) (spans tracetest.SpanStubs, metrics []string) {
	t.Helper()
	kept := tracetest.NewInMemoryExporter()
	tracer, reader := trace.NewTracerProvider(trace.WithSyncer(kept)), metric.NewManualReader()
	meter := metric.NewMeterProvider(metric.WithReader(reader))
	handler, err := telemetry.New(telemetry.Config{Tracer: tracer.Tracer("test"), Meter: meter.Meter("test"), Texts: texts})
	must(t, err)
	g, err := graph.New(t.Context(), graph.Config{Store: ram.New(), Model: scripted.New(steps, nil)})
	must(t, err)
	ctx := callbacks.InitCallbacks(t.Context(), &callbacks.RunInfo{Name: "host"}, handler)
	reply, failed := g.Invoke(ctx, graph.Request{Text: "My canary is Zebedee.", MessageID: "t1"})
	if len(reply.Trace.ID) != 32 {
		t.Errorf("the reply's trace is %q", reply.Trace.ID)
	}
	if err := g.Close(); err != nil || (failed != nil) != (len(steps) == 1) {
		t.Fatal(failed, err)
	}
	var read metricdata.ResourceMetrics
	must(t, reader.Collect(context.Background(), &read))
	for _, scope := range read.ScopeMetrics {
		for _, m := range scope.Metrics {
			if h, ok := m.Data.(metricdata.Histogram[float64]); ok && m.Name == semconv.OperationDuration && (h.DataPoints[0].Bounds[0] != 0.01 || len(h.DataPoints[0].Bounds) != 14) {
				t.Errorf("bounds of durations: %v", h.DataPoints[0].Bounds)
			}
			metrics = append(metrics, m.Name)
		}
	}
	return kept.GetSpans(), metrics
}

func noted() []scripted.Step {
	return []scripted.Step{
		scripted.Call("memory_store", `{"subject":"canary","content":"The canary is Zebedee.","category":"fact"}`), scripted.Say("Zebedee, noted."),
	}
}

func TestSpansOfATurn(t *testing.T) {
	t.Parallel()
	spans, metrics := observed(t, false, noted()...)
	parents := map[string]string{}
	ids := map[string]string{}
	for _, s := range spans {
		ids[s.SpanContext.SpanID().String()] = s.Name
	}
	for _, s := range spans {
		parents[s.Name] = ids[s.Parent.SpanID().String()]
		for _, a := range s.Attributes {
			if strings.Contains(a.Value.String(), "Zebedee") {
				t.Errorf("%s holds a text: %s", s.Name, a.Value.String())
			}
		}
	}
	for name, parent := range map[string]string{
		"invoke_workflow mneme": "", "intake": "invoke_workflow mneme", "respond": "invoke_workflow mneme", "chat": "respond", "retrieval": "respond", "execute_tool memory_store": "respond",
		"memory_flush": "invoke_workflow mneme",
	} {
		if got, ok := parents[name]; !ok || got != parent {
			t.Errorf("span %q is below %q: %v", name, got, parents)
		}
	}
	root := slices.IndexFunc(spans, func(s tracetest.SpanStub) bool { return s.Name == "invoke_workflow mneme" })
	about := map[string]string{}
	for _, a := range spans[root].Attributes {
		about[string(a.Key)] = a.Value.String()
	}
	for key, want := range map[string]string{
		semconv.Client: "default", semconv.UserID: "default", semconv.GenAIConversationID: "default", semconv.Turn: "t1", semconv.Message: "t1", semconv.Decision: "NEW_AFFAIR",
	} {
		if about[key] != want {
			t.Errorf("the root's %s is %q, want %q", key, about[key], want)
		}
	}
	if about[semconv.Affair] == "" {
		t.Errorf("the root tells no affair: %v", about)
	}
	if !slices.Contains(metrics, semconv.OperationDuration) || !slices.Contains(metrics, semconv.TokenUsage) {
		t.Errorf("metrics %v", metrics)
	}
	i := slices.IndexFunc(spans, func(s tracetest.SpanStub) bool { return s.Name == "chat" })
	if !slices.ContainsFunc(spans[i].Attributes, func(a attribute.KeyValue) bool {
		return string(a.Key) == semconv.GenAIInputTokens && a.Value.AsInt64() > 0
	}) {
		t.Errorf("attributes of chat: %v", spans[i].Attributes)
	}
}

func TestTextsWhenTheyAreAskedFor(t *testing.T) {
	t.Parallel()
	spans, _ := observed(t, true, noted()...)
	found := 0
	for _, s := range spans {
		for _, a := range s.Attributes {
			if strings.Contains(a.Value.String(), "Zebedee") {
				found++
			}
		}
	}
	if found < 4 { // asked twice, answered, the call and its result
		t.Errorf("%d texts", found)
	}
}

func TestFailingModelIsAnError(t *testing.T) {
	t.Parallel()
	spans, _ := observed(t, false, scripted.Fail(errors.New("no tokens left")))
	i := slices.IndexFunc(spans, func(s tracetest.SpanStub) bool { return s.Name == "chat" })
	if i < 0 || spans[i].Status.Code.String() != "Error" {
		t.Errorf("%+v", spans)
	}
}

var must = statetest.Must
