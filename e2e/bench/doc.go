// Package bench measures the product on the machine it runs on and returns figures with names and labels
// that stay the same from release to release.
//
//	Rows ──► each row: prepare in a temporary folder ──► repeat ──► Figure{name, labels, value, unit, n}
package bench

// Design:
//
//   - A figure that depends on the machine stands beside one that says what the machine can do: commits beside
//     disk.fdatasync_ms, overhead per node beside a bare eino graph of the same run.
//   - A row measures what users go through (Graph.Invoke, Memory.Recall), on a real folder, not a part of it
//     with the rest cut away.
//   - Percentiles are of single runs, by nearest rank; means hide what a user feels.
//   - What a row needs is built by the row and gone after it, so that rows can be run alone and in any order.
