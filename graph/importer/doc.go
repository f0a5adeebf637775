// Package importer takes in what other systems kept: plain chats, the checkpoints of LangGraph's SqliteSaver, and exports of mem0; and what
// mneme export wrote. Detect tells them apart.
//
//	turns, err := importer.ReadTurns(file, zone)     // or importer.ReadLangGraph(ctx, path), importer.ReadExport(file, zone)
//	report, err := importer.Chats(ctx, config, scope, turns, importer.Options{})
//	memories, err := importer.ReadMem0(file, zone)
//	report, err = importer.Memories(ctx, config, scope, memories)
package importer

// Design:
//
//   - An exchange of user and assistant goes through a turn of the pipeline, whose model has answered already, at the time at which it was said: so an
//     imported chat has affairs, summaries and a brain as if it had been held here. A small model in the Config is asked as in any turn. With
//     Options.NoAffairs, and where nobody says who is the user, messages are only kept, to be recalled.
//   - An import is safe to be repeated, and goes on where it was cut: a message has an id made of where it stands, and an id counts once.
//   - What stands in a file has the time that the file tells. What the user has said here since holds against it (late knowledge, package memory).
//   - A session that comes back to where it was exported is left as it is: its messages are known by their own ids.
//   - What has no affairs is made durable in batches, and so are memories; an exchange is a turn and has the commits of one.
//   - Memories of mem0 are about the user and were extracted by a model: they have that trust, and are judged against what is known as any write is.
//   - A message that the pipeline refuses, say since it is too long, is counted and told, and the rest goes on.
