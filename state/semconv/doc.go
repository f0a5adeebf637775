// Package semconv has the attribute names that spans and metrics of the module use, one set for stores, models, tools and nodes.
//
//	span.SetAttributes(attribute.String(semconv.GenAIOperationName, semconv.Chat))
//
// They are those of OpenTelemetry's semantic conventions: of databases (stable) and of generative AI (in development; the Go packages of
// conventions had them up to v1.41 and dropped them in v1.42, so they stand here).
package semconv
