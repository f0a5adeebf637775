// Package desk is one user's memory at work: his mind and his documents, who calls, what he may do, and commits.
//
//	k := desk.New(desk.Config{Store: s, ...})
//	ctx = k.Under(ctx, scope)                                            // the settings that hold for him
//	d, err := k.Mind(ctx, scope)                                         // what is known of him, locked
//	defer d.Unlock()
//	...
//	err = k.Decide(ctx, state.Effect{Scope: scope, Affair: &edit})       // with the turn's step, or at once
//
// Config has two hooks upward: Owed carries out erasures that were cut short, before anybody reads; Wrote is told of each commit.
//
// Every feature of memory stands on it: the heart (package memory), and each room (memory/forget and so on), which know nothing of each other.
//
//	a room ─► Call: who asks ─► Allows: may he ─► Mind, Reads ─► Decide ─► fence ─┬─► the turn's step
//	                                               │                              └─► Commit ─► journal ─► ledger ─► documents + feed
//	                                     Owed                                                                └─► Wrote
package desk

// Design:
//
//   - A context carries one Call. A new one says who calls; what was granted to the context (an approval, a model, what was known) holds on.
//
//   - Every edit passes the function fence, the last check. One that autonomy forbids, and that no door asked the user about, is a bug here and an error with
//     the code internal. It has nothing to do with state.ErrFenced.
//
//   - A turn looks at the feed once, when it begins (Look). Within its steps Mind is what it saw then, and its own commits since.
//
//   - Before anybody sees a user's mind, what a process that died has left of his own thread is carried out, and then what Owed owes.
//
//   - The desk knows no room. Whoever is to be told or asked from here is a function in Config.
