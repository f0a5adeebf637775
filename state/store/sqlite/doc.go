// Package sqlite keeps a store in a folder: a SQLite database, which several processes may have open. It is not the
// default yet: what opens a folder without being told otherwise takes package bolt.
//
//	s, err := sqlite.Open(ctx, sqlite.Config{Dir: dir})
//	...
//	err = s.Write(ctx, step, affair) // one transaction, on disk when it returns
//	err = s.Close()
//
// A commit is appended to store.db-wal and synced once. Now and then, and when the last process closes the store, the
// log goes into store.db.
//
//	Write ─► queue ─► who finds nobody at work leads: BEGIN IMMEDIATE, all that waits, COMMIT, answer all
//	                     │
//	                     ├─► store.db-wal ──(4 MB, Close)──► store.db     a checksum in every page
//	                     └─► store.mark                                   the number of the last commit
//
//	Get, Scan ◄── one of eight connections, each call in a transaction of its own
package sqlite
