// Package forget has no code: its tests erase what random histories have left, through the product's own way, and look for it everywhere.
package forget

// Design:
//
//   - A thing that somebody says has a word of its own (a canary), which stands in the message, in the record made of it, in the answer and in
//     answers of other sessions. It must be in no document and in no file afterwards. Documents are read through the store, which unpacks
//     them, folded steps step by step; files as they lie there.
//   - What has nothing to do with it must be the same to the byte, and at the same revision.
//   - A process is killed at every write of a forgetting, before it and behind it; the next one goes on with it.
//   - Histories are few by default; MNEME_LONG=1 tries thirty on each store, every write of SQLite and an eighth of MongoDB's, and 120 kills of
//     a start that erases again; MNEME_LONG=2 a hundred, every write of both, and 400 kills. MNEME_SEED begins elsewhere.
