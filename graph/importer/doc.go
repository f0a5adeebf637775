// Package importer takes in what other systems kept: plain chats, the checkpoints of LangGraph's SqliteSaver, and exports of mem0.
//
//	turns, err := importer.ReadTurns(file)           // or importer.ReadLangGraph(ctx, path)
//	report, err := importer.Chats(ctx, config, scope, turns, importer.Options{})
//	memories, err := importer.ReadMem0(file)
//	report, err = importer.Memories(ctx, config, scope, memories)
package importer

// Design:
//
//   - An exchange of user and assistant goes through a turn of the pipeline, whose model has answered already, at the time at which it was said: so an
//     imported chat has affairs, summaries and a brain as if it had been held here. A small model in the Config is asked as in any turn. With
//     Options.NoAffairs, and where nobody says who is the user, messages are only kept, to be recalled.
//   - An import is safe to be repeated, and goes on where it was cut: a message has an id made of where it stands, and an id counts once.
//   - What stands in a file has the time that the file tells. What the user has said here since holds against it (late knowledge, package memory).
//   - Memories of mem0 were extracted by a model: they have that trust, and are judged against what is known as any write is.
//   - A message that the pipeline refuses, say since it is too long, is counted and told, and the rest goes on.
