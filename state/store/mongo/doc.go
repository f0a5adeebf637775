// Package mongo keeps a store in a MongoDB database that many processes share: the driver for production.
// Each collection of the store is one of the database, and a document stands there with the fields people gave
// it, beside its id and revision. A write is acknowledged by a majority, on disk; reads see what was
// acknowledged.
//
//	s, err := mongo.Open(ctx, mongo.Config{URI: "mongodb://localhost:27017/mneme"})
//	if err != nil {
//		return err
//	}
//	defer s.Close()
//	g, err := graph.New(ctx, graph.Config{Store: s, Model: model})
//
//	{_id, _rev, ...fields}        most documents                            steps, affairs, records, ...
//	{_id, _rev, _z: {...}}        in a box: large, or of odd values         the same collections
//	{_id, of, set, at, data}      pieces of a body over 256 KB compressed   chunks
//
//	Write ─► pieces, if any ─► insertMany per collection ┐
//	                           replaceOne {_id, _rev}    ├─ all at the same time: one round trip
//	                           deleteOne {_id, _rev}     ┘
//	                             │ met                  │ not met, or no reply
//	                             ▼                      ▼
//	                           done            read back: lost? as before, so again? ours after all? unknown?
package mongo

// To read it: open.go and probe.go are the way in; write.go, read.go and delete.go are the four verbs; form.go
// and natural.go say how a body stands in a document, pieces.go how a large one is cut; failure.go is what
// became of an error, monitor.go what others hear of it all.
//
// Design:
//
//   - No transactions: a standalone server has none, and what stands above (one document per step, inserted
//     under its number) needs none. So Features says not Atomic, and each document is a compare-and-swap: an
//     insert meets no other of its _id, a replacement or deletion meets {_id, _rev} or nothing.
//   - Replacements are a command each, sent at the same time, not one bulk write. The reply to a bulk says how
//     many met their revision, not which, and reading back cannot always tell: of two documents deleted, which
//     one was gone before? Sequential round trips are what costs, and of those it is one either way.
//   - A lost reply is resolved by reading, never by guessing. What cannot be resolved is said to be unknown; a
//     deletion whose document is gone always is, because somebody else may have deleted it.
//   - Fields stand as they are only where every server that speaks the protocol gives back the same bytes.
//     Everything else (a NaN, a field called "$set" or "_id", a zero timestamp) goes into a box. A box repeats
//     expires_at, so that the TTL index, the only one there is, sees every document.
//   - The pieces of a large body are written before the document that names them and removed after it, under a
//     name no other write has. So no reader meets a document without its pieces, unless it was replaced in
//     between: then it looks again. What an interrupted write leaves behind is unused, and goes when its
//     prefix is deleted.
//   - A document with pieces is not met by the first try of a replacement, which demands that there are none.
//     So the usual write needs no read to know whether it leaves pieces behind.
//   - The driver takes the next reply on a connection for its command's, without comparing what it is a reply to. On a line
//     that sends one twice (no network does, a broken middlebox may) all later ones are shifted, and a change may be taken
//     for made that was not. An insert whose reply does not count its documents is in doubt therefore, as one
//     without a reply is; a shifted reply of the same count is not noticed.
//   - Concerns are set per collection, not on the client, so that a client handed in keeps its own.
//   - The driver's own retries stay as the URI sets them. Ours come after them, for servers that have none.
//   - Tracing is a hook, not a library: this package would be the only one to need it.
