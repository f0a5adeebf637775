// Package ledger turns effects, which are edits of memory as decided, into documents and the feed. It is the only writer of them.
//
//	l := ledger.New(ledger.Config{Store: s, Now: time.Now})
//	title := state.AffairEdit{ID: "a1", Title: "Boat", At: time.Now()}
//	batch, err := l.Merge(ctx, []state.Effect{{Scope: scope, Affair: &title}})
//	defer batch.Release()
//	err = s.Write(ctx, batch.Docs()[0]...) // on a conflict: batch.Again, and once more
//	err = batch.Wrote(ctx)
//	...
//	entries, err := ledger.After(ctx, s, scope, 0) // what has changed since
//	boat, err := ledger.Get[state.Affair](ctx, s, state.Affairs, scope.Key("a1"))
//
// It knows nothing of minds but what type Minds says: where documents are read that RAM holds, whom to tell that they are out of
// date, and whom to tell what was written.
//
//	effects ─► Merge ─► documents + feed entry ─► the caller's Write ─► Wrote: Minds.Wrote, Config.Wrote
//	             ▲                 ▲                       │
//	        Minds.Held    looked up in the store           │
//	             └─────────────────┴──── Again ◄── conflict┘  (Minds.Stale)
package ledger

// Design:
//
//   - Each user has a feed: one entry a commit, with a number, that names the documents it changed. The next number is free once
//     only, so commits to one user are in one order, and a reader who knows a number reads what came after it.
//
//   - A commit merges into documents as they are held, at the number of the feed that they are of. If they are out of date the store
//     refuses the Write, by a document's revision or by the feed's number. Then Minds are told, and all is merged again. So no other
//     writer's edit is lost, and the first try reads nothing.
//
//   - Effects of one Write with the step that decided them do not say which step that is: the Write makes all or nothing.
//
//   - Where the store has no transactions, the step stands in the log before its effects are carried out, and they say which
//     step they come from. Documents are written first, then the feed entry. Each document keeps marks of the steps it has
//     (marks.go). A step that may have been carried out in part is looked up in the feed and in the documents (repair.go),
//     so every edit is made once.
//
//   - A session and the affairs that are active in it are kept of one mind, however writers crossed (settle.go).
//
//   - In one process commits to one user wait for each other (queue.go), so that they do not use up their tries. Processes do not.
//
//   - An order to erase takes a number of the feed like any commit, and the entries after it say so (erase.go). What was decided before it is refused, and of steps
//     that stand in the log already what they have written is taken out again.
//
//   - The feed tells of each change of a record or an affair who had it made and what was there before (audit.go). What is there now is not
//     kept twice: read backwards, the feed makes of a document what it was at any time. So a change can be undone, also when others
//     followed (undo.go). Of lists only the items in which they differ are kept, since an affair's facts grow by one at a time.
//     A store without transactions that loses the process between a document and the feed loses what was there before it: the change is told, and cannot be undone.
