// Package graph runs the memory pipeline: a durable state graph on CloudWeGo eino that answers one user message a
// turn.
//
//	g, err := graph.New(ctx, graph.Config{Store: s, Model: model}) // or embedded.Open(ctx, dir), with everything in a folder
//	if err != nil {
//		return err
//	}
//	defer g.Close()
//	reply, err := g.Invoke(ctx, graph.Request{Scope: state.Scope{User: "anna", Session: "s1"}, Text: "When does the car part arrive?"})
//	fmt.Println(reply.Text, reply.Decision.Kind)
//
// What a turn does:
//
//	Invoke(ctx, Request)
//	  intake          the message is checked and kept               commit
//	  memory_load     session, affairs, window
//	  context_detect  CONTINUE, SWITCH, AD_HOC or NEW_AFFAIR        (rides; a commit if a small model was asked)
//	  respond         think: compose, ask the model                 commit: its answer
//	                  act: run the tools it called, <= 8 rounds     commit: their results, as they come
//	  memory_flush    key facts, summaries, session; the answer has been streamed by now, and Invoke returns after it
//	  finalize                                                      commit: the turn is closed
//	-> Reply{Text, Decision, Tools, Usage, Trace}
//
// That is three commits without a tool, five with one call. What rides is not written by itself: it goes into the next commit, and is computed again if
// the process dies first.
//
// A turn may be cut short at any moment; the session goes on:
//
//	ctx, cancel := context.WithTimeout(r.Context(), 10*time.Second)
//	defer cancel()
//	reply, err := g.Invoke(ctx, graph.Request{Scope: scope, Text: text, MessageID: delivery})
//	if errors.Is(err, context.DeadlineExceeded) {
//		// reply.Text is what was said so far (reply.Cut). The same request again goes on with the turn, another one closes it.
//	}
//
// A turn that its caller gives up is left if the caller can send the same again: it has a message id, or it began with an Answer. Otherwise the setting
// on_cancel decides: close ends it in order, resume lets the next message finish it. A turn whose process died is unfinished. On the same machine that is
// seen at once; on another one its turn is safe for 30 seconds, until when the answer is ErrBusy. A second message during a turn does what the setting
// double_texting says: reject, enqueue, interrupt, rollback. What can be done with a turn:
//
//	runs here           the end of its context, Close left, closed or unfinished: see above
//	                    Cancel, interrupt             closed in order
//	                    rollback                      closed in order, and what it wrote is taken back
//	left                the same message or answer    gone on with
//	                    another message               closed as cut, no model and no tool is asked
//	unfinished,         the next message, Resume      finished; a message with a deadline gives it half of its time
//	nobody runs it      Cancel, interrupt, rollback   closed in order, no model and no tool is asked
//	waits for a person  Answer                        goes on
//	                    Cancel, interrupt, rollback   closed in order, as if nobody had approved
//	runs elsewhere      enqueue                       waited for; else state.ErrConflict, and state.RetryAfter says when
//	has ended           the same message or answer    its reply again (Cut, if it was cut), nothing runs; a failed one: state.ErrConflict
//
// In a service, behind a load balancer or an at-least-once queue: give every message an id of its own (the queue's, or the client's), and
// let who got no reply send the same again, to any replica. 503, and 409 with state.RetryAfter, mean "send it again"; what had ended is not paid again.
// Acknowledge a delivery behind the reply. A reply that waits is a reply too: it is acknowledged, and the answer is a delivery of its own.
// A rolling deploy stops a process in this order: take it out of the balancer, end what listens, then the turns, then the store:
//
//	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second) // less than the orchestrator waits
//	defer cancel()
//	err := server.Shutdown(ctx)            // no new requests; those at work get their replies, as long as there is time
//	err = errors.Join(err, g.Close())      // turns still at work are left; a resend goes on with them on another replica
//	err = errors.Join(err, store.Close())  // embedded: Close has done it
//
// Close first, or kill -9, loses no more than the replies. Versions old and new may run side by side: a turn that one has begun the other goes
// on with, and what a person was asked stays asked. Sessions need not stick to a replica; a message that meets its own turn on another one waits.
//
// Why did it answer so? Next week, in another process:
//
//	account, err := g.Explain(ctx, scope, reply.Turn) // or "17", a message's number, or "", the last turn
//	err = account.Explain(os.Stdout)
package graph

