// Package memory is everything remembered, and the one door for reading and writing it.
//
// The pipeline calls it once a node: Admit takes a message in, Load reads what a turn starts from, Judge decides what the
// message does and CarryOut parks or takes up affairs, Gather and Compose make the prompt, Flush closes the turn's books.
// Tools and commands use Write, Recall and the affair calls. What a Scope leaves empty is filled with Scope.Default.
//
//	Write, CarryOut, Flush   ─► Effects ─► (with the step's commit, or at once) Apply ─► documents + feed entry
//	                                                                                      │
//	Load, Recall, Detect ◄── mind (one user's RAM: affairs, word index, links, what was heard) ◄┤ feed
//	          ▲                                                                           │
//	          └──────────── vectors, if there is an Embedder ◄── vectors.Keeper ◄─────────┘ names of what changed
//
// # Design
//
//   - Deciding and writing are two things. Decisions become effects (data); inside a turn they join the step's
//     commit, outside they are committed at once. Apply is the only writer of memory's documents: it loads, merges and writes with
//     compare-and-swap, so a conflict with another writer is merged again, never lost.
//
//   - RAM is derived. A mind is brought up to the head of the user's feed before each use, by one reading, so it is never older
//     than the last commit of any process, and dropping it costs only time. A turn looks once, when it begins (Look): it has one
//     state of the world, and its own commits.
//
//   - A mind holds the documents that commits edit and turns read, as they stand in the store: sessions, hot affairs, records and the
//     last messages of each session (held.go). A commit merges from these and reads nothing. If they are out of date the store refuses
//     the Write, by a revision or by the number of the feed's entry: then the mind reads what it has missed, and all is merged again.
//
//   - Most of the time that loading a mind takes is reading texts for the word index. So a large index is kept in the store as a snapshot
//     (snapshot.go), with the number of the feed's entry it is of. A load takes it, reads what the feed names behind that
//     entry, and leaves the messages where they are. Missing, damaged or of another version, it is made anew.
//
//   - A store without transactions cannot write a step with its documents. There a step's commit is its insertion, and Apply
//     carries out right behind it what the step decided: documents at a time, then the feed entry. Each document keeps marks of the
//     steps it has, so that a repair after a crash makes every edit once. What is decided outside a turn is a turn of one step in
//     a thread of the user's own: for that the memory has a checkpoint.Log.
//
//   - A document that vanishes without an entry in the feed is found until the next entry that names it.
//
//   - A message number is never given again. A new message comes behind the last one there is, whether the session counts
//     it or not: a turn whose log was deleted leaves its messages, and Load never takes one for another turn's.
//
//   - What can never be kept or answered is refused before anything is written, with the limit and the way out: state/limits.go.
//
//   - What is in memory holds for every reader at once, and what was replaced is over, whatever the clocks of the processes
//     say: the feed is the order. A clock counts for a date that the caller gives, and for looking back (Query.AsOf).
//
//   - Another affair's facts never enter a prompt, except as evidence for an AD_HOC question about it. That is
//     decided in one place, Gather.
//
//   - A message is judged against what was active, however long ago that was. After session_idle_minutes the session had ended, so
//     the likeliest decision counts, not only one that is sure: a message that does not go on with the affair parks it.
//
//   - An affair that is resolved keeps a last summary and key facts, as one that is parked. What is resolved is archived by a turn's
//     CarryOut once it was left untouched for archive_after_days, or when more affairs are in sight than may be hot: sixteen a turn
//     at most, in the turn's commit, with a note in the trace. To name it opens it again.
//
//   - What /clear put out of sight enters no prompt by itself, of any session, and stands in no summary made later; recall finds it
//     when it is asked for it. Records learnt from it and affairs stay.
//
//   - A record says whose it is. What is the user's (package personal tells) is filed under no affair, and stands in every prompt of his;
//     what is an affair's stays there. Said without a tool, it is heard when the turn is flushed.
//
//   - Two affairs are made one by a pointer (merged.go): what is filed under the merged one keeps its id and is found under the other, also
//     what another process files there meanwhile. What a person edits is named in the feed, with who did it: see Edits.
//
//   - Summaries follow the same rule: an affair's messages are summed up in the affair, the session's summary
//     covers only what belongs to none.
//
//   - Without a small model everything works by rule; with one, its errors fall back to the rules and are noted.
//
//   - What is written is found by its words at once, by every recall, whatever its priority; the priority says how soon it
//     has its vector. An affair that was parked or resolved is CRITICAL. Vectors are made behind the turn and mended by
//     comparing, see package vectors. Without them, and while they are away, recall goes by words and says so.
//
//   - The final ranking is the word index's, with the nearest thousand vectors as one more field: so an index in this
//     process and one on a server answer in the same order.
//
//   - A write is judged before it is made (package same): said again, said better, a new value, another thing. Nothing is
//     overwritten: what is refined or replaced is closed and kept, and names what took its place. When unsure, both stay.
//     Said again is an edit (Effect.Repeat): when it was seen last, how many turns said it, the highest importance. Its
//     words are the same, so it needs no new vector.
//     Judging and writing are one for the writers of a process outside turns; two turns at once may both write.
//
//   - A message of which all that was stored has been replaced, and that said little else, leaves recall with it.
//
//   - Links are keys of identifiers, names and topics, made when something is written. Recall adds what shares a key with
//     its best hits, at half their score at most; being filed under one affair is no link.
//
//   - What detection knows of a user is there once for all sessions (history.go). A process reads the user's messages for it
//     once; a message is heard when its turn is over, since until then it may be filed.
//
//   - Of a long text the first 16 KB are read for what it is about, and of a long query. The word index reads all of a text.
//
//   - RAM is bounded in bytes (package quick): the least recently used mind goes. At most a hundred affairs of a user are hot; of the
//     others there is what they are recognised by: title, topics, status, numbers, and their words in what detection knows.
//     So every affair is a target, and the rest of it is read when a decision names it. An archived one is a target only of a
//     message that says its title, before a restart and after it.
//
// Not yet in this release: forgetting, eviction of records, extraction at the end of a session, brain and active context.
package memory
