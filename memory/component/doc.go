// Package component puts a memory into graphs of eino that know nothing of affairs and turns: a Retriever finds, an
// Indexer keeps.
//
//	r, err := component.NewRetriever(component.RetrieverConfig{Memory: m, Scope: scope})
//	docs, err := r.Retrieve(ctx, "when does the car part arrive?")
//
//	x, err := component.NewIndexer(component.IndexerConfig{Memory: m, Scope: scope})
//	ids, err := x.Store(ctx, []*schema.Document{{Content: "The car part has the order number 07-14244-53150."}})
//
// A retrieval graph has a node that answers a question with documents, and a loading graph one that takes
// documents in. Both are plain interfaces of eino, so that a memory takes the place of a vector database without
// another line of the graph changing. A hit of memory.Recall becomes a document with its score and where it is from; a
// document becomes a change for memory.Write, which judges whether it is known already. Both raise eino's callbacks, so that whoever
// traces the graph sees them. They do no more than that: what is found, in which order, and what is kept is the
// memory's own doing.
//
//	question  ─► Retriever ─► memory.Recall ─► hits     ─► documents
//	documents ─► Indexer   ─► memory.Write  ─► receipts ─► ids of records
//	                 ▲
//	                 └ whose memory: the Config; what it leaves empty, the turn's scope
package component

// Design:
//
//   - The Config's scope is a wall. A turn fills in what the Config leaves empty, and only a turn of the client and user
//     that the Config names: parts of two people's scopes are never put together.
//   - Inside a turn of the same user a write joins the turn's step, and a recall finds what the step has decided. The memory of
//     another user has nothing to do with the step: it is read and written at once, as outside a turn, so that neither finds
//     its way into the other.
//   - Inside a turn the question is a message of memory already. It is not found as an answer to itself.
//   - Scores of two recalls do not compare. Document.Score is the hit's score as every other door of memory
//     gives it, and a threshold is a share of the best hit's: 0.5 keeps what is at least half as good as the best.
//   - An option that has no meaning here (an index, an embedder) is refused with state.ErrInvalid. Passed over, it would let a
//     caller believe in vectors of a model that no one asked. Filters narrow what the Config lets through, never widen it.
//   - Metadata are strings and numbers, times and reasons too, because eino writes a graph's documents to checkpoints
//     and reads back only types that it knows.
