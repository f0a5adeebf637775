// Package local keeps the vectors of package index in the store that keeps everything else, and searches them in this process.
//
//	m, err := memory.New(memory.Config{Store: s, Embedder: e, Shelf: func(context.Context) (index.Shelf, error) {
//		return local.New(local.Config{Store: s})
//	}})
//
// Each entry is a document of its own; that is what lasts. Of an owner who is asked about, all entries of a space are
// read once into a block: the vectors side by side in memory, the filters in columns next to them. A search runs over the
// block from one end to the other. Blocks that were not used for long make room when memory is short and come back when
// they are asked for.
//
//	Put ──► store (durable) ──► block of the owner: rows appended, a new view ──► Search, List
//	                              ▲        │
//	         scan at first use ───┘        └── least recently used out, above Config.Bytes
//
//	Search ──► filter columns ──► below 8,192 rows: cosine of each row that is left ──────────► best of them ──► settled: exact
//	                         └──► from there on:     1 bit a number ──► nearest thousands ──► cosines ─┘           cosines, order
package local

// To read it: shelf.go and spaces.go are which spaces there are, vectors.go the four calls, block.go and rows.go what is in memory,
// table.go which blocks are, search.go, sketch.go, best.go and settle.go the search, document.go what is in the store.
//
// Design:
//
//   - A flat scan is exact, needs no building and forgets at once. An owner has thousands of entries, not millions: the scan of
//     10,000 of 384 numbers takes less time than a graph index needs to be worth its memory. It runs as fast as memory is read.
//   - Above 8,192 rows the signs of the numbers, one bit each, choose some thousand rows whose cosines are computed: a twentieth of
//     the memory is read. The signs are taken after the mean of all rows was subtracted, because embedders point their
//     vectors into one cone, where raw signs say little. Rows at equal distance are taken all or none, so ties stay ties.
//   - Single precision only chooses. The best, and all whose cosines lie within its rounding of the last of them, get their cosines
//     again in double precision, number by number, and are ordered by those. So near ties come in the order in which the
//     driver milvus has them, on every processor; for the best 1,000 it takes less than a millisecond.
//   - The document holds the normalised vector as bytes of float32. Cosines are computed from these bits alone, whatever happened to
//     the block before: equal contents answer equally, to the last bit. (Only which rows the signs choose may
//     depend on when the mean was taken: at loading, at compaction, and when the rows have doubled.)
//   - Rows are never changed. What is replaced or deleted is marked dead, what is new is appended behind what readers look at,
//     and one pointer is swapped: a reader waits for no writer. Above a quarter of dead rows the block is written anew.
//   - A write first goes to the store, then to the block. When its outcome is unknown the block is let go and read again:
//     memory never knows better than the store.
//   - In a store that other processes write to, each write also counts up a mark of its owner, and each call compares the
//     block with the mark: one small document read. In a store of one process there is no mark and no read.
//   - A space that is dropped is marked first and swept then, in small writes; a process that dies on the way leaves the
//     mark, and the next Drop, or Open of the space, finishes the work. A process that fills a space while another drops it
//     finds out when it promotes: the space is not there, and opening it again begins anew.
