// Package isolation holds tests that try to see, by every call there is, what belongs to somebody else.
//
//	50 clients, 5 with a second user ──► one store, one index, one process
//	  each: 200 records, messages, affairs, turns        alike in everything but their marks
//	        │
//	        ├─ picture of each, taken when it was made
//	        ├─ probes: every call of memory, tools, graph and index, with ids of others, wildcards, operators
//	        │          ──► no mark of another in the JSON of the answer, nor in its error, nor in its notes
//	        └─ the same picture again: nothing was changed, no count, score or number has moved
//
// Another test hides a user's only record behind 10,000 nearer ones of others, and a third sends 10,000 fuzzed ids, scopes
// and queries through everything that writes and compares the documents of everybody else, byte by byte.
//
// # Does it notice
//
// A suite that is green over code that leaks is worse than none. The procedure, for each lock in turn: copy the file, take the
// filter out of the copy, name both in a file {"Replace": {"/full/path/memory/store.go": "/tmp/store.go"}}, and run
// go test -overlay with it on this package: it must fail. (A copy of crowd_test.go with 4 clients of 40 records, named in the
// same file, makes it a matter of seconds.) What fails when the filter is taken out of
//
//	memory/store.go        Records: client instead of user           TestNobodySeesAnother: counts
//	                       Messages: client instead of session       TestNobodySeesAnother: counts
//	memory/internal/ledger Head: client instead of user              TestNobodySeesAnother: while owners join
//	memory/internal/mind   loadMind: client instead of user          TestNobodySeesAnother: while owners join
//	memory/meaning.go      allDocuments: client instead of user      TestNobodySeesAnother: counts of the index
//	state/scope.go         Thread: session without user              TestNobodySeesAnother: while owners join
//	memory/index/local     place.String: without client              TestNobodySeesAnother: after a restart
//	                       table: key without client                 TestNobodySeesAnother, TestOnlyRecord: counts
//	memory/index/milvus    owned: without client                     both tests on Milvus: the second lock refuses
//	                       owned: without client, and mine open      both tests on Milvus: counts, the only record
//	                       owned: without user, and mine open        both tests on Milvus: counts, the only record
package isolation

// Design:
//
//   - Every text, title and id of an owner holds marks that nobody else has, so a leak needs no expectation: any foreign
//     mark is one. A silent mark is never said by a probe. The other two, of texts asked for and of ids, may come back as an
//     echo of the question; what the probe said is taken out of the answer before it is searched.
//   - Owners are alike on purpose: equal session, message, affair and record ids beside their own ones, equal agents
//     and projects, texts that differ in the mark. A call that confuses two of them finds the other's at once.
//   - Counts and statistics have no mark. They are compared with the picture: a score that moves because somebody else wrote
//     is a leak too.
//   - The index is asked directly as well, since memory would join its answers back to the owner's own documents. A
//     probe that had to do without vectors fails: silence of the index is no proof.
//   - There is nothing here but tests, so that nothing can depend on it.