// Design:
//
//   - wire.go is the whole pipeline on one screen; nodes know nothing of it.
//   - The typed graph itself is package flow, usable for any other graph: nodes get the state by value and return
//     it as a patch, every node is a durable step.
//   - Request and Reply are plain structs made to grow. What a turn has of its own (model, tools, system prompt)
//     replaces or adds to the Config's for that turn only.
//   - What a request brings (preferences, StoreKnowledge, ExtraContext) is checked and masked by intake and kept with the user's message,
//     as its system prompt is, for an attempt in another process. A delivery that comes again is told by text, parts and attachments.
//   - A failing model is an answer the caller must see, so Invoke returns an error with the code unavailable; yet
//     the turn is closed in order and the next message finds everything learnt so far.
//   - A turn runs under a context of its own (context.WithoutCancel). The end of its caller's, Cancel, a newer message and
//     Close all use one state.Stop: the model and the tools are given up, everything else goes on, for ten seconds at most.
//     So a cut turn is closed as any other is: the text so far is the assistant's message, marked as cut, each call has a
//     result, the error is the turn's. A turn that its caller can ask for again is not closed by who only loses it (the end of a context,
//     Close): its context ends, and the log's last step says so (checkpoint.SourceLeft). It tells a turn that somebody will
//     send again, and that another message closes, from one that a crash left, which the next message finishes.
//   - A second message of a session meets the first at the door (lines.go): it is refused, waits, or ends the one that runs.
//     Rollback then takes back what the turn wrote, in one commit of its own, and only when the turn is closed.
//   - Request.MessageID is the turn's id, which counts once in a session; flow looks for it. The keys of tool calls
//     (state.IdempotencyKey) begin with it, so what a message did outside is not doubled by delivering the message again.
//   - A tool with an effect outside hands its key on: between the effect and the commit of its result the process may die.
//   - Enqueue keeps the order only within a process. Across processes it tries again until the other turn has ended.
//   - A call that a person has to approve (Config.Approve, or any write to memory with autonomy 1) leaves the turn waiting:
//     Reply.Waits has the questions, Answer goes on. Until then the session takes no other message, but for a question about memory: with the next
//     message its call becomes a suggestion, and the turn ends.
//   - Sweep is for the start of a process: what dead ones left owing is carried out, and with finish their turns are
//     finished. A host that wants it from time to time calls it again.
//   - Nothing fails open: names in Approve, names of tools and settings are checked by New, a Request's tools by Invoke,
//     before anything is written.
//   - Config.Logger gets one line a turn, here and not in a node, since only here its end is known: "turn" with client, user,
//     session, turn, decision, affair, commits, reads, took_ms; WARN or, for code internal, ERROR with code and error when
//     it failed or was refused. Texts of users are not in it. Stacks of panics go there too.
//   - Callback handlers come in the context (callbacks.InitCallbacks). They hear "mneme", its six nodes, "respond/model",
//     each tool by its name, "recall" (a retriever), and the small model as "small/detect" and so on. Graph and nodes have an Exchange as input and output.
//   - Close ends what runs and waits for it; models and tools that do not heed their context are named in its error.
//   - The account of a turn is in its log (account.Page): ids, numbers, reasons and sums. Explain joins it with the documents
//     that its lines are from, as they are today. So what was forgotten or taken back is gone here too, and what says something else
//     is marked. Commits and attempts are counted off the log. A fork has a copy of the last turn only; those before it are found
//     with the session that they ran in.
//   - A host's graph or agent gets the turn whole (Export, Agent): what of it has to survive is in the log here, so the host's checkpoint holds a
//     string that names the turn. Middleware leaves the model to the host's agent and runs a turn behind it, whose model has answered already: one
//     mechanism decides, keeps and learns, whoever answered. Its look at memory before the answer keeps nothing; with a small model it is paid twice.
//   - Heavy things are leaves: embedded (SQLite), provider (network models). This package links none of them.
