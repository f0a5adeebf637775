// Package nodes has the six steps of a turn, one file each:
//
//	intake ─► memory_load ─► context_detect ─► respond (think ⇄ act) ─► memory_flush ─► finalize
//
// A node is a function: it gets the turn by value, makes one call to memory, sets a field or two and returns
// the turn as its patch. It knows neither the graph it runs in nor the other nodes, so each can be used alone
// in a host's graph.
//
// # Design
//
//   - Nodes are pure or paid. Pure ones (load, compose, deciding by rule) may run again after a crash. What was
//     paid for (a model's answer, a group of tool results) is committed before the next step, through the
//     CommitFunc that the graph hands in.
//   - respond has no journal of its own: the turn's messages are it. The last message tells what comes next, in
//     the first attempt as in a resumed one.
//   - A failing model sets Failure instead of failing the node: memory_flush and finalize still run, so the user's
//     message and what was learnt from it stay.
//   - Tool errors are texts for the model; only a cancelled turn ends respond with an error, and one that has to ask a
//     person: the results before that call are committed, and the next attempt goes on with it.
//   - A tool finds the idempotency key of its call in the context (state.IdempotencyKey): the same when the call has to be
//     made again, since the process died before its result was kept.
package nodes
