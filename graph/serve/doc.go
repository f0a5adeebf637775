// Package serve puts a graph behind HTTP: turns as JSON or as a stream of events, affairs, records, sessions, documents and settings.
//
//	s, err := serve.New(serve.Config{Graph: g, Store: store, Keys: access.New(access.Config{Store: store})})
//	if err != nil {
//		return err
//	}
//	server := &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
//	...
//	err = errors.Join(s.Drain(ctx), server.Shutdown(ctx), g.Close())
//
//	request ─► guard: size, key, rate ─► operation (huma: checked against its types) ─► scope of the key ─► graph, memory
//	                                       │
//	                                       └─ POST turns ─► run: its events are numbered and kept while it is at work ─► JSON, or SSE from any number on
//
// README.md tells clients how to use it; the whole of the API is in its OpenAPI document, which is made from the types here.
package serve

// Design:
//
//   - Whose memory a request is about says its key. What the request names (a user, a session, an id) is looked up within that: an id of another client is
//     404, as one that never was.
//   - A turn does not end with the connection that began it. It runs under the server's own context, with the message's id, so a client that lost its line
//     sends the message again or takes the stream up behind the last event it saw, at this replica or another.
//   - A limit refuses at once, with 429 and when to come again; nothing waits in a line that grows.
//   - Errors are RFC 9457 problems with the module's own codes. What is internal is logged with the request's id and not told.
//   - huma (v2) checks requests against the Go types and makes the OpenAPI document of the same types. Its ErrorModel would echo the offending value, which
//     may be a secret: problems leave it out.
