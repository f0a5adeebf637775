// Package ram keeps a store in memory: for graphs that need no disk, and for tests. What is written is
// gone with the process; apart from that it keeps every promise of package store, durability excepted.
//
//	m, err := memory.New(memory.Config{Store: ram.New()})
//
//	Write ──► check every Rev ──► apply all     under one lock, one B-tree of ids per collection
package ram

// Design:
//
//   - A B-tree (github.com/tidwall/btree) rather than a map with a sorted copy: Get, Write and the start of
//     a Scan cost O(log n), so the price of a turn does not grow with the number of threads kept.
//   - One lock for the whole store makes a Write of several collections atomic with no further thought;
//     readers share it. Bodies are copied on the way in and on the way out, under no lock but the reader's.
