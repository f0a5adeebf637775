// Package compose decides what the model sees. Out of everything memory offers for a turn it makes one prompt that never
// exceeds its budget, and an account that says of each line why it is in, and of each line that is not, why not.
//
//	c := compose.New(compose.Config{})
//	prompt, err := c.Compose(compose.Input{
//		System:   "You are a helpful assistant.",
//		Active:   &state.Affair{Title: "Car part", Status: state.Active, KeyFacts: state.Facts{{Label: "order", Value: "07-14244-53150"}}},
//		Question: state.Message{Role: state.RoleUser, Text: "When does it arrive?"},
//	})
//	err = prompt.Explain(os.Stdout) // every line with its reason
//
// A long conversation drowns a model: the number it needs is there, between forty things of other affairs. So the
// active affair has a share of its own that nothing takes from it, other affairs show their headers only, recalled
// evidence names its source, and old messages are the first to go.
//
//	system     the host's prompt, an agent's Core, or Identity   nothing recalled, nothing a user wrote
//	user       # Context ...                             quoted data; left out when empty
//	             ## Brain             brain_max_tokens
//	             ## Preferences       context_share_user, with user context
//	             ## Active context    context_budget_active
//	             ## Session summary   context_budget_summary
//	             ## Active affair: T  context_share_affair
//	             ## Parked affairs    context_share_parked, context_parked_max headers
//	             ## Project context   context_share_project
//	             ## User context      context_share_user, with preferences
//	...        last messages, each in its own role       context_budget_recent, then what is left
//	user       # Context ...                         quoted data; left out when empty
//	             ## Evidence          context_budget_search and _longterm, then what is left
//	             ## Associations      context_budget_associations
//	             ## Extra context     what the request brings
//	user       # Attachments ...                         of the question, quoted line by line
//	user       the question: whole, or head and tail
//	...        the turn's tool calls and results
//
// Sections stand from the most stable to the most volatile, so that a provider's prompt cache hits: what depends on the question
// stands behind the history. They are filled from
// the most to the least needed: question, shortest form of the turn, results of its tools and what the request brings, preferences and
// user context, brain, active affair, evidence about the affair asked about, active context, summary and project, newest messages,
// parked affairs, sure evidence, messages of the affair, other evidence, older messages. What one leaves over the next may use.
//
// # Tokens
//
//   - Nothing sent to the model exceeds context_window: prompt, descriptions of tools, and context_reply_tokens for the reply (a
//     quarter of the window at most).
//   - max_tokens bounds what memory adds: the block and the history. The whole prompt keeps to it too, while the rest (system
//     prompt, question, attachments, extra context, the turn) leaves memory a quarter of it. When the rest needs more, the prompt goes
//     beyond max_tokens, up to the window, and memory keeps its quarter. So a long question stays whole while the window holds it, and
//     attachments and results while it holds them beside memory's quarter.
//   - A section has a share, in per cent of max_tokens, or a budget in tokens, but then not more than a quarter of max_tokens. All are
//     settings; the shares of affair, parked, user and project make 100 at most. A share is what a section gets at most. The budgets of
//     recent messages and of evidence are what these get before what is less needed; what is left when all have had theirs goes to
//     evidence, if it is more than context_evidence_from, then to older messages.
package compose

// Design:
//
//   - Lines are added up, not the prompt counted again and again: lines of the block begin and end so that the vocabulary
//     never joins two of them, and a property test recounts every prompt with the library.
//   - An error only where there is nothing to compose: the host's system prompt and the names of the attachments leave no room
//     for head and tail of the question. A long question never pushes the host's rules out; our own identity text gives way.
//     Admits applies the same rule before the message is kept.
//   - What the user prefers, what is known of himself, and the brain hold whatever the affair is: they stay before the affair's
//     lines do, within a third of the room there is. They stand there once: evidence that says no more is left out.
//   - Evidence, associations and what the request brings stand in a block of their own behind the history, and the history begins
//     with the same message for some turns: in forty turns of one affair 55 % of a prompt's bytes are those of the turn before
//     (44 % with all in one block before a history that moves on each turn; e2e/prefix_test.go).
//   - Each line names where its text is kept (Origin), so that the account of a prompt leads to the message it came from.
//   - While a line of the active affair finds no room in the prompt, nothing less needed is in. A line over the affair's own
//     share is simply dropped.
//   - Short lines are in whole or not at all: half an order number is worse than none. Running text, tool results and
//     attachments are shortened.
//   - What is shortened or not shown has a placeholder with name, kind and size in its place, and LeftOut tells the trace of
//     it. Sizes are bytes: they are known without counting the tokens of what is not shown. An answer whose turn was cut
//     short ends in a mark that says so, or the model would take half a sentence for its own opinion.
//   - Quoted text is one line that cannot open a heading, fence, role or tool call and carries no invisible characters
//     (package quote). A file is a message of its own, every line of it behind "> ": nothing in it speaks as the user, and
//     the question stays last. In a tool's result, which is the host's, only marks of chat templates are taken apart.
//   - Of a parked affair a pending action is shown only when it says nothing the affair's key facts say, in any inflected
//     form: facts of two affairs must not mix. They come as evidence when the question is about them.
//   - A tool call and its result stay or go together, in the history and in the turn; providers refuse anything else.
//   - The account is kept without its texts (Context.Kept): the origin of each line and a sum of what changes, which are affairs
//     and sessions. Messages and records are never rewritten; they are there or gone.
//   - Evidence stops at the first piece that finds no room. A weaker one that happens to be short does not pass a better one. Of
//     the session's and of all else a budget each comes first, so that neither pushes the other out.
//   - Messages of the history are shortened before they are dropped. Long code, JSON, logs, tables and base64 stand there as
//     placeholders with kind, size, beginning and a name (Block), attachments too. The name follows from the message's number and
//     what is stored, so no second copy of the text is kept: the tool read_block and recall by name find it in the message.
