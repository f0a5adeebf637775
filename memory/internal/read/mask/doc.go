// Package mask hides secrets before text is kept, shown to a model or logged.
//
//	"my key is sk-live-4f9..."  ─► Secrets ─►  "my key is [masked API key]"
//
// # Design
//
//   - Only what is a secret by its form: keys of known services, tokens, private keys, a password after a cue word
//     with ":" or "=" in five languages. Order numbers, ids, hashes and phone numbers must stay, so there is no
//     guessing by entropy.
//   - The mask names the kind, so that the model can tell the user what was left out.
package mask
