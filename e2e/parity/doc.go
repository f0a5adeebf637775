// Package parity holds tests that ask the same of one memory twice: once with its vectors in the process, once on a server.
//
//	conversations of four languages ─► Memory ─► index/local over a store in RAM ─► answers ─┐
//	and records made of them        └► Memory ─► index/milvus on milvus-lite ─────► answers ─┴► equal?
//
// Whoever starts with vectors in the process and moves to a server later should not notice. What must be equal is: the answers of
// recall, id by id, as long as all documents of a user take part in the ranking by meaning; nineteen of twenty of the best ten
// from there on; what a write is to what is known; and which documents have a vector, after any writes, repeats and deletions,
// and after the index was lost.
package parity

// Design:
//
//   - The embedder is package hashed, which needs no model and gives equal vectors everywhere: what differs is the driver's.
//   - Before anything is asked or judged, Memory.Vectors().Settle has returned on both sides. What happens before it is timing.
//   - Searches have no deadline here. A server on a busy machine would else answer late, and words alone would decide.
//   - The server is milvus-lite, and without it the tests are skipped aloud (package milvustest).
//   - Answers and lists are asked of the memory; near ties, which it seldom shows, of the drivers themselves.
//   - `go test -short` leaves out the many questions, MNEME_LONG=1 asks all of them: milvus-lite looks at every row for each.
//   - There is nothing here but tests, so that nothing can depend on it.
