// Package provider opens real models: for chat any endpoint that speaks OpenAI's chat completions, Claude and Gemini in their
// own protocols (packages claude and gemini), all through eino-ext, and the offline model under the same call; for vectors the embedders of eino-ext, a folder with a static
// model, and one that needs no model. What it adds to eino-ext is behaviour under
// failure: every error is a state.Error whose code says what to do, a busy or broken server is asked
// again, an answer that was cut is never taken for a whole one, and a key is never seen in an error.
//
//	m, err := provider.Open(ctx, provider.Config{Model: "openai:gpt-4o-mini", APIKey: key})
//	e, err := provider.OpenEmbedder(ctx, provider.EmbedderConfig{Embedder: "ollama:bge-m3"})
//
// An answer's way:
//
//	eino-ext module ──► transport ──► HTTPClient ──► endpoint
//	      ▲                │  ▲ repeats: 408 409 425 429 5xx, no connection, silence, a cut or garbled answer
//	      │                ▼  │
//	    model ◄── typed errors, whole bodies, event streams that end properly
//
//	status                        code         repeated
//	401, 402, 403, 400 API_KEY_INVALID  denied no    names the variable to set
//	400, 404, 413, 422, other 4xx invalid      no    the provider's own words
//	301, 302, 303                 invalid      no    names where to; 307 and 308 are followed on the same host only
//	200, withheld for its content invalid      no
//	408, 409, 425, 429, 5xx       unavailable  yes   RetryAfter set from the header
//	429 insufficient_quota        unavailable  no
//	no connection, silence, cut   unavailable  yes   a stream only before its first chunk
//	a web page, an empty answer   unavailable  yes   the page's words are not repeated
//	certificate not trusted       invalid      no
//	the caller's deadline         unavailable  no    also matches context.DeadlineExceeded
package provider

// What each provider goes through; TestConformance and TestOddities run for each of the eight, against a stub of the protocol in the third column:
//
//	provider    module of eino-ext       protocol
//	openai      components/model/openai  chat completions
//	deepseek    components/model/openai  chat completions, with reasoning_content
//	qwen        components/model/openai  chat completions (DashScope's compatible mode)
//	ark         components/model/openai  chat completions
//	openrouter  components/model/openai  chat completions, with reasoning_details
//	ollama      components/model/openai  chat completions (Ollama's /v1)
//	claude      components/model/claude  Anthropic's Messages
//	gemini      components/model/gemini  Google's generateContent
//
// Design:
//
//   - Repeating is done in an http.RoundTripper, below eino-ext: one call stays one call for callbacks and
//     usage, and the status and Retry-After are still at hand, which eino-ext does not hand on.
//   - The transport reads a plain answer whole and checks it before eino-ext sees it, so a cut or garbled
//     one can still be repeated; nothing was shown to anybody yet.
//   - A stream is handed on after its first event arrived. From then on it is never repeated: the reader
//     may have shown what came. An end without finish reason or [DONE] is an error, not an end.
//   - Timeout bounds silence, not the answer: a long stream that keeps coming is healthy.
//   - A pause longer than MaxWait or than the caller's deadline is not slept: the error with RetryAfter
//     returns at once and the caller decides.
//   - A Protocol is all that differs between providers: who opens the model, what makes an answer whole. Those that speak OpenAI's
//     are rows of one table. deepseek, qwen, ark and openrouter have modules in eino-ext too; they add parameters nobody here
//     sets, and SDKs. Claude and Gemini are given in Config.Protocols, so that a host that has no use for them does not
//     build them. One table of cases runs against stubs of all (TestConformance).
//   - The SDKs under Claude and Gemini repeat by themselves, make text of errors or end a broken stream like a whole one. They
//     are told nothing of a failure but that it is final; the error travels beside them, in the context of the call.
//   - What a provider signs or encrypts of its thoughts and wants back with the answer's calls (Claude's thinking blocks, OpenRouter's
//     reasoning_details, Gemini's signatures of calls) stands in the answer's Extra, with the model's name, and is put into the next
//     requests of the turn. nodes keeps it with the message, so it outlives the process. Nobody but that model is sent it: another one of a
//     chain is sent the calls alone. eino-ext keeps one of Claude's blocks, none that is encrypted and no reasoning_details, so
//     a Seal takes them from the answer below it.
//   - How much a model thinks is not set here: providers and even models of one differ in what they take (a number of tokens, a word,
//     nothing). A host opens eino-ext's model with it and gives that to the graph; its thoughts are kept all the same.
//   - OpenChain asks the next model when one fails before a word of its answer was handed on. After that word nothing is
//     repeated: two models would speak into one answer. Every typed failure counts, also a refused key or request, because the next
//     model has another key and other limits; only a caller who has gone does not.
//   - Images and files as data URLs become the base64 that each provider takes.
//   - There is no jitter: pauses double from half a second and are the same in every run. One process has few
//     calls in flight, and servers that are short of capacity say so with Retry-After.
//   - The environment is read by the command, not here; KeyVariables names what it should look for. A key is sent to the
//     host of the base URL only.
//   - Models raise eino callbacks themselves (IsCallbacksEnabled is true), as eino-ext does.
//
// Embedders go the same way, with another check of the answer. What their modules do not do is done around them:
//
//   - openai, ark, dashscope: none looks at "index", so an answer out of order would give texts each other's vectors. The
//     transport sorts it, and has an answer repeated whose numbers are no order. How many came is counted by memory/embed.
//   - ollama: makes text of the error's cause, so the transport leaves its error in a note that travels in the context. Its
//     Truncate is documented the wrong way round; true, the server's default, cuts texts silently, so it is false here. It
//     cannot ask for a dimension. For the host ollama.com it would sign with the user's private key; the header is
//     replaced by the API key.
//   - ark: its server answers as OpenAI's does, so it goes by the openai module. eino-ext's module for it is left out: the
//     SDK under it writes a transport and a proxy into http.DefaultClient whenever one is opened, unguarded, which changes
//     the client of everybody else in the process and is a data race when two are opened at once.
//   - dashscope: knows one address, which the transport replaces when another is given (the international one, for instance),
//     and asks for 1024 dimensions unless told, whatever the model; models before v3 need Dim. Ten texts a call at most.
//   - All make float64 of float32; memory/embed makes float32 of it again, exactly.
//   - That a text is too long has no code anywhere. It is read from the words, and memory/embed asks for halves.
//   - Key and question are sent to the host of the base URL only: a redirect to another one, or to another scheme, is refused.
