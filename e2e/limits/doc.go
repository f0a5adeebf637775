// Package limits holds the pipeline, with the embedded store and the offline model, to what a host can count on: a turn takes time
// in proportion to its text, whatever it is made of; a user's sessions share what is known of the user; and neither the time nor
// the memory of a turn grows with the number of sessions or of tool calls.
package limits

// Design:
//
//   - Ceilings are generous, for a busy machine with two cores. What would be quadratic misses them by far, and is also
//     told by comparing a text with one of a quarter of it.
//   - A long conversation is generated from sentences of everyday talk, not from those that the rules were tuned on.
