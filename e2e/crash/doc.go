// Package crash ends the process that runs a turn, for real and at a place that can be named, so that tests can
// see what a new process makes of what is left.
//
// A place is where something of a turn begins or ends: a node, a call of a model, a call of a tool, a call of the
// store. A Walk follows a turn, names each place as the turn comes by and asks whether the process dies there; it
// then kills itself with SIGKILL, which nothing can catch, clean up after or soften.
//
//	parent                               child: the same binary, started again
//	  │  job, as JSON on stdin             │
//	  ├──────────────Run──────────────────►│  Walk.Context ── eino callbacks ──► before respond, after respond
//	  │                                    │  Walk.Chat, Small ────────────────► after respond/model#2
//	  │                                    │  callbacks of tools ──────────────► before respond/tool:memory_store#1
//	  │                                    │  Walk.Store ──────────────────────► before store/write#7
//	  │◄────── killed, or an answer ───────┘
//	  │
//	  └─ another child goes on; the parent compares with a run that nobody disturbed
//
// The tests here kill a turn at every place it has, and then at two places one after the other: 25 pairs, 500 with
// MNEME_LONG=1, 3000 with MNEME_LONG=2, from the seed MNEME_SEED on. On MongoDB it is every fourth place and 10 pairs,
// every place and 100 pairs with MNEME_LONG=1. The process behind it resumes the turn, sweeps first, or gets the message again as from a queue: one of
// the three behind each kill, with MNEME_LONG=1 all on SQLite, with MNEME_LONG=2 on both.
// Package scenario uses the same walk for `crash:` in
// a scenario file.
//
// They also kill the end of a session, which makes a part, facts, an update, a deletion, a lesson, an L1 and an L2: by a command, by a message
// after a pause, by a message in another session, when the process is closed, and when a part that the small model did not read is
// tried again. Each is killed at every write and behind every answer of a model with MNEME_LONG=1 (on MongoDB at half of them), else at some of them. What is
// remembered then is as if nothing had been, and no answer is paid for more than once more.
//
// Processes that have sessions read in batches are killed as well, at any of their places, 60 of them with MNEME_LONG=1, 200 with MNEME_LONG=2, a dozen without, while the
// service errs for some: each answer is taken exactly once, nothing is lost, and no part is asked about twice unless the service has erred.
//
// And so are processes that carry out what was approved of: each suggestion is carried out once, also where two processes answer it at once.
package crash

// Design:
//
//   - A killed process, not a failing store: what a process holds in RAM, its goroutines and its locks are gone too,
//     and the store is opened as it was left on the disk.
//   - Production code knows nothing of this. Nodes and tools are seen through eino's callbacks, which the runtime
//     raises for any tracing handler; models and the store are wrapped where they are handed in.
//   - Places have names, not only numbers: a failure says "after respond/tool:ring#1" and is found again when other
//     places have come or gone before it.
//   - The job travels on stdin and the answer on stdout, both JSON, so that a child needs neither flags nor an
//     environment of its own and any binary that calls what the job asks for can be one.
//   - Where a write of several documents is no transaction, a process that dies amid it leaves some of them. Which
//     ones is up to the server; the walk has each of them alone, and all without it.
//   - A model's answer is received as a whole before its "after": what was paid for and not committed is lost there.
