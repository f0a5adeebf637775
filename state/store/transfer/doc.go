// Package transfer copies everything one store holds into another: from a folder to a server, from a server
// to a folder, from one machine's disk to the next. What it reports as copied it has read back and compared.
//
//	report, err := transfer.Copy(ctx, transfer.Config{From: folder, To: server})
//	fmt.Println(report.Written, report.Skipped, report.From == report.To)
//
//	From ──page──►┐                         ┌──► equal: skipped
//	              ├─ merged by id ──────────┼──► missing: written ─┐
//	To ────page──►┘                         └──► differs: conflict ├─► To, and with it the cursor: how far it is
//	                                             (or overwritten) ─┘
//	From, To ──► once more, from the beginning ──► byte for byte, SHA-256 of both sides ──► the cursor is removed
//
// The cursor is a document in the target's meta collection. While it is there the target is an unfinished
// copy: the next Copy goes on behind it, and nobody can copy from it.
package transfer

// Design:
//
//   - One merge walk serves three passes: the check of a target that is not empty, the copy, the verification.
//     They cannot disagree about what equal means.
//   - A target with data of its own is refused before anything is written, because two stores mixed by
//     mistake cannot be told apart again. Overwrite says that it is no mistake; even then nothing is deleted.
//   - The cursor rides in the Write of its page where the target has transactions. Elsewhere it follows, and
//     what a cut Write left behind is found by comparing: an equal document is never written twice.
//   - The cursor remembers the last document it passed, with a checksum. A copy cut off from one source and
//     resumed from another is refused at once, not after hours.
//   - The cursor's revision is a lock of sorts: two copies into one target cannot both advance it.
//   - A source that changes meanwhile is not locked out, since a store has no verb for that: copy a store
//     nobody writes, or a backup (sqlite.Store.Backup). The verification finds such a change, names the
//     document, and sets the cursor back, so that the next run compares everything.
//   - Revisions are not copied: each document begins at 1 in its new store. They order the writes of one
//     store and mean nothing elsewhere.
//   - Documents of package sealed are bound to their revision, so they cannot be carried over as bytes: a copy of
//     them would verify and never open. They are refused unless both stores are opened with their keys.
//   - Pages are bounded by documents and, as sizes show, by bytes, so that large bodies do not fill the memory.
