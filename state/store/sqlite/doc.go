// Package sqlite keeps a store in a folder: a SQLite database, which several processes may have open. It is what opens a
// folder without being told otherwise.
//
//	s, err := sqlite.Open(ctx, sqlite.Config{Dir: dir})
//	...
//	err = s.Write(ctx, step, affair) // one transaction, on disk when it returns
//	...
//	err = s.Backup(ctx, "/mnt/backup") // while this and other processes go on
//	err = s.Close()
//
// A commit is appended to store.db-wal and synced once. Now and then, and when the last process closes the store, the
// log goes into store.db.
//
//	Write ─► waiting ─► who gets the writer leads: BEGIN IMMEDIATE, all that waits, COMMIT, answer all
//	                     │
//	                     ├─► store.db-wal ──(4 MB, Close)──► store.db     a checksum in every page
//	                     └─► store.mark                                   the number of the last commit
//
//	Get, Scan ◄── one of eight connections, the one used last; each call in a transaction of its own
//
// The files:
//
//	store.db      the database: a table per collection (id, rev, body), and one with the number of commits
//	store.db-wal  the commits store.db lacks; gone after the last Close
//	store.db-shm  its index, shared by the processes; gone after the last Close
//	store.mark    the numbers of the last acknowledged commits
package sqlite

// To read it: store.go is what callers see (stats.go what it cost), commit.go the way in; open.go and format.go open it;
// value.go is how a body is kept, pages.go how a page is, mark.go the last commit's number; backup.go and check.go read the
// whole. salvage.go reads a damaged folder without SQLite: carve.go finds documents in pages, row.go reads them, files.go
// reads pages.
//
// Design:
//
//   - SQLite by zombiezen.com/go/sqlite on modernc.org/sqlite: no cgo, and a library others test harder than we could.
//     journal_mode WAL with synchronous FULL: one sync a commit.
//   - A table per collection, ids as keys, WITHOUT ROWID: the rows stand in the order of the ids, so that a Scan is one
//     walk and a document one row in one tree. Ids compare as bytes.
//   - Revisions are compared inside the transaction that changes them, which BEGIN IMMEDIATE gives to one process at a
//     time. So no process overwrites what another has written since. Who has to wait asks again, after 0.2 to 5 ms,
//     until its context ends: a process that is stopped in its transaction keeps the others waiting as long.
//   - Where the time of a turn went, measured by repeating its calls on a file system without syncs (1.8 ms of processor
//     time, now 0.8): the reader used last reads next, with a warm cache; no LIMIT ?, for which SQLite prepares a
//     statement anew at each call; no RETURNING, which makes a table each time; bodies are packed without entropy
//     coding, which costs a tenth of the room. Reading on the writer's connection, pages of 2 or 8 KB, tables with row
//     ids and fdatasync gained nothing.
//   - Group commit, as with 8 writers it is two and with 32 three to six times as fast as a transaction for each: who waits for the same
//     database shares a transaction and its sync. Each request has a savepoint, so that a conflict undoes it alone.
//     An error of the disk undoes the group.
//   - Values are packed with zstd and a dictionary of what bodies have in common, which halves the file. Their checksum
//     covers collection, id and revision.
//   - SQLite reads a page as it finds it. So a file layer keeps a checksum in the last eight bytes of each, as SQLite's own
//     cksumvfs does: a byte that changed, or a page in another's place, is an error, never a document that is not found. Other
//     programs read the file; what they write is taken for damage. Only the log of a killed process they may move into the
//     file, as sqlite3 does when it looks at it: such a page has no checksum and is accepted until it is written anew.
//   - Of a damaged file SQLite reads nothing behind the damage: not the pages below a damaged branch, and no table when the first page is.
//     So Salvage asks no tree. It takes each row of each page that is not free, and the row's checksum tells whether it is a document and
//     of which collection. One wrong bit in a page is found by the page's checksum, which each bit changes in its own way, and turned back.
//   - A log that was cut off looks to SQLite like one that ends there. So every commit has a number, in the database and,
//     once it is durable, in store.mark; a database that ends before the mark is damaged. That finds a log or a store.db that was
//     cut, removed or replaced by an older one, after a process was killed too. It does not find it when store.mark was
//     lost as well, nor, after a power cut, what was acknowledged in the last seconds, as the mark is not waited for.
//     A folder without any of the files is a new store.
//   - A folder that cannot be written is read: a closed store as a file nobody changes, one in use or left by a killed
//     process with its index. If there is a log without the index, Open fails.
//   - A backup is VACUUM INTO: one transaction, without the free pages, opened and checked before it gets its name.
//   - A folder that is deleted, moved or replaced under a running process is noticed at the next commit. Close leaves it
//     alone then, and its files open: SQLite would remove the log of whatever stands there now.
//   - store.db is not opened besides SQLite while it may be open: closing any descriptor of a file takes this process's
//     locks on it away.
//   - What another process does to the files of an open store (cutting store.db-shm, say) may end this one: SQLite maps that
//     file into memory. A network file system that does not share memory is no place for a store.
