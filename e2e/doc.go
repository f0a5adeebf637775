// Package e2e holds tests over the whole and the stories they tell.
//
// testdata/scenarios holds conversations as YAML, one story each, its origin in the first line; package
// scenario plays them on an embedded graph with nothing faked but the models. Four of them, one story in
// four languages, are also what `mneme demo` shows, so this package embeds them. The tests here also
// keep the drawing of the packages true (layers_test.go), and the code of the README and of host/README.md
// (readme_test.go); docs_test.go checks the names that pages use.
//
//	testdata/scenarios/*.yaml ──► scenario.Parse ──► scenario.Run ──► no failure
//	        demo-*.yaml ──► Demo ──► mneme demo
package e2e

// Design:
//
//   - The demo is a test: what a newcomer sees first is played in every run, and exits 1 when it is wrong.
//   - A bug becomes a scenario before it is mended; the file stays.
//   - testdata/golden has the stores that releases have left, as a killed process leaves them; golden_test.go reads them
//     for ever.
//   - What a turn survives is tried, not argued: package crash kills its process at every place, faults breaks its store,
//     its line and its disk, stops its holder and lets two processes serve one user.
//   - The layer rules are a table compared with what `go list` says, so that an arrow that points up turns
//     a test red and not a reviewer's eye.
