// Package person writes everything that a store has of one user into one file, and reads it into another store: what he said, what was made of it,
// what is set for him, who changed what, and what was erased.
//
//	report, err := person.Write(ctx, person.Config{Store: s, Scope: scope, Now: time.Now}, file)
//	report, err = person.Read(ctx, person.Config{Store: other, Scope: scope}, file)
//
//	{"format":"mneme-person","version":1,"client":"acme","user":"anna","at":"..."}
//	{"in":"records","key":"0198c2f4","doc":{...}}            a line for each document, in extended JSON, which keeps types
//	{"documents":412,"sha256":"..."}                         of all lines above
package person

// Design:
//
//   - A file is read to its end before anything is written, so one that was changed, or cut off, changes nothing.
//
//   - It goes to a user who has nothing. What a reading that was cut short has written is in the file, so the same reading goes on; the feed, by
//     which everybody finds the rest, comes last.
//
//   - What is derived (vectors, word indexes) is made anew. The log of turns stays: it says how a turn was run, and to the store in which it was. The marks
//     by which documents name its steps are left out, for another store numbers its own.
