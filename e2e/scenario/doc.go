// Package scenario reads conversations written as YAML and plays them on the whole product.
//
// A scenario is a story a non-programmer can review: what the user says, what the chat model and the
// small model answer (scripted, or left to the offline model), and what must hold after each turn: the
// decision, the affair it names, which affairs are parked, which tools ran, what the prompt held, what
// recall finds. Parse turns a file into values and refuses whatever it does not know, with file and line.
// Run plays a scenario in a store of its own, a folder or a database on a MongoDB server, and reports every difference.
//
//	file.yaml ──Parse──► []Scenario ──Run──► graph, its store ──► Reply, Memory
//	                                   │                              │
//	                                   └─────────── Result ◄──check───┘
//
// # Design
//
//   - The parser walks the syntax tree instead of decoding into structs: every error can name its line,
//     the order of key facts is kept, and a scalar is taken as it is written (38.10 stays 38.10).
//   - A scenario sees no real clock and no random ids. The clock starts at the scenario's now and moves
//     only by at; ids are numbered. The same file gives the same run.
//   - Expectations are compared with what the store answers after the turn, not with what the turn says
//     about itself, wherever the store can answer.
//   - Each expectation that fails is one Failure; a turn goes on checking after the first, and the
//     scenario after the turn, because the second difference often explains the first.
//   - A crash is a crash: the turn is played by another process (Config.Child, which calls PlayTurn) that
//     kills itself at the place named, while this one has the store closed. This process, which knows nothing
//     of what the other had in RAM, then opens the store, goes on with the turn and is looked at. Scripts need
//     no position: the prompt says which of their answers were kept. A turn without a crash needs no process.
//   - On a server the clock moves past the lease of the process that died before this one goes on: the wait that a host
//     has there is no part of the story. A database is dropped in the end, so one that holds anything is refused.
//   - With an embedder every turn waits until what it wrote has its vectors: recall of the next one must not depend on how
//     fast the machine is.
//   - What a file may ask and this release cannot do (an approval) fails the turn with a typed error. Skipping
//     it would make a red story green. So does a crash at a place that the turn never comes to.
package scenario
