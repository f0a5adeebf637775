// Package six is the yardstick of the runtime: a graph of six nodes that do next to nothing, so that what
// a run takes is what the runtime takes. The Go benchmarks and the command "bench" time the same code.
//
//	bare eino      START ─► n1 ─► n2 ─► n3 ─► n4 ─► n5 ─► n6 ─► END     the baseline
//	Yardstick      the same six as nodes of a flow graph: without a log, or with one on any store
package six

// Design:
//
//   - A figure is the time of a run divided by six, of the flow graph and of the bare one in the same
//     process; their difference is the overhead.
//   - A turn begins with a number of messages as its input, on a thread of its own: the way in which LangGraph's
//     figures were taken.
//   - The messages are generated: letters that mean nothing, 230 of them.
