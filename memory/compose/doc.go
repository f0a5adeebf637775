// Package compose decides what the model sees. Out of everything memory offers for a turn it makes one prompt that never
// exceeds its budget, and an account that says of each line why it is in, and of each line that is not, why not.
//
// A long conversation drowns a model: the number it needs is there, between forty things of other affairs. So the
// active affair has a share of its own that nothing takes from it, other affairs show their headers only, recalled
// evidence names its source, and old messages are the first to go.
//
//	system     the host's prompt, or Identity            nothing recalled, nothing a user wrote
//	user       # Context ...                             quoted data; left out when empty
//	             ## Brain             25 %, brain_max_tokens
//	             ## Preferences       10 %
//	             ## Active context     5 %
//	             ## Session summary   25 %, context_budget_summary
//	             ## Active affair: T  40 %
//	             ## Parked affairs    10 %, five headers
//	             ## User context      15 %
//	             ## Evidence          what is left, if more than 500 tokens
//	...        last messages, each in its own role       context_budget_recent first, then what is left
//	user       # Attachments ...                         of the question, quoted line by line; 50 %
//	user       the question: whole, or head and tail     50 %, where it does not fit whole
//	...        the turn's tool calls and results         50 %, then what is left
//
// Sections stand from the most stable to the most volatile, so that a provider's prompt cache hits; they are filled from
// the most to the least needed: question, shortest form of the turn, preferences and user context, active affair, evidence about
// the affair asked about, attachments, brain, active context and summary, newest messages, results of tools, parked affairs, messages
// of the affair, evidence, older messages. What one leaves over the next may use.
//
// # Design
//
//   - Lines are added up, not the prompt counted again and again: lines of the block begin and end so that the vocabulary
//     never joins two of them, and a property test recounts every prompt with the library.
//   - An error only where there is nothing to compose: the host's system prompt and the names of the attachments leave no room
//     for head and tail of the question. A long question never pushes the host's rules out; our own identity text gives way.
//     Admits applies the same rule before the message is kept.
//   - What the user prefers, and what is known of himself, holds whatever the affair is: it stays before the affair's last lines
//     do, within a third each of the room there is. It stands there once: evidence that says no more than it is left out.
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
//   - Evidence stops at the first piece that finds no room. A weaker one that happens to be short does not pass a better one.
//   - Messages of the history are shortened before they are dropped: long code becomes "[code block, N lines]".
package compose
