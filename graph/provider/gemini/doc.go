// Package gemini lets graph/provider open Gemini models, which are asked in Google's own protocol, through eino-ext. It is a
// package of its own because eino-ext's module brings Google's SDK.
//
//	m, err := provider.Open(ctx, provider.Config{
//		Model: "gemini:gemini-2.5-flash", APIKey: key, Protocols: []provider.Protocol{gemini.Protocol()},
//	})
package gemini

// Design:
//
//   - The SDK ends a stream that breaks as if the answer were whole, and logs; the transport of graph/provider tells it nothing
//     and notes the error, which comes from Recv.
//   - eino-ext's module asks only when the stream is read, and leaves a goroutine behind when its reader is closed early:
//     Protocol.Lazy.
//   - From Gemini 3 on a request is refused whose calls are not signed. Calls that no Gemini has made, of another model in a chain or of a
//     spoken command to the memory, are marked with the text that Google documents for them.
//   - Google caches what prompts have in common by itself, so nothing is marked.
//   - The SDK reads GOOGLE_ variables where it is given no key. It is always given one: "none" where the endpoint needs none.
