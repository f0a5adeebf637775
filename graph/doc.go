// Package graph runs the memory pipeline: a durable state graph on CloudWeGo eino that answers one user message a
// turn.
//
//	Invoke(ctx, Request)
//	  intake          the message is checked and kept               commit 1
//	  memory_load     session, affairs, window
//	  context_detect  CONTINUE, SWITCH, AD_HOC or NEW_AFFAIR        (rides; a commit of its own if a model was paid)
//	  respond         think: compose, ask the model                 commit 2: its answer
//	                  act: run the tools it called, <= 8 rounds     commit 3: their results; then 4: the next answer
//	  memory_flush    key facts, summaries, session
//	  finalize                                                      commit 5: the turn is closed
//	-> Reply{Text, Decision, Tools, Usage, Trace}
//
// With everything embedded:
//
//	g, err := embedded.Open(ctx, dir)
//	reply, err := g.Invoke(ctx, graph.Request{Text: "hello"})
//
// With parts of your own: graph.New(ctx, graph.Config{Store: ..., Model: ...}).
//
// # Design
//
//   - wire.go is the whole pipeline on one screen; nodes know nothing of it.
//   - The typed graph itself is package flow, usable for any other graph: nodes get the state by value and return
//     it as a patch, every node is a durable step.
//   - Request and Reply are plain structs made to grow. What a turn has of its own (model, tools, system prompt)
//     replaces or adds to the Config's for that turn only.
//   - A failing model is an answer the caller must see, so Invoke returns an error with the code unavailable; yet
//     the turn is closed in order and the next message finds everything learnt so far.
//   - A second message of a session meets the first at the door (lines.go): it is refused, waits, or ends the one that runs.
//     Ending is polite: respond stops without an answer, memory_flush and finalize still close the turn, so the session
//     is in order; rollback then takes back what the turn wrote, in one commit of its own.
//   - Across processes there is no queue to stand in; who enqueues there tries again until the other's turn is done.
//   - A call that a person has to approve (Config.Approve, or any write to memory with autonomy 1) leaves the turn waiting:
//     Reply.Waits has the questions, Answer goes on. Until then the session takes no other message.
//   - Sweep is for the start of a process: what dead ones left owing is carried out, and with finish their turns are
//     finished. A host that wants it from time to time calls Watch.
//   - Heavy things are leaves: embedded (bbolt), provider (network models). This package links none of them.
package graph
