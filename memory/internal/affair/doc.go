// Package affair holds the rules of affairs as pure functions on state.Affair: which moves between states
// are legal, how a session comes to have one active affair, when two affairs are the same, and what is kept of
// an affair that is set aside. Nothing here reads a clock or a store and no model is asked.
//
// A user message is filed under an affair. Learn takes its exact facts, open actions and topics into the affair at
// once, and no message is learnt from twice; Summarise sums up when the affair is set aside; Document writes the whole for
// people and for the index.
//
//	message ──► Learn ──────► key facts, pending actions, topics ─┐
//	messages ─► Summarise ──► summary ────────────────────────────┴─► Document
//	            Activate ─► one ACTIVE per session (Move, Legal)
//	title + topics ─► Duplicate ─► the same | perhaps | another
package affair

// Design:
//
//   - The rule "never two ACTIVE in a session" lives in Activate alone; Move knows one affair only.
//   - A repeated move is no error and changes nothing, because effects may be applied again after a crash.
//   - Key facts are added, given a new value or ended, never renamed, so an update is the list of labels that differ, with the value "" where one
//     has ended (state.Facts.ChangesFrom). A label that is taken keeps its value, unless the user says that another one holds: whose a value is
//     cannot be told by rule. The value before is kept as a past one with both times (state.Affair.Keep).
//   - Authors have an order: a person's edit, then a model, then a rule. A rule changes nothing that another has written.
//   - Summaries quote: whole sentences of the conversation, chosen by weight of terms, facts and decisions. They
//     cannot say what nobody said, and with the same input they are the same.
//   - Sentences in a summary stand on lines of their own, so that a summary can be taken apart and shortened again.
//   - Duplicate says "sure" only when no content word and no identifier tells the two apart.
