// Package background asks a small model what the rules cannot tell well: what a message does to the conversation, what
// must be kept of an affair that is set aside, the summary of what leaves sight, what a new record is to an old one,
// what is to be known of the user when a part of a session is over, one summary of several.
//
// Every question has an answer without a model too, so a small model is never needed, only better. That makes the
// errors the heart of this package: each says which path to take.
//
//	question ──► prompts ──► model ──► prompts.JSON ──► checked against what exists ──► answer
//	    │                      │             │                        │
//	    nil Tasks, or the      silent,       no JSON in it            an affair that is not there,
//	    model has no answer    slow, broken                           an unknown kind
//	    ErrNotFound            Unavailable   Invalid                  Invalid
//	    rules, silently        rules, noted  rules, noted             rules, noted
package background

// Design:
//
//   - One call per question, no retries: the rule-based answer is at hand and the user is waiting.
//   - What tells affairs apart is shown of each: names and things, the last exchange, when that was; of facts what the rest does
//     not say; of a long summary whole sentences, first those that speak of what the message speaks of. Asides are marked as such,
//     and only the last ones are shown.
//   - An answer names affairs by id; titles count as well, written differently or in part, as long as they mean one affair
//     only. What could mean two is an error, because switching to the wrong affair costs more than not switching.
//   - Bounds are in runes and small: a small model reads slowly, and what decides is near the end of the conversation. The
//     middle of a long text is left out, because people say what they want first or last.
//   - A call is raised to eino's callbacks under the name "small/TASK", so that tracing shows it, whether or not the
//     model raises callbacks itself.
//   - A turn that is to end (state.Stop) gives up what is asked and asks nothing more: the rules decide, and the trace tells.
//   - The answer to the user waits for one question, task detect, which has a time limit of its own.
//   - A fact that a model extracts is kept only if the user told it: most of its telling words, or its value, stand in one of his
//     messages, quotations aside. The assistant repeats what it recalled, and without the check every session would
//     confirm the last one. A fact told in another language than it is written down in is lost by that; the prompt asks for the user's.
//   - Of the labels and headings models write each language has its list in data/.
//   - No goroutine: the time limit is the context's, and a model that ignores its context delays the turn.
