// Package mask hides secrets before text is kept, shown to a model or logged.
//
//	masker := mask.New()
//	text, n := masker.Secrets("heslo k wifi je Slunicko2024") // "heslo k wifi je [masked password 9c]", 1
//
//	text ─► forms of known services   ┐
//	     ─► cues: "heslo k wifi je X" ├─► spans ─► placeholders
//	     ─► cards, IBANs, people      │
//	     ─► letters mixed by chance   ┤
//	     ─► Typed: two linear models  ┘
package mask

// Design:
//
//   - Four ways to find a secret. A form: the keys of known services, headers, addresses, options. A cue: words that announce one, in a
//     file a language (data/); what comes behind "is" or ":" is the secret unless it is a word that says something about it
//     ("the password is wrong"); elsewhere in the clause only what can hardly be a name. A number with check digits. And
//     letters and digits without order, 20 to 128 of them.
//   - A plain word is a secret where nothing announces it but the cue, "password hedgehog", if it ends its clause and is no word that
//     says something about a password: those, the verbs and the endings are in the files. So are the words for whose a password is and what
//     it opens, which are passed over: "password for the router hedgehog". A capital letter right behind the cue is a person's.
//   - Words are known with their marks and without: "heslo k wifi je" and "zadej kod" are written both ways.
//   - Of a crowd of cues the further ones are looked at only for what a sign assigns: time stays linear and short.
//   - Order numbers, UUIDs, hashes, telephone numbers, public keys, addresses of documents and of money, alarm and locker codes stay.
//   - The words of a cue are those of the languages that know it: "to" means "is" in Polish, and something else in English.
//   - A placeholder names the kind, so that the model can tell the user what was left out, and a few bits of a hash, so that
//     "the key I gave you" still refers. Short secrets have none, since their few possible values could be tried one by one.
//   - Of spans that overlap the union is hidden. Masking a masked text changes nothing.
//   - What people tell without a word that a list has ("to the safe it's 4471, tell nobody") two models find (learnt.go), in what a person has typed only:
//     they take ids in results of tools and in logs for secrets. What the lists and forms find stays found, whatever the models say.
//   - A person may say that something is no secret (free/says.txt): what his message says then stays as it is, there and in what is made of it in the turn,
//     but for keys, cards and accounts, which are known by their form.
