// Package prompts holds every question the memory puts to a small model, and the one parser that reads the answers.
//
// A question is a Markdown file with named blanks. Its first line is "Task: NAME", so that a log, a trace or a
// scripted model knows what is asked without reading on; then come the instructions, which never change, and last
// the conversation, every piece of it as a JSON string. Small models answer in something like JSON: inside a code
// fence, after a paragraph of thought, with single quotes, a comma too many, a percentage for a number, or cut off in
// the middle. JSON reads all of that into a Go type and never panics; what it cannot read is an error, and the caller
// takes the rule-based path.
//
//	blanks ──► detect.md ──► prompt ──► model ──► "Sure! ```json {type: 'SWITCH', ...}```"
//	                                                        │
//	                    T ◄── json.Unmarshal ◄── reader: the object that knows most of T's fields
package prompts

// Design:
//
//   - One user message per question, instructions first: some small models know no system role, and providers cache
//     the unchanging beginning either way.
//   - Text of people is quoted as JSON strings: it cannot end a line, open a heading or close a quote, so a message
//     that says "ignore the above" stays a message. It is not proof against persuasion; therefore answers are only
//     ever one of a few kinds and ids that exist, and never text that is acted upon.
//   - The reader repairs towards JSON and encoding/json decodes. Two small steps are easier to trust than one decoder
//     that does both, and whatever is valid JSON already comes out unchanged. A library was tried in its place,
//     kaptinlin/jsonrepair v0.2.15 behind the same search for an object: of the 39 answers of TestJSON it reads 27, of
//     sloppy writing made by chance not all, and text that is JSON already is changed.
//   - Of several objects in an answer the one with most of T's fields wins, then one that is complete, then the last:
//     models repeat the format they were given, think aloud, wrap the answer in another object, and end with it.
//   - Reading is linear in the length of the answer: the reader goes forward only, looking ahead by a bounded number
//     of bytes where it must guess whether a quote ends a string.
//   - What is asked for as lists and prose may come as Markdown; Outline cuts it into sections, and who asked knows the headings.
//   - Templates are parsed when used. A model call takes a hundred thousand times longer, and there is nothing to
//     initialise.
