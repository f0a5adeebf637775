// Package telemetry tells OpenTelemetry what happens in a turn: a span for the turn, each node, model call, tool call and recall, and two metrics.
//
//	handler, err := telemetry.New(telemetry.Config{Tracer: tracer, Meter: meter})
//	ctx = callbacks.InitCallbacks(ctx, &callbacks.RunInfo{Name: "desk"}, handler)
//	reply, err := g.Invoke(ctx, graph.Request{...})
//
// Handlers of others (Langfuse, CozeLoop: Examples in e2e/host) send all that is said to their servers. They are told all but texts by
//
//	ctx = callbacks.InitCallbacks(ctx, &callbacks.RunInfo{Name: "desk"}, telemetry.OmitTexts(handler))
//
// New's is an ordinary callback handler of eino's, and works for any graph or agent of eino's, not for this module's alone. Spans of the store
// (mongo.Spans) come below the node that asked, since the span travels in the context. Names are those of package semconv.
package telemetry

// Design:
//
//   - A leaf: who does not import it does not link OpenTelemetry.
//   - No text of users, models or tools is in a span unless Config.Texts asks for it. Ids of sessions are.
//   - OmitTexts lets through what it knows to be no text; of a type that it does not know it tells the name. So a new field or type of eino's
//     shows as something that is missing, and not as something that got out.
//   - A model that streams is heard to its end on a copy of the stream, by a goroutine that ends with the stream: usage comes last.
