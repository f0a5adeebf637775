// Package bolt keeps a store in a folder of one process: the embedded default, no server, no network.
// Documents live in store.db, a bbolt file. In front of it stands store.log: a commit is one entry
// appended there and one sync. Readers see it at once, from memory, merged with what store.db holds. When
// the log has grown to some MB, or at Close, all of it goes into store.db in one transaction.
//
//	Write ─► queue ─► who finds nobody at work leads: plan the whole group, append one entry, sync, answer all
//	                     │
//	                     ├─► store.log  ──(4 MB, Flush, Close)──►  store.db   fold: one transaction, log emptied
//	                     └─► overlay    = what store.log holds, a B-tree in memory
//	                            │                                     │
//	Get, Scan ◄──── merged ─────┴─────────────────────────────────────┘
//
// The files:
//
//	store.db   bbolt: a bucket per collection, one for the pieces of large bodies, one for the header
//	store.log  the commits store.db lacks; gone after Close
//	lock       who has the store open; a note for people, the lock itself is that of the system on store.db
//
// To read it: store.go is what callers see, commit.go and queue.go are the way in, overlay.go the way out;
// log.go and entry.go are store.log, base.go and value.go store.db, check.go is why damage is found; backup.go and
// compact.go make whole new files, both with rewrite.go.
//
// # Design
//
//   - One sync per commit. bbolt needs two (pages, then its meta page) and rewrites whole pages: every small
//     commit would cost some 16 KB of writing. The log costs one sync and the bytes of the change. It keeps a stretch of zeros
//     ahead of itself, so that most syncs need not write the file's length (fdatasync).
//   - Group commit without a goroutine: the first to come leads and commits whatever waits by then. A lone
//     writer waits for nobody; sixteen share a sync; nothing runs when nobody writes, and Close has nothing to stop.
//   - Readers take no lock of ours. The overlay is a copy-on-write tree behind a pointer that names the bbolt
//     transaction it belongs on; a reader that meets a newer transaction knows that it holds all of it.
//   - Folding many commits at once fills pages nearly full and writes a document replaced ten times once.
//   - Nothing damaged is read as if it were right. Each value has a checksum that covers its id; the whole file
//     is checked at Open (about 1 GB/s) before bbolt, which trusts its pages, may panic or lose its way in them;
//     what happens to the file later, even pages cut away under the memory map, becomes an error. The commit
//     numbers in both files show a store.db that is older than its log, or a log that is missing.
//   - A torn end of the log, as a crash leaves it, is not damage: nobody was told that it was kept. It is told
//     from damage by what a crash can do: a file that ends early, or sectors of zeros, which no entry has.
//   - bbolt's file lock decides who has the store, and it dies with its process. So a stale lock file can
//     name the wrong one, but never keep anybody out.
//   - Bodies over 256 KB are compressed (zstd) and, if still larger, cut in pieces: a page of a tree is no place
//     for a megabyte. Smaller ones are packed with a dictionary of what bodies have in common (field names above
//     all) when they go into store.db: half the room, a microsecond or two a document, and nobody reads the
//     file but through the commands.
//   - A backup and a compaction are one thing, a new store.db written from one transaction, synced, read back and
//     checked before it gets its name. So a backup is small and known to open, and neither is ever half there.
//     While a backup reads, the log waits: writing it into store.db might have to map the file anew, which bbolt
//     does only when nobody reads, and then everybody would wait.
//   - A compaction renames its file over store.db while it holds the lock of the old one. Who waits for that lock
//     gets it on a file without a name, so Open looks whether the file it locked is the one that bears the name.
//   - A folder that is deleted, moved or replaced under a running process is noticed at the next commit, by asking whether the
//     open files still bear their names: Write fails then, instead of writing what nobody will find.
//   - store.db, store.log and lock are never opened through a link, so that a folder somebody hands over cannot have a file
//     elsewhere overwritten.
//   - When the disk is full, Write fails with state.ErrUnavailable and the store goes on: what was acknowledged
//     stays readable, and the next Write first cuts off what the failed one may have left behind.
package bolt
