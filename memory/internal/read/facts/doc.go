// Package facts reads what a message states without asking a model: numbers of orders, invoices and accounts,
// prices, days and times, telephone numbers, addresses, names, measures and plain statements such as "my plate is
// 3AB 1234", in Czech, Polish, Russian and English, and in German where that is cheap. It also reads the actions a
// message leaves open, a title for the affair it opens, its topics, and what a question asks for. It is
// what the product knows when no model answers, and what keeps a model's answer honest.
//
//	message ──► scan ──► lexemes ──► recognisers, the most certain first ──► facts ──► Category, Exact (key facts)
//	                        │              ▲ cue tables per language
//	                        ├──► noun phrases ──► Title, Topics
//	                        ├──► words of duty ─────────────► Pending
//	                        └──► question words ────────────► IsQuestion, Asks
package facts

// Design:
//
//   - A value is quoted, never rewritten: Start and End point into the message, so every fact can be shown where it was said.
//   - The label comes from the words beside the value ("číslo objednávky"), in the nominative where a list
//     knows the noun, because key facts are merged by label. Without such words it is the usual word for the kind.
//   - A number is a reference only when words say so or its looks leave nothing else. Years, dates, prices, counts and
//     versions are tried first or refused: a missing fact costs less than a false order number.
//   - The lists of all languages hold at once wherever the words do not collide, because people mix languages in one
//     message and a short one does not tell its own. The language decides default labels and a few short words.
//   - A language is a file, data/words_LANG.txt: which words are of which class (class.go), how words end (grammar.go), what kinds of facts are
//     called, and what headings and reasons say in it (Phrase). A word with a star stands for all its inflected forms. A lexeme knows its classes when it is read, so that each is asked at no cost.
//   - A message is read once (Read); what is asked of a Reading shares its lexemes and facts.
//   - Every look to the left or right has a fixed reach, so that a message takes time linear in its length. Of a
//     long message the first 16 KB are read: what is pasted beyond that is found by its words.
//   - Key facts are exact or none (Exact): a typed value under a known word, stated by its clause. What was tried before, clauses quoted as values
//     under a word of theirs and weighed by fitted traits, found seven times as much, and a third of that was cut, stale or misplaced: nobody could
//     clean it up. Whatever is not exact is found in its message.
//   - Whether a sentence outdates an earlier one is found quantity by quantity (Outdates): the weights of what both say, of cues and of how near
//     the numbers are decide (data/renewing.txt, TestFitRenewing).
//   - A title never shows an order number, price, telephone number or password: titles are listed everywhere.
