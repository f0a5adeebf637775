// Package tools has what the model may call inside respond.
//
//	memory_store    remember one thing          (alias MemorySave)
//	memory_recall   look something up           (alias memory_search)
//	list_affairs    overview of affairs
//	recall_affair   everything about one affair
//	resolve_affair  settle an affair
//
// Each is an ordinary eino tool, so any eino agent can be given them: put the scope into the context with
// state.ContextWithScope and call them as usual.
//
// # Design
//
//   - Arguments are read leniently (unknown fields are passed over) and checked strictly; an error is one
//     short sentence with the way out, because the model reads it and tries again.
//   - A tool writes only through memory.Write and memory's affair calls. Inside a turn these add to the
//     step's effects, so a tool's result and what it did become durable together.
//   - resolve_affair marks the affair at once; what follows for the session is done by memory_flush, after
//     the reply.
package tools
