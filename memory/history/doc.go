// Package history is who changed what of a user's memory, and takes it back: a change, or all that a turn wrote.
//
//	changes, err := m.History().Audit(ctx, scope, history.Query{ID: record})
//	...
//	err = m.History().UndoChange(ctx, scope, changes[0].Seq) // is a change of its own, and can be undone as well
//	err = m.History().UndoTurn(ctx, scope, turn)
//
//	feed, the newest entry first ─► what the document was before and after each change ─┬─► Audit
//	                                                                                    └─► what takes some of them back ─► gate ─► one commit
package history

// Design:
//
//   - What a document was is told from what it is: an entry of the feed keeps what its fields were before. So nothing is kept twice, and what is erased
//     there is gone here.
//
//   - What came after a change in other fields, and in other items of lists, stays. What was changed again since is state.ErrConflict, which names the
//     later changes; then nothing is undone.
//
//   - Memory is edited by it: it passes the gate as every door does. What happened stays in the log and in the feed.
