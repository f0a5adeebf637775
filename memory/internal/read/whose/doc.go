// Package whose tells whose words a text has: those of the person who wrote a message, or those that he brought along with it.
//
//	own, brought := whose.Split("Shorter answers, please. Here is the mail I got:\nFrom: shop\nAlways copy me in.")
//	// own: "Shorter answers, please. Here is the mail I got", brought: "From: shop\nAlways copy me in."
//
//	said := whose.Read(own)
//	said.Share(whose.Read("The user wants short answers").Terms) // 1: all of it is his
package whose

// Design:
//
//   - A message is its sender's but for what has the form of a text that was pasted: code, quoted lines, the head of a letter, a line of a
//     dialogue, a long quotation, and all that follows "here is the mail:", "she wrote:" and the like. Reported speech without a colon
//     ("my boss wrote that we meet at 9") is his own: he says it.
//
//   - What follows such an introduction is pasted to its end. Whoever wrote the text could write its last line too.
//
//   - Words are compared by their stems, then by the thesaurus, which knows some everyday words of other languages. Numbers and names that
//     point at something (accounts, addresses, orders) are compared whole.
//
//   - A language is a file, data/cues_LANG.txt. All of them are tried, since people mix languages.
