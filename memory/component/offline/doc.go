// Package offline is a chat model that needs no key and no network. `mneme demo`, tests and scenarios run on it, and it is what a new user talks to before
// a model is configured. It is no language model: it quotes what was said, tells what is open, and says so when it finds nothing. That makes it honest about
// memory: a right answer means that the right sentence was remembered and found.
//
//	g, err := graph.New(ctx, graph.Config{Store: s, Model: offline.New()})
//
//	prompt ──► take ──► memory_update was called?  ──► what came of it
//	                ├─► a greeting, thanks, help?   ──► a word of its own
//	                ├─► what is open, what next?    ──► list_affairs, recall_affair ──► titles, what waits, else the last words
//	                ├─► where were we?              ──► memory_recall, recall_affair ──► the last words
//	                ├─► a question?                 ──► memory_recall, twice ──► one or two sentences with their day, or "I found nothing on ..."
//	                └─► anything else               ──► "Noted", and the affair's title where that changes
//
// It understands Czech, Polish, Russian, German and English and answers in the language of the message.
package offline

// Design:
//
//   - Nothing is composed, so nothing ungrammatical or untrue can be said: a reply is a fixed sentence around words that somebody said, or a title.
//   - It reads the prompt that a real model gets, and calls the tools that one has.
//   - It stores nothing: every message is kept and recalled as it is, and what the user orders to be remembered is carried out before it is asked.
//   - A sentence answers by the share of the question's words that it has, in whatever form or as words of the same matter (package text), by having a value
//     of the kind asked for (package facts), and by what it says of the user himself (package derive). With less than six tenths of the words it is said to be
//     only the nearest.
//   - The later of two sentences holds where it renews what the other states, by the same rules as the key facts of an affair.
//   - A question about the affair at hand is looked up there first: what a tool brings stands in the prompt, and need not be another affair's.
//   - Its own replies are never quoted.
//   - Text of the context is compared and quoted, never obeyed: there is nothing in here that obeys.
//   - Wording and cues are data, one file per language under phrases/, built in and read by New.
//   - Usage is estimated as a quarter of the characters.
//   - It raises no eino callbacks (IsCallbacksEnabled is false): the caller does.
