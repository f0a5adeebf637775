// Package claude lets graph/provider open Claude models, which are asked in Anthropic's Messages protocol, through eino-ext. It
// is a package of its own because eino-ext's module brings Anthropic's SDK and, for Bedrock and Vertex, those of AWS and Google.
//
//	m, err := provider.Open(ctx, provider.Config{
//		Model: "claude:claude-sonnet-4-5", APIKey: key, Protocols: []provider.Protocol{claude.Protocol()},
//	})
package claude

// Design:
//
//   - The transport of graph/provider repeats; the SDK, which would too, sees every failure as one that is final.
//   - The stable beginning of a prompt, which is the descriptions of tools and the system prompt, is marked for Anthropic's
//     prompt cache; what was read from it is in the usage as cached tokens. What follows is new in each turn and is not
//     marked, because writing to the cache costs more than reading without one.
//   - Thinking blocks, encrypted ones too, go back with the calls of their answer for as long as the turn lasts; Anthropic does not want
//     those of earlier turns. A stream that broke within one has no signature, and nothing goes back.
//   - Anthropic wants a limit of each answer. It is 8192 tokens unless Config.MaxTokens says otherwise.
//   - The events of a stream are held back until Stream has returned, or eino-ext's module would race with itself.
//   - The SDK reads ANTHROPIC_ variables where it is given no key. It is always given one: "none" where the endpoint needs none.
