// Package mcp offers a memory to programs that speak the Model Context Protocol: the tools that models call in a turn, and what people read and begin with.
//
//	s, err := mcp.New(mcp.Config{Memory: m})
//	...
//	ann := mcp.Caller{Scope: state.Scope{Client: "shop", User: "ann"}}
//	err = s.Serve(ctx, ann, &sdk.StdioTransport{}) // a process of the client's own
//	err = s.ServeRequest(w, r, ann)                // or one request of the streamable transport
//
//	memory_store    remember one thing                 memory_recall   look something up
//	list_affairs    overview of affairs and tasks      recall_affair   everything about one affair
//	memory_update   what the user orders               forget          erase for good, with a receipt
//	explain_turn    how the assistant came to an answer
//
//	affair:{id}, memory:brain, memory:today            what can be read
//	continue_affair, what_waits                        what a person can begin with, in his language
//
// Whose memory it is the host says, by whatever a client has shown it (Caller): no argument of a call does. Any number of processes may serve one store.
//
// An error is a result with isError, its text begins with its code, and its structured content has that as "code".
package mcp

// Design:
//
//   - The tools are those of package tools, their descriptions, arguments and results included. Here clients are told more of them (titles, hints), and
//     an argument that a tool does not have is refused: a client that passes a user or a session learns that it says nothing.
//   - Texts are what a model reads, with all that is from memory quoted as data; the structured content has the same things one by one, their texts quoted
//     too, since some clients show that to the model instead.
//   - A model writes (state.ByAgent, path mcp): autonomy, and what agents may do to each other, hold as in a turn. The user's own messages are not seen here, so
//     nothing is approved or rejected for him, and at autonomy 1 nothing is erased.
//   - Over HTTP there are no sessions of the protocol: each request is let in by itself, so a session's id opens nothing, and replicas need not know each other.
//     So GET and DELETE are 405, and nothing is told between calls: no progress, no changed lists, no subscriptions. Origin and Host are not looked at:
//     who asks has shown the host a key, which no other site's page knows.
//   - resolve_affair, switch_affair, schedule_task and read_block are of a conversation that the memory keeps, which a client's own is not.
