// Package erasures keeps what was ordered to be erased outside of the store that it is erased in. A backup that is put back does not have what
// was erased since; with this the next start erases it again.
//
//	book, err := erasures.Open("/var/lib/mneme-erasures.jsonl")
//	if err != nil {
//		return err
//	}
//	g, err := graph.New(ctx, graph.Config{Store: s, Model: m, Erasures: book})
//
// The file has a line for what was asked, before anything goes, and one when it is done. A line is JSON: ids, times, who, and how much of each layer
// went; no text. See forget.Line.
package erasures

// Design:
//
//   - A line has the sum of the one before, so a line that was edited or cut out is found. That the last ones were cut off the store tells, which
//     notes the last line that it has seen.
//
//   - Lines are only added, under a lock of the operating system that ends with its process, and are on the disk before anybody goes on. What a process
//     that died has written in part was promised to nobody: the next writer takes it away.
//
//   - Another database serves as well as a file (In): a line is a document there, and its number is its id, so of two at once one is first.
//
//   - Who can write both the ledger and the store can cut the one back to where a backup of the other ends, and nothing here finds that. So the ledger
//     belongs where the service may add and not change: a file that the system lets only grow (chattr +a), or a database of its own.
