// Package provider opens real chat models: any endpoint that speaks OpenAI's chat completions, through
// eino-ext, and the offline model under the same call. What it adds to eino-ext is behaviour under
// failure: every error is a state.Error whose code says what to do, a busy or broken server is asked
// again, an answer that was cut is never taken for a whole one, and a key is never seen in an error.
//
//	m, err := provider.Open(ctx, provider.Config{Model: "openai:gpt-4o-mini", APIKey: key})
//
// An answer's way:
//
//	eino-ext openai ──► transport ──► HTTPClient ──► endpoint
//	      ▲                │  ▲ repeats: 408 409 425 429 5xx, no connection, silence, a cut or garbled answer
//	      │                ▼  │
//	    model ◄── typed errors, whole bodies, event streams that end properly
//
//	status                        code         repeated
//	401, 402, 403                 denied       no    names the variable to set
//	400, 404, 413, 422, other 4xx invalid      no    the provider's own words
//	408, 409, 425, 429, 5xx       unavailable  yes   RetryAfter set from the header
//	429 insufficient_quota        unavailable  no
//	no connection, silence, cut   unavailable  yes   a stream only before its first chunk
//	the caller's deadline         unavailable  no    also matches context.DeadlineExceeded
//
// Design:
//   - Repeating is done in an http.RoundTripper, below eino-ext: one call stays one call for callbacks and
//     usage, and the status and Retry-After are still at hand, which eino-ext does not hand on.
//   - The transport reads a plain answer whole and checks it before eino-ext sees it, so a cut or garbled
//     one can still be repeated; nothing was shown to anybody yet.
//   - A stream is handed on after its first event arrived. From then on it is never repeated: the reader
//     may have shown what came. An end without finish reason or [DONE] is an error, not an end.
//   - Timeout bounds silence, not the answer: a long stream that keeps coming is healthy.
//   - A pause longer than MaxWait or than the caller's deadline is not slept: the error with RetryAfter
//     returns at once and the caller decides.
//   - There is no jitter: pauses double from half a second and are the same in every run. One process has few
//     calls in flight, and servers that are short of capacity say so with Retry-After.
//   - The environment is read by the command, not here; KeyVariables names what it should look for.
//   - Models raise eino callbacks themselves (IsCallbacksEnabled is true), as eino-ext does.
package provider
