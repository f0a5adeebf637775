// Package vectors keeps the vector index in step with the documents, behind everybody's back.
//
//	Learn(owner, priority, ids) ─► queue, by deadline ─► Source reads the documents ─► embed ─► index.Vectors
//	Search(owner, text) ─► embed, within its deadline ─► index.Vectors ─► hits, or state.ErrUnavailable: go on by words
package vectors

// Design:
//
//   - The queue holds names, not texts: "the vector of this document may be out of date". Whoever gets to it reads the
//     document as it is by then. One that is gone loses its vector; so forgetting is the same call as learning.
//   - What is in step is worked out by comparing hashes of texts with those in the index, for one owner at a time, when the
//     owner is first met in this process. So a crash between document and vector, a lost index and a changed way of making
//     texts are all mended by the same comparison, and documents carry no mark of their index. Count makes the same comparison
//     for whoever only wants to know.
//   - Nothing here holds up a turn. Learn never waits. Search has a deadline, and after a failure it refuses at once for a
//     moment instead of waiting for the same failure again. A write that must have its vector waits for it by Wait.
//   - Connecting holds no lock. One caller connects, the others wait with deadlines of their own, and when that caller gives up, the
//     next goes on: a search that ran out of time goes on by words, and a worker, who has more of it, ends what it began.
//   - While the embedder or the index is away, names stay in the queue, and the comparison waits with them; nothing is lost
//     but time. Status tells how much is waiting, since when, and why.
//   - An owner's names are worked off by one worker at a time, so that an older text never overwrites a newer one.
//   - Another embedder is another space, of a Keeper opened with it. Reindex fills it from all documents and makes it the live one.
//     A process that has the old embedder goes on reading and writing the old space. A space that somebody dropped meanwhile
//     is filled again.
