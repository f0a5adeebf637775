// Package nodes has the six steps of a turn, one file each. Each works alone in a host's graph.
//
//	host := compose.NewChain[state.Turn, state.Turn]()
//	host.AppendLambda(compose.InvokableLambda(nodes.Intake(m)))
//	host.AppendLambda(compose.InvokableLambda(nodes.MemoryLoad(m)))
//	host.AppendLambda(compose.InvokableLambda(nodes.ContextDetect(m, commit)))
//	host.AppendLambda(compose.InvokableLambda(nodes.Answer(c, answer))) // or nodes.Respond, and so on
//	run, err := host.Compile(ctx)
//
// In the order of a turn:
//
//	intake ─► memory_load ─► context_detect ─► respond (think ⇄ act) ─► memory_flush ─► finalize
//
// A node is a function: it gets the turn by value, calls memory, sets a field or two and returns
// the turn as its patch. It knows neither the graph it runs in nor the other nodes.
package nodes

// Design:
//
//   - Nodes are pure or paid. Pure ones (load, compose, deciding by rule) may run again after a crash. What was
//     paid for (a model's answer, a tool's result) is committed when it is there, through the CommitFunc that the graph
//     hands in.
//   - respond has no journal of its own: the turn's messages are it. The last message tells what comes next, in
//     the first attempt as in a resumed one.
//   - What the user asks of the memory itself ("remember that ...", "forget it") is carried out before the model is asked: respond makes
//     the call of memory_update, with an id that no model's call has, and the model thinks with its result. So it is done with any model. It
//     takes none of the tools' rounds. Where a person approves what is stored, remembering is left to the model's own call, to ask once.
//   - After a memory_update the context is gathered again: what was forgotten is shown no more, what was corrected as it is now.
//   - Calls of one answer run side by side, parallel_tools at once; the memory tools among them one after the other, since
//     they see each other's writes. The place of a call gives its result's number, so the results stand in the order of
//     the calls however they end, and a resumed turn fills the gaps.
//   - A result is committed when it is there. It waits a millisecond for others to share the commit with, if tools of the host
//     are at work; a turn with one call never does. Memory tools have no effect outside, so their results may wait for the last.
//   - What a call decided about memory goes with its result, and with no other's. Of a call that fails, is given up or
//     asks a person nothing is kept: it may come again.
//   - Tools have limits: tool_timeout (or their own, interface{ Timeout() time.Duration }), tool_result_bytes. What hangs,
//     panics or says too much is a text for the model, a note in the trace and a warning in the log, where the stack is.
//   - A call that was begun tool_attempts times, over restarts, without a result is not begun again: the model is told. Attempts
//     after the first are noted in the turn's Journal, in one commit more; that of the first is implied. Waiting for a person
//     is no failed attempt.
//   - Tools and the model run on goroutines of Calls. What does not heed the end of its context is left behind: its result is
//     dropped, nobody hears its events, and Calls.Close waits for it, within bounds.
//   - Each node's patch has a page for the turn's account (KeepAccount): what the trace has heard since the page before and which
//     documents the node's edits change. A prompt is on it before the model is asked, so its line comes with the answer's commit.
//   - A failing model sets Failure instead of failing the node: memory_flush and finalize still run, so the user's
//     message and what was learnt from it stay.
//   - A turn that is stopped (state.Stop) is closed in order too. Only the model and the tools are given up: the text that had
//     come is kept as an answer that was cut, each call without a result gets one that says so, Failure has the reason. When
//     instead the context ends, the turn is left unfinished, with the results that were there.
//   - What a model streams is bounded: limit.AnswerBytes, limit.AnswerMedia, limit.ToolCalls.
//   - Nothing fails open: tools need names of their own, and CheckTools knows names to approve that no tool has.
//   - Tool errors are texts for the model; only a cancelled turn ends respond with an error, and calls that have to ask a
//     person: they ask together when the others are over, and the next attempt goes on with them.
//   - A tool finds the idempotency key of its call in the context (state.IdempotencyKey): thread, turn and the call's place in
//     it. It is the same when the call has to be made again, since the process died before its result was kept, and does
//     not depend on which call ended first.
//   - After each OnStart of a tool or the model eino's callback handlers hear OnEnd or OnError, also of a panic, of a call
//     that was given up and of an unknown tool. Components that raise their own callbacks see to that themselves.
