// Package index is the seam between memory and whoever keeps its vectors: the drivers local (in this process) and
// milvus (a server). What finds by words needs no seam; it is package words.
//
//	shelf, err := local.New(local.Config{Store: s}) // or milvus.Open
//	vectors, err := shelf.Open(ctx, index.Space{Model: "openai:text-embedding-3-small", Dim: 3})
//	anna := index.Owner{Client: "shop", User: "anna"}
//	err = vectors.Put(ctx, anna, index.Entry{ID: "m1", Kind: "message", Vector: []float32{1, 0, 0}})
//	hits, err := vectors.Search(ctx, anna, index.Query{Vector: []float32{5, 0, 0}, Limit: 2})
//
//	memory/internal/find/vectors ──► Shelf ──Open(Space)──► Vectors    Put, Delete, Search, List of one user's entries
//	                     └─Promote(Space)                which Space readers use
package index

// Design:
//
//   - An index is derived. It holds ids, vectors and a hash of the text each was made of, never the text: whoever shows a
//     hit reads its document first, for rights and freshness, and what is lost can be made again.
//   - Every call names its Owner, a client and a user, in a parameter of its own that no filter can widen. The driver adds
//     it to what it asks for; there is no call without one.
//   - Entries carry only what never changes about a document (Kind, Session, At). What does change, its affair and
//     its validity, memory knows better: it asks for IDs, or leaves hits out.
//   - What belongs to one embedder is a Space. Vectors of two spaces never meet: a change of embedder opens a second space,
//     fills it, and then Promote lets readers over, without a gap.
//   - Drop says what stays, not what goes: whoever tidies up need not know what others left behind. Only the live space is
//     certain to be in use, so Drop is called when somebody asks for it, never by itself.
//   - Equal cosines are ordered by id, so that two drivers that hold the same vectors answer the same.
