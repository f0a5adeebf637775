// Package affair holds the rules of affairs as pure functions on state.Affair: which moves between states
// are legal, how a session comes to have one active affair, when two affairs are the same, and what is kept of
// an affair that is set aside. Nothing here reads a clock or a store and no model is asked.
//
// A user message is filed under an affair. Learn takes its facts, open actions and topics into the affair at
// once; Park adds a summary when the affair is set aside; Document writes the whole for people and for the index.
//
//	message ──► Learn ──► key facts, pending actions, topics ─┐
//	messages ─► Park ───► summary (Summarise) ────────────────┴─► Document
//	            Activate ─► one ACTIVE per session (Move, Legal)
//	title + topics ─► Duplicate ─► the same | perhaps | another
package affair

// Design:
//
//   - The rule "never two ACTIVE in a session" lives in Activate alone; Move knows one affair only.
//   - A repeated move is no error and changes nothing, because effects may be applied again after a crash.
//   - Key facts are added, given a new value or ended, never renamed, so an update is the list of labels that differ, with the value "" where one
//     has ended (state.Facts.ChangesFrom). A differing identifier is another thing and gets a label of its own ("order 2"); a price, day or
//     time gets a new value when the message names it by its own word, or when what both facts say and the words of change weigh enough
//     (facts.Renewal); when unsure, both stay. The value before is kept as a past one with both times (state.Affair.Keep).
//   - No value says what nobody has said: the clause that holds an old quantity is cut out (facts.Cut), and the new one stands in its own
//     sentence. A fact of which nothing is left ends. A message that is older than that does not bring it back.
//   - Summaries quote: whole sentences of the conversation, chosen by weight of terms, facts and decisions. They
//     cannot say what nobody said, and with the same input they are the same.
//   - Sentences in a summary stand on lines of their own, so that a summary can be taken apart and shortened again.
//   - Duplicate says "sure" only when no content word and no identifier tells the two apart.
