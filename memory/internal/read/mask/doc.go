// Package mask hides secrets before text is kept, shown to a model or logged.
//
//	masker := mask.New()
//	text, n := masker.Secrets("heslo k wifi je Slunicko2024") // "heslo k wifi je [masked password 9c]", 1
//
//	text ─► forms of known services, numbers with check digits, recovery phrases, keys made by chance ─┐
//	     ─► tokens ─► gate: does this stretch tell a secret? ─► tags: is this token of it? ────────────┴─► spans ─► placeholders
package mask

// Design:
//
//   - What is exact is told by rules: keys of known services, headers, addresses, options; cards, national numbers and accounts by their check digits (an
//     account's number alone is no secret, one beside an authorisation is); as many words of the list of BIP 39 in a row as a recovery phrase has, with
//     go-bip39 (MIT), which has the list; letters and digits without order. The forms of tokens are facts that their makers document and gitleaks (MIT) collects;
//     as a library it would bring its own configuration and scanner, and it finds nothing of what people write in sentences.
//   - The rest is learnt from messages of several hands a language (memory/score/testdata/mask, all but held), by two linear models. The gate reads a stretch of
//     text by its words; most messages end there. What it says is a sign of each token besides its form, its neighbours and the words around it. Secrets of a kind
//     change places among the texts to learn from, so that what stands around one says little of its form. go test -run TestFit -fit makes the models, -cross
//     third,fourth prints what is found of hands that nothing was learnt from.
//   - The cues that were here before, 1,300 lines and 280 lines of words, found .40 of the secrets of a foreign hand at 3 % of false alarms.
//   - Codes of doors, alarms, safes and phones are secrets only where the text says so: people want those to be remembered.
//   - Who says "that is no secret" is believed about all but exact forms.
//   - A placeholder names the kind, so that the model can tell the user what was left out, and a few bits of a hash, so that "the key I gave you" still refers. Short
//     secrets have none, since their few possible values could be tried one by one.
//   - Of spans that overlap the union is hidden. What is hidden changes what is to be read around it, so a text is read until nothing more is found: masking a
//     masked text changes nothing.
