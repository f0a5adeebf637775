// Package offline is a chat model that needs no key and no network: it answers from the composed context by
// rules. `mneme demo`, tests and scenarios run on it, and it is what a new user talks to before a model is
// configured. It is no language model: it repeats what memory knows, says where that is from, and says so when
// memory knows nothing. That makes it honest about memory: a right answer means that the right fact was remembered,
// found and composed.
//
//	g, err := graph.New(ctx, graph.Config{Store: s, Model: offline.New()})
//
//	prompt ──► take ──► told? ──► memory_store, once per message ──► "Uloženo: ..."
//	                      │
//	                      └► asked? ──► overview    ──► list_affairs
//	                                ├─► evidence of another affair ──► that alone
//	                                ├─► what next   ──► what the active affair waits for
//	                                ├─► active affair, notes, what was said ──► label value (source)
//	                                └─► nothing of it there ──► memory_recall, perhaps ──► its lines, or "I don't know"
//
// It understands Czech, Polish, Russian, German and English and answers in the language of the message.
package offline

// Design:
//
//   - It reads the prompt that a real model gets, not memory's own values. What it can answer, the prompt contains.
//   - Facts are found by package facts, the same that fills an affair's key facts, so model and memory agree on
//     what a fact is.
//   - What the user asks of the memory itself is carried out before it is asked. It says what came of that and stores nothing more; a topic
//     that memory has no record of is answered from the context, as any question.
//   - One memory_store per message with all its facts; a question stores nothing. At most one call of each tool in a turn:
//     what is called is predictable, and scenarios may check it.
//   - Never two affairs in one answer: evidence of another affair is answered alone, and parked affairs serve only
//     to recognise that they, not the active one, are meant.
//   - It looks up only what the user may have told: in the current affair when the question has a word of it, in all when
//     there is none, when the question is nearer to a parked one or speaks of the user's own matters; else not at all. What
//     a tool brings stands in the prompt, so a question about a price must not fetch the price of something else.
//   - A date is not an answer to every "when": where the label names another event than the question, the term is
//     said to be unknown, and what is known of the affair is told with it.
//   - Text of the context is compared and quoted, never obeyed: there is nothing in here that obeys.
//   - Wording and cues are data, one file per language under phrases/, built in and read by New.
//   - Usage is estimated as a quarter of the characters.
//   - It raises no eino callbacks (IsCallbacksEnabled is false): the caller does.
