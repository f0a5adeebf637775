// Package embedded opens the memory in one folder: no server, no key, no network.
//
//	Open(ctx, dir) ─► graph.Graph over state/store/bolt, answering with graph/offline
//
// # Design
//
//   - It owns the store it opens: Close ends the graph and closes the store. With graph.New the store is yours.
//   - One process at a time: the folder is locked, a second Open says who has it.
package embedded
