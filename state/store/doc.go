// Package store is the storage seam: ordered documents under string ids, four verbs, no query language.
// Everything that lasts goes through it. One driver keeps a folder on disk (sqlite), one a server (mongo), one
// memory only (ram); sealed encrypts any of them. storetest runs the same suite on each of them, so that code above cannot tell them apart.
//
//	body, err := bson.Marshal(bson.D{{Key: "title", Value: "Car part"}})
//	err = s.Write(ctx, store.Doc{Collection: state.Affairs, ID: "c1/u1/a1", Body: body}) // Rev 0: it must not exist yet
//	d, err := s.Get(ctx, state.Affairs, "c1/u1/a1")                                      // d.Rev is 1
//	d.Body = changed
//	err = s.Write(ctx, d) // a *store.ConflictError if somebody has replaced it since
//	docs, err := s.Scan(ctx, store.Query{Collection: state.Affairs, Prefix: "c1/u1/", Limit: 10})
//
//	Write(step n+1, affair at rev 3, open document deleted)     one commit of a turn
//	   │
//	   ├─ step n+1 exists already? affair not at rev 3? ──► *ConflictError names it, nothing is changed
//	   │
//	   └─ durable, then acknowledged ──► Get / Scan(prefix, after, limit, reverse) see all of it
//
// An id is built from the scope (state.Scope.Key, state.Thread.StepKey): client first, so that a
// prefix never reaches over the wall between tenants, numbers padded, so that ids sort as numbers do.
// The head of a thread is Scan{Prefix: its steps, Reverse: true, Limit: 1}.
package store

// Design:
//
//   - Four verbs instead of five. Insert and Replace would be two calls, but one commit of a turn is both:
//     a step inserted, an affair replaced, the open document deleted. That must be one transaction where
//     the driver has them, so it is one Write whose documents each say at which revision they must stand.
//   - Rev 0 means "must not exist": inserting under a deterministic id is the lock of a turn, and the
//     conflict is the answer "somebody else has it". There is no lock besides.
//   - The error of a lost race names the document. Whoever wrote five documents has to know whether the
//     step was taken (fenced) or an affair moved on (reload and merge).
//   - Ids, prefixes and After are valid UTF-8 of at most MaxIDBytes, because a BSON string is, and order
//     is that of bytes, because every store can do that without a collation.
//   - Another access path is another document in the same Write, never a secondary index: so no driver
//     needs one, and no reader finds an index that lags behind its document.
//   - Bodies are BSON: people read them in the usual tools, and nothing above depends on a driver's types.
//   - What is the same for all drivers (validation, the range a query means) is here as functions, so
//     that a driver is only its storage. Counting wraps any store and tells what a turn cost.
