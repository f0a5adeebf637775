// Package tools has what the model may call inside respond.
//
//	set := tools.New(m) // for any eino agent
//	ctx = state.ContextWithScope(ctx, state.Scope{Client: "shop", User: "anna", Session: "s1"})
//	answer, err := set[0].InvokableRun(ctx, `{"content": "The boiler is serviced on 2 October.", "category": "deadline"}`)
//
//	memory_store    remember one thing          (alias MemorySave)
//	memory_recall   look something up           (alias memory_search)
//	list_affairs    overview of affairs
//	recall_affair   everything about one affair
//	resolve_affair  settle an affair
//	read_block      what the conversation shows as a placeholder, by its name
//	memory_update   what the user asks for: remember, do_not_remember, forget, correct, pin, unpin, show, clear_topic
//	schedule_task   remember what is to be done by when       (alias create_scheduled_task)
//	switch_affair   put the running turn under another affair, or a new one
//
// Each is an ordinary eino tool, so any eino agent can be given them: put the scope into the context with
// state.ContextWithScope and call them as usual. What a model gets wrong ends no run: under a tools node the result says it, after "error: ".
//
// # Tools of a host
//
// What holds for every tool that a turn calls:
//
//   - Calls of one answer run side by side (setting parallel_tools): a tool is safe for concurrent use. Only the memory
//     tools run one after the other, in the order of the calls.
//   - A call has a time (tool_timeout); a tool that needs another one has a method Timeout() time.Duration. Its context ends
//     when the time is over or the turn is stopped; what it answers later is dropped. A result longer than tool_result_bytes
//     is refused. Errors, panics and limits are texts for the model that begin with "error: ".
//   - A finished call never runs again, but one may be cut short after its effect and before its result is kept: then it
//     is made again. A tool with an effect outside hands state.IdempotencyKey(ctx) on to what it calls, or keeps it beside the
//     effect, as the example does: the key is the same each time the call is made, and no other call has it.
//   - Join makes one of these of a tool that only streams: its pieces, joined, are the result.
//   - What a tool writes to memory becomes durable together with its result. A call that ends with an error writes nothing.
//   - After tool_attempts attempts that were cut short the call is not made again, and the model is told.
package tools

// Design:
//
//   - Arguments are read leniently (unknown fields are passed over) and checked strictly; an error is one
//     short sentence with the way out, because the model reads it and tries again.
//   - What a tool quotes of memory begins as the context block does, with a line that says that it is data and no
//     instructions, and is quoted as it is there: a record or a title cannot open a heading, a role or a tool call. What a
//     host's own tool says is quoted by the composer, behind a line that says so: for the model only, the host gets it as it was.
//   - A tool writes only through memory.Write and memory's affair calls. Inside a turn these add to the
//     call's effects, so a tool's result and what it did become durable together.
//   - read_block finds a block in the message that its name says, of the scope's own session: a name is no key and leads nowhere else.
//   - A call that writes may bring the reply along, in its argument reply: once all calls of the answer were carried out that is the answer of
//     the turn, and the model is not asked again just to say that it is done. It is an argument, since many models say nothing beside a call, and what
//     others say there is "let me note that". Only a turn of the graph knows it; hosts that call the tools themselves are offered none.
//   - resolve_affair marks the affair at once; what follows for the session is done by memory_flush, after
//     the reply.
