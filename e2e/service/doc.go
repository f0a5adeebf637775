// Package service is a chat service of a host's own, as a test: an HTTP server over graph/embedded in a process of its own, whose model is
// a server that speaks OpenAI's protocol and whose tool pays money back when a person has approved.
//
//	naive clients ──POST /message, /answer──► child process ──► stub of the model
//	      ▲  resend until 200                   │  ▲
//	      └──────────── the test: kill -9, SIGTERM without drain, start again
//
// The clients know nothing of the runtime: what got no 200 is sent again, word for word. Every turn has to be done in the end, every effect
// once for its key, no question asked twice, and no prompt may show one user's words to another.
package service

// Design:
//
//   - The service closes its graph at SIGTERM while requests run, which is the mistake that most mains make: what it does wrong the runtime
//     has to make good.
//   - Stops come when so many turns are done, not after a time: nothing sleeps, and a slow machine plays the same story.
//   - It is short by default; MNEME_LONG=1 plays 30 users and 20 stops.
