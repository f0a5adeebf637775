// Package sessions is a user's conversations: how they begin and end, how they are summed up, and what is learnt from them.
//
//	list, err := m.Sessions().List(ctx, scope)
//	ended, err := m.Sessions().Edit(ctx, scope, sessions.Change{End: true})
//	err = m.Sessions().Fork(ctx, scope, upTo, "other")
//
// A session goes on in parts: one ends when nobody came back for a while, or when somebody ends it.
//
//	what left the window ─► the part's summary ──┐
//	a part that is over ─► digest, what it says ─┴─► L1 of some parts ─► L2 of some L1
//	                        of the user ─► Keep
//	                          ▲ the small model, or rules, or later a batch (Waiting)
package sessions

// Design:
//
//   - A part is read once: what was learnt of it counts in the commit that says that it was read (state.Effect.Part), whoever comes first.
//
//   - There is no queue and no timer. What waits is told by the documents, so what one process has not done the next one does.
//
//   - A summary covers only what belongs to no affair. What was cleared stands in none that is made later.
//
//   - A summary that is written stays as it is. What records have replaced since it began is put right where it is shown (Config.Current), so that a value
//     that was corrected in an affair, or in a later session, does not come back as current, and an undo brings it back.
//
//   - Without a small model everything works by rule (package parts); with one, its errors leave the rules' answer, and the trace tells.
//
//   - What is found of the user goes through the same judging as any other write: the heart keeps it.
