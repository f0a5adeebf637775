// Package mind is what one user's memory holds in RAM: affairs, words, links, what was heard, and the documents that commits edit.
//
//	minds := mind.New(mind.Config{Store: s, NewID: uuid.NewString, Settings: settings, Logger: logger})
//	d, err := minds.Attend(ctx, scope, true) // brought up to the head of the feed, and locked
//	if err != nil {
//		return err
//	}
//	affairs := d.Seen(scope.Session)
//	d.Unlock()
//
// Minds are type ledger.Minds: a commit merges from what they hold, and they learn what it wrote.
//
//	feed ─► names of documents ─► Held, affairs, Index, links, talks
//	             ▲                             │
//	   Attend ───┘            Wrote ───────────┘ a commit of this process, without reading
package mind

// Design:
//
//   - A mind is derived. It is loaded from the store at its first use, dropped when RAM is short, and brought up to the head of the
//     user's feed by one reading and the documents that the entries name. So it is never older than the last commit of any process
//     when a turn begins.
//
//   - A mind has one lock. Who was given it has the lock and gives it back soon; a loading mind keeps others waiting. Index and Docs
//     are safe without it.
//
//   - It holds sessions, records, hot affairs and the last messages of each session as they stand in the store (Held). What it does not
//     hold is read in the store. What is known to be missing costs no reading.
//
//   - Long messages that were read, files mostly, stay within a few megabytes: reading a file piece by piece reads the store once.
//
//   - The hottest affairs are held whole. Of the others there is what they are recognised by: title, topics, status, numbers.
//
//   - Most of the time that loading takes is reading texts for the word index. So a large index is kept in the store as a snapshot
//     (snapshot.go), with the number of the feed's entry it is of. Missing, damaged or of another version, it is made anew.
//
//   - What detection knows is there once for all sessions of a user (talks.go). A message is heard when its turn is over, since until
//     then it may be filed.
//
//   - RAM is bounded in bytes: each mind says what it takes, and the one used longest ago goes. A test compares that with the heap.
