// Package cassette records what any eino chat model is asked and answers, and plays it back without the model: tests and
// demonstrations then need no key and no network, and are the same in every run.
//
//	rec, err := cassette.Open(cassette.Config{File: "testdata/turns.jsonl", Model: real}) // asks real, and writes
//	m, err := cassette.Open(cassette.Config{File: "testdata/turns.jsonl"})                // asks nobody
//
// A tape is a text file of JSON lines. The first is {"format":"mneme-cassette","version":1}; each other one is a call:
//
//	{"request":{"messages":[...],"tools":["list_affairs 5f3a..."]},"answer":[...],"error":{...}}
//
// The answer is the chunks of a stream, or one message; an error comes behind what had come before it.
package cassette

// Design:
//
//   - It stands at the level of eino, not of HTTP: a tape holds no headers and no provider's format, and any model can be recorded.
//   - A request is its messages and the tools that are offered, both redacted. Options (a temperature, a limit) are no part of
//     it, nor is whether a stream is asked for: a recorded stream answers Generate too.
//   - A request that was recorded several times is answered in the order of the recordings, the last again and again, so that what a crash repeats is
//     answered too.
//   - A request that is not on the tape is Invalid and names the nearest one and what differs first: message n, or the tools. It
//     quotes no text. It is not NotFound, which the small model's callers take for "nobody was asked".
//   - Keys and bearer tokens never reach the file. Config.Redact takes out more: Contacts does for addresses and telephone numbers.
//     What is asked is redacted before it is looked up, so that a redacted tape still answers.
//   - Each call is one line, written at once when it has ended, so several models and processes may record on one tape, and what a kill
//     leaves is at most half a line at its end, which is passed over. A call that its caller gives up is not written, nor
//     is a stream that is closed before its end.
//   - Ids (UUIDs and those of records), which are others in each store, are numbered as they appear in a request, and an answer has those
//     of the store that asks. An id that an answer has and its request has not stays as it was recorded.
//   - Days (2026-02-15, also with a time of day) and "3 days ago", as a turn's prompt writes them, are no part of what a request is found by. Of several
//     recordings that differ in them alone the one is played whose days are most like the request's, as they are or counted from the first
//     that each names, which in a turn is today's. So a tape is played on any later day, also in one sitting what was recorded in several.
//   - An answer has the days of who asks in place of those of its request. Another day in it, of at most a year from the recording's, is taken
//     for one that was counted from it ("due tomorrow") and is moved along; a farther one stays.
//   - What else changes from run to run makes another request: days in words ("Sunday", "15 February"), which a user's own words and titles made
//     of them may have, and what the memory does by the time between two turns (a session ends after 30 idle minutes, a task
//     falls due). Fix the clock (graph.Config.Now), or take it out with Redact.
