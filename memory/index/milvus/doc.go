// Package milvus keeps vectors on a Milvus server. It is the driver for those who have one, or more entries than a process
// should hold; what it finds, and in what order, is what the driver in the process finds.
//
//	m, err := memory.New(memory.Config{Store: s, Embedder: e, Shelf: func(ctx context.Context) (index.Shelf, error) {
//		return milvus.Open(ctx, milvus.Config{Address: "localhost:19530"})
//	}})
//
//	Shelf ──Open(Space)──► Vectors ──► filter.go (owner + query) ──► call.go (deadline, retries, errors) ──► server
//	  │                       ├─ Put, Delete: one writer at a time, batches of 500 rows
//	  │                       ├─ Search: nearest ► settle near ties ► limit
//	  │                       └─ List: ranges of keys
//	  └─Promote(Space)──► alias PREFIX_live ──► collection PREFIX_v1_<hash of model>_<dim>_<version>
package milvus

// Design:
//
//   - A space is a collection, and the live one is what the alias names. The collection says in a property what space it is of
//     (and in its description, for servers that keep only that); whoever reads the alias needs no other record. Requests go to
//     collections by their own names, never by the alias, so that readers stay where they are while it is moved.
//   - Drop takes a collection only if its property and its name agree, under this prefix and in this layout: either alone may be
//     somebody else's.
//   - The owner is in every expression, because the only way to make one starts with it (filter.go), and in every primary key,
//     which is a hash of client, user and id. An answer whose keys are not the owner's is an error: one lock behind the other.
//     The client is also the partition key, so that the server looks at a sixteenth of the rows; that is speed, not safety.
//   - Texts are written as %XX wherever they are not plain letters and digits, in rows and in expressions alike. Quoting is
//     not enough: Milvus rewrites Han characters in an expression to \uXXXX with four digits, so that one of five digits
//     becomes another character, that is another client; and no escape for control characters is read alike by Milvus and
//     milvus-lite. It also lets ids of any bytes through, and makes a length the same in bytes and characters.
//   - Search asks for a few more than wanted, and for more still while the last ones are equal: servers cut equal ones as they
//     like. Cosines that differ by less than the rounding of a sum are computed again here from the vectors, in double
//     precision, so that two servers, or one before and after a restart, give one order.
//   - HNSW is the default on Milvus, which itself looks at every row when a filter leaves few (as an owner does). On milvus-lite
//     it is FLAT: there, of 10,501 rows behind a filter that one row passes, HNSW finds none. IndexFlat on Milvus is exact for
//     every owner, and as quick where owners have up to some hundred thousand entries.
//   - Fresh searches, lists and deletions ask for strong consistency, other searches for bounded: those may miss the last
//     seconds, and do not wait for the server's clock. The session level is not used; the Go client's is none.
//   - One writer per collection, in this process: milvus-lite loses acknowledged rows when two write at once and it crashes,
//     and many small upserts cost Milvus compactions. Two processes may write to one Milvus, not to one milvus-lite.
//   - Pauses and retries are ours: the client's own sleep up to 20 s by the clock and do not know a busy server's answer. Every
//     request is safe to repeat. A request that ran into its deadline is not repeated.
//   - After a restart the server has no collection in memory. Whoever meets that loads it and asks again.
//   - No flush, no iterator, no templates: flushing on each write is what Milvus limits most; the iterator loses rows on
//     milvus-lite; its templates are unknown there.
