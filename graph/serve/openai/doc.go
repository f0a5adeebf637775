// Package openai lets programs that speak OpenAI's API talk to a graph unchanged: chat completions, responses, and what goes with them.
//
//	face := openai.New(openai.Config{Graph: g, Models: []openai.Model{{Name: "mneme"}}})
//	for pattern, handle := range face.Routes() {
//		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { err := handle(w, r, callerOf(r)) ... })
//	}
//
//	request ─► talk: what was said, by exchanges ─► place: the session that it goes on, or a fork ─► turn ─► answer, or a stream of it
//
// What a client sends is a talk: its history and what is new. The place of the new message is found by the history, in the session that the client
// names or among those that began alike.
package openai

// Design:
//
//   - A client sends its whole history each time. Only what is new becomes a turn; the rest is compared with what the session has kept. An exchange is
//     the user's words and the answer to them: calls of tools between them are not compared, nor is white space, nor the system prompt.
//   - The id of a turn is a hash of the history up to its message. So the same body sent again is the same turn, and a message is known again by what
//     came before it, even where its text was masked or forgotten since.
//   - Where the history differs from what was kept, the turn is made on a fork behind the last exchange that both have. The fork's name is made of the
//     session's and of what differs, so that the next request, which may name the old session, finds it by itself. Exchanges that no session has are
//     taken in as messages that were said elsewhere (memory.Turn.Ingest): nothing is decided about them and nobody is asked.
//   - A client that has no room for its whole history leaves out the beginning: where all that it sends stands in the session one after the other, the
//     talk goes on there. A beginning that the user has deleted in his chat program looks the same, and is not taken out of the session. A client that names
//     no session is known so by two exchanges or more, in the sessions that were used last.
//   - A client without a session of its own begins one with its first message: chat-, a hash of the message, and a number. A first message alone begins a
//     new one, unless it is sent again for want of an answer. It is looked for among all sessions that began alike while the user's other requests
//     go on; then what was found is looked at again, and made, by one request of his at a time.
//   - A client's tool is a tool of the turn that asks a question: so the turn waits durably, and goes on with the result in any process.
//   - The id of an item of a response holds the response's. A client may send that alone (item_reference), for all that it was answered: its talk goes on
//     behind that response, as with previous_response_id, and what it sends before is not compared.
//   - What a chat program has made of a talk by itself (a title, tags, what could be asked next) is known by its English words, in the system prompt or
//     in the last message, where no tools come along. It runs in a session of its own, is shown the talk, and teaches nothing.
//   - What Open WebUI has found for the user it puts before his words, in the text of his message. The turn has his words, as the client's history will
//     have them; the rest is quoted for this turn and not learnt from. It is nobody's system prompt: a user can write the same.
//   - What waits for a person's approval is the answer's text. The next message approves or rejects by that word alone; any other goes on without it.
//     Whether an answer that a client sends back was such a text the store says: ours is never kept with the turn, so what is kept the model said. It
//     decides only what it ends with, as it waits now.
//   - A result is for a call that its turn waits for, or the same that it has had. Any other is refused: it would be lost.
//   - The client's system prompt is the turn's. What is remembered is quoted elsewhere in the prompt, as in any turn, and no text of a message is read as
//     anything but text.
//   - The form that a client wants of the answer (JSON, a schema) goes to the model as the client says it, with each call of the turn and no other. Whether
//     the model takes it its name says: Config.AnswerFormat refuses those that do not, before a turn begins.
//   - Conversations and responses are neither made nor deleted here: a conversation is a session, whatever id a client names for it, which its first message
//     makes and which the service's own API deletes. An answer is not gone on with where the last message is the assistant's.
//   - A field that would change what the answer means and cannot be heeded is refused by its name. Others are passed over.
