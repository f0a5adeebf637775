// Package field has the kinds of field a graph's state is made of.
//
// A state is a struct of fields. A node receives it by value, changes some fields of its copy and
// returns the copy as its patch: the fields themselves know what is new, so nobody compares values and
// nothing is found by reflection. The committer merges patches one by one and writes each field's delta.
//
//	node A  ── copy of S, Decision set ──┐
//	                                     ├─► committer: Merge into S, Delta into the log
//	node B  ── copy of S, Messages added ┘
package field

// Design:
//
//   - Last, Append, Reduce are LangGraph's last value, list and binary-operator channels; Volatile is its
//     untracked value.
//   - An Append is written item by item and never again, so a thread's log grows linearly. Where nodes ran side by side
//     and ended in another order than the graph's, a delta says how many of the last items go behind its own.
//   - Deltas are BSON, so that people can read them with any MongoDB tool.
